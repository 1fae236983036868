/**
 * An HTTP/1.1 client's reader of responses (RFC 9112): bytes in, outcome out. The reader does no I/O and keeps as
 * little as possible: a part that is incomplete at the end of the bytes continues in the next call, so a response may
 * be split anywhere, with the same outcome. As strict as llhttp: a response that two readers could understand
 * differently is an error.
 *
 * A response is a head and a body. Each part has a reader of its own, and one of them is active at a time.
 */
import { LIMITS } from "../limits.ts";
import { ChunkedBody } from "./chunked_body.ts";
import { CHUNKED, NO_CODING } from "./framing_fields.ts";
import { HeadReader, type KnownHead } from "./head.ts";
import { type KeptResponse, KeptRoom, type ResponseSink } from "./kept.ts";
import type { ProtocolError } from "./reason.ts";

/** Values of `state`. */
export const NEED_MORE = 0;
export const COMPLETE = 1;
export const BROKEN = 2;

// How the end of the body is found.
const UNKNOWN = 0;
const BY_LENGTH = 1;
const BY_CHUNKS = 2;
const BY_CLOSE = 3;

interface ReaderOptions {
  /** Keeps the head of each response in `kept`, and its body, too, unless the value is "head". */
  readonly retain?: boolean | "head";
  /** Takes heads and bodies piece by piece in place of `kept`. */
  readonly sink?: ResponseSink | null;
  /**
   * Accepts a response with both a coding and a length, uses the coding, and closes the connection afterwards (RFC 9112
   * §6.3): for gateways, which forward neither the coding nor the length. Otherwise such a response is refused.
   */
  readonly allowsBothFramings?: boolean;
  /** A head that was read before; shared by the readers of a load. */
  readonly known?: KnownHead | null;
  /** Limit of a head; also of a chunk's size with its extensions, and of trailers. */
  readonly maxHeadBytes?: number;
  /** Limit of a body that is kept. */
  readonly maxKeptBytes?: number;
  /** Memory for everything that is kept at the same time; shared by all readers of a load. */
  readonly keptRoom?: KeptRoom;
}

export class ResponseReader {
  /** NEED_MORE, COMPLETE or BROKEN. */
  state = NEED_MORE;
  /** Whether any byte of the response has come. */
  started = false;
  /** Bytes of the body, without its framing. */
  bodyBytes = 0;
  /** Whether the connection may carry another exchange; known once complete. */
  keepAlive = false;
  /** Why the response is broken, or "". */
  reason: ProtocolError | "" = "";
  /** The response itself; null unless it is kept. */
  readonly kept: KeptResponse | null;

  readonly #sink: ResponseSink | null;
  readonly #keepsBody: boolean;
  readonly #head: HeadReader;
  readonly #chunks: ChunkedBody;
  #isData = false;
  #framing = UNKNOWN;
  /** Bytes of data that are still to come. */
  #leftBytes = 0;
  #answersHead = false;
  readonly #allowsBothFramings: boolean;
  readonly #maxKeptBytes: number;

  constructor(
    {
      retain = false,
      sink = null,
      allowsBothFramings = false,
      known = null,
      maxHeadBytes = LIMITS.responseHead.most,
      maxKeptBytes = LIMITS.keptBody.most,
      keptRoom = new KeptRoom(),
    }: ReaderOptions = {},
  ) {
    this.kept = retain === false ? null : keptRoom.keep(retain !== "head");
    this.#sink = sink ?? this.kept;
    this.#keepsBody = sink !== null || this.kept?.keepsBody === true;
    this.#head = new HeadReader({ sink: this.#sink, known, maxBytes: maxHeadBytes });
    this.#allowsBothFramings = allowsBothFramings;
    this.#chunks = new ChunkedBody(maxHeadBytes);
    this.#maxKeptBytes = maxKeptBytes;
    this.begin(false);
  }

  /** Status of the final response; meaningful once complete. */
  get status(): number {
    return this.#head.status;
  }

  /** Instance and cache status, see `FramingFields.served`; meaningful once complete. */
  get served(): number {
    return this.#head.framing.served;
  }

  /** Whether the head of the final response has come whole. */
  get hasHead(): boolean {
    return this.#framing !== UNKNOWN || this.state === COMPLETE;
  }

  /** Prepares for the response to a request. @param isForHead Whether the request is a HEAD. */
  begin(isForHead: boolean): void {
    this.state = NEED_MORE;
    this.started = this.keepAlive = this.#isData = false;
    this.bodyBytes = 0;
    this.reason = "";
    this.#answersHead = isForHead;
    this.#framing = UNKNOWN;
    this.#head.begin();
  }

