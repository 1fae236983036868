/**
 * Messages of `google.protobuf` that have a special JSON form (https://protobuf.dev/programming-guides/json), such as a
 * string for a Timestamp. Converts between that form and the JSON of an ordinary message.
 */
import type { Json } from "../yaml/json_text.ts";

type JsonMap = { readonly [name: string]: Json };

export interface OwnForm {
  /** Converts the special JSON form to the fields of an ordinary message; null if the JSON does not have that form. */
  readonly fields: (json: Json) => JsonMap | null;
  readonly json: (fields: JsonMap) => Json;
  /** The expected JSON form, for error messages. */
  readonly form: string;
}

const NANOS = 1_000_000_000;
const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/;

function nanosOf(digits = ""): number {
  return Number(digits.padEnd(9, "0"));
}

/** A fraction of a second with 3, 6 or 9 digits: ".500" for 500,000,000 ns; "" for 0. */
function fraction(nanos: number): string {
  return nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/(?:000)+$/, "")}`;
}

const timestamp: OwnForm = {
  form: 'a time, such as "2026-01-31T12:00:00Z"',
  fields: (json) => {
    const [, date, digits, zone] = TIMESTAMP.exec(String(json)) ?? [];
    const ms = Date.parse(`${date}${zone}`);
    return Number.isNaN(ms) ? null : { seconds: String(ms / 1_000), nanos: nanosOf(digits) };
  },
  json: ({ seconds = "0", nanos = 0 }) => {
    const date = new Date(Number(seconds) * 1_000);
    if (Number.isNaN(date.getTime())) return { seconds, nanos };
    return date.toISOString().replace(/\.\d+Z$/, `${fraction(Number(nanos))}Z`);
  },
};

const duration: OwnForm = {
  form: 'a duration, such as "1.5s"',
  fields: (json) => {
    const [whole, sign, seconds, digits] = DURATION.exec(String(json)) ?? [];
    if (whole === undefined) return null;
    return { seconds: `${sign}${seconds}`, nanos: (sign === "-" ? -1 : 1) * nanosOf(digits) };
  },
  json: ({ seconds = "0", nanos = 0 }) => {
    const ns = Number(nanos);
    const sign = ns < 0 && Number(seconds) === 0 ? "-" : "";
    return `${sign}${seconds}${fraction(Math.abs(ns) % NANOS)}s`;
  },
};

const wrapper = (zero: Json): OwnForm => ({
  form: "a value",
  fields: (value) => ({ value }),
  json: ({ value = zero }) => value,
});

/** In JSON, field names are in camel case; in the message, they are written as in the `.proto` file. */
const fieldMask: OwnForm = {
  form: 'names of fields, such as "name,address.postalCode"',
  fields: (json) => {
    if (typeof json !== "string") return null;
    const paths = json.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { paths: paths === "" ? [] : paths.split(",") };
  },
  json: ({ paths = [] }) =>
    String(paths).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
};

const value: OwnForm = {
  form: "JSON",
  fields: (json): JsonMap => {
    if (json === null) return { nullValue: 0 };
    if (typeof json === "number") return { numberValue: json };
    if (typeof json === "string") return { stringValue: json };
    if (typeof json === "boolean") return { boolValue: json };
    return Array.isArray(json) ? { listValue: json } : { structValue: json };
  },
  // A Value has exactly one field.
  json: (fields) => "nullValue" in fields ? null : Object.values(fields)[0] ?? null,
};

const struct: OwnForm = {
  form: "a map",
  fields: (json) =>
    typeof json === "object" && json !== null && !Array.isArray(json) ? { fields: json } : null,
  json: ({ fields = {} }) => fields,
};

const list: OwnForm = {
  form: "a list",
  fields: (json) => Array.isArray(json) ? { values: json } : null,
  json: ({ values = [] }) => values,
};

const FORMS: Readonly<Record<string, OwnForm>> = {
  Timestamp: timestamp,
  Duration: duration,
  FieldMask: fieldMask,
  Value: value,
  Struct: struct,
  ListValue: list,
  DoubleValue: wrapper(0),
  FloatValue: wrapper(0),
  Int64Value: wrapper("0"),
  UInt64Value: wrapper("0"),
  Int32Value: wrapper(0),
  UInt32Value: wrapper(0),
  BoolValue: wrapper(false),
  StringValue: wrapper(""),
  BytesValue: wrapper(""),
};

const PACKAGE = "google.protobuf.";

/**
 * The special JSON form of a well-known type; null for all other messages.
 * @param name Full name of the message.
 */
export function ownFormOf(name: string): OwnForm | null {
  if (!name.startsWith(PACKAGE)) return null;
  const own = name.slice(PACKAGE.length);
  return Object.hasOwn(FORMS, own) ? FORMS[own] : null;
}
