/** Field lines of HTTP/2 (RFC 9113 §8.2), and the defects that a field block can have. */

/** A field line. Each character of its name and value stands for an octet. */
export interface Field {
  readonly name: string;
  readonly value: string;
}

const OVERHEAD_BYTES = 32;

/** Size of a field line as the HPACK table and field lists count it (RFC 7541 §4.1, RFC 9113 §10.5.1). */
export function fieldBytes({ name, value }: Field): number {
  return name.length + value.length + OVERHEAD_BYTES;
}

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
 * Thrown for a block that can't be decoded, after which the two sides' tables differ. This is a connection error of
 * type COMPRESSION_ERROR (RFC 9113 §4.3).
 */
export class HpackError extends Error {
  override readonly name = "HpackError";
  constructor(readonly defect: HpackDefect) {
    super(`Cannot decode a field block: ${defect}`);
  }
}

/** Thrown for a valid block whose field list is too long. Only its stream fails (RFC 9113 §10.5.1). */
export class FieldListTooLong extends Error {
  override readonly name = "FieldListTooLong";
  constructor(readonly listBytes: number, readonly mostBytes: number) {
    super(`Cannot accept a field list of ${listBytes} bytes: the limit is ${mostBytes}`);
  }
}
