/** Imports an OpenAPI 3.0 or 3.1 description as a mix with an example request for each operation. Pure. */
import * as z from "zod";
import { METHODS } from "../../../base/http/request.ts";
import { LIMITS } from "../../../base/limits.ts";
import { isMap } from "../../../base/yaml/json_text.ts";
import { Expansion } from "../format/expansion.ts";
import {
  BRACES,
  BRACES_VALUE,
  type Format,
  freeName,
  type Import,
  type ImportContext,
  nameFrom,
  Origins,
} from "../format/format.ts";
import { Description, type MapPart, type Part } from "./description.ts";
import { Examples, NoExample } from "./examples.ts";
import { type Around, nameOf, type Operation, requestOf } from "./operation.ts";
import { Security } from "./security.ts";

export const openApi: Format = {
  what: "an OpenAPI description",
  recognise: (data) => isMap(data) && ["openapi", "swagger"].some((key) => isVersion(data[key])),
  convert: (data, around) => new Conversion(data, around).result(),
};

function isVersion(value: unknown): boolean {
  return /^\d+(?:\.\d+)*/.test(String(value));
}

/** Methods that only read, called safe in RFC 9110 §9.2.1. */
const SAFE = ["get", "head", "options"];
/** The most requests that a mix can have if each request is to have figures of its own. */
const MOST_TOGETHER = LIMITS.stepNames.most - 1;
const NO_SERVER = "http://127.0.0.1:8080";
const MOST_NAMED = 5;

type Step = Record<string, unknown>;

interface Taken {
  readonly step: Step;
  /** The first tag of the operation. */
  readonly tag: string;
  readonly values: Readonly<Record<string, unknown>>;
}

class Conversion {
  readonly #description: Description;
  readonly #notes = new Set<string>();
  readonly #origins = new Origins();
  readonly #expansion = new Expansion();
  readonly #security: Security;
  readonly #examples: Examples;
  readonly #madeUp: string[] = [];
  readonly #left: string[] = [];
  #writes = 0;

  constructor(data: unknown, private readonly around: ImportContext) {
    this.#description = new Description(data);
    this.#checkVersion();
    this.#security = new Security(this.#description);
    this.#examples = new Examples(this.#description);
  }

  result(): Import {
    const { root } = this.#description;
    const origin = this.#server(root)?.origin ?? null;
    const taken = this.#operations(origin).flatMap((operation) => this.#taken(operation));
    if (taken.length === 0 && this.#left.length === 0) {
      const message = this.#writes > 0
        ? "Cannot run this description: all of its operations may change something; " +
          "plateau init --writes includes them"
        : "Cannot run a description without an operation";
      this.#description.refuse(["paths"], message);
    } else if (taken.length === 0) {
      this.#description.refuse(
        ["paths"],
        `Cannot make a request for any operation: ${this.#left[0]}`,
      );
    }
    this.#description.throwRefused();
    if (origin === null) {
      this.#notes.add(`the description names no server: use --set target=URL to say where it is`);
    }
    const info = this.#description.map(root, "info");
    const title = info === null ? null : this.#description.text(info, "title");
    return {
      experiment: {
        name: nameFrom(title ?? "", this.around.name),
        targets: { target: { url: origin ?? NO_SERVER } },
        scenarios: this.#scenarios(taken),
        load: { connections: 10, duration: "10s" },
        repeat: 1,
      },
      notes: [...this.#notes, ...this.#security.notes, ...this.#counted()],
      origins: this.#origins,
      variables: [...this.#security.variables],
    };
  }

  #checkVersion(): void {
    const { value: { openapi, swagger } } = this.#description.root;
    if (swagger !== undefined) {
      throw problem(
        ["swagger"],
        `Cannot convert a description of version ${swagger}: convert it to OpenAPI 3 first`,
      );
    }
    if (!/^3\.\d/.test(String(openapi))) {
      throw problem(
        ["openapi"],
        `Cannot convert version ${openapi}: only 3.0 and 3.1 are supported`,
      );
    }
  }

  #operations(origin: string | null): Operation[] {
    const { description } = { description: this.#description };
    return description.entries(description.root, "paths").flatMap(([template, one]) => {
      const item = template.startsWith("/") ? description.followedMap(one) : null;
      if (item === null) return [];
      const shared = description.list(item, "parameters");
      return Object.keys(item.value).flatMap((key): Operation[] => {
        if (key === "trace") {
          this.#left.push(`TRACE ${template}, whose method Plateau does not send`);
        }
        if (!(METHODS as readonly string[]).includes(key)) return [];
        const part = description.map(item, key);
        if (part === null) return [];
        if (!SAFE.includes(key) && !this.around.writes) {
          this.#writes++;
          return [];
        }
        const server = this.#server(part) ?? this.#server(item) ??
          this.#server(description.root);
        if (server?.origin && server.origin !== origin) {
          this.#notes.add(`requests to ${server.origin} go to ${origin ?? NO_SERVER} in Plateau`);
        }
        return [{ method: key, template, base: server?.base ?? "", part, shared }];
      });
    });
  }

