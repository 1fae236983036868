/**
 * Header blocks as they arrive on a connection: gathered where they are split (RFC 9113 §6.10), and read. A server's
 * blocks are equal to the octet until its clock moves on, so a known block is not decoded again. It stays known on
 * every connection if it does not use the decoder's table, and otherwise until that table changes.
 */
import { LIMITS } from "../../limits.ts";
import type { NamedConnectionError } from "../reason.ts";
import { type Field, FieldListTooLong, HpackError } from "./fields.ts";
import { ConnectionError } from "./frames.ts";
import { type DecodedBlock, HpackDecoder } from "./hpack_decoder.ts";
import type { Http2Request } from "./request.ts";
import { MalformedResponse, type ResponseHead, responseHead } from "./response.ts";

/** Longer header blocks are not remembered, and are decoded each time. */
const MOST_KNOWN_BYTES = 1_024;
/**
 * The most remembered blocks. They are looked up by the low bits of their length, because responses to different
 * requests usually differ in length.
 */
const MOST_KNOWN = 8;
/** The most frames into which one block may be split: without a limit, a server could send empty ones for ever. */
const MOST_PARTS = 64;

interface EarlierBlock {
  readonly block: Uint8Array;
  readonly decoded: DecodedBlock;
  /** Generation of the table that the block refers to. */
  readonly generation: number;
  readonly head: ResponseHead;
}

/** Blocks that were received; of those whose lengths have the same low bits, only the last. */
export class KnownBlocks {
  readonly #blocks: (EarlierBlock | null)[] = new Array(MOST_KNOWN).fill(null);

  // hot: the block of the octets `payload[from, to)`; null where it is not known.
  find(payload: Uint8Array, from: number, to: number): EarlierBlock | null {
    const known = this.#blocks[to - from & MOST_KNOWN - 1];
    return known !== null && isSame(known.block, payload, from, to) ? known : null;
  }

  keep(known: EarlierBlock): void {
    this.#blocks[known.block.length & MOST_KNOWN - 1] = known;
  }
}

/**
 * The most requests whose block is remembered: a load has few different requests, or too many for this to be worth it.
 */
export const MOST_REQUESTS = 64;

/** Header blocks of requests that do not change the table; equal blocks exist once for all connections. */
export class SentBlocks {
  readonly #last = new Map<Http2Request, Uint8Array>();

  /** Returns the block, or an equal one that was sent for the request before. */
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
  /** The known block that came last, and how often it has come since the decoder was last told of it. */
  #last: EarlierBlock | null = null;
  #times = 0;
  #parts: Uint8Array[] = [];
  #partsBytes = 0;

  /** @param shared Known blocks that do not use the table, of all connections. */
  constructor(private readonly shared: KnownBlocks) {}

  /** Keeps a part of a header block that more parts follow. Throws ConnectionError. */
  gather(payload: Uint8Array, from: number, to: number): void {
    this.#parts.push(payload.slice(from, to));
    this.#partsBytes += to - from;
    if (this.#parts.length > MOST_PARTS || this.#partsBytes > LIMITS.responseHead.most) {
      const message: NamedConnectionError = "a header block over its limit";
      throw new ConnectionError("ENHANCE_YOUR_CALM", message);
    }
  }

  /** The whole block, after its last part was gathered. */
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

  /** Throws MalformedResponse and ConnectionError; in either case the table is as the server believes it to be. */
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

  // hot: `responseHead` of the fields in the block `payload[from, to)`. Throws as `fields` does.
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
   * Tells the decoder which block has come again: rarely, because the decoder's memory is seldom in the processor's
   * caches.
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
   * Whether the same octets still mean the same: not if the block uses the table, and the table has changed since or by
   * the block itself.
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
