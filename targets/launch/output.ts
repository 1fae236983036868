/**
 * Reads the output of a target, and keeps only the last bytes. It pauses after each read. Otherwise, a target that
 * writes a line per request would wake this process for each line, on the cores that the target and the load share.
 */
import { isGoTrace, OUTPUT_LATE_MS } from "../observe/runtime/go_trace.ts";
import { secrets, withoutSecrets } from "../../base/secrets.ts";
import { REAL_TIME, type Time } from "./settles.ts";

const KEPT_BYTES = 16_384;
const KEPT_LINES = 20;

/** The most octets that may arrive during a pause: a quarter of a pipe's capacity on Linux (pipe(7)). */
const MOST_BYTES = 16_384;
/** The shortest pause that timers can make. */
const SHORTEST_PAUSE_MS = 1;

export class Output {
  readonly #ring = new Uint8Array(KEPT_BYTES);
  #written = 0;
  /** Called when output arrives; null if no caller awaits a line. */
  #onChunk: (() => void) | null = null;

  /** @param onOutput Called with all output that is read. */
  constructor(
    private readonly onOutput: (bytes: Uint8Array) => void = () => {},
    private readonly time: Time = REAL_TIME,
  ) {}

  /**
   * Reads `stream` to its end.
   *
   * @param onChunk Called with each chunk.
   */
  async drain(
    stream: ReadableStream<Uint8Array>,
    onChunk: (bytes: Uint8Array) => void = () => {},
  ): Promise<void> {
    for await (const chunk of pacedReads(stream, () => this.#onChunk !== null, this.time)) {
      onChunk(chunk);
      this.onOutput(chunk);
      // Add pieces that fit into the buffer, so that an awaited line is found before later output
      // overwrites it.
      for (let at = 0; at < chunk.length; at += KEPT_BYTES) {
        this.#keep(chunk.subarray(at, at + KEPT_BYTES));
        this.#onChunk?.();
      }
    }
  }

  /** The last lines, at most 20, with secrets removed. The beginning of the first line may be missing. */
  lastLines(): string[] {
    const isCut = this.#written > KEPT_BYTES;
    const text = isCut ? secrets.cutText(this.#text()) : secrets.text(this.#text());
    // Remove secrets once more, because colour codes may have split one.
    return plainLines(text).slice(-KEPT_LINES).map(withoutSecrets);
  }

  /**
   * Removes the first line that matches `line` as soon as it is complete, and resolves to its first group. Never
   * resolves if no such line arrives.
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

  /** Like `takeLine`, but searches only the output that has arrived; null if it has no such line. */
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

/** Splits text into lines that are safe to print, without colours, cursor movements and other control characters. */
function plainLines(text: string): string[] {
  const lines = text.replaceAll(ESCAPE_SEQUENCES, "").split(/[\r\n]+/);
  return lines.map((line) => line.replaceAll(/\p{Cc}/gu, "")).filter((line) =>
    line.trim() !== "" && !isGoTrace(line)
  );
}

/**
 * Yields chunks as they arrive, and pauses after each.
 *
 * @param isAwaited Whether a caller waits for more output; if so, there is no pause.
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
 * The pause after a chunk of `bytes` that took `elapsedMs` to arrive. At that rate, at most a quarter of the pipe fills
 * up during the pause, so the writer never has to wait for space.
 */
function pauseAfter(bytes: number, elapsedMs: number): number {
  return Math.min(OUTPUT_LATE_MS, elapsedMs * MOST_BYTES / bytes);
}
