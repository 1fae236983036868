/**
 * The client's side of an HTTP/2 connection (RFC 9113), which turns received octets into events, and requests into
 * octets to send. No I/O, no clock.
 *
 * A place holds one stream at a time, so that a load can treat a place like a connection: a request begins in it and
 * gets a response or fails, and then the next request may begin.
 */
import type { KeptResponse } from "../kept.ts";
import { connectionReason, type NamedConnectionError } from "../reason.ts";
import type { ReceivedResponse } from "../received.ts";
import { Backlog } from "./backlog.ts";
import {
  ACK,
  BAD_PADDING,
  ConnectionError,
  CONTENT,
  CONTINUATION,
  END_HEADERS,
  END_STREAM,
  type ErrorCode,
  FrameReader,
  FrameWriter,
  GOAWAY,
  HAS_PRIORITY,
  HEADERS,
  NOTHING,
  numberAt,
  numberOfCode,
  numbers,
  PING,
  PRIORITY,
  PUSH_PROMISE,
  RST_STREAM,
  SETTINGS,
  TOO_LONG,
  WINDOW_UPDATE,
} from "./frames.ts";
import { HeaderBlocks } from "./header_blocks.ts";
import type { Http2Request } from "./request.ts";
import { RequestSender, Stream } from "./stream.ts";
import { opening, WINDOW_BYTES } from "./settings.ts";
import { LiveStreams, type StreamEvents } from "./live_streams.ts";
import { SharedMemory } from "./shared_memory.ts";
import { LIMITS } from "../../limits.ts";

/** Limit for consecutive frames that need a reply or carry nothing. Any part of a response resets the count. */
const MOST_IDLE_FRAMES = 10_000;
/** Stream identifiers and window increments have 31 bits. The reserved bit before them is ignored (§4.1, §6.9). */
const WITHOUT_RESERVED = 0x7fff_ffff;
/** A client may use the odd identifiers only, which are half of all (§5.1.1). */
const MOST_STREAMS = 2 ** 30;

interface ConnectionOptions {
  /** Returns the store for the responses of a place, or null if they are not kept. Default: they are not kept. */
  readonly keep?: (place: number) => KeptResponse | null;
  /** Memory that all connections of the load share. */
  readonly memory?: SharedMemory;
  /** Number of requests after which another connection has to take over. Default: no limit. */
  readonly requests?: number;
}

export class Http2Connection {
  /** Whether the server's SETTINGS have arrived, before which its limit of streams is unknown. */
  isReady = false;
  /** Why the connection can't go on; null while it can. */
  error: string | null = null;
  /** Frames that wait to be sent. */
  readonly out: FrameWriter;
  readonly #sender: RequestSender;
  /**
   * The reader of a frame that has arrived only in part; null if there is none. Whole frames are read by a shared
   * reader.
   */
  #split: FrameReader | null = null;
  readonly #blocks: HeaderBlocks;
  readonly #streams: LiveStreams;
  readonly #memory: SharedMemory;
  readonly #mostRequests: number;
  /** Null if nothing waits to be sent. */
  #backlog: Backlog | null = null;
  #isLeaving = false;
  /** Bytes received since the last WINDOW_UPDATE for the connection. */
  #unreportedBytes = 0;
  #idleFrames = 0;
  /** The HEADERS frame whose header block continues in CONTINUATION frames; null if there is none. */
  #unfinished: { readonly id: number; readonly flags: number } | null = null;

  constructor(
    private readonly places: number,
    events: StreamEvents,
    { keep = () => null, memory = new SharedMemory(), requests = Infinity }: ConnectionOptions = {},
  ) {
    this.#memory = memory;
    this.#mostRequests = Math.min(requests, MOST_STREAMS);
    this.#sender = new RequestSender(memory);
    this.out = this.#sender.out;
    this.#blocks = new HeaderBlocks(memory.known);
    const streams = Array.from({ length: places }, (_, place) => new Stream(keep(place)));
    this.#streams = new LiveStreams(streams, this.#sender, this.#blocks, events);
    this.out.raw(opening());
  }

  /** Largest number of concurrent streams that the server accepts. */
  get mostStreams(): number {
    return this.#sender.peer.mostStreams;
  }

  get active(): number {
    return this.#streams.active;
  }

  /** Whether another connection has to take over, because no more streams may begin on this one. */
  get isLeaving(): boolean {
    return this.#isLeaving || this.#streams.begun >= this.#mostRequests;
  }

  /**
   * Whether the server's GOAWAY said that the server had processed at least one request. If so, the next connection can
   * be expected to get some requests processed, too.
   */
  get hasTaken(): boolean {
    return this.#streams.hasTaken;
  }

