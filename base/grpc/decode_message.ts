/**
 * Decodes protobuf messages to JSON (https://protobuf.dev/programming-guides/json), with the JSON names of fields, such
 * as `userId` for `user_id`. An absent field is left out, even if protobuf would give it a zero value. Fields that the
 * type does not declare are skipped.
 */
import { LIMITS } from "../limits.ts";
import type { Json } from "../yaml/json_text.ts";
import { wireTypeOf } from "./encode_message.ts";
import type { FieldType, MessageTypes, RootType, ScalarKind } from "./message_types.ts";
import { type OwnForm, ownFormOf } from "./well_known.ts";
import { LENGTH, MalformedMessage, WireReader } from "./wire.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const NO_OCTETS: Bytes = new Uint8Array(0);

/** The fields of one message that were read so far, keyed by their JSON names. */
class Members {
  readonly values = new Map<string, Json | Members>();
  /** For each oneof, the name of the field that was read last: only this field remains set. */
  readonly chosen = new Map<string, string>();
  readonly lists = new Map<string, Json[]>();
  readonly maps = new Map<string, Map<string, Json>>();

  constructor(
    readonly fields: ReadonlyMap<number, FieldType>,
    /** The special JSON form of the type; null if it has none. */
    readonly own: OwnForm | null,
  ) {}

  asObject(): Record<string, Json> {
    return Object.fromEntries<Json>([
      ...[...this.values].map(([name, value]) =>
        [name, value instanceof Members ? value.asJson() : value] as const
      ),
      ...this.lists,
      ...[...this.maps].map(([name, map]) => [name, Object.fromEntries(map)] as const),
    ]);
  }

  asJson(): Json {
    const json = this.asObject();
    return this.own === null ? json : this.own.json(json);
  }
}

