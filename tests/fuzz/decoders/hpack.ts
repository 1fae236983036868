import { isDeepStrictEqual } from "node:util";
import {
  type Field,
  fieldBytes,
  FieldListTooLong,
  HpackError,
} from "../../../base/http/http2/fields.ts";
import { HpackDecoder } from "../../../base/http/http2/hpack_decoder.ts";
import { HpackEncoder } from "../../../base/http/http2/hpack_encoder.ts";
import { textOf } from "../../http/feed.ts";
import { hex } from "../../http/http2/blocks.ts";
import { VECTORS } from "../../http/http2/hpack_vectors.ts";
import { type Decoder, Finding } from "../decoder.ts";

const MOST_OCTETS = 200_000;
const LIST_BYTES = 20_000;

/** A block is refused, or its fields are within the limit, and come through a new pair of tables as they are. */
function decode(input: string): void {
  const block = Uint8Array.from(input.slice(0, MOST_OCTETS), (char) => char.charCodeAt(0) & 0xff);
  const decoder = new HpackDecoder({ listBytes: LIST_BYTES });
  const fields = fieldsOf(decoder, block);
  if (fields === null) return;
  const bytes = fields.reduce((sum, field) => sum + fieldBytes(field), 0);
  if (bytes > LIST_BYTES) throw new Finding(`a list of ${bytes} bytes`);
  const again = new HpackDecoder().decode(new HpackEncoder().encode(fields));
  if (!isDeepStrictEqual(again, fields)) {
    throw new Finding(`encoded, it is ${JSON.stringify(again)}`);
  }
  const { generation } = decoder;
  const second = fieldsOf(decoder, block);
  if (decoder.generation !== generation) return;
  if (!isDeepStrictEqual(second, fieldsOf(decoder, block))) {
    throw new Finding("it means two things");
  }
}

function fieldsOf(decoder: HpackDecoder, block: Uint8Array): readonly Field[] | null {
  try {
    return decoder.decode(block);
  } catch (error) {
    if (error instanceof HpackError || error instanceof FieldListTooLong) return null;
    throw error;
  }
}

const connections = VECTORS.map(({ examples }) => examples.map(({ block }) => hex(block)));

export const hpack: Decoder = {
  seeds: {
    samples: [
      ...connections.flat().map(textOf),
      ...connections.map((blocks) => blocks.map(textOf).join("")),
    ],
    words: [
      ...["\x82", "\xbe", "\xbf", "\xc0", "\xff\x00", "\x80", "\xff\x80\xff\xff\xff\x07"],
      ...["\x40\x01a\x01b", "\x00\x01a\x81\x1f", "\x10\x00\x00", "\x7e\x01c", "\x41\x82\xff\xff"],
      ...["\x20", "\x3f\x09", "\x3f\xe1\x1f", "\x3f\xe2\x1f", "\xff\xff\xff\xff", "\x7f\xe9\x16"],
    ],
  },
  decode,
};
