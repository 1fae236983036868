/**
 * The streams of an HTTP/2 connection, one at a time in each place, and the frames that arrive for them (RFC 9113
 * §5.1).
 */
import {
  ConnectionError,
  END_STREAM,
  type ErrorCode,
  nameOfCode,
  numberOfCode,
  numbers,
  RST_STREAM,
  WINDOW_UPDATE,
} from "./frames.ts";
import type { HeaderBlocks } from "./header_blocks.ts";
import type { Http2Request } from "./request.ts";
import { checkFields, MalformedResponse } from "./response.ts";
import type { RequestSender } from "./stream.ts";
import { WINDOW_BYTES } from "./settings.ts";
import type { Stream } from "./stream.ts";

/** Events of the streams, reported only during `Http2Connection.read`. */
export interface StreamEvents {
  /** The first head of the place's response has arrived, which may be an interim one. */
  onBegin(place: number): void;
  /** The place's response is complete. It can be read until it is forgotten or the place's next response begins. */
  onEndOfResponse(place: number): void;
  /** The server reset the place's stream. */
  onReset(place: number, reason: string): void;
  onMalformed(place: number, reason: string): void;
  /** The server is leaving and has not processed the place's request, so another connection may send it. */
  onTurnedAway(place: number): void;
}

/** The highest stream identifier (§5.1.1). */
const LAST_ID = 2 ** 31 - 1;
const NONE = -1;
/** Number of cancelled streams whose late frames are still recognised. */
const MOST_CANCELLED = 10_000;

export class LiveStreams {
  active = 0;
  /** Whether a GOAWAY of the server said that the server had processed at least one request. */
  hasTaken = false;
  /**
   * The likely place of each open stream, indexed by the low bits of its identifier. It is only likely, because several
   * streams may share these bits. Null if there is a single place.
   */
  readonly #likely: Int32Array | null;
  readonly #cancelled = new Set<number>();
  #nextId = 1;

  /** @param places Each place carries one stream at a time. */
  constructor(
    readonly places: readonly Stream[],
    private readonly sender: RequestSender,
    private readonly blocks: HeaderBlocks,
    private readonly events: StreamEvents,
  ) {
    this.#likely = places.length === 1
      ? null
      : new Int32Array(2 ** Math.ceil(Math.log2(2 * places.length)));
  }

  get begun(): number {
    return (this.#nextId - 1) / 2;
  }

  // hot: begins a stream. Returns the size of its frames in octets; any part of the body that has
  // to wait is included.
  begin(place: number, request: Http2Request): number {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.places[place];
    stream.begin(id, request, this.sender.peer.windowBytes);
    if (this.#likely !== null) this.#likely[hash(id, this.#likely)] = place;
    this.active++;
    return this.sender.begin(stream);
  }

  // hot: the place of an open stream; −1 if the stream is not open.
  #placeOf(id: number): number {
    if (id === 0) return NONE; // free places have the id 0, too
    const likely = this.#likely === null ? 0 : this.#likely[hash(id, this.#likely)];
    return this.places[likely].id === id ? likely : this.#find(id);
  }

  #find(id: number): number {
    return this.places.findIndex((stream) => stream.id === id);
  }

  /** Cancels the place's stream; no more events of that stream follow. */
  cancel(place: number, code: ErrorCode): void {
    if (this.places[place].id === 0) return;
    this.#stop(place, code);
    this.places[place].forget();
  }