  // hot: the common response is a head and a sized body, whole in `bytes`.
  /** Reads `bytes[from, to)` up to the end of one response; returns the offset after the octets that were read. */
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.state === NEED_MORE) {
      this.started = true;
      if (this.#framing === UNKNOWN) at = this.#readHead(bytes, at, to);
      else at = this.#isData ? this.#takeData(bytes, at, to) : this.#readLines(bytes, at, to);
    }
    return at;
  }

  /** The peer closed its side, which ends a body without any other framing and is too early in all other cases. */
  end(): void {
    if (this.state !== NEED_MORE) return;
    if (this.#framing === BY_CLOSE) return this.#complete();
    if (!this.started) return this.#break("closed before the response");
    const isHead = this.#framing === UNKNOWN;
    this.#break(isHead ? "closed within the head" : "closed within the body");
  }

  #readHead(bytes: Uint8Array, from: number, to: number): number {
    const head = this.#head;
    const at = head.read(bytes, from, to);
    if (head.done) this.#frame();
    else if (head.reason !== "") this.#break(head.reason);
    return at;
  }

  #readLines(bytes: Uint8Array, from: number, to: number): number {
    const chunks = this.#chunks;
    const at = chunks.read(bytes, from, to);
    if (chunks.reason !== "") this.#break(chunks.reason);
    else if (chunks.done) this.#complete();
    else if (chunks.dataBytes > 0) this.#expectData(chunks.dataBytes);
    return at;
  }

  /** Finds where the body ends by the steps of RFC 9112 §6.3. */
  #frame(): void {
    const { status, minor } = this.#head;
    const { coding, contentLength, close, keepAlive } = this.#head.framing;
    // RFC 9112 §9.3; a coding in HTTP/1.0 is read, but the connection is not trusted afterwards (§6.1).
    this.keepAlive = !close && (minor === 1 || (keepAlive && coding === NO_CODING));
    // 3. Both a coding and a length: an intermediary may have used the other one, so that later bytes belong to another
    // response. Checked first, because it is wrong in any response.
    if (coding !== NO_CODING && contentLength >= 0) {
      if (!this.#allowsBothFramings) {
        return this.#break("both transfer-encoding and content-length");
      }
      this.keepAlive = false;
    }
    // 1. No body, whatever the fields say.
    if (this.#answersHead || status === 204 || status === 304) return this.#complete();
    // 2. Tunnels: CONNECT is never sent.
    // 4. Chunks; with another coding last, the body ends when the peer closes.
    if (coding === CHUNKED) {
      this.#framing = BY_CHUNKS;
      return this.#chunks.begin();
    }
    // 5. Lengths that are malformed or differ were refused with their field.
    // 6. As many bytes as the length says. 7. is about requests.
    if (contentLength >= 0) {
      this.#framing = BY_LENGTH;
      return contentLength === 0 ? this.#complete() : this.#expectData(contentLength);
    }
    // 8. The body ends when the peer closes.
    this.#framing = BY_CLOSE;
    this.keepAlive = false;
    this.#expectData(Infinity);
  }

  #expectData(lengthBytes: number): void {
    this.#isData = true;
    this.#leftBytes = lengthBytes;
  }

  // hot: data is counted, not looked at.
  #takeData(bytes: Uint8Array, from: number, to: number): number {
    const at = Math.min(to, from + this.#leftBytes);
    this.bodyBytes += at - from;
    this.#leftBytes -= at - from;
    if (this.#keepsBody && !this.#keep(bytes, from, at)) {
      this.#break("the body is larger than checks can keep: 64 MB per body, 256 MB per worker");
    } else if (this.#leftBytes === 0) this.#endData();
    return at;
  }

  /** False if there is no room for the data. */
  #keep(bytes: Uint8Array, from: number, to: number): boolean {
    return this.bodyBytes <= this.#maxKeptBytes && this.#sink?.addBody(bytes, from, to) === true;
  }

  #endData(): void {
    if (this.#framing !== BY_CHUNKS) return this.#complete();
    this.#chunks.endData();
    this.#isData = false;
  }

  #complete(): void {
    this.state = COMPLETE;
  }

  #break(reason: ProtocolError): void {
    this.state = BROKEN;
    this.reason = reason;
    this.keepAlive = false;
  }
}
