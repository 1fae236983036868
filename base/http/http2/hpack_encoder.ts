/**
 * Writes field blocks (RFC 7541 §6). Fields are inserted into the dynamic table unless they are large, secret, or vary
 * between messages. Secret fields are marked so that intermediaries do not index them, either.
 */
import { isSecretField } from "../../secret_fields.ts";
import { type Field, fieldBytes } from "./fields.ts";
import { HpackWriter, MOST_CONTINUED } from "./hpack_primitives.ts";
import { HpackTable, INITIAL_TABLE_BYTES } from "./hpack_table.ts";

/** Flags in the first octet of each representation, and the number of low bits that it has for an index or size. */
const INDEXED = { flags: 0x80, prefixBits: 7 };
const INDEXED_LITERAL = { flags: 0x40, prefixBits: 6 };
const LITERAL = { flags: 0, prefixBits: 4 };
const SECRET_LITERAL = { flags: 0x10, prefixBits: 4 };
const SIZE_UPDATE = { flags: 0x20, prefixBits: 5 };

/**
 * Fields that are not inserted into the table, because their values differ from message to message. The list is that of
 * nghttp2 without set-cookie, which this program treats as secret.
 */
const VARYING = new Set([
  ...[":path", "age", "content-length", "etag", "if-modified-since", "if-none-match", "location"],
]);
/**
 * A field larger than this share of the table is not inserted, because it would evict most others; nghttp2 has the same
 * limit.
 */
const MOST_ENTRY_RATIO = 3 / 4;

const MOST_INTEGER_BYTES = 1 + MOST_CONTINUED;

export class HpackEncoder {
  #tableBytes = INITIAL_TABLE_BYTES;
  readonly #table = new HpackTable(INITIAL_TABLE_BYTES);
  /** The smallest table size since the last block; Infinity if the peer knows the current size. */
  #lowestBytes = Infinity;

  /**
   * Changes whenever the dynamic table does. While it stays the same, a block that does not change the table keeps its
   * meaning.
   */
  get generation(): number {
    return this.#table.generation;
  }

  /**
   * Applies the peer's SETTINGS_HEADER_TABLE_SIZE, of which at most 4,096 bytes are used. The next block announces the
   * new size.
   */
  resize(tableBytes: number): void {
    const bytes = Math.min(tableBytes, INITIAL_TABLE_BYTES);
    if (bytes === this.#tableBytes) return;
    this.#tableBytes = bytes;
    this.#lowestBytes = Math.min(this.#lowestBytes, bytes);
    this.#table.resize(bytes);
  }

  /** Throws if a name or value has characters above U+00FF. */
  encode(fields: readonly Field[]): Uint8Array<ArrayBuffer> {
    const writer = new HpackWriter(mostBytes(fields));
    if (this.#lowestBytes < Infinity) this.#writeSizeUpdates(writer);
    for (const field of fields) this.#write(field, writer);
    return writer.finish();
  }

  /** A table that shrank and grew again has lost entries, so the peer must be told both sizes (RFC 7541 §4.2). */
  #writeSizeUpdates(writer: HpackWriter): void {
    for (const bytes of new Set([this.#lowestBytes, this.#tableBytes])) {
      writer.integer(SIZE_UPDATE.flags, SIZE_UPDATE.prefixBits, bytes);
    }
    this.#lowestBytes = Infinity;
    // Resizing changes the table's generation even if the size stays the same, so that this block
    // is not sent again.
    this.#table.resize(this.#tableBytes);
  }

  #write(field: Field, writer: HpackWriter): void {
    const index = this.#table.indexOf(field);
    if (index > 0) return writer.integer(INDEXED.flags, INDEXED.prefixBits, index);
    const literal = this.#literalFor(field);
    const nameIndex = this.#table.indexOfName(field.name);
    writer.integer(literal.flags, literal.prefixBits, nameIndex);
    if (nameIndex === 0) writer.string(field.name);
    writer.string(field.value);
    if (literal === INDEXED_LITERAL) this.#table.insert(field);
  }

  /** Secrets are never indexed, so that they can't be guessed by way of the table (RFC 7541 §7.1.3). */
  #literalFor(field: Field): typeof LITERAL {
    if (isSecretField(field.name)) return SECRET_LITERAL;
    const isLarge = fieldBytes(field) > this.#tableBytes * MOST_ENTRY_RATIO;
    return isLarge || VARYING.has(field.name) ? LITERAL : INDEXED_LITERAL;
  }
}

function mostBytes(fields: readonly Field[]): number {
  let bytes = 2 * MOST_INTEGER_BYTES;
  for (const { name, value } of fields) {
    refuseWide(name, value);
    bytes += 3 * MOST_INTEGER_BYTES + name.length + value.length;
  }
  return bytes;
}

/** Throws if a character is above U+00FF. The message omits the value, which may be secret. */
function refuseWide(name: string, value: string): void {
  if (!/[^\0-\xff]/.test(name + value)) return;
  throw new Error(
    `Cannot send the field ${JSON.stringify(name)}: a field can hold only Latin-1 characters`,
  );
}
