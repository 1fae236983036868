/**
 * An OpenAPI description as written. Follows the references in it, and collects the problems found, each with its path.
 * Pure.
 */
import * as z from "zod";
import { isMap } from "../../../base/yaml/json_text.ts";
import { quotedOpenly } from "../../../base/secrets.ts";
import type { Path } from "../../../base/problems.ts";

/** A value in the description, with its path. */
export interface Part {
  readonly value: unknown;
  readonly path: Path;
}

export interface MapPart {
  readonly value: Readonly<Record<string, unknown>>;
  readonly path: Path;
}

export class Description {
  readonly #issues = new Map<string, z.core.$ZodIssue>();
  readonly root: MapPart;

  constructor(data: unknown) {
    this.root = { value: isMap(data) ? data : {}, path: [] };
  }

  /** Records a problem, unless the same one is recorded already. */
  refuse(path: Path, message: string): void {
    const issue = { code: "custom" as const, path: [...path], message, input: undefined };
    this.#issues.set(JSON.stringify([path.map(String), message]), issue);
  }

  /** Throws a ZodError with every recorded problem, if there are any. */
  throwRefused(): void {
    if (this.#issues.size > 0) throw new z.ZodError([...this.#issues.values()]);
  }

  /** The map with that name, after following references; null if it is missing or was refused. */
  map(of: MapPart, name: string): MapPart | null {
    return this.followedMap(partOf(of, name));
  }

  /** The part after following references. Refuses anything but a map. Null if the part is missing or was refused. */
  followedMap(part: Part): MapPart | null {
    const found = this.followed(part);
    if (found === null || found.value === undefined) return null;
    const { value, path } = found;
    if (isMap(value)) return { value, path };
    this.refuse(path, "Cannot read this: it must be a map");
    return null;
  }

  /** The items of the list with that name; none if it is missing or was refused. */
  list(of: MapPart, name: string): Part[] {
    const { value, path } = this.followed(partOf(of, name)) ?? { value: undefined, path: of.path };
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      return value.map((item, at) => ({ value: item, path: [...path, at] }));
    }
    this.refuse(path, "Cannot read this: it must be a list");
    return [];
  }

  /** The entries of the map with that name; none if it is missing or was refused. */
  entries(of: MapPart, name: string): [name: string, part: Part][] {
    const map = this.map(of, name);
    if (map === null) return [];
    return Object.keys(map.value).map((key) => [key, partOf(map, key)]);
  }

  /** The text with that name; null if it is missing or was refused. */
  text(of: MapPart, name: string): string | null {
    const value = of.value[name];
    if (value === undefined || value === null) return null;
    if (typeof value === "string") return value;
    this.refuse([...of.path, name], "Cannot read this: it must be text");
    return null;
  }

  /**
   * The part itself, or the one to which its reference leads, perhaps through further references; null if a reference
   * leads nowhere or back to itself.
   */
  followed(part: Part): Part | null {
    const known = new Set<string>();
    let found = part;
    for (;;) {
      const reference = referenceIn(found);
      if (reference === null) return found;
      const place = [...found.path, "$ref"];
      if (known.has(reference)) {
        this.refuse(place, `Cannot follow ${quotedOpenly(reference)}: it leads back to itself`);
        return null;
      }
      known.add(reference);
      const next = this.#at(reference, place);
      if (next === null) return null;
      found = next;
    }
  }

  /**
   * The part to which a reference leads: a JSON Pointer (RFC 6901) in the fragment of a URI. Null if it was refused.
   */
  #at(reference: string, place: Path): Part | null {
    const because = (why: string): null => {
      this.refuse(place, `Cannot follow ${quotedOpenly(reference)}: ${why}`);
      return null;
    };
    if (!reference.startsWith("#")) {
      return because("it leads to another file; bundle the description into one");
    }
    const pointer = decoded(reference.slice(1));
    if (pointer === null || (pointer !== "" && !pointer.startsWith("/"))) {
      return because("it is not a path such as #/components/schemas/Pet");
    }
    const steps = pointer.split("/").slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    let value: unknown = this.root.value;
    for (const step of steps) {
      if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) {
        return because("there is nothing at this place");
      }
      value = Reflect.get(value, step);
    }
    return { value, path: steps };
  }
}

export function partOf({ value, path }: MapPart, name: string): Part {
  return { value: Object.hasOwn(value, name) ? value[name] : undefined, path: [...path, name] };
}

export function referenceIn({ value }: Part): string | null {
  return isMap(value) && typeof value.$ref === "string" ? value.$ref : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
