/** Imports a Postman collection (format v2.0 or v2.1). Its requests, in order, become one user journey. Pure. */
import * as z from "zod";
import { METHODS } from "../../base/http/request.ts";
import { basicAuthorization } from "../../base/net/endpoint.ts";
import { explain } from "../../base/explain.ts";
import type { Path } from "../../base/problems.ts";
import { isMap } from "../../base/yaml/json_text.ts";
import { headerName, headerValue, stepName } from "../request/request.ts";
import { formText, pathText, percentEncoded } from "../request/template.ts";
import { Expansion, TooLong } from "./format/expansion.ts";
import {
  type Format,
  type Import,
  type ImportContext,
  nameFrom,
  Origins,
  REDIRECTS_ELSEWHERE,
} from "./format/format.ts";
import { type Auth, collection, type Item, type Request, type Script } from "./postman_shape.ts";
import { PostmanValues } from "./postman_values.ts";

export const postman: Format = {
  what: "a Postman collection",
  recognise: (data) =>
    isMap(data) && isMap(data.info) && Array.isArray(data.item) &&
    ("_postman_id" in data.info || /postman/.test(String(data.info.schema))),
  convert: (data, around) =>
    new Conversion(collection.parse(data, { error: explain }), around).result(),
};

/** The most redirects that Postman follows. */
const MOST_REDIRECTS = 10;
const MOST_NAMED = 5;

type Step = Record<string, unknown>;

/** What a request inherits from the folders around it. */
interface Around {
  readonly path: Path;
  /** Names of the folders, outermost first. */
  readonly folders: readonly string[];
  readonly auth: Auth | undefined;
}

class Conversion {
  readonly #notes = new Set<string>();
  readonly #origins = new Origins();
  readonly #expansion = new Expansion();
  readonly #steps: Step[] = [];
  readonly #values: PostmanValues;
  readonly #names = new Set<string>();
  readonly #elsewhere: string[] = [];
  readonly #scripts: string[] = [];
  #origin: string | null = null;

  constructor(
    private readonly given: z.output<typeof collection>,
    private readonly around: ImportContext,
  ) {
    this.#values = new PostmanValues(given.variable, (text) => this.#note(text));
  }

