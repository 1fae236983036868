/**
 * A place, which carries one HTTP/2 stream after another. It knows how much of the request has been sent, and the
 * response so far.
 */
import type { KeptResponse } from "../kept.ts";
import { LIMITS } from "../../limits.ts";
import type { ReceivedResponse } from "../received.ts";
import { type Field, fieldBytes } from "./fields.ts";
import { type Http2Request, NO_REQUEST } from "./request.ts";
import { MalformedResponse, type ResponseHead } from "./response.ts";
import {
  ConnectionError,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FrameWriter,
  HEADERS,
} from "./frames.ts";
import { MOST_REQUESTS } from "./header_blocks.ts";
import { HpackEncoder } from "./hpack_encoder.ts";
import { DEFAULT_WINDOW_BYTES, MOST_WINDOW_BYTES, PeerSettings } from "./settings.ts";
import type { SharedMemory } from "./shared_memory.ts";

export class Stream implements ReceivedResponse {
  /** Identifier of the stream; 0 while the place has none. */
  id = 0;
  request = NO_REQUEST;
  /** Bytes of the request's body that have been sent. */
  sentBytes = 0;
  /**
   * Octets of the body that may still be sent (RFC 9113 §6.9.1); negative if SETTINGS shrank the window by more than
   * was left of it.
   */
  windowBytes = 0;
  /** Bytes received since the last WINDOW_UPDATE for the stream. */
  unreportedBytes = 0;
  status = 0;
  bodyBytes = 0;
  served = 0;
  /** Whether any head, even an interim one, has arrived, and whether the final one has. */
  hasBegun = false;
  hasHead = false;
  #hasContent = false;
  /** The value of content-length; −1 if the field is absent. */
  #lengthBytes = -1;
  #interim = 0;
  readonly #keepsBody: boolean;

  /** @param kept Stores the response; null if it is not kept. */
  constructor(readonly kept: KeptResponse | null) {
    this.#keepsBody = kept?.keepsBody === true;
  }

  begin(id: number, request: Http2Request, windowBytes: number): void {
    this.id = id;
    this.request = request;
    this.windowBytes = windowBytes;
    this.sentBytes =
      this.unreportedBytes =
      this.bodyBytes =
      this.#interim =
        0;
    this.hasBegun = this.hasHead = false;
    this.forget();
  }

  /** Frees the place. Its response stays readable until it is forgotten or the next one begins. */
  end(): void {
    this.id = 0;
    this.request = NO_REQUEST;
  }

  forget(): void {
    this.kept?.clear();
  }

  get isSent(): boolean {
    return this.sentBytes === this.request.body.length;
  }

  // hot: takes a head, which may be interim (RFC 9110 §15.2). Throws MalformedResponse if the head
  // is not allowed or can't be kept.
  takeHead(head: ResponseHead, isEnd: boolean): void {
    const { status } = head;
    if (status < 200) this.#takeInterim(status, isEnd);
    this.hasBegun = true;
    this.hasHead = status >= 200;
    this.status = status;
    this.served = head.served;
    this.#lengthBytes = head.lengthBytes;
    this.#hasContent = !this.request.isHead && status !== 204 && status !== 304;
    if (this.kept !== null) this.#keepHead(this.kept, head);
  }

  #takeInterim(status: number, isEnd: boolean): void {
    if (status === 101 || isEnd) {
      throw new MalformedResponse("a 101 response, or an interim response that ends the stream");
    }
    if (++this.#interim > LIMITS.interimResponses.most) {
      throw new MalformedResponse("more than 20 interim responses, the limit");
    }
  }

  #keepHead(kept: KeptResponse, { status, fields, listBytes }: ResponseHead): void {
    kept.clear();
    if (!kept.takeFields(status, fields, listBytes)) throw new MalformedResponse(NO_ROOM);
  }

  /** Throws MalformedResponse if there is no room for the trailers. */
  takeTrailers(fields: readonly Field[]): void {
    if (this.kept === null) return;
    const bytes = fields.reduce((sum, field) => sum + fieldBytes(field), 0);
    if (!this.kept.takeTrailers(fields, bytes)) throw new MalformedResponse(NO_ROOM);
  }

  // hot: takes content as it arrives. Throws MalformedResponse if the content is not allowed,
  // longer than content-length says, or too large to be kept.
  takeContent(octets: Uint8Array, from: number, to: number): void {
    if (!this.hasHead) throw new MalformedResponse("content before the head");
    if (from === to) return;
    if (!this.#hasContent) throw new MalformedResponse("content in a response that can have none");
    this.bodyBytes += to - from;
    if (this.#lengthBytes >= 0 && this.bodyBytes > this.#lengthBytes) {
      throw new MalformedResponse(OTHER_LENGTH);
    }
    if (this.#keepsBody && !this.#keep(octets, from, to)) throw new MalformedResponse(NO_ROOM);
  }

  /** Returns false if there is no room for the content. */
  #keep(octets: Uint8Array, from: number, to: number): boolean {
    const { kept } = this;
    return kept !== null && this.bodyBytes <= kept.room.mostBodyBytes &&
      kept.addBody(octets, from, to);
  }

  // hot: throws MalformedResponse unless a complete response is as long as its content-length says.
  checkEnd(): void {
    if (this.#hasContent && this.#lengthBytes >= 0 && this.bodyBytes !== this.#lengthBytes) {
      throw new MalformedResponse(OTHER_LENGTH);
    }
  }
}

