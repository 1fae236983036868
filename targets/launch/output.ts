/**
 * What a target prints. It is read in chunks as it comes, so that the target never waits for a full
 * pipe, and only the last bytes are kept: no work per line while a load runs.
 */
import { isGoTrace } from "../observe/runtime/go_trace.ts";
import { secrets } from "../../base/secrets.ts";

const KEPT_BYTES = 16_384;
const KEPT_LINES = 20;

export class Output {
  readonly #ring = new Uint8Array(KEPT_BYTES);
  #written = 0;
  #onChunk: () => void = () => {};

  /** @param onOutput Gets all that is read. */
  constructor(private readonly onOutput: (bytes: Uint8Array) => void = () => {}) {}

  /** Reads `stream` to its end. @param onChunk Gets what is read of it. */
  async drain(
    stream: ReadableStream<Uint8Array>,
    onChunk: (bytes: Uint8Array) => void = () => {},
  ): Promise<void> {
    for await (const chunk of stream) {
      onChunk(chunk);
      this.onOutput(chunk);
      // In pieces that fit, so that a line that is waited for is not lost under what came with it.
      for (let at = 0; at < chunk.length; at += KEPT_BYTES) {
        this.#keep(chunk.subarray(at, at + KEPT_BYTES));
        this.#onChunk();
      }
    }
  }

  /** The last lines, at most 20; the first of them may have lost its beginning. */
  lastLines(): string[] {
    const isCut = this.#written > KEPT_BYTES;
    const text = isCut ? secrets.cutText(this.#text()) : this.#text();
    return plainLines(text).slice(-KEPT_LINES);
  }

  /**
   * Takes out the first line that starts with `word`, as soon as it is whole; resolves with what
   * follows the word. Never resolves without such a line.
   */
  takeLine(word: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#onChunk = () => {
      const line = this.takeKept(word);
      if (line === null) return;
      this.#onChunk = () => {};
      resolve(line);
    };
    this.#onChunk();
    return promise;
  }

  /** The same of what is there: null without such a line. */
  takeKept(word: string): string | null {
    const text = this.#text();
    const match = new RegExp(`^${word} (.*)\r?\n`, "m").exec(text);
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
