/** One stream of HTTP/2 after the other, in the same place: what is sent of its request, and what came of its response. */
import type { Field } from "./fields.ts";
import type { Http2Request } from "./request.ts";
import {
  type FramedHead,
  MalformedResponse,
  NO_CONTENT,
  SIZED,
  trailerSection,
  UNSIZED,
} from "./response.ts";
import {
  ConnectionError,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FrameWriter,
  HEADERS,
} from "./frames.ts";
import { HpackEncoder } from "./hpack_encoder.ts";
import { DEFAULT_WINDOW_BYTES, MOST_WINDOW_BYTES, PeerSettings } from "./settings.ts";

/** Takes a response piece by piece, as HTTP/1.1 has it. */
export type TakeOctets = (octets: Uint8Array, from: number, to: number) => void;

const CRLF = Uint8Array.of(13, 10);
const LAST_CHUNK = Uint8Array.of(48, 13, 10);
const encoder = new TextEncoder();

const NO_REQUEST: Http2Request = { fields: [], isHead: false, body: new Uint8Array(0) };

export class Stream {
  /** 0 while the place has none. */
  id = 0;
  request = NO_REQUEST;
  /** How much of its body is sent. */
  sentBytes = 0;
  /** What may still be sent of it (RFC 9113 §6.9.1); below 0 after SETTINGS that allow less. */
  windowBytes = 0;
  /** What has come since the server last got leave to send more. */
  unreportedBytes = 0;
  /** Null until the final head has come. */
  #head: FramedHead | null = null;
  #contentBytes = 0;

  begin(id: number, request: Http2Request, windowBytes: number): void {
    this.id = id;
    this.request = request;
    this.sentBytes = 0;
    this.windowBytes = windowBytes;
    this.unreportedBytes = 0;
    this.#head = null;
    this.#contentBytes = 0;
  }

  end(): void {
    this.id = 0;
    this.request = NO_REQUEST;
  }

  get hasHead(): boolean {
    return this.#head !== null;
  }

  get isSent(): boolean {
    return this.sentBytes === this.request.body.length;
  }

  takeHead(head: FramedHead, take: TakeOctets): void {
    if (!head.isInterim) this.#head = head;
    take(head.bytes, 0, head.bytes.length);
  }

  // hot: content as it comes. Throws MalformedResponse.
  takeContent(octets: Uint8Array, from: number, to: number, take: TakeOctets): void {
    const head = this.#head;
    if (head === null) throw new MalformedResponse("content before the head");
    if (from === to) return;
    if (head.framing === NO_CONTENT) throw new MalformedResponse("content where none may be");
    this.#contentBytes += to - from;
    if (head.framing === SIZED) {
      if (this.#contentBytes > head.lengthBytes) throw new MalformedResponse(OTHER_LENGTH);
      return take(octets, from, to);
    }
    const line = encoder.encode(`${(to - from).toString(16)}\r\n`);
    take(line, 0, line.length);
    take(octets, from, to);
    take(CRLF, 0, CRLF.length);
  }

  /** @param trailers Null where the response ended without any. Throws MalformedResponse. */
  takeEnd(trailers: readonly Field[] | null, take: TakeOctets): void {
    const section = trailerSection(trailers ?? []);
    if (this.#head?.framing === UNSIZED) {
      take(LAST_CHUNK, 0, LAST_CHUNK.length);
      return take(section, 0, section.length);
    }
    const { framing = NO_CONTENT, lengthBytes = 0 } = this.#head ?? {};
    if (framing === SIZED && this.#contentBytes !== Math.max(0, lengthBytes)) {
      throw new MalformedResponse(OTHER_LENGTH);
    }
  }
}

const OTHER_LENGTH = "content of another length than content-length says";

// Requests on their way: header blocks, and bodies as far as the server's windows let them.

/** Requests whose block is kept: a load has few, or too many to be worth it. */
const MOST_KNOWN = 64;

interface KnownBlock {
  readonly block: Uint8Array;
  readonly generation: number;
}

export class RequestSender {
  readonly out = new FrameWriter();
  readonly peer = new PeerSettings();
  readonly #encoder = new HpackEncoder();
  readonly #known = new Map<Http2Request, KnownBlock>();
  /** What may still be sent on all streams together (RFC 9113 §6.9.1). */
  #windowBytes = DEFAULT_WINDOW_BYTES;

  // hot: gives the octets that the request takes, with those of a body that has to wait.
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
    const encoder = this.#encoder;
    const known = this.#known.get(request);
    if (known !== undefined && known.generation === encoder.generation) return known.block;
    const { generation } = encoder;
    const block = encoder.encode(request.fields);
    // A block that changes the table means something else the next time.
    if (generation === encoder.generation) {
      if (this.#known.size === MOST_KNOWN) this.#known.clear();
      this.#known.set(request, { block, generation });
    }
    return block;
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

  /** As much of what is left of its body as the windows hold. */
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

  /** The server takes more on all streams together. Throws ConnectionError. */
  widen(bytes: number, streams: readonly Stream[]): void {
    this.#windowBytes = widened(this.#windowBytes, bytes);
    for (const stream of streams) if (!stream.isSent) this.sendBody(stream);
  }

  /** The server takes more on one stream; false where that passes the limit. */
  widenOne(bytes: number, stream: Stream): boolean {
    stream.windowBytes += bytes;
    if (stream.windowBytes > MOST_WINDOW_BYTES) return false;
    if (!stream.isSent) this.sendBody(stream);
    return true;
  }

  /** Takes the payload of the server's SETTINGS, which change windows that are there, too (§6.9.2). Throws ConnectionError. */
  set(payload: Uint8Array, from: number, to: number, streams: readonly Stream[]): void {
    const { peer } = this;
    const { windowBytes, tableBytes } = peer;
    peer.take(payload, from, to);
    if (peer.tableBytes !== tableBytes) this.#encoder.resize(peer.tableBytes);
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
