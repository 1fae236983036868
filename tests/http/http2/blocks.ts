/**
 * Field blocks as tests write them, and the table that a decoder has by now.
 */
import { type Field, HpackError } from "../../../base/http/http2/fields.ts";
import type { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";

export const FIRST_DYNAMIC = 62;

/** Octets in hexadecimal; spaces don't count. */
export function hex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromHex(text.replaceAll(/\s/g, ""));
}

/** One a line, as `name: value`; the name may begin with a colon. */
export function fieldsOf(lines: readonly string[]): Field[] {
  return lines.map((line) => {
    const at = line.indexOf(": ");
    return { name: line.slice(0, at), value: line.slice(at + 2) };
  });
}

export function linesOf(fields: readonly Field[]): string[] {
  return fields.map(({ name, value }) => `${name}: ${value}`);
}

/** The dynamic table, newest first: what each index beyond the static one stands for. */
export function tableOf(decoder: HpackDecoder): Field[] {
  const entries: Field[] = [];
  for (let index = FIRST_DYNAMIC;; index++) {
    try {
      entries.push(...decoder.decode(indexed(index)));
    } catch (error) {
      if (error instanceof HpackError) return entries;
      throw error;
    }
  }
}

/** An indexed field line (RFC 7541 §6.1) with an index from 0 to 254. */
export function indexed(index: number): Uint8Array<ArrayBuffer> {
  return index < 0x7f ? Uint8Array.of(0x80 | index) : Uint8Array.of(0xff, index - 0x7f);
}
