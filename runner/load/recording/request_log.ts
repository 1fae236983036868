/**
 * The request log: a line for every exchange that was due and begun, in gocannon's format `code;start;end;connection`,
 * in nanoseconds since the start of the run. The code is the status, or 0 for a request that failed or was in flight at
 * the end. `start` is the moment from which the latency counts.
 *
 * Lines are put together in a buffer and written whole, so that several workers may append to one file.
 */
import { messageOf } from "../../../base/errors.ts";
import { openLog, writeAll } from "../../../base/whole_file.ts";

export const LOG_HEADER = "code;start;end;connection\n";

const BUFFER_BYTES = 256 * 1024;
/** Four numbers of at most 16 digits, three semicolons and a line break. */
const LONGEST_LINE_BYTES = 4 * 16 + 4;
const SEMICOLON = 59;
const LINE_BREAK = 10;
const ZERO = 48;
/** Numbers are written in two halves of nine digits, because arithmetic on whole numbers below 2³¹ is fast. */
const HALF = 1e9;

export class RequestLog {
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  #length = 0;

  /**
   * @param write Writes all of the bytes before it returns.
   * @param firstConnection The number of slot 0's connection in the whole load.
   * @param connections The number of connections to the target; a connection to another host, where a redirect has led,
   * has the number of the user's connection to the target.
   */
  constructor(
    private readonly write: (bytes: Uint8Array<ArrayBuffer>) => void,
    private readonly firstConnection: number,
    private readonly connections: number,
  ) {}

  // hot: a line for every exchange.
  add(code: number, startUs: number, endUs: number, slot: number): void {
    if (this.#length + LONGEST_LINE_BYTES > BUFFER_BYTES) this.flush();
    this.#put(code, SEMICOLON);
    this.#put(Math.round(startUs * 1_000), SEMICOLON);
    this.#put(Math.round(endUs * 1_000), SEMICOLON);
    this.#put(this.firstConnection + slot % this.connections, LINE_BREAK);
  }

  // hot: runs for every number of a line.
  #put(value: number, after: number): void {
    const high = value >= HALF ? Math.floor(value / HALF) : 0;
    const low = value - high * HALF;
    const end = this.#length + (high > 0 ? digitsOf(high) + 9 : digitsOf(low));
    let at = end;
    for (
      let rest = low | 0;
      at > this.#length && (rest > 0 || at === end);
      rest = (rest / 10) | 0
    ) {
      this.#bytes[--at] = ZERO + rest % 10;
    }
    while (high > 0 && at > end - 9) this.#bytes[--at] = ZERO;
    for (let rest = high | 0; at > this.#length; rest = (rest / 10) | 0) {
      this.#bytes[--at] = ZERO + rest % 10;
    }
    this.#bytes[end] = after;
    this.#length = end + 1;
  }

  /** Writes the buffered lines. */
  flush(): void {
    if (this.#length > 0) this.write(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** How many decimal digits a whole number below 10⁹ has. */
function digitsOf(value: number): number {
  let digits = 1;
  for (let least = 10; value >= least; least *= 10) digits++;
  return digits;
}

// The file of the request log. Every worker appends whole lines, and the system does not mix them.
// If writing fails, such as on a full disk, the log is incomplete, `lost` says why, and the
// measurement goes on.

/**
 * The most bytes that a pipe takes in one piece (PIPE_BUF). During a longer write, which waits for the reader in
 * between, other workers may write. A regular file takes any write as a whole, unless the disk is full.
 */
const PIPE_BYTES = Deno.build.os === "linux" ? 4_096 : 512;

export class LogFile {
  /** Why lines are missing; null if none are. */
  lost: string | null = null;
  readonly #file: Deno.FsFile;
  /** Size of the largest write. */
  readonly #mostBytes: number;

  constructor(path: string) {
    this.#file = openLog(path);
    this.#mostBytes = this.#file.statSync().isFile ? BUFFER_BYTES : PIPE_BYTES;
  }

  /** @param bytes Whole lines. */
  readonly write = (bytes: Uint8Array<ArrayBuffer>): void => {
    if (this.lost !== null) return;
    try {
      for (let at = 0; at < bytes.length;) {
        const end = bytes.lastIndexOf(LINE_BREAK, at + this.#mostBytes - 1) + 1;
        writeAll(this.#file, bytes.subarray(at, end));
        at = end;
      }
    } catch (error) {
      this.lost = messageOf(error);
    }
  };

  close(): void {
    this.#file.close();
  }
}
