/**
 * Cuts octets into lines. A line may be split anywhere, even between CR and LF. No I/O. The size of an incomplete line
 * is limited for each reader, and for all readers of a worker together.
 */
import { type LimitName, LIMITS } from "../../limits.ts";
import type { KeptRoom } from "../kept.ts";

export interface LineTaker {
  /** Receives a line, `bytes[from, to)`, without its line end. The bytes are valid only during the call. */
  onLine(bytes: Uint8Array, from: number, to: number): void;
}

/** How a line ends: with LF, perhaps after a CR, or with any of CR LF, LF and CR, as in event streams. */
export type LineEnds = "lf" | "any";

const LF = 10;
const CR = 13;
const NO_BYTES = new Uint8Array(0);
/** A partial line up to this length does not count towards the room's limit. */
const FREE_BYTES = 512;

export class LineReader {
  /** The limit that a line exceeded: its own, or that of the room. No more lines are reported then. */
  exceeded: LimitName | null = null;
  #part: Uint8Array<ArrayBuffer> = NO_BYTES;
  #length = 0;
  /** Whether the last octet was a CR that ended a line, so that an LF after it belongs to the same line end. */
  #wasCr = false;

  constructor(
    private readonly taker: LineTaker,
    private readonly ends: LineEnds,
    private readonly room: KeptRoom,
    private readonly mostBytes: number = LIMITS.streamMessage.most,
  ) {}

  read(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    const isAny = this.ends === "any";
    if (this.#wasCr && start < to) {
      this.#wasCr = false;
      if (bytes[start] === LF) start++;
    }
    for (let at = start; at < to && this.exceeded === null; at++) {
      const octet = bytes[at];
      if (octet !== LF && (octet !== CR || !isAny)) continue;
      this.#emit(bytes, start, at);
      if (octet === CR) {
        if (at + 1 === to) this.#wasCr = true;
        else if (bytes[at + 1] === LF) at++;
      }
      start = at + 1;
    }
    if (start < to && this.exceeded === null) this.#keep(bytes, start, to);
  }

  /** Takes the end of the input. Reports a last line without a line end, unless it is empty. */
  end(): void {
    if (this.#length > 0 && this.exceeded === null) this.#emit(NO_BYTES, 0, 0);
    this.clear();
  }

  /** Forgets a partial line. */
  clear(): void {
    this.#drop();
    this.#wasCr = false;
    this.exceeded = null;
  }

  #emit(bytes: Uint8Array, from: number, to: number): void {
    if (this.#length > 0) {
      if (!this.#keep(bytes, from, to)) return;
      this.#give(this.#part, 0, this.#length);
      this.#drop();
    } else if (to - from > this.mostBytes) this.exceeded = "streamMessage";
    else this.#give(bytes, from, to);
  }

  #give(bytes: Uint8Array, from: number, to: number): void {
    const hasCr = this.ends === "lf" && to > from && bytes[to - 1] === CR;
    this.taker.onLine(bytes, from, hasCr ? to - 1 : to);
  }

  #keep(bytes: Uint8Array, from: number, to: number): boolean {
    const length = this.#length + to - from;
    if (length > this.mostBytes) this.exceeded = "streamMessage";
    else if (length > this.#part.length && !this.#grow(length)) this.exceeded = "keptBodies";
    if (this.exceeded !== null) {
      this.#drop();
      return false;
    }
    this.#part.set(bytes.subarray(from, to), this.#length);
    this.#length = length;
    return true;
  }

  #grow(leastBytes: number): boolean {
    const wanted = Math.max(leastBytes, Math.min(2 * this.#part.length, this.mostBytes));
    const more = Math.max(wanted, FREE_BYTES) - Math.max(this.#part.length, FREE_BYTES);
    if (!this.room.take(more)) return false;
    const larger = new Uint8Array(wanted);
    larger.set(this.#part.subarray(0, this.#length));
    this.#part = larger;
    return true;
  }

  /** Drops a large buffer, so that an idle stream keeps at most a small one. */
  #drop(): void {
    this.#length = 0;
    if (this.#part.length <= FREE_BYTES) return;
    this.room.giveBack(this.#part.length - FREE_BYTES);
    this.#part = NO_BYTES;
  }
}
