/** One stream of HTTP/2 after the other, on the same place: what is sent of its request, and what came of its response. */
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
