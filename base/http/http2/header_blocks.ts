/**
 * Received header blocks: joins their parts (RFC 9113 §6.10) and decodes them. A server usually sends equal blocks
 * until the second in its Date field changes, so a known block is not decoded again. It stays known on every connection
 * if it does not use the dynamic table, or else on its own connection until that table changes.
 */
import { LIMITS } from "../../limits.ts";
import type { NamedConnectionError } from "../reason.ts";
import { type Field, FieldListTooLong, HpackError } from "./fields.ts";
import { ConnectionError } from "./frames.ts";
import { type DecodedBlock, HpackDecoder } from "./hpack_decoder.ts";
import type { Http2Request } from "./request.ts";
import { MalformedResponse, type ResponseHead, responseHead } from "./response.ts";

/** Longer header blocks are not remembered, so they are decoded each time. */
const MOST_KNOWN_BYTES = 1_024;
/**
 * Number of remembered blocks. They are looked up by the low bits of their length, because responses to different
 * requests usually differ in length.
 */
const MOST_KNOWN = 8;
/** Number of frames into which one block may be split. Without a limit, a server could send empty frames for ever. */
const MOST_PARTS = 64;

interface EarlierBlock {
  readonly block: Uint8Array;
  readonly decoded: DecodedBlock;
  /** Generation of the decoder's dynamic table just after the block was decoded. */
  readonly generation: number;
  readonly head: ResponseHead;
}

/** The last block received for each value of the low bits of a block's length. */
export class KnownBlocks {
  readonly #blocks: (EarlierBlock | null)[] = new Array(MOST_KNOWN).fill(null);

  // hot: the known block with the octets `payload[from, to)`; null if there is none.
  find(payload: Uint8Array, from: number, to: number): EarlierBlock | null {
    const known = this.#blocks[to - from & MOST_KNOWN - 1];
    return known !== null && isSame(known.block, payload, from, to) ? known : null;
  }

  keep(known: EarlierBlock): void {
    this.#blocks[known.block.length & MOST_KNOWN - 1] = known;
  }
}

/**
 * Number of requests whose blocks are remembered. A load has fewer different requests, or so many that remembering does
 * not pay.
 */
export const MOST_REQUESTS = 64;

/**
 * The last header block sent for each request, so that connections share one copy of equal blocks. Only blocks that
 * leave the dynamic table unchanged are kept.
 */
export class SentBlocks {
  readonly #last = new Map<Http2Request, Uint8Array>();

  /** Returns the kept block if it equals the given one; otherwise keeps and returns the given one. */
  once(request: Http2Request, block: Uint8Array): Uint8Array {
    const last = this.#last.get(request);
    if (last !== undefined && isSame(last, block, 0, block.length)) return last;
    if (this.#last.size === MOST_REQUESTS) this.#last.clear();
    this.#last.set(request, block);
    return block;
  }
}

export class HeaderBlocks {
  readonly #decoder = new HpackDecoder({ listBytes: LIMITS.responseHead.most });
  readonly #own = new KnownBlocks();
  /** The known block that arrived last, and how often it has arrived since the last `#tell`. */
  #last: EarlierBlock | null = null;
  #times = 0;
  #parts: Uint8Array[] = [];
  #partsBytes = 0;

  /** @param shared Known blocks that do not use the dynamic table, shared by all connections. */
  constructor(private readonly shared: KnownBlocks) {}

  /**
   * Keeps a part of a header block until the rest has arrived. Throws ConnectionError if the block has too many parts
   * or is too long.
   */
  gather(payload: Uint8Array, from: number, to: number): void {
    this.#parts.push(payload.slice(from, to));
    this.#partsBytes += to - from;
    if (this.#parts.length > MOST_PARTS || this.#partsBytes > LIMITS.responseHead.most) {
      const message: NamedConnectionError = "a header block over its limit";
      throw new ConnectionError("ENHANCE_YOUR_CALM", message);
    }
  }

  /** Joins the parts of the block, the last of which has been gathered. */
  gathered(): Uint8Array {
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

  /**
   * Decodes a block. Throws ConnectionError if the block can't be decoded, or MalformedResponse if its field list is
   * too long. After MalformedResponse, the connection remains usable, because the dynamic table is in the state that
   * the server expects.
   */
  fields(block: Uint8Array): readonly Field[] {
    return this.#read(block).fields;
  }

  #read(block: Uint8Array): DecodedBlock {
    this.#tell();
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

  // hot: `responseHead` of the fields in the block `payload[from, to)`. Throws like `fields`.
  head(payload: Uint8Array, from: number, to: number): ResponseHead {
    const known = this.shared.find(payload, from, to) ?? this.#own.find(payload, from, to);
    if (known === null || !this.#saysTheSame(known)) {
      return this.#readHead(payload.slice(from, to));
    }
    if (known !== this.#last) this.#tell();
    this.#last = known;
    this.#times++;
    return known.head;
  }

  /**
   * Tells the decoder which known block has arrived again. This is put off until necessary, because the decoder's
   * memory is seldom in the processor's caches.
   */
  #tell(): void {
    if (this.#last !== null) this.#decoder.repeat(this.#last.decoded, this.#times);
    this.#last = null;
    this.#times = 0;
  }

  #readHead(block: Uint8Array): ResponseHead {
    const decoded = this.#read(block);
    const head = responseHead(decoded.fields);
    if (block.length <= MOST_KNOWN_BYTES) {
      const { generation } = this.#decoder;
      const known = { block, decoded, generation, head };
      this.#own.keep(known);
      if (!decoded.usesTable) this.shared.keep(known);
    }
    return head;
  }

  /**
   * Whether equal octets still mean the same as the known block. They do if the block does not use the dynamic table,
   * or if neither the block nor any later one has changed the table.
   */
  #saysTheSame({ decoded, generation }: EarlierBlock): boolean {
    if (!decoded.usesTable) return true;
    this.#tell();
    return decoded.inserted.length === 0 && generation === this.#decoder.generation;
  }
}

// hot
function isSame(known: Uint8Array, payload: Uint8Array, from: number, to: number): boolean {
  const { length } = known;
  if (length !== to - from) return false;
  let same = 0;
  while (same < length && known[same] === payload[from + same]) same++;
  return same === length;
}
