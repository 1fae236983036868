/**
 * Data in layers, merged by the rules of RFC 7396 (JSON merge patch), or also list by list; keeps track of where each
 * value was written.
 */
import { type Path, startsWith } from "../problems.ts";
import { isMap } from "./json_text.ts";

/** The path of a value in the merged data (`at`), and the path where the value was written (`from`). */
interface LayerOrigin {
  readonly at: Path;
  readonly from: Path;
}

export class LayeredData {
  #origins: LayerOrigin[] = [];

  /** @param mergesLists Whether lists are merged, too, element by element. RFC 7396 replaces them. */
  constructor(public data: unknown, private readonly mergesLists = false) {}

  /**
   * Adds a layer: maps are merged, null removes a key, and any other value replaces the earlier one.
   * @param from Where the patch was written.
   */
  lay(patch: unknown, from: Path): void {
    this.data = this.#merged(this.data, patch, { at: [], from });
  }

  /** Where the value at a path was written, or where it was removed. */
  writtenAt(path: Path): Path {
    const [nearest] = this.#origins.filter(({ at }) => startsWith(path, at))
      .sort((a, b) => b.at.length - a.at.length);
    return nearest ? [...nearest.from, ...path.slice(nearest.at.length)] : path;
  }

  #merged(target: unknown, patch: unknown, origin: LayerOrigin): unknown {
    if (this.mergesLists && Array.isArray(target) && Array.isArray(patch)) {
      const merged = patch.map((value, at) =>
        this.#merged(target[at], value, { at: [...origin.at, at], from: [...origin.from, at] })
      );
      return [...merged, ...target.slice(patch.length)];
    }
    if (!isMap(target) || !isMap(patch)) this.#note(origin);
    if (!isMap(patch)) return patch;
    const entries = new Map(isMap(target) ? Object.entries(target) : []);
    for (const [key, value] of Object.entries(patch)) {
      const inner = { at: [...origin.at, key], from: [...origin.from, key] };
      if (value === null) {
        entries.delete(key);
        this.#note(inner);
      } else entries.set(key, this.#merged(entries.get(key), value, inner));
    }
    return Object.fromEntries(entries);
  }

  #note(origin: LayerOrigin): void {
    this.#origins = [...this.#origins.filter(({ at }) => !startsWith(at, origin.at)), origin];
  }
}

/** The patch that turns `before` into `after`; undefined if they are equal. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (!isMap(before) || !isMap(after)) {
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  }
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const patch = Object.hasOwn(before, key) ? patchBetween(before[key], value) : value;
    return patch === undefined ? [] : [[key, patch] as const];
  });
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const patch = Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
  return Object.keys(patch).length > 0 ? patch : undefined;
}
