/**
 * Encodes JSON as protobuf messages (https://protobuf.dev/programming-guides/json). The JSON is checked against the
 * message's type, so that an error names the field that does not fit.
 */
import { LIMITS } from "../limits.ts";
import { didYouMean } from "../suggest.ts";
import type { Json } from "../yaml/json_text.ts";
import type { FieldType, MessageTypes, RootType, ScalarKind } from "./message_types.ts";
import { ownFormOf } from "./well_known.ts";
import { FIXED32, FIXED64, LENGTH, VARINT, WireWriter } from "./wire.ts";

/** Says why a JSON value can't be encoded as the message. */
export class MessageProblem extends Error {
  /** @param path Names and list indexes that lead from the top of the message to the value. */
  constructor(readonly path: readonly (string | number)[], readonly why: string) {
    super(`Cannot send ${path.length === 0 ? "this message" : placeOf(path)}: ${why}`);
  }
}

function placeOf(path: readonly (string | number)[]): string {
  return path.map((step, at) =>
    typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`
  ).join("");
}

interface EncodeOptions {
  /**
   * Whether the value of any field may be a text with a placeholder `{{ name }}`, whose own value is not known yet. Set
   * only to check messages, never to send them.
   */
  readonly hasNames?: boolean;
}

/** Throws MessageProblem if the JSON does not fit the message's type. */
export function encodeMessage(
  { name, types }: RootType,
  json: Json,
  { hasNames = false }: EncodeOptions = {},
): Uint8Array<ArrayBuffer> {
  return new MessageEncoder(types, hasNames).encode(name, json, []);
}

const VARINTS = ["int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "enum"];
const FIXED: Readonly<Record<string, number>> = {
  ...{ double: FIXED64, fixed64: FIXED64, sfixed64: FIXED64 },
  ...{ float: FIXED32, fixed32: FIXED32, sfixed32: FIXED32 },
};

/** The wire type of a value of this kind, unless it is packed. */
export function wireTypeOf(kind: FieldType["kind"]): number {
  return VARINTS.includes(kind) ? VARINT : FIXED[kind] ?? LENGTH;
}

const WHOLE: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  ...{ int32: signed(32), sint32: signed(32), sfixed32: signed(32) },
  ...{ int64: signed(64), sint64: signed(64), sfixed64: signed(64) },
  ...{ uint32: [0n, 2n ** 32n - 1n], fixed32: [0n, 2n ** 32n - 1n] },
  ...{ uint64: [0n, 2n ** 64n - 1n], fixed64: [0n, 2n ** 64n - 1n] },
};

function signed(bits: number): [bigint, bigint] {
  const half = 2n ** BigInt(bits - 1);
  return [-half, half - 1n];
}

type Path = readonly (string | number)[];

const NAMES = /\{\{[^{}]+\}\}/;

class MessageEncoder {
  constructor(private readonly types: MessageTypes, private readonly hasNames: boolean) {}

  encode(name: string, json: Json, path: Path): Uint8Array<ArrayBuffer> {
    const out = new WireWriter();
    if (this.#isOpen(json)) return out.take();
    if (path.length > LIMITS.nesting.most) {
      throw new MessageProblem(
        [],
        `the message has more than ${LIMITS.nesting.most} levels of nesting, the limit`,
      );
    }
    const own = ownFormOf(name);
    const members = own === null ? json : own.fields(json);
    if (own !== null && members === null) {
      throw new MessageProblem(path, `${name} is ${own.form}`);
    }
    if (!isMap(members)) {
      throw new MessageProblem(path, `${name} must be a map of its fields, not ${kindOf(json)}`);
    }
    this.#encodeFields(out, name, members, path);
    return out.take();
  }

  #encodeFields(
    out: WireWriter,
    name: string,
    members: { readonly [name: string]: Json },
    path: Path,
  ): void {
    const fields = this.types.messages[name];
    const given = new Set<string>();
    for (const [member, value] of Object.entries(members)) {
      const field = fields.find((field) => field.json === member || field.name === member);
      const at = [...path, member];
      if (field === undefined) throw new MessageProblem(at, unknownField(name, member, fields));
      if (value === null && !isOfJson(field)) continue; // null means absent in JSON
      for (const one of new Set([field.name, field.oneof ?? field.name])) {
        if (given.has(one)) {
          const twice = one === field.name
            ? `${name} must not have this field twice, under both of its names`
            : `${name} must have only one field of the oneof ${one}`;
          throw new MessageProblem(at, twice);
        }
        given.add(one);
      }
      this.#encodeField(out, field, value, at);
    }
    const missing = fields.find((field) => field.required && !given.has(field.name));
    if (missing !== undefined) {
      throw new MessageProblem([...path, missing.json], `${name} requires it`);
    }
  }

  #encodeField(out: WireWriter, field: FieldType, value: Json, path: Path): void {
    if (field.many === undefined) return this.#tagged(out, field, value, path);
    if (this.#isOpen(value)) return;
    if (field.many === "map") return this.#encodeMap(out, field, value, path);
    if (!Array.isArray(value)) {
      throw new MessageProblem(
        path,
        `it must be a list of ${typeText(field)} values, not ${kindOf(value)}`,
      );
    }
    if (field.many === "list") {
      return value.forEach((one, at) => this.#tagged(out, field, one, [...path, at]));
    }
    if (value.length === 0) return;
    const packed = new WireWriter();
    value.forEach((one, at) => this.#value(packed, field, one, [...path, at]));
    out.tag(field.id, LENGTH);
    out.bytes(packed.take());
  }

  #encodeMap(out: WireWriter, field: FieldType, value: Json, path: Path): void {
    if (!isMap(value)) throw new MessageProblem(path, `it must be a map, not ${kindOf(value)}`);
    const key: FieldType = { name: "key", json: "key", id: 1, kind: field.key ?? "string" };
    for (const [name, one] of Object.entries(value)) {
      const entry = new WireWriter();
      this.#tagged(entry, key, name, [...path, name]);
      this.#tagged(entry, { ...field, id: 2 }, one, [...path, name]);
      out.tag(field.id, LENGTH);
      out.bytes(entry.take());
    }
  }

  #tagged(out: WireWriter, field: FieldType, value: Json, path: Path): void {
    out.tag(field.id, wireTypeOf(field.kind));
    this.#value(out, field, value, path);
  }

  #value(out: WireWriter, { kind, of = "" }: FieldType, value: Json, path: Path): void {
    if (kind === "message") return out.bytes(this.encode(of, value, path));
    if (kind === "enum") return out.varint(this.#enumValue(of, value, path));
    writeScalar(out, kind, this.#isOpen(value) ? NOTHING[kind] ?? 0 : value, path);
  }

  #enumValue(name: string, value: Json, path: Path): bigint {
    const values = this.types.enums[name];
    if (this.#isOpen(value)) return 0n;
    if (typeof value === "number" && Number.isInteger(value)) return wholeIn("int32", value, path);
    if (typeof value === "string" && Object.hasOwn(values, value)) return BigInt(values[value]);
    const names = Object.keys(values);
    const fix = didYouMean(String(value), names) ??
      `its values are ${names.slice(0, MOST_SHOWN).join(", ")}${
        names.length > MOST_SHOWN ? " …" : ""
      }`;
    throw new MessageProblem(path, `${name} has no value ${JSON.stringify(value)}: ${fix}`);
  }

  /** Whether the value has a placeholder that is filled in later. */
  #isOpen(value: Json): boolean {
    return this.hasNames && typeof value === "string" && NAMES.test(value);
  }
}

const MOST_SHOWN = 20;
/** Stand-ins for a value that is not known yet, keyed by the field's kind. The stand-in of any other kind is 0. */
const NOTHING: Readonly<Record<string, Json>> = { bool: false, string: "", bytes: "" };

/** Whether null is a valid value of the field. */
function isOfJson({ kind, of }: FieldType): boolean {
  return (kind === "message" && of === "google.protobuf.Value") ||
    (kind === "enum" && of === "google.protobuf.NullValue");
}

function writeScalar(out: WireWriter, kind: ScalarKind, value: Json, path: Path): void {
  if (kind === "string") {
    if (typeof value === "string") return out.bytes(new TextEncoder().encode(value));
  } else if (kind === "bytes") {
    const octets = typeof value === "string" ? octetsOf(value) : null;
    if (octets !== null) return out.bytes(octets);
  } else if (kind === "bool") {
    if (value === true || value === "true") return out.varint(1n);
    if (value === false || value === "false") return out.varint(0n);
  } else if (kind === "double" || kind === "float") {
    const number = numberOf(value);
    if (number !== null) return kind === "double" ? out.double(number) : out.float(number);
  } else {
    return writeWhole(out, kind, wholeIn(kind, value, path));
  }
  throw misfit(kind, value, path);
}

/** The value as a whole number. Throws MessageProblem if it is not one, or not within the range of its kind. */
function wholeIn(kind: ScalarKind, value: Json, path: Path): bigint {
  const whole = wholeOf(value);
  const [least, most] = WHOLE[kind];
  if (whole === null || whole < least || whole > most) throw misfit(kind, value, path);
  return whole;
}

function misfit(kind: ScalarKind, value: Json, path: Path): MessageProblem {
  const expected = SCALAR_TEXTS[kind] ?? `a number (${kind})`;
  return new MessageProblem(path, `it must be ${expected}, not ${kindOf(value)}`);
}

const SCALAR_TEXTS: Readonly<Record<string, string>> = {
  string: "a string",
  bytes: "octets as base64",
  bool: "true or false",
  ...Object.fromEntries(Object.keys(WHOLE).map((kind) => [kind, `a whole number (${kind})`])),
};

function writeWhole(out: WireWriter, kind: ScalarKind, value: bigint): void {
  const is64 = kind.endsWith("64");
  if (FIXED[kind] === FIXED64) out.fixed64(value);
  else if (FIXED[kind] === FIXED32) out.fixed32(Number(BigInt.asUintN(32, value)));
  else if (kind.startsWith("sint")) out.varint((value << 1n) ^ (value >> (is64 ? 63n : 31n)));
  else out.varint(value);
}

function wholeOf(value: Json): bigint | null {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? BigInt(value) : null;
}

const ODD_NUMBERS = ["NaN", "Infinity", "-Infinity"];

function numberOf(value: Json): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return null;
  const isNumber = ODD_NUMBERS.includes(value) || /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value);
  return isNumber ? Number(value) : null;
}

/** Decodes base64 in either alphabet (RFC 4648, sections 4 and 5); null if the text is not base64. */
function octetsOf(text: string): Uint8Array | null {
  if (/\s/.test(text)) return null;
  try {
    return Uint8Array.fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}

function unknownField(name: string, member: string, fields: readonly FieldType[]): string {
  const names = fields.map((field) => field.name);
  if (names.length === 0) return `${name} has no fields`;
  const fix = didYouMean(member, names) ??
    `its fields are ${names.slice(0, MOST_SHOWN).join(", ")}${
      names.length > MOST_SHOWN ? " …" : ""
    }`;
  return `${name} has no such field: ${fix}`;
}

function typeText({ kind, of }: FieldType): string {
  return of ?? kind;
}

function isMap(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How an error names a value: a list or a map by its kind, any other value as JSON. */
function kindOf(value: Json): string {
  if (Array.isArray(value)) return "a list";
  if (isMap(value)) return "a map";
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
