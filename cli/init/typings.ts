/** The types of the module `plateau`. With them, editors complete and check an experiment in TypeScript. Pure. */
import { isMap } from "../../base/yaml/json_text.ts";
import { VERSION } from "../../base/version.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { portableSchema } from "../schema/json_schema.ts";

export const TYPES_EXPORTS = {
  ".": { types: "./index.d.ts", default: "./index.mjs" },
  "./artillery": { types: "./artillery.d.ts", default: "./artillery.mjs" },
  "./k6": { types: "./k6.d.ts", default: "./k6.mjs" },
};

/** A package that contains only types: the content of its files, by path. */
export function typesPackage(): Record<string, string> {
  const manifest = {
    name: "plateau",
    version: VERSION,
    description: "Experiments of Plateau in TypeScript",
    exports: TYPES_EXPORTS,
  };
  return { "package.json": `${JSON.stringify(manifest, null, 2)}\n`, ...typesFiles() };
}

/** The content of the files with types, by their path in the package. */
export function typesFiles(): Record<string, string> {
  return {
    "index.mjs": ONLY_FOR_TYPES,
    "index.d.ts": declarations(portableSchema(experimentSpecWith())),
    "artillery.mjs": "export {};\n",
    "artillery.d.ts": ARTILLERY,
    "k6.mjs": "export {};\n",
    "k6.d.ts": K6,
  };
}

/**
 * Code of the module `plateau` for a script that is run without Plateau. The script can be imported, but calls of
 * `basic`, `clientCredentials` and `signAws` throw an error.
 */
const ONLY_FOR_TYPES = `export const experiment = (given) => given;
export const env = () => "";
const missing = () => { throw new Error("run this with plateau run"); };
export { missing as basic, missing as clientCredentials, missing as signAws };
`;

/**
 * Maps each key whose value is a function in TypeScript (in YAML, the name of a function) to the type of the function.
 */
const FUNCTIONS: Readonly<Record<string, string>> = {
  before: "(request: Request, user: User) => void",
  after: "(response: Response, user: User) => void",
  setup: "(target: { readonly url: string }) => unknown",
  teardown: "(data: any) => unknown",
  by: "(data: any, target: { readonly url: string }) => unknown",
  start: "(user: User) => void",
  end: "(user: User) => void",
};

const HEAD = `/** A request before it is sent, to be changed in place. */
export interface Request {
  method: string;
  /** Path and query, percent-encoded. */
  path: string;
  headers: Record<string, string | number | undefined>;
  /** "" without a body. */
  body: string | Uint8Array;
}

/** A complete response. It can be read only during \`after\`. */
export interface Response {
  readonly status: number;
  /** Header fields by name, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A virtual user. In a closed loop there is one for each connection. */
export interface User {
  /** Number of the virtual user, from 0. A user who arrives takes the number of one who has left. */
  readonly id: number;
  /** How many sessions users with this number have begun before this one. */
  readonly iteration: number;
  /** The result of \`setup\`, or of the last \`refresh\`, frozen. */
  readonly data: any;
  /** Variables of one session; texts and numbers are also available as \`{{ name }}\` in later requests. */
  readonly vars: Record<string, any>;
  /** A random number from 0 (inclusive) to 1 (exclusive), from the seed of the experiment. */
  random(): number;
  uuid(): string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** The HMAC in hex. */
  hmac(algorithm: "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512", key: string | Uint8Array, text: string | Uint8Array): string;
  base64(text: string | Uint8Array): string;
}

/** Returns its argument unchanged, so that an editor can check it as an experiment. */
export function experiment(given: Experiment): Experiment;
/** An environment variable, which must be read at the top level of the script. Its value is kept out of the results. */
export function env(name: string): string;

/** The field \`authorization\` for HTTP Basic authentication. */
export function basic(user: string, password: string): string;

export interface Token {
  readonly token: string;
  /** The field \`authorization\`: \`Bearer …\`. */
  readonly authorization: string;
  /** Milliseconds since the epoch; null if the server does not say. */
  readonly expiresMs: number | null;
  /** When to fetch the token again, milliseconds since the epoch. */
  readonly renewMs: number;
}

export interface ClientCredentials {
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope?: string;
  /** How the secret is sent to the server: in the field of HTTP Basic, or in the body. */
  readonly sends?: "field" | "body";
  /** Additional parameters of the request, such as \`audience\`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** An OAuth 2.0 token, for \`setup\` and \`refresh\`: returns the earlier one until half of its lifetime has passed. */
export function clientCredentials(options: ClientCredentials, earlier?: Token | null): Promise<Token>;

export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
  readonly service: string;
  /** The host as named in the request; needed if the request has no field \`host\`. */
  readonly host?: string;
  /** Milliseconds since the epoch; default: now. */
  readonly nowMs?: number;
}

/** Signs a request with AWS Signature Version 4, in \`before\`: call it last, because later changes are not signed. */
export function signAws(request: Request, key: AwsKey): void;

`;