  #stop(place: number, code: ErrorCode): void {
    this.sender.out.frame(RST_STREAM, 0, this.places[place].id, numbers(numberOfCode(code)));
    this.#forsake(place);
  }

  /** Frees the place. Frames that still arrive for its stream are skipped. */
  #forsake(place: number): void {
    this.#cancelled.add(this.places[place].id);
    if (this.#cancelled.size > MOST_CANCELLED) {
      for (const oldest of this.#cancelled.keys().take(1)) this.#cancelled.delete(oldest);
    }
    this.#free(place);
  }

  #free(place: number): void {
    this.places[place].end();
    this.active--;
  }

  /** Whether the stream was never opened, so that no frame may refer to it. */
  isIdle(id: number): boolean {
    return id % 2 === 0 || id >= this.#nextId;
  }

  // hot: the place of an open stream; −1 if the stream was cancelled. Throws ConnectionError for
  // any other stream.
  #placeFor(id: number): number {
    const place = this.#placeOf(id);
    return place === NONE ? this.#absent(id) : place;
  }

  #absent(id: number): typeof NONE {
    if (this.#cancelled.has(id)) return NONE;
    if (this.isIdle(id)) {
      throw new ConnectionError("PROTOCOL_ERROR", "a frame on a stream that was never opened");
    }
    throw new ConnectionError("STREAM_CLOSED", "a frame on a stream that has ended");
  }

  // hot: takes content of a response. `length` is the length of the DATA frame if its end has
  // arrived, or else 0. Throws ConnectionError if the stream was never opened or has ended.
  takeContent(
    id: number,
    octets: Uint8Array,
    from: number,
    to: number,
    length: number,
    isEnd: boolean,
  ): void {
    const place = this.#placeFor(id);
    if (place === NONE) return void (isEnd && this.#cancelled.delete(id));
    const stream = this.places[place];
    this.#account(stream, length);
    try {
      stream.takeContent(octets, from, to);
      if (isEnd) this.#end(place);
    } catch (error) {
      this.#refuse(place, error);
    }
  }

  /** Widens the stream's window when half of it is used up, so that the server need not wait. */
  #account(stream: Stream, length: number): void {
    stream.unreportedBytes += length;
    if (stream.unreportedBytes <= WINDOW_BYTES / 2) return;
    this.sender.out.frame(WINDOW_UPDATE, 0, stream.id, numbers(stream.unreportedBytes));
    stream.unreportedBytes = 0;
  }

  // hot: takes a whole header block, `payload[from, to)`. Throws ConnectionError if the stream was
  // never opened or has ended, or if the block can't be decoded.
  takeBlock(id: number, flags: number, payload: Uint8Array, from: number, to: number): void {
    const place = this.#placeFor(id);
    const isEnd = (flags & END_STREAM) !== 0;
    try {
      if (place === NONE) return this.#skip(id, payload.subarray(from, to), isEnd);
      const stream = this.places[place];
      if (stream.hasHead) return this.#takeTrailers(place, payload.subarray(from, to), isEnd);
      const isFirst = !stream.hasBegun;
      stream.takeHead(this.blocks.head(payload, from, to), isEnd);
      if (isFirst) this.events.onBegin(place);
      if (isEnd) this.#end(place);
    } catch (error) {
      this.#refuse(place, error);
    }
  }

  #takeTrailers(place: number, block: Uint8Array, isEnd: boolean): void {
    const trailers = this.blocks.fields(block);
    if (!isEnd) throw new MalformedResponse("a second head");
    checkFields(trailers);
    this.places[place].takeTrailers(trailers);
    this.#end(place);
  }

  /** Decodes a header block of a cancelled stream, because it still changes the HPACK table. */
  #skip(id: number, block: Uint8Array, isEnd: boolean): void {
    this.blocks.fields(block);
    if (isEnd) this.#cancelled.delete(id);
  }

  // hot
  #end(place: number): void {
    const stream = this.places[place];
    stream.checkEnd();
    // §8.1: a response may end before the whole request is sent, and the rest of the request is
    // then not needed.
    if (stream.isSent) this.#free(place);
    else this.#stop(place, "NO_ERROR");
    this.events.onEndOfResponse(place);
  }

  #refuse(place: number, error: unknown): void {
    if (!(error instanceof MalformedResponse)) throw error;
    if (place === NONE) return;
    this.cancel(place, "PROTOCOL_ERROR");
    this.events.onMalformed(place, error.message);
  }

  takeReset(id: number, code: number): void {
    if (this.isIdle(id)) {
      throw new ConnectionError("PROTOCOL_ERROR", "RST_STREAM on a stream that was never opened");
    }
    this.#cancelled.delete(id);
    const place = this.#placeOf(id);
    if (place === NONE) return;
    this.#free(place);
    this.places[place].forget();
    this.events.onReset(place, `RST_STREAM with ${nameOfCode(code)}`);
  }

  /** Takes the server's WINDOW_UPDATE for a stream. Throws ConnectionError if the stream was never opened. */
  widen(id: number, bytes: number): void {
    if (this.isIdle(id)) {
      throw new ConnectionError(
        "PROTOCOL_ERROR",
        "WINDOW_UPDATE on a stream that was never opened",
      );
    }
    const place = this.#placeOf(id);
    if (place === NONE) return;
    if (bytes > 0 && this.sender.widenOne(bytes, this.places[place])) return;
    this.cancel(place, bytes === 0 ? "PROTOCOL_ERROR" : "FLOW_CONTROL_ERROR");
    const what = bytes === 0 ? "update of 0" : "over its limit";
    this.events.onMalformed(place, `a window ${what}`);
  }

  /**
   * Ends the streams after `last`, which the server does not process (§6.8). Without an error code, they are turned
   * away, so that another connection may send their requests; with one, they fail. A server may send GOAWAY twice:
   * first with the highest stream number, to say that it leaves, and then with the last stream that it has accepted.
   */
  turnAway(last: number, code: number): void {
    if (last > 0 && last < LAST_ID && this.#nextId > 1) this.hasTaken = true;
    const streams = this.places.map(({ id }, place) => ({ id, place }));
    for (const { id, place } of streams.sort((a, b) => a.id - b.id)) {
      if (id === 0 || id <= last) continue;
      this.#forsake(place);
      this.places[place].forget();
      if (code === 0) this.events.onTurnedAway(place);
      else this.events.onReset(place, `GOAWAY with ${nameOfCode(code)}`);
    }
  }
}

function hash(id: number, { length }: Int32Array): number {
  return id >> 1 & length - 1;
}