  result(): Import {
    const { info, item, auth, event } = this.given;
    this.#noteScripts(info.name, event);
    this.#items(item, { path: ["item"], folders: [], auth });
    if (this.#origin === null) {
      throw problem(["item"], "Cannot run a collection without a request over HTTP");
    }
    const values = this.#values.taken();
    const follow = MOST_REDIRECTS;
    this.#note(REDIRECTS_ELSEWHERE);
    if (this.#elsewhere.length > 0) {
      this.#note(`left out: requests to other hosts: ${some(this.#elsewhere)}`);
    }
    if (this.#scripts.length > 0) {
      this.#note(`left out: scripts, which are code: ${some(this.#scripts)}`);
    }
    this.#note(
      "Postman goes on after a wrong response; here the virtual user starts over after it",
    );
    this.#note("the load is a default: 10 virtual users for 10 s");
    return {
      experiment: {
        name: nameFrom(info.name, this.around.name),
        targets: { target: { url: this.#origin } },
        scenarios: {
          [nameFrom(info.name, "collection")]: {
            ...{ follow, flow: this.#steps },
            ...Object.keys(values).length > 0 && { values },
          },
        },
        load: { connections: 10, duration: "10s" },
        repeat: 1,
      },
      notes: [...this.#notes],
      origins: this.#origins,
      variables: this.#values.variables,
    };
  }

  #note(text: string): void {
    this.#notes.add(text);
  }

  #noteScripts(name: string, scripts: readonly Script[]): void {
    const kinds = scripts.filter(({ script }) => script.exec.some((line) => line.trim() !== ""))
      .map(({ listen }) => listen);
    if (kinds.length > 0) this.#scripts.push(`${kinds.join(" and ")} of ${name}`);
  }

  #items(items: readonly Item[], around: Around): void {
    for (const [at, item] of items.entries()) {
      const path = [...around.path, at];
      this.#noteScripts(item.name, item.event);
      if (item.item !== undefined) {
        const folders = [...around.folders, item.name];
        this.#items(item.item, {
          path: [...path, "item"],
          folders,
          auth: item.auth ?? around.auth,
        });
      } else if (item.request !== undefined) {
        this.#take(item.name, item.request, { ...around, path: [...path, "request"] });
      }
    }
  }

  #take(name: string, request: Request, around: Around): void {
    try {
      const step = this.#step(name, request, around);
      if (step === null) return;
      const why = this.#expansion.whyNot([step]);
      if (why !== null) throw problem(around.path, `Cannot convert this request: ${why}`);
      this.#steps.push(this.#origins.keep(step, around.path));
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      throw problem(around.path, `Cannot convert this request: ${error.message}`);
    }
  }

  /**
   * The step for a request; null if Plateau does not support its method, or if its origin differs from that of the
   * first request.
   */
  #step(name: string, request: Request, around: Around): Step | null {
    const method = request.method.toLowerCase();
    if (!(METHODS as readonly string[]).includes(method)) {
      this.#note(
        `left out: ${name}, because Plateau does not send requests with ${request.method}`,
      );
      return null;
    }
    const address = this.#address(request, around.path);
    if (this.#origin !== null && address.origin !== this.#origin) {
      this.#elsewhere.push(`${name} to ${address.origin}`);
      return null;
    }
    this.#origin = address.origin;
    const auth = this.#auth(request.auth ?? around.auth, around.path);
    const body = this.#body(request, name);
    const own = this.#fields(request, body.type);
    return {
      ...this.#name(name, around.folders),
      [method]: withQuery(address.path, auth.query),
      ...Object.keys({ ...own, ...auth.headers }).length > 0 &&
        { headers: { ...auth.headers, ...own } },
      ...body.fields,
    };
  }

  /**
   * A unique name for the step, with its folders in front if another request has the same name. Returns no name if the
   * longer one is taken, too, or is not allowed.
   */
  #name(name: string, folders: readonly string[]): { name?: string } {
    for (const text of [name, [...folders, name].join("/")]) {
      const cleaned = text.replaceAll(/[^\p{L}\p{N}_ /:{}-]+/gu, " ").replaceAll(/ +/g, " ")
        .replace(/^[^\p{L}\p{N}_]+/u, "").slice(0, 80).trim();
      const { data } = stepName.safeParse(cleaned);
      if (data === undefined || this.#names.has(data)) continue;
      this.#names.add(data);
      return { name: data };
    }
    return {};
  }

  #address({ url }: Request, path: Path): { readonly origin: string; readonly path: string } {
    const text = this.#values.resolved(url.raw.trim());
    const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
    const [, base = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)([^#]*)/i.exec(whole) ?? [];
    const origin = base.includes("{{") ? null : URL.parse(base);
    if (origin === null || !/^https?:$/.test(origin.protocol)) {
      const missing = /\{\{[^{}]*\}\}/.exec(base)?.[0];
      throw problem(
        [...path, "url"],
        missing === undefined
          ? "Cannot request this: it is not an http address"
          : `Cannot find the value of ${missing}: write it into the variables of the collection`,
      );
    }
    const given = new Map(url.variable.map(({ key, value }) => [key, value]));
    const [pathname, ...query] = rest.split("?");
    const filled = pathname.split("/").map((segment) => {
      const value = segment.startsWith(":") ? given.get(segment.slice(1)) : undefined;
      return value === undefined ? segment : formText([[value, ""]]).slice(0, -1);
    }).join("/");
    const made = this.#values.filled([filled, ...query].join("?"));
    return { origin: origin.origin, path: pathText(made.replace(/^(?!\/)/, "/")) };
  }

  #fields({ header }: Request, type: string | null): Record<string, unknown> {
    const fields: Record<string, unknown> = {};
    for (const { key, value } of header) {
      const text = this.#values.filled(value);
      if (headerName.safeParse(key).success && headerValue.safeParse(text).success) {
        fields[key] = text;
      } else this.#note(`left out: the header field ${key}, which Plateau cannot send`);
    }
    const isTyped = Object.keys(fields).some((name) => name.toLowerCase() === "content-type");
    return type === null || isTyped ? fields : { ...fields, "content-type": type };
  }

  #auth(auth: Auth | undefined, path: Path): {
    readonly headers: Record<string, string>;
    readonly query: readonly [string, string][];
  } {
    const none = { headers: {}, query: [] };
    if (auth === undefined || auth.type === "noauth") return none;
    const { type, parts } = auth;
    const part = (name: string): string => this.#values.resolved(parts.get(name) ?? "");
    const filled = (name: string): string => this.#values.filled(part(name));
    if (type === "basic") {
      const credentials = `${part("username")}:${part("password")}`;
      if (!credentials.includes("{{")) {
        return { ...none, headers: { authorization: basicAuthorization(credentials) } };
      }
      const what = `user:password of ${part("username")} in base64`;
      const name = this.#values.secret("basic auth", credentials, what);
      return { ...none, headers: { authorization: `Basic {{ ${name} }}` } };
    }
    if (type === "bearer") {
      return { ...none, headers: { authorization: `Bearer ${filled("token")}` } };
    }
    if (type === "oauth2" && parts.has("accessToken")) {
      return { ...none, headers: { authorization: `Bearer ${filled("accessToken")}` } };
    }
    if (type === "apikey") {
      const key = part("key");
      if (part("in") === "query") return { ...none, query: [[key, filled("value")]] };
      if (headerName.safeParse(key).success) {
        return { ...none, headers: { [key]: filled("value") } };
      }
      throw problem(
        path,
        "Cannot send this API key: its key is not a valid name of a header field",
      );
    }
    this.#note(`left out: authorization by ${type}`);
    return none;
  }

  #body({ body, method }: Request, name: string): {
    readonly type: string | null;
    readonly fields: Step;
  } {
    const none = { type: null, fields: {} };
    if (body === undefined || body.disabled) return none;
    const fill = (text: string): string => this.#values.filled(text);
    switch (body.mode) {
      case "raw":
        if (body.raw === "") return none;
        return { type: RAW_TYPES[body.language] ?? null, fields: { body: fill(body.raw) } };
      case "graphql": {
        const { query, variables } = body.graphql;
        const text = `{"query":${JSON.stringify(query)},"variables":${variables.trim() || "{}"}}`;
        return { type: "application/json", fields: { body: fill(text) } };
      }
      case "urlencoded":
        return { type: null, fields: this.#form("form", body.urlencoded, method, name) };
      case "formdata":
        return { type: null, fields: this.#form("multipart", body.formdata, method, name) };
      case "file":
        if (body.file !== null) {
          return { type: null, fields: { body: { file: this.around.pathOf(body.file) } } };
        }
        this.#note(`left out: the body of ${name}, because it names no file`);
        return none;
      default:
        return none;
    }
  }

  /** A form or multipart body. A name that occurs more than once gets a list. */
  #form(
    kind: "form" | "multipart",
    fields: NonNullable<Request["body"]>["formdata"],
    method: string,
    name: string,
  ): Step {
    if (fields.length === 0) return {};
    if (["GET", "HEAD"].includes(method.toUpperCase())) {
      this.#note(`left out: the form of ${name}, which is a ${method} request`);
      return {};
    }
    const made = new Map<string, unknown[]>();
    for (const { key, value, type, src, contentType } of fields) {
      const part = type !== "file" ? [this.#values.filled(value)] : src.map((file) => ({
        file: this.around.pathOf(file),
        ...contentType !== null && { type: contentType },
      }));
      if (part.length === 0) {
        this.#note(
          `left out: the file ${key} of ${name}, because the collection does not say which file it is`,
        );
      } else made.getOrInsert(this.#values.filled(key), []).push(...part);
    }
    const whole = [...made].map(([key, all]) => [key, all.length === 1 ? all[0] : all]);
    return whole.length === 0 ? {} : { [kind]: Object.fromEntries(whole) };
  }
}

/** Content types that Postman sets for a body of raw text, by the language chosen for it. */
const RAW_TYPES: Readonly<Record<string, string>> = {
  json: "application/json",
  xml: "application/xml",
  html: "text/html",
  javascript: "application/javascript",
  text: "text/plain",
};

function withQuery(path: string, query: readonly [string, string][]): string {
  if (query.length === 0) return path;
  const text = query.map(([name, value]) =>
    `${percentEncoded(name)}=${formText([[value, ""]]).slice(0, -1)}`
  );
  return `${path}${path.includes("?") ? "&" : "?"}${text.join("&")}`;
}

function some(all: readonly string[]): string {
  const left = all.length - MOST_NAMED;
  return all.slice(0, MOST_NAMED).join("; ") + (left > 0 ? `; and ${left} more` : "");
}

function problem(path: Path, message: string): z.ZodError {
  return new z.ZodError([{ code: "custom", path: [...path], message, input: undefined }]);
}
