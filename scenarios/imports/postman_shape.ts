/** The schema of a Postman collection. It has only the parts that are read, with defaults for optional ones. */
import * as z from "zod";

/** Postman writes null for many missing values. */
const text = z.union([z.string(), z.number(), z.boolean(), z.null()]).optional()
  .transform((given) => given === undefined || given === null ? "" : String(given));
const flag = z.boolean().nullish().transform((given) => given === true);

/** A list without its disabled items, which are not sent. */
function enabled<Item extends z.ZodType<{ disabled: boolean }>>(
  item: Item,
): z.ZodType<z.output<Item>[]> {
  return z.array(item).nullish().transform((given) =>
    (given ?? []).filter(({ disabled }) => !disabled)
  );
}

const pair = z.looseObject({ key: text, value: text, disabled: flag });

const variable = z.looseObject({
  key: text,
  id: text,
  value: z.unknown().optional(),
  type: text,
  disabled: flag,
}).transform(({ key, id, value, type, disabled }) => ({
  key: key === "" ? id : key,
  value: typeof value === "object" ? JSON.stringify(value ?? "") : String(value ?? ""),
  isSecret: type === "secret",
  disabled,
}));

export type Variable = z.output<typeof variable>;

const script = z.looseObject({
  listen: z.string(),
  script: z.looseObject({
    exec: z.union([z.string(), z.array(z.string())]).nullish()
      .transform((given) => [given ?? []].flat()),
  }).nullish().transform((given) => given ?? { exec: [] }),
  disabled: flag,
});

export type Script = z.output<typeof script>;

/** Version 2.1 gives the parts of an authentication as a list of keys and values, version 2.0 as a map. */
const auth = z.looseObject({ type: z.string() }).transform((given) => {
  const parts: unknown = given[given.type];
  const pairs = Array.isArray(parts)
    ? parts.map((one: unknown) => [Object(one).key, Object(one).value])
    : Object.entries(Object(parts));
  return {
    type: given.type,
    parts: new Map(pairs.map(([key, value]) => [String(key), String(value ?? "")])),
  };
}).nullish().transform((given) => given ?? undefined);

export type Auth = NonNullable<z.output<typeof auth>>;

const part = z.looseObject({
  key: text,
  value: text,
  type: text,
  src: z.union([z.string(), z.array(z.string())]).nullish()
    .transform((given) => [given ?? []].flat()),
  contentType: z.string().nullish().transform((given) => given ?? null),
  disabled: flag,
});

const body = z.looseObject({
  mode: z.string().nullish(),
  disabled: flag,
  raw: text,
  urlencoded: enabled(part),
  formdata: enabled(part),
  graphql: z.looseObject({ query: text, variables: text }).nullish()
    .transform((given) => given ?? { query: "", variables: "" }),
  file: z.union([
    z.string(),
    z.looseObject({ src: z.string().nullish() }).transform(({ src }) => src ?? null),
  ]).nullish().transform((given) => given ?? null),
  options: z.unknown().optional(),
}).transform(({ options, ...rest }) => ({
  ...rest,
  language: String(Object(Object(options).raw).language ?? ""),
})).nullish().transform((given) => given ?? undefined);

const parts = z.union([z.string().transform((text) => [text]), z.array(z.unknown())]).nullish()
  .transform((given) => (given ?? []).map((one) => String(Object(one).value ?? one)));

/** A URL, written as text or in parts. */
const url = z.union([
  z.string().transform((raw) => ({ raw, variable: [] })),
  z.looseObject({
    raw: z.string().nullish(),
    protocol: text,
    host: parts,
    port: text,
    path: parts,
    query: enabled(pair),
    variable: z.array(variable).nullish().transform((given) => given ?? []),
  }).transform(({ raw, protocol, host, port, path, query, variable }) => ({
    raw: raw ??
      `${protocol && `${protocol}://`}${host.join(".")}${port && `:${port}`}/${path.join("/")}${
        query.length === 0 ? "" : "?"
      }${query.map(({ key, value }) => `${key}=${value}`).join("&")}`,
    variable,
  })),
]).nullish().transform((given) => given ?? { raw: "", variable: [] });

/** A request. Plain text is the URL of a GET. */
const request = z.union([
  z.string().transform((raw) => ({ url: raw })),
  z.looseObject({}),
]).pipe(z.looseObject({
  method: z.string().nullish().transform((given) => given ?? "GET"),
  url,
  header: z.union([z.string().transform(linesOf), enabled(pair)]).nullish()
    .transform((given) => given ?? []),
  body,
  auth,
}));

export type Request = z.output<typeof request>;

function linesOf(text: string): { key: string; value: string; disabled: boolean }[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^([^:]+):(.*)$/.exec(line) ?? [];
    return key === undefined ? [] : [{ key: key.trim(), value: value.trim(), disabled: false }];
  });
}

export interface Item {
  readonly name: string;
  readonly event: readonly Script[];
  readonly auth?: Auth;
  readonly request?: Request;
  /** Items in a folder; absent for a request. */
  readonly item?: readonly Item[];
}

const events = enabled(script);

const item: z.ZodType<Item> = z.looseObject({
  name: text,
  event: events,
  auth,
  request: request.optional(),
  get item() {
    return z.array(item).optional();
  },
});

export const collection = z.looseObject({
  info: z.looseObject({ name: text }),
  item: z.array(item),
  variable: enabled(variable),
  auth,
  event: events,
});
