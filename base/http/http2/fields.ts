/** Field lines of HTTP/2 (RFC 9113 §8.2), and the defects that a block of them can have. */

/** A field line; name and value are octets, each a character from 0 to 255. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

const OVERHEAD_BYTES = 32;

/** Size of a field line in tables and lists (RFC 7541 §4.1, RFC 9113 §10.5.1). */
export function fieldBytes({ name, value }: Field): number {
  return name.length + value.length + OVERHEAD_BYTES;
}

/** Every defect of a field block, in words that people read. */
export type HpackDefect =
  | "it ends within a field line"
  | "an integer is larger than 2,147,483,647"
  | "an index is beyond the static and dynamic tables"
  | "a Huffman string holds EOS"
  | "the padding of a Huffman string is malformed"
  | "the dynamic table was not shrunk to its new limit first"
  | "the dynamic table grows beyond its limit"
  | "the dynamic table is resized more than twice"
  | "the dynamic table is resized after a field line";

/**
 * The block can't be decoded, so from now on the tables of the two sides differ: a connection error of type
 * COMPRESSION_ERROR (RFC 9113 §4.3).
 */
export class HpackError extends Error {
  override readonly name = "HpackError";
  constructor(readonly defect: HpackDefect) {
    super(`Cannot decode a field block: ${defect}`);
  }
}

/** The block is valid but its list is too long, so only its stream fails (RFC 9113 §10.5.1). */
export class FieldListTooLong extends Error {
  override readonly name = "FieldListTooLong";
  constructor(readonly listBytes: number, readonly mostBytes: number) {
    super(`Cannot accept a field list of ${listBytes} bytes: the limit is ${mostBytes}`);
  }
}