export class MessageDecoder {
  /** Number of values decoded so far of the message passed to `decode`. */
  #values = 0;
  readonly #types: MessageTypes;
  readonly #name: string;
  readonly #fields = new Map<string, ReadonlyMap<number, FieldType>>();
  /** For each map field, the key field and the value field of its entries. */
  readonly #entries = new Map<FieldType, ReadonlyMap<number, FieldType>>();
  readonly #text = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor({ name, types }: RootType) {
    this.#name = name;
    this.#types = types;
  }

  /** Throws MalformedMessage if the octets are not a protobuf message. */
  decode(octets: Bytes): Json {
    this.#values = 0;
    return this.#message(this.#name, octets, 0);
  }

  #message(name: string, octets: Bytes, depth: number): Json {
    const members = this.#membersOf(name);
    this.#read(members, octets, depth);
    return members.asJson();
  }

  #membersOf(name: string): Members {
    return new Members(this.#fieldsOf(name), ownFormOf(name));
  }

  /**
   * Reads a message into `members`. They may hold fields already, because a message that occurs twice in a field is
   * merged.
   */
  #read(members: Members, octets: Bytes, depth: number): void {
    if (depth > LIMITS.nesting.most) throw new MalformedMessage("it is nested too deep");
    const reader = new WireReader(octets);
    while (!reader.isOver) {
      const { id, wireType } = reader.tag();
      const field = members.fields.get(id);
      if (field === undefined || !fits(field, wireType)) reader.skip(wireType);
      else this.#take(members, field, reader, wireType, depth);
    }
  }

  #fieldsOf(name: string): ReadonlyMap<number, FieldType> {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const fields = new Map(this.#types.messages[name].map((field) => [field.id, field]));
    this.#fields.set(name, fields);
    return fields;
  }

  #take(
    members: Members,
    field: FieldType,
    reader: WireReader,
    wireType: number,
    depth: number,
  ): void {
    const { json, many, kind } = field;
    if (many === "map") return this.#takeEntry(members, field, reader.bytes(), depth);
    if (many === undefined) return this.#takeOne(members, field, reader, depth);
    const list = members.lists.get(json) ?? [];
    members.lists.set(json, list);
    // A reader must accept both packed and unpacked lists, whichever the type declares.
    if (wireType === wireTypeOf(kind)) list.push(this.#value(field, reader, depth));
    else {
      const packed = new WireReader(reader.bytes());
      while (!packed.isOver) list.push(this.#value(field, packed, depth));
    }
  }

  #takeOne(
    { values, chosen }: Members,
    field: FieldType,
    reader: WireReader,
    depth: number,
  ): void {
    const { json, kind, of = "", oneof } = field;
    if (oneof !== undefined) {
      const before = chosen.get(oneof) ?? json;
      if (before !== json) values.delete(before);
      chosen.set(oneof, json);
    }
    if (kind !== "message") return void values.set(json, this.#value(field, reader, depth));
    this.#count();
    const known = values.get(json);
    const members = known instanceof Members ? known : this.#membersOf(of);
    this.#read(members, reader.bytes(), depth + 1);
    values.set(json, members);
  }

  /** A map entry is encoded as a message with a key and a value. */
  #takeEntry({ maps }: Members, field: FieldType, octets: Bytes, depth: number): void {
    const { key: keyKind = "string", kind, of = "", json } = field;
    const entry = new Members(this.#entryOf(field), null);
    this.#read(entry, octets, depth);
    const { key = ZEROS[keyKind] ?? 0, value = kind === "message" ? null : ZEROS[kind] ?? 0 } =
      entry.asObject();
    const map = maps.get(json) ?? new Map<string, Json>();
    maps.set(json, map.set(String(key), value ?? this.#message(of, NO_OCTETS, depth + 1)));
  }

  #entryOf(field: FieldType): ReadonlyMap<number, FieldType> {
    const known = this.#entries.get(field);
    if (known !== undefined) return known;
    const { key: keyKind = "string", kind, of } = field;
    const entry = new Map<number, FieldType>([
      [1, { name: "key", json: "key", id: 1, kind: keyKind }],
      [2, { name: "value", json: "value", id: 2, kind, of }],
    ]);
    this.#entries.set(field, entry);
    return entry;
  }

  #count(): void {
    if (++this.#values > LIMITS.jsonValues.most) {
      throw new MalformedMessage("it has too many values");
    }
  }

  #value({ kind, of = "" }: FieldType, reader: WireReader, depth: number): Json {
    this.#count();
    if (kind === "message") return this.#message(of, reader.bytes(), depth + 1);
    if (kind === "enum") {
      const number = Number(BigInt.asIntN(32, reader.varint()));
      const [name] = Object.entries(this.#types.enums[of]).find(([, one]) => one === number) ?? [];
      return name ?? number;
    }
    if (kind === "string") return this.#text.decode(reader.bytes());
    return kind === "bytes" ? reader.bytes().toBase64() : scalar(kind, reader);
  }
}

/** Whether a value of the field may have this wire type. A list may also be packed. */
function fits({ kind, many }: FieldType, wireType: number): boolean {
  return wireType === (many === "map" ? LENGTH : wireTypeOf(kind)) ||
    (many !== undefined && wireType === LENGTH);
}

/**
 * Defaults for the key or value that a map entry omits, keyed by kind. The default of a message is an empty message,
 * and that of any other kind is 0.
 */
const ZEROS: Readonly<Record<string, Json>> = {
  ...{ string: "", bytes: "", bool: false },
  ...{ int64: "0", uint64: "0", sint64: "0", fixed64: "0", sfixed64: "0" },
};

function scalar(kind: Exclude<ScalarKind, "string" | "bytes">, reader: WireReader): Json {
  switch (kind) {
    case "bool":
      return reader.varint() !== 0n;
    case "int32":
      return Number(BigInt.asIntN(32, reader.varint()));
    case "uint32":
      return Number(BigInt.asUintN(32, reader.varint()));
    case "sint32":
      return Number(unfolded(BigInt.asUintN(32, reader.varint())));
    case "int64":
      return String(BigInt.asIntN(64, reader.varint()));
    case "uint64":
      return String(reader.varint());
    case "sint64":
      return String(unfolded(reader.varint()));
    case "fixed32":
      return reader.fixed32();
    case "sfixed32":
      return reader.fixed32() | 0;
    case "fixed64":
      return String(reader.fixed64());
    case "sfixed64":
      return String(BigInt.asIntN(64, reader.fixed64()));
    case "float":
      return jsonNumber(shortestOf(reader.float()));
    case "double":
      return jsonNumber(reader.double());
  }
}

/** The shortest decimal number that rounds to the same 32-bit float, such as 0.1. Nine digits always suffice. */
function shortestOf(float: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(float.toPrecision(digits));
    if (Math.fround(shorter) === float) return shorter;
  }
  return Number(float.toPrecision(9));
}

/** NaN and infinities as text, because JSON has no such numbers. */
function jsonNumber(value: number): Json {
  return Number.isFinite(value) ? value : String(value);
}

/** Decodes a zigzag number: 0, 1, 2, 3 stand for 0, −1, 1, −2. */
function unfolded(value: bigint): bigint {
  return (value >> 1n) ^ -(value & 1n);
}