  /**
   * Origin and base path of the first server; null if there is no server, or if its URL is refused. The origin is null
   * if the URL is relative.
   */
  #server(of: MapPart): { readonly origin: string | null; readonly base: string } | null {
    const [first, ...others] = this.#description.list(of, "servers");
    const server = first && this.#description.followedMap(first);
    const written = server && this.#description.text(server, "url");
    if (!server || written === null) return null;
    const variables = new Map(this.#description.entries(server, "variables"));
    const url = written.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
      const variable = variables.get(name);
      const value = Object(variable?.value).default;
      return value === undefined ? whole : String(value);
    });
    const parsed = URL.parse(url, "relative://relative/");
    if (parsed === null || !["http:", "https:", "relative:"].includes(parsed.protocol)) {
      this.#description.refuse(
        [...server.path, "url"],
        "Cannot use this as a server: it is not an http address",
      );
      return null;
    }
    if (others.length > 0 && of === this.#description.root) {
      const urls = others.flatMap(({ value }) => Object(value).url ?? []);
      this.#notes.add(
        `the first server of the description is loaded, and not ${
          urls.slice(0, MOST_NAMED).join(", ")
        }`,
      );
    }
    const origin = parsed.protocol === "relative:" ? null : parsed.origin;
    return { origin, base: parsed.pathname.replace(/\/$/, "") };
  }

  /** The request of an operation as a list of one; empty if no request can be made. */
  #taken(operation: Operation): Taken[] {
    const name = nameOf(operation);
    const values = new Map();
    const around: Around = {
      description: this.#description,
      examples: this.#examples,
      security: this.#security,
      note: (text) => this.#notes.add(text),
      madeUp: (parameter) => this.#madeUp.push(`${parameter} of ${name}`),
      values,
    };
    try {
      const step = requestOf(operation, around);
      const why = this.#expansion.whyNot([step]);
      if (why !== null) {
        throw problem(operation.part.path, `Cannot convert this operation: ${why}`);
      }
      const hasBraces = JSON.stringify(step).includes(BRACES);
      const [tag] = [Object(operation.part.value.tags)[0]];
      return [{
        step: this.#origins.keep(step, operation.part.path),
        tag: typeof tag === "string" ? tag : "operations",
        values: {
          ...Object.fromEntries([...values].map(([key, secret]) => [key, { pick: [secret] }])),
          ...hasBraces && BRACES_VALUE,
        },
      }];
    } catch (error) {
      if (!(error instanceof NoExample)) throw error;
      this.#left.push(`${name}: ${error.message}`);
      return [];
    }
  }

  /** One scenario if all requests can have figures of their own in it; otherwise one or more for each tag. */
  #scenarios(taken: readonly Taken[]): Record<string, unknown> {
    const groups = taken.length <= MOST_TOGETHER
      ? new Map([["operations", taken]])
      : Map.groupBy(taken, ({ tag }) => tag);
    const scenarios: Record<string, unknown> = {};
    for (const [tag, all] of groups) {
      for (let from = 0; from < all.length; from += MOST_TOGETHER) {
        const part = all.slice(from, from + MOST_TOGETHER);
        const values = Object.assign({}, ...part.map(({ values }) => values));
        scenarios[freeName(nameFrom(tag, "operations"), scenarios)] = {
          mix: part.map(({ step }) => step),
          ...Object.keys(values).length > 0 && { values },
        };
      }
    }
    return scenarios;
  }

  *#counted(): Generator<string> {
    if (this.#writes > 0) {
      yield `left out: ${
        operations(this.#writes)
      } that may change something: plateau init --from FILE --writes includes them`;
    }
    if (this.#left.length > 0) {
      yield `left out: ${this.#left.length} operations for which no request could be made: ${
        some(this.#left)
      }`;
    }
    if (this.#madeUp.length > 0) {
      yield `the description has no examples of these values, which are made up: ${
        some(this.#madeUp)
      }; write values that the service knows`;
    }
    yield "the load is a default: 10 connections for 10 s";
  }
}

function operations(count: number): string {
  return count === 1 ? "1 operation" : `${count} operations`;
}

function some(all: readonly string[]): string {
  const left = all.length - MOST_NAMED;
  return all.slice(0, MOST_NAMED).join("; ") + (left > 0 ? `; and ${left} more` : "");
}

function problem(path: Part["path"], message: string): z.ZodError {
  return new z.ZodError([{ code: "custom", path: [...path], message, input: undefined }]);
}