/** Types of the module `plateau/artillery`, which is imported by scripts that were converted from Artillery. */
const ARTILLERY = `import type { Request, Response, User } from "plateau";

/**
 * Turns the functions of an Artillery processor into the hooks of one scenario: those of its steps, and those of its users.
 * @param vars Variables that all users have.
 */
export function processed(functions: Readonly<Record<string, unknown>>, scenario: {
  readonly name: string;
  readonly vars: Readonly<Record<string, unknown>>;
}): {
  step(given: Readonly<Record<string, unknown>>): {
    before?(request: Request, user: User): void;
    after?(response: Response, user: User): void;
  };
  user(given: { readonly start?: readonly string[]; readonly end?: readonly string[] }): {
    start?(user: User): void;
    end?(user: User): void;
  };
};
/** What the functions may use of Node's modules \`crypto\` and \`buffer\`, and of the package \`uuid\`. */
export const node: Readonly<Record<"crypto" | "uuid" | "Buffer", any>>;
`;

/** Types of the module `plateau/k6`, which is imported by scripts that were converted from k6. */
const K6 = `import type { Request, Response, User } from "plateau";

/** A response in the form of k6. */
export interface K6Response {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  json(path?: string): any;
}
type Send = (url: string, ...given: any[]) => unknown;
/** Each function makes a request, which the iteration yields: \`const response = yield http.get(url)\`. */
export const http: Readonly<Record<"get" | "head" | "post" | "put" | "patch" | "del" | "options", Send>> & {
  request(method: string, url: string, body?: any, params?: any): unknown;
  batch(requests: any): Generator<unknown, any, any>;
};
export function check(value: any, checks: Readonly<Record<string, unknown>>): boolean;
export function group(name: string, inner: () => any): Generator<unknown, any, any>;
export function sleep(seconds: number): void;
export function fail(message?: string): never;
/** Hooks of each step of a flow. @param origin Origin of the script's URLs. @param rounds Iterations per session. */
export function iterations(
  script: (data: any) => Generator<unknown, any, any>,
  origin: string,
  userAgent?: string,
  rounds?: number,
): {
  before(request: Request, user: User): void;
  after(response: Response, user: User): void;
  expect: { status: number[] };
};
/** Wraps a function for \`setup\` and \`teardown\`. */
export function around(
  script: (data: any) => Generator<unknown, any, any>,
  origin: string,
  target: string,
  userAgent?: string,
): (data: any) => Promise<any>;
`;

function declarations(schema: Readonly<Record<string, unknown>>): string {
  const { $defs = {}, ...whole } = schema;
  const named = Object.entries(Object($defs))
    .map(([name, inner]) => `type ${name.replace(/^_+/, "")} = ${typeOf(inner, "")};\n`);
  return `${HEAD}export type Experiment = ${typeOf(whole, "")};\n\n${named.join("\n")}`;
}

/** The TypeScript type for a JSON Schema. @param indent Indent of the line on which the type begins. */
function typeOf(schema: unknown, indent: string): string {
  if (!isMap(schema)) return "unknown";
  if (typeof schema.$ref === "string") {
    return schema.$ref.replace("#/$defs/", "").replace(/^_+/, "");
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  }
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices) {
    return [...new Set(choices.map((choice: unknown) => typeOf(choice, indent)))].join(" | ");
  }
  switch (schema.type) {
    case "array":
      return `Array<${typeOf(schema.items, indent)}>`;
    case "integer":
    case "number":
      return "number";
    case "object":
      return objectOf(schema, indent);
    case "string":
    case "boolean":
    case "null":
      return String(schema.type);
    default:
      return "unknown";
  }
}

function objectOf(schema: Readonly<Record<string, unknown>>, indent: string): string {
  const { properties, additionalProperties, required } = schema;
  if (!isMap(properties) || Object.keys(properties).length === 0) {
    return isMap(additionalProperties)
      ? `{ [name: string]: ${typeOf(additionalProperties, indent)} }`
      : "{}";
  }
  const inside = `${indent}  `;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties).filter(([name]) => name !== "script").flatMap(
    ([name, inner]) => {
      const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
      const isHook = Object.hasOwn(FUNCTIONS, name) && isMap(inner) && inner.type === "string";
      const type = isHook ? FUNCTIONS[name] : typeOf(inner, inside);
      const about = isMap(inner) && typeof inner.description === "string"
        ? [`${inside}/** ${inner.description.replaceAll("*/", "* /")} */`]
        : [];
      return [...about, `${inside}${key}${needed.includes(name) ? "" : "?"}: ${type};`];
    },
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}
