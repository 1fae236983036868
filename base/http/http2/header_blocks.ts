/**
 * Header blocks of one connection, as they come: gathered where they are split (RFC 9113 §6.10), and read. A server's
 * blocks are alike to the octet until its clock moves on; what one said, the next of the same octets says again, while
 * the decoder's table stays as it is.
 */
import { LIMITS } from "../../limits.ts";
import { type Field, FieldListTooLong, HpackError } from "./fields.ts";
import { ConnectionError } from "./frames.ts";
import { type DecodedBlock, HpackDecoder } from "./hpack_decoder.ts";
import { type FramedHead, MalformedResponse, responseHead } from "./response.ts";

/** Longer ones are read again. */
const MOST_KNOWN_BYTES = 1_024;
/** Frames that one block may come in: each but the last could be empty. */
const MOST_PARTS = 64;

interface EarlierBlock {
  readonly block: Uint8Array;
  readonly decoded: DecodedBlock;
  /** Of the table that it refers to. */
  readonly generation: number;
  readonly isForHead: boolean;
  readonly isEnd: boolean;
  readonly head: FramedHead;
}

export class HeaderBlocks {
  readonly #decoder = new HpackDecoder({ listBytes: LIMITS.responseHead.most });
  #known: EarlierBlock | null = null;
  #parts: Uint8Array[] = [];
  #partsBytes = 0;

  /** A part of a block that is not its last. Throws ConnectionError. */
  gather(payload: Uint8Array, from: number, to: number): void {
    this.#parts.push(payload.slice(from, to));
    this.#partsBytes += to - from;
    if (this.#parts.length > MOST_PARTS || this.#partsBytes > LIMITS.responseHead.most) {
      throw new ConnectionError("ENHANCE_YOUR_CALM", "a header block over its limit");
    }
  }

  /** The whole block, of which the last part is given. Throws ConnectionError. */
  whole(payload: Uint8Array, from: number, to: number): Uint8Array {
    if (this.#parts.length === 0) return payload.subarray(from, to);
    this.gather(payload, from, to);
    const block = new Uint8Array(this.#partsBytes);
    let at = 0;
    for (const part of this.#parts) {
      block.set(part, at);
      at += part.length;
    }
    this.#parts = [];
    this.#partsBytes = 0;
    return block;
  }

  /** Throws MalformedResponse and ConnectionError; the table is as the server believes it to be after either of them. */
  fields(block: Uint8Array): readonly Field[] {
    return this.#read(block).fields;
  }

  #read(block: Uint8Array): DecodedBlock {
    try {
      return this.#decoder.read(block);
    } catch (error) {
      if (error instanceof HpackError) {
        throw new ConnectionError("COMPRESSION_ERROR", error.message);
      }
      if (error instanceof FieldListTooLong) {
        throw new MalformedResponse("the response's head is larger than 65.5 kB, the limit");
      }
      throw error;
    }
  }

  // hot: as `responseHead` of the fields in the block. Throws as `fields` does.
  head(block: Uint8Array, isForHead: boolean, isEnd: boolean): FramedHead {
    const known = this.#known;
    if (
      known !== null && known.isForHead === isForHead && known.isEnd === isEnd &&
      isSame(known.block, block) && this.#saysTheSame(known)
    ) {
      this.#decoder.repeat(known.decoded);
      return known.head;
    }
    const decoded = this.#read(block);
    const head = responseHead(decoded.fields, isForHead, isEnd);
    const { generation } = this.#decoder;
    if (block.length <= MOST_KNOWN_BYTES) {
      this.#known = { block: block.slice(), decoded, generation, isForHead, isEnd, head };
    }
    return head;
  }

  /** A block that refers to the table and changes it means something else the next time. */
  #saysTheSame({ decoded, generation }: EarlierBlock): boolean {
    if (!decoded.usesTable) return true;
    return decoded.inserted.length === 0 && generation === this.#decoder.generation;
  }
}

function isSame(known: Uint8Array, block: Uint8Array): boolean {
  if (known.length !== block.length) return false;
  let same = 0;
  while (same < known.length && known[same] === block[same]) same++;
  return same === known.length;
}
