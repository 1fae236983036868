/** The streams of a connection of HTTP/2, one at a time on each lane, and what comes on them (RFC 9113 §5.1). */
import type { Field } from "./fields.ts";
import {
  ConnectionFault,
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
import { Malformed } from "./response.ts";
import type { Sending } from "./sending.ts";
import { WINDOW_BYTES } from "./settings.ts";
import { Stream, type TakeOctets } from "./stream.ts";

/** Called from within `read` alone. */
export interface LaneEvents {
  /** `octets[from, to)` of the lane's response, as HTTP/1.1 has it. */
  onResponse(lane: number, octets: Uint8Array, from: number, to: number): void;
  /** The lane's response is whole. */
  onEndOfResponse(lane: number): void;
  /** The server gave the lane's stream up, for this reason. */
  onReset(lane: number, reason: string): void;
  onMalformed(lane: number, reason: string): void;
  /** The server leaves, and has not looked at the lane's request: another connection may take it. */
  onTurnedAway(lane: number): void;
}

/** The last identifier of a stream that a client may use (§5.1.1). */
export const LAST_ID = 2 ** 31 - 1;
/** Streams given up by us, of which the server may not know yet. */
const MOST_CANCELLED = 10_000;

export class Streams {
  /** How many there are. */
  active = 0;
  readonly lanes: readonly Stream[];
  readonly #takes: readonly TakeOctets[];
  /** The lane of each stream at hand, by the stream's identifier. */
  readonly #laneOf = new Map<number, number>();
  readonly #cancelled = new Set<number>();
  #nextId = 1;

  constructor(
    lanes: number,
    private readonly sending: Sending,
    private readonly blocks: HeaderBlocks,
    private readonly events: LaneEvents,
  ) {
    this.lanes = Array.from({ length: lanes }, () => new Stream());
    this.#takes = this.lanes.map((_, lane) => (octets, from, to) =>
      events.onResponse(lane, octets, from, to)
    );
  }

  get areUsedUp(): boolean {
    return this.#nextId > LAST_ID;
  }

  // hot: gives the octets that it takes, with those of a body that has to wait.
  begin(lane: number, request: Http2Request): number {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.lanes[lane];
    stream.begin(id, request, this.sending.peer.windowBytes);
    this.#laneOf.set(id, lane);
    this.active++;
    return this.sending.begin(stream);
  }

  /** Gives up the lane's stream; no event of it follows. */
  cancel(lane: number, code: ErrorCode): void {
    const { id } = this.lanes[lane];
    if (id === 0) return;
    this.sending.out.frame(RST_STREAM, 0, id, numbers(numberOfCode(code)));
    this.#cancelled.add(id);
    if (this.#cancelled.size > MOST_CANCELLED) {
      for (const oldest of this.#cancelled.keys().take(1)) this.#cancelled.delete(oldest);
    }
    this.#free(lane);
  }

  #free(lane: number): void {
    const stream = this.lanes[lane];
    this.#laneOf.delete(stream.id);
    stream.end();
    this.active--;
  }

  /** Whether the stream was never begun: nothing may say anything of it. */
  isIdle(id: number): boolean {
    return id % 2 === 0 || id >= this.#nextId;
  }

  /** The lane of a stream that may bring something; −1 for one that we have given up. Throws ConnectionFault. */
  #laneFor(id: number): number {
    const lane = this.#laneOf.get(id);
    if (lane !== undefined) return lane;
    if (this.#cancelled.has(id)) return -1;
    if (this.isIdle(id)) {
      throw new ConnectionFault("PROTOCOL_ERROR", "a frame of a stream that nobody began");
    }
    throw new ConnectionFault("STREAM_CLOSED", "a frame of a stream that has ended");
  }

  // hot: content of a response, of a DATA frame of `length` that ends with it, or 0. Throws ConnectionFault.
  takeContent(
    id: number,
    octets: Uint8Array,
    [from, to]: readonly [number, number],
    { length, isEnd }: { readonly length: number; readonly isEnd: boolean },
  ): void {
    const lane = this.#laneFor(id);
    if (lane < 0) return void (isEnd && this.#cancelled.delete(id));
    const stream = this.lanes[lane];
    this.#account(stream, length);
    try {
      stream.takeContent(octets, from, to, this.#takes[lane]);
      if (isEnd && stream.id === id) this.#end(lane, null);
    } catch (error) {
      this.#refuse(lane, error);
    }
  }

  /** Tells the server that it may send on, long before it has to wait. */
  #account(stream: Stream, length: number): void {
    stream.unreportedBytes += length;
    if (stream.unreportedBytes <= WINDOW_BYTES / 2) return;
    this.sending.out.frame(WINDOW_UPDATE, 0, stream.id, numbers(stream.unreportedBytes));
    stream.unreportedBytes = 0;
  }

  // hot: a whole header block. Throws ConnectionFault.
  takeBlock(id: number, flags: number, block: Uint8Array): void {
    const lane = this.#laneFor(id);
    const isEnd = (flags & END_STREAM) !== 0;
    try {
      if (lane < 0) return this.#skip(id, block, isEnd);
      const stream = this.lanes[lane];
      if (stream.hasHead) return this.#takeTrailers(lane, block, isEnd);
      const { isHead } = stream.request;
      stream.takeHead(this.blocks.head(block, isHead, isEnd), this.#takes[lane]);
      if (isEnd && stream.id === id) this.#end(lane, null);
    } catch (error) {
      this.#refuse(lane, error);
    }
  }

  #takeTrailers(lane: number, block: Uint8Array, isEnd: boolean): void {
    const trailers = this.blocks.fields(block);
    if (!isEnd) throw new Malformed("a second head");
    this.#end(lane, trailers);
  }

  /** What it says still changes the table. */
  #skip(id: number, block: Uint8Array, isEnd: boolean): void {
    this.blocks.fields(block);
    if (isEnd) this.#cancelled.delete(id);
  }

  #end(lane: number, trailers: readonly Field[] | null): void {
    const stream = this.lanes[lane];
    stream.takeEnd(trailers, this.#takes[lane]);
    // §8.1: a response may come before the request is sent, and makes its rest needless.
    if (stream.isSent) this.#free(lane);
    else this.cancel(lane, "NO_ERROR");
    this.events.onEndOfResponse(lane);
  }

  #refuse(lane: number, error: unknown): void {
    if (!(error instanceof Malformed)) throw error;
    if (lane < 0) return;
    this.cancel(lane, "PROTOCOL_ERROR");
    this.events.onMalformed(lane, error.message);
  }

  takeReset(id: number, code: number): void {
    if (this.isIdle(id)) throw new ConnectionFault("PROTOCOL_ERROR", "a reset of no stream");
    this.#cancelled.delete(id);
    const lane = this.#laneOf.get(id);
    if (lane === undefined) return;
    this.#free(lane);
    this.events.onReset(lane, `RST_STREAM with ${nameOfCode(code)}`);
  }

  /** The server takes more of a stream's body. Throws ConnectionFault. */
  widen(id: number, bytes: number): void {
    if (this.isIdle(id)) throw new ConnectionFault("PROTOCOL_ERROR", "a window of no stream");
    const lane = this.#laneOf.get(id);
    if (lane === undefined) return;
    if (bytes > 0 && this.sending.widenOne(bytes, this.lanes[lane])) return;
    this.cancel(lane, bytes === 0 ? "PROTOCOL_ERROR" : "FLOW_CONTROL_ERROR");
    const what = bytes === 0 ? "widened by nothing" : "over its limit";
    this.events.onMalformed(lane, `a window ${what}`);
  }

  /** The server looks at none after stream `last` (§6.8); with a complaint they have failed. */
  turnAway(last: number, code: number): void {
    for (const [id, lane] of [...this.#laneOf]) {
      if (id <= last) continue;
      this.#free(lane);
      if (code === 0) this.events.onTurnedAway(lane);
      else this.events.onReset(lane, `GOAWAY with ${nameOfCode(code)}`);
    }
  }
}