const OTHER_LENGTH = "content whose length is not its content-length";
const NO_ROOM = "the body is larger than checks can keep: 64 MB per body, 256 MB per worker";

// Sends requests: header blocks, and bodies as far as the server's windows allow.

const NO_BLOCK: Uint8Array = new Uint8Array(0);

export class RequestSender {
  readonly out: FrameWriter;
  readonly peer = new PeerSettings();
  readonly #encoder = new HpackEncoder();
  /** Header blocks of requests, which can be sent again unchanged until the encoder's dynamic table changes. */
  readonly #known = new Map<Http2Request, Uint8Array>();
  /**
   * The request that was sent last, kept because a load often repeats a single request; null if its block is not known.
   */
  #last: Http2Request | null = null;
  #lastBlock = NO_BLOCK;
  /** Octets of bodies that may still be sent on all streams together (RFC 9113 §6.9.1). */
  #windowBytes = DEFAULT_WINDOW_BYTES;

  constructor(private readonly memory: SharedMemory) {
    this.out = new FrameWriter(memory.buffers);
  }

  // hot: returns the size of the request's frames in octets; any part of the body that has to wait
  // is included.
  begin(stream: Stream): number {
    const { id, request } = stream;
    const { body } = request;
    const { length } = this.out;
    const block = this.#blockOf(request);
    this.#writeBlock(id, body.length === 0 ? END_STREAM : 0, block);
    if (body.length > 0) this.sendBody(stream);
    return this.out.length - length + body.length - stream.sentBytes;
  }

  // hot
  #blockOf(request: Http2Request): Uint8Array {
    if (request === this.#last) return this.#lastBlock;
    const block = this.#known.get(request);
    if (block === undefined) return this.#encode(request);
    this.#last = request;
    this.#lastBlock = block;
    return block;
  }

  #encode(request: Http2Request): Uint8Array {
    const encoder = this.#encoder;
    const { generation } = encoder;
    const encoded = encoder.encode(request.fields);
    if (generation !== encoder.generation) {
      this.#forgetBlocks();
      return encoded; // sent again, it would have another meaning
    }
    const block = this.memory.sent.once(request, encoded);
    if (this.#known.size === MOST_REQUESTS) this.#known.clear();
    this.#known.set(request, block);
    return block;
  }

  #forgetBlocks(): void {
    this.#known.clear();
    this.#last = null;
  }

  // hot
  #writeBlock(id: number, flags: number, block: Uint8Array): void {
    const most = this.peer.frameBytes;
    if (block.length <= most) return this.out.frame(HEADERS, flags | END_HEADERS, id, block);
    this.out.frame(HEADERS, flags, id, block, 0, most);
    for (let at = most; at < block.length; at += most) {
      const to = Math.min(block.length, at + most);
      this.out.frame(CONTINUATION, to === block.length ? END_HEADERS : 0, id, block, at, to);
    }
  }

  /** Sends the rest of the stream's body as far as the windows allow. */
  sendBody(stream: Stream): void {
    const { id, request: { body } } = stream;
    for (;;) {
      const left = body.length - stream.sentBytes;
      const length = Math.min(left, this.#windowBytes, stream.windowBytes, this.peer.frameBytes);
      if (length <= 0) return;
      const from = stream.sentBytes;
      this.out.frame(DATA, length === left ? END_STREAM : 0, id, body, from, from + length);
      stream.sentBytes += length;
      stream.windowBytes -= length;
      this.#windowBytes -= length;
    }
  }

  /** Applies a WINDOW_UPDATE for the whole connection. Throws ConnectionError if the window then exceeds the limit. */
  widen(bytes: number, streams: readonly Stream[]): void {
    this.#windowBytes = widened(this.#windowBytes, bytes);
    for (const stream of streams) if (!stream.isSent) this.sendBody(stream);
  }

  /** Applies a WINDOW_UPDATE for one stream. Returns false if the window then exceeds the limit. */
  widenOne(bytes: number, stream: Stream): boolean {
    stream.windowBytes += bytes;
    if (stream.windowBytes > MOST_WINDOW_BYTES) return false;
    if (!stream.isSent) this.sendBody(stream);
    return true;
  }

  /**
   * Applies the payload of the server's SETTINGS, which also change existing windows (§6.9.2). Throws ConnectionError
   * if the payload is not valid, or if a window then exceeds the limit.
   */
  set(payload: Uint8Array, from: number, to: number, streams: readonly Stream[]): void {
    const { peer } = this;
    const { windowBytes, tableBytes } = peer;
    peer.take(payload, from, to);
    if (peer.tableBytes !== tableBytes) {
      this.#encoder.resize(peer.tableBytes);
      this.#forgetBlocks();
    }
    for (const stream of streams) {
      if (stream.id !== 0) {
        stream.windowBytes = widened(stream.windowBytes, peer.windowBytes - windowBytes);
      }
    }
    this.widen(0, streams);
  }
}

function widened(windowBytes: number, bytes: number): number {
  if (windowBytes + bytes <= MOST_WINDOW_BYTES) return windowBytes + bytes;
  throw new ConnectionError("FLOW_CONTROL_ERROR", "a window over its limit");
}
