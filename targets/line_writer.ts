/**
 * Many lines, few writes: the lines of about a millisecond are written together, whole and in order.
 * A slow reader slows the writer down, as with any program that logs to a pipe; without a reader
 * lines are dropped.
 */

const MOST_CHARS = 65_536;

interface Sink {
  writeSync(bytes: Uint8Array): number;
}

export class LineWriter {
  #sink: Sink | null;
  #waiting = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Takes one line, without its end; a function of its own, so that it can be handed on. */
  readonly line = (text: string): void => {
    this.#waiting += `${text}\n`;
    if (this.#waiting.length > MOST_CHARS) return this.flush();
    this.#timer ??= setTimeout(() => this.flush(), 0);
  };

  /** Writes what waits, to the last byte. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    let bytes = new TextEncoder().encode(this.#waiting);
    this.#waiting = "";
    try {
      while (this.#sink !== null && bytes.length > 0) {
        bytes = bytes.subarray(this.#sink.writeSync(bytes));
      }
    } catch (error) {
      if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
      this.#sink = null;
    }
  }
}
