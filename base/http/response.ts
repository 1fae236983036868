/**
 * Reads the responses that an HTTP/1.1 client receives (RFC 9112). The reader does no I/O and keeps as little as
 * possible: a part that is incomplete at the end of the bytes continues in the next call, so a response may be split
 * anywhere, with the same outcome. It is as strict as llhttp: a response that two readers could understand differently
 * is an error.
 *
 * A response is a head and a body. Each part has its own reader, and one of them is active at a time.
 */
import { LIMITS } from "../limits.ts";
import { ChunkedBody } from "./chunked_body.ts";
import { CHUNKED, NO_CODING } from "./framing_fields.ts";
import { HeadReader, type KnownHead } from "./head.ts";
import { type KeptResponse, KeptRoom, type ResponseSink } from "./kept.ts";
import type { ProtocolError } from "./reason.ts";

/** Values of `ResponseReader.state`. */
export const NEED_MORE = 0;
export const COMPLETE = 1;
export const BROKEN = 2;

// Ways in which the end of the body is found.
const UNKNOWN = 0;
const BY_LENGTH = 1;
const BY_CHUNKS = 2;
const BY_CLOSE = 3;

interface ReaderOptions {
  /** Whether the head of each response is kept in `kept`, and its body, too. With "head", only the head is kept. */
  readonly retain?: boolean | "head";
  /** Takes heads and bodies piece by piece, in place of `kept`. */
  readonly sink?: ResponseSink | null;
  /**
   * Whether a response with both a coding and a length is accepted. If so, the coding is used, and the connection is
   * closed afterwards (RFC 9112 §6.3). Only a gateway may set this, because it forwards neither the coding nor the
   * length.
   */
  readonly allowsBothFramings?: boolean;
  /** The head that was learned last, shared by the readers of a load. */
  readonly known?: KnownHead | null;
  /** Limit of a head, of a chunk's size with its extensions, and of trailers. */
  readonly maxHeadBytes?: number;
  /** Limit of a body that is kept, in bytes. */
  readonly maxKeptBytes?: number;
  /** Limits the memory for everything that is kept at the same time; shared by the readers of a load. */
  readonly keptRoom?: KeptRoom;
}

export class ResponseReader {
  state = NEED_MORE;
  /** Whether any byte of the response has arrived. */
  started = false;
  /** Bytes of the body, without its framing. */
  bodyBytes = 0;
  /** Whether the connection may carry another exchange; known once the response is complete. */
  keepAlive = false;
  /** Why the response is malformed; "" if it is not. */
  reason: ProtocolError | "" = "";
  /** The response itself; null if it is not kept. */
  readonly kept: KeptResponse | null;

  readonly #sink: ResponseSink | null;
  readonly #keepsBody: boolean;
  readonly #head: HeadReader;
  readonly #chunks: ChunkedBody;
  #isData = false;
  #framing = UNKNOWN;
  /** Bytes of the current data that have not arrived yet. */
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

  /** Status of the final response; valid once the response is complete. */
  get status(): number {
    return this.#head.status;
  }

  /** Instance and cache status, in the form of `FramingFields.served`; valid once the response is complete. */
  get served(): number {
    return this.#head.framing.served;
  }

  /** Whether the whole head of the final response has arrived. */
  get hasHead(): boolean {
    return this.#framing !== UNKNOWN || this.state === COMPLETE;
  }

  /**
   * Prepares for the response to a request.
   * @param isForHead Whether the request is a HEAD.
   */
  begin(isForHead: boolean): void {
    this.state = NEED_MORE;
    this.started = this.keepAlive = this.#isData = false;
    this.bodyBytes = 0;
    this.reason = "";
    this.#answersHead = isForHead;
    this.#framing = UNKNOWN;
    this.#head.begin();
  }

  // hot: most responses are a head and a body with a length, which arrive together.
  /** Reads `bytes[from, to)` up to the end of one response. Returns the offset after the octets read. */
  read(bytes: Uint8Array, from: number, to: number): number {
    let at = from;
    while (at < to && this.state === NEED_MORE) {
      this.started = true;
      if (this.#framing === UNKNOWN) at = this.#readHead(bytes, at, to);
      else at = this.#isData ? this.#takeData(bytes, at, to) : this.#readLines(bytes, at, to);
    }
    return at;
  }

  /**
   * Takes the end of the connection, which completes a body that has no other framing. In all other cases, the end is
   * premature.
   */
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

  /** Finds out where the body ends, by the numbered steps of RFC 9112 §6.3. */
  #frame(): void {
    const { status, minor } = this.#head;
    const { coding, contentLength, close, keepAlive } = this.#head.framing;
    // RFC 9112 §9.3. A transfer coding in HTTP/1.0 is decoded, but the connection is not reused
    // afterwards (§6.1).
    this.keepAlive = !close && (minor === 1 || (keepAlive && coding === NO_CODING));
    // Step 3: with both a coding and a length, an intermediary may have used the one that we do
    // not, so that later bytes belong to another response. Checked first, because it is wrong in
    // any response.
    if (coding !== NO_CODING && contentLength >= 0) {
      if (!this.#allowsBothFramings) {
        return this.#break("both transfer-encoding and content-length");
      }
      this.keepAlive = false;
    }
    // Step 1: these responses have no body, whatever their fields say.
    if (this.#answersHead || status === 204 || status === 304) return this.#complete();
    // Step 2 is about CONNECT, which is never sent.
    // Step 4: chunks. If another coding is last, the body ends when the peer closes (step 8).
    if (coding === CHUNKED) {
      this.#framing = BY_CHUNKS;
      return this.#chunks.begin();
    }
    // Step 5: lengths that are malformed or differ were refused when their field was read.
    // Step 6: the body has as many bytes as the length says. Step 7 is about requests.
    if (contentLength >= 0) {
      this.#framing = BY_LENGTH;
      return contentLength === 0 ? this.#complete() : this.#expectData(contentLength);
    }
    // Step 8: the body ends when the peer closes.
    this.#framing = BY_CLOSE;
    this.keepAlive = false;
    this.#expectData(Infinity);
  }

  #expectData(lengthBytes: number): void {
    this.#isData = true;
    this.#leftBytes = lengthBytes;
  }

  // hot: counts the data without looking at it.
  #takeData(bytes: Uint8Array, from: number, to: number): number {
    const at = Math.min(to, from + this.#leftBytes);
    this.bodyBytes += at - from;
    this.#leftBytes -= at - from;
    if (this.#keepsBody && !this.#keep(bytes, from, at)) {
      this.#break("the body is larger than checks can keep: 64 MB per body, 256 MB per worker");
    } else if (this.#leftBytes === 0) this.#endData();
    return at;
  }

  /** Returns false if there is no room for the data. */
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