  get mayBegin(): boolean {
    return this.isReady && !this.isLeaving && this.active < this.mostStreams;
  }

  isBusy(place: number): boolean {
    return this.#streams.places[place].id !== 0;
  }

  // hot: the place's response, valid from its end until it is forgotten or the place's next
  // response begins.
  response(place: number): ReceivedResponse {
    return this.#streams.places[place];
  }

  /** Frees the memory of the place's response. */
  forget(place: number): void {
    this.#streams.places[place].forget();
  }

  /** Frees the memory of all responses after the connection has ended. */
  giveBack(): void {
    for (const { kept } of this.#streams.places) kept?.giveBack();
  }

  /** Whether a head of the place's response has arrived. */
  hasBegun(place: number): boolean {
    return this.#streams.places[place].hasBegun;
  }

  // hot: begins a stream. Returns the size of its frames in octets; any part of the body that has
  // to wait is included.
  begin(place: number, request: Http2Request): number {
    return this.#streams.begin(place, request);
  }

  /** Cancels the place's stream; no more events of that stream follow. */
  cancel(place: number): void {
    this.#streams.cancel(place, "CANCEL");
  }

  /** Sends a PING, to which a live server must reply. */
  ping(): void {
    this.out.frame(PING, 0, 0, new Uint8Array(8));
  }

  /** Announces that no more requests will follow. */
  leave(code: ErrorCode = "NO_ERROR"): void {
    this.#isLeaving = true;
    this.out.frame(GOAWAY, 0, 0, numbers(0, numberOfCode(code)));
  }

  // hot: reads received octets. Reports what happens in a place as an event, and a failure of the
  // connection as `error`.
  /** @param unsentBytes Octets that were taken from `out`, but have not been sent yet. */
  read(octets: Uint8Array, length: number, unsentBytes = 0): void {
    try {
      this.#lookAtBacklog(unsentBytes);
      const reader = this.#reader;
      for (let at = 0; at < length;) {
        at = reader.next(octets, at, length);
        if (reader.found !== NOTHING) this.#take();
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      this.leave(error.code);
      this.error = connectionReason(error.code, error.message);
    }
    if (this.#reader.isWithin !== (this.#split !== null)) this.#changeReader();
  }

  // hot
  get #reader(): FrameReader {
    return this.#split ?? this.#memory.whole;
  }

  #changeReader(): void {
    const memory = this.#memory;
    if (this.#split !== null) memory.release(this.#split);
    this.#split = this.#split === null ? memory.keepWhole() : null;
  }

  // hot: throws ConnectionError if too many requests are waiting to be sent.
  #lookAtBacklog(unsentBytes: number): void {
    const { out } = this;
    if (out.length + unsentBytes === 0) {
      this.#backlog = null;
      out.countAnew();
    } else {
      this.#backlog ??= new Backlog(out, this.places);
      this.#backlog.look(unsentBytes);
    }
  }

  /** Throws ConnectionError if too many replies are waiting to be sent. */
  #checkReplies(): void {
    this.#backlog ??= new Backlog(this.out, this.places);
    this.#backlog.check();
  }

