/**
 * What a target prints: read with a pause after each read, and only the last bytes are kept. Without the pauses, a
 * target that writes a line for each request would wake this process for each line, on the cores that target and load
 * share.
 */
import { isGoTrace, OUTPUT_LATE_MS } from "../observe/runtime/go_trace.ts";
import { secrets, withoutSecrets } from "../../base/secrets.ts";
import { REAL_TIME, type Time } from "./settles.ts";

const KEPT_BYTES = 16_384;
const KEPT_LINES = 20;

/** The most octets that may come during a pause: a quarter of a pipe's size on Linux (pipe(7)). */
const MOST_BYTES = 16_384;
/** The shortest pause; timers cannot make a shorter one. */
const SHORTEST_PAUSE_MS = 1;

export class Output {
  readonly #ring = new Uint8Array(KEPT_BYTES);
  #written = 0;
  /** Called when output comes; null while no caller waits for a line. */
  #onChunk: (() => void) | null = null;

  /** @param onOutput Called with everything that is read. */
  constructor(
    private readonly onOutput: (bytes: Uint8Array) => void = () => {},
    private readonly time: Time = REAL_TIME,
  ) {}

  /** Reads `stream` to its end. @param onChunk Called with each chunk. */
  async drain(
    stream: ReadableStream<Uint8Array>,
    onChunk: (bytes: Uint8Array) => void = () => {},
  ): Promise<void> {
    for await (const chunk of pacedReads(stream, () => this.#onChunk !== null, this.time)) {
      onChunk(chunk);
      this.onOutput(chunk);
      // In pieces that fit into the buffer, so that output after an awaited line does not push the line out before it
      // is found.
      for (let at = 0; at < chunk.length; at += KEPT_BYTES) {
        this.#keep(chunk.subarray(at, at + KEPT_BYTES));
        this.#onChunk?.();
      }
    }
  }

  /** The last lines without secrets, at most 20; the first of them may have lost its beginning. */
  lastLines(): string[] {
    const isCut = this.#written > KEPT_BYTES;
    const text = isCut ? secrets.cutText(this.#text()) : secrets.text(this.#text());
    return plainLines(text).slice(-KEPT_LINES).map(withoutSecrets); // once more: a colour may have split a secret
  }

  /**
   * Removes the first line that matches `line`, as soon as it is complete, and resolves with its first group. Never
   * resolves if no such line comes.
   */
  takeLine(line: RegExp): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#onChunk = () => {
      const taken = this.takeKept(line);
      if (taken === null) return;
      this.#onChunk = null;
      resolve(taken);
    };
    this.#onChunk?.();
    return promise;
  }

  /** Takes the line from the output that is already there; null if it has no such line. */
  takeKept(line: RegExp): string | null {
    const text = this.#text();
    const match = line.exec(text);
    if (match === null) return null;
    this.#written = 0;
    const others = text.slice(0, match.index) + text.slice(match.index + match[0].length);
    this.#keep(new TextEncoder().encode(others));
    return match[1];
  }

  #keep(chunk: Uint8Array): void {
    const tail = chunk.subarray(-KEPT_BYTES);
    const at = this.#written % KEPT_BYTES;
    const fitting = tail.subarray(0, KEPT_BYTES - at);
    this.#ring.set(fitting, at);
    this.#ring.set(tail.subarray(fitting.length), 0);
    this.#written += tail.length;
  }

  #text(): string {
    const at = this.#written % KEPT_BYTES;
    const newer = this.#ring.slice(0, at);
    const older = this.#written >= KEPT_BYTES ? this.#ring.slice(at) : new Uint8Array();
    const decoder = new TextDecoder();
    return decoder.decode(older, { stream: true }) + decoder.decode(newer);
  }
}

// deno-lint-ignore no-control-regex
const ESCAPE_SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g;

/** Lines that are safe to print: without colours, cursor movements and other control characters. */
function plainLines(text: string): string[] {
  const lines = text.replaceAll(ESCAPE_SEQUENCES, "").split(/[\r\n]+/);
  return lines.map((line) => line.replaceAll(/\p{Cc}/gu, "")).filter((line) =>
    line.trim() !== "" && !isGoTrace(line)
  );
}

/**
 * Yields chunks as they come, with a pause after each.
 * @param isAwaited Whether a caller waits for more; then there is no pause.
 */
export async function* pacedReads(
  stream: ReadableStream<Uint8Array>,
  isAwaited: () => boolean,
  { nowMs, sleep }: Time,
): AsyncGenerator<Uint8Array> {
  let lastMs = nowMs();
  for await (const chunk of stream) {
    const elapsedMs = nowMs() - lastMs;
    lastMs += elapsedMs;
    yield chunk;
    const pauseMs = pauseAfter(chunk.length, elapsedMs);
    if (!isAwaited() && pauseMs >= SHORTEST_PAUSE_MS) await sleep(pauseMs);
  }
}

/**
 * The pause after a chunk of `bytes` that took `elapsedMs` to come: at that pace, a quarter of the pipe fills during
 * the pause, so no writer has to wait for space.
 */
function pauseAfter(bytes: number, elapsedMs: number): number {
  return Math.min(OUTPUT_LATE_MS, elapsedMs * MOST_BYTES / bytes);
}