  // hot
  #take(): void {
    const { found, type, stream } = this.#reader;
    if (found === TOO_LONG) throw this.#tooLong();
    if (found === BAD_PADDING) throw wrong("padding longer than its frame");
    if (!this.isReady && type !== SETTINGS) throw wrong("a first frame other than SETTINGS");
    const begun = this.#unfinished;
    if (begun !== null && (type !== CONTINUATION || stream !== begun.id)) {
      throw wrong("a frame of another kind or stream within a header block");
    }
    if (found === CONTENT) this.#takeContent();
    else this.#takeFrame();
    if (this.out.replies > LIMITS.http2Replies.most) this.#checkReplies();
  }

  /** An HTTP/1.1 server responds to the preface with text, which looks like a far too long frame (§3.4). */
  #tooLong(): ConnectionError {
    return this.isReady
      ? new ConnectionError("FRAME_SIZE_ERROR", "a frame larger than SETTINGS_MAX_FRAME_SIZE")
      : wrong("the server does not speak HTTP/2" satisfies NamedConnectionError);
  }

  // hot
  #takeContent(): void {
    const { flags, stream, payload, from, to, isLast, length } = this.#reader;
    const isEnd = isLast && (flags & END_STREAM) !== 0;
    if (from === to && !isEnd) this.#countIdle();
    else this.#idleFrames = 0;
    const taken = isLast ? length : 0;
    this.#unreportedBytes += taken;
    if (this.#unreportedBytes > WINDOW_BYTES / 2) {
      this.out.frame(WINDOW_UPDATE, 0, 0, numbers(this.#unreportedBytes));
      this.#unreportedBytes = 0;
    }
    this.#streams.takeContent(stream, payload, from, to, taken, isEnd);
  }

  #takeFrame(): void {
    const { type, flags, stream, payload, from, to } = this.#reader;
    if (type === HEADERS) this.#takeHeaders();
    else if (type === CONTINUATION) this.#goOn();
    else if (type === WINDOW_UPDATE) {
      this.#widen(stream, numberOf(payload, from, to) & WITHOUT_RESERVED);
    } else if (type === RST_STREAM) this.#streams.takeReset(stream, numberOf(payload, from, to));
    else if (type === SETTINGS) this.#takeSettings();
    else if (type === PING) this.#takePing(flags);
    else if (type === GOAWAY) this.#takeGoAway();
    else if (type === PUSH_PROMISE) throw wrong("a push that was not allowed");
    else if (type === PRIORITY) {
      if (stream === 0) throw wrong("PRIORITY without a stream");
      if (to - from !== 5) throw cutShort();
    }
  }

  // hot
  #takeHeaders(): void {
    const { flags, stream: id, payload, from, to } = this.#reader;
    const blockAt = (flags & HAS_PRIORITY) === 0 ? from : from + 5;
    if (blockAt > to) throw cutShort();
    if ((flags & END_HEADERS) !== 0) return this.#takeBlock(id, flags, payload, blockAt, to);
    this.#blocks.gather(payload, blockAt, to);
    this.#unfinished = { id, flags };
  }

  #goOn(): void {
    const { flags, stream: id, payload, from, to } = this.#reader;
    const begun = this.#unfinished;
    if (begun === null) throw wrong("CONTINUATION without HEADERS");
    if ((flags & END_HEADERS) === 0) return this.#blocks.gather(payload, from, to);
    this.#unfinished = null;
    this.#blocks.gather(payload, from, to);
    const block = this.#blocks.gathered();
    this.#takeBlock(id, begun.flags, block, 0, block.length);
  }

  // hot: takes a whole header block.
  #takeBlock(id: number, flags: number, payload: Uint8Array, from: number, to: number): void {
    this.#idleFrames = 0;
    this.#streams.takeBlock(id, flags, payload, from, to);
  }

  #countIdle(): void {
    if (++this.#idleFrames <= MOST_IDLE_FRAMES) return;
    throw new ConnectionError("ENHANCE_YOUR_CALM", "an endless flow of frames that carry nothing");
  }

  #widen(id: number, bytes: number): void {
    if (id !== 0) return this.#streams.widen(id, bytes);
    if (bytes === 0) throw wrong("a window update of 0");
    this.#sender.widen(bytes, this.#streams.places);
  }

  #takeSettings(): void {
    const { flags, stream, payload, from, to } = this.#reader;
    if (stream !== 0) throw wrong("SETTINGS on a stream");
    this.#countIdle();
    if ((flags & ACK) !== 0) {
      if (to > from) throw cutShort();
      if (!this.isReady) {
        throw wrong("an acknowledgement of settings before the server's own SETTINGS");
      }
      return;
    }
    this.#sender.set(payload, from, to, this.#streams.places);
    this.out.frame(SETTINGS, ACK, 0);
    this.isReady = true;
  }

  #takePing(flags: number): void {
    const { stream, payload, from, to } = this.#reader;
    if (stream !== 0) throw wrong("PING on a stream");
    if (to - from !== 8) throw cutShort();
    this.#countIdle();
    if ((flags & ACK) === 0) this.out.frame(PING, ACK, 0, payload, from, to);
  }

  #takeGoAway(): void {
    const { stream, payload, from, to } = this.#reader;
    if (stream !== 0) throw wrong("GOAWAY on a stream");
    if (to - from < 8) throw cutShort();
    this.#isLeaving = true;
    this.#streams.turnAway(numberAt(payload, from) & WITHOUT_RESERVED, numberAt(payload, from + 4));
  }
}

function numberOf(payload: Uint8Array, from: number, to: number): number {
  if (to - from !== 4) throw cutShort();
  return numberAt(payload, from);
}

function wrong(message: string): ConnectionError {
  return new ConnectionError("PROTOCOL_ERROR", message);
}

function cutShort(): ConnectionError {
  return new ConnectionError("FRAME_SIZE_ERROR", "a frame of the wrong length");
}
