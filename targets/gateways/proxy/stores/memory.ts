/** Answers in the memory of the proxy; when there are too many, those that were used least lately go. */
import type { KeptAnswer, Store } from "./store.ts";

/** 256 MB of bodies. */
const MOST_BYTES = 256 * 1_024 * 1_024;
/** What an answer takes besides its body, roughly. */
const OVERHEAD_BYTES = 1_024;

interface Entry {
  readonly answer: KeptAnswer;
  readonly untilMs: number;
}

export class MemoryStore implements Store {
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(private readonly mostBytes = MOST_BYTES, private readonly now = Date.now) {}

  get(key: string): KeptAnswer | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#entries.delete(key);
    if (entry.untilMs > this.now()) {
      this.#entries.set(key, entry);
      return entry.answer;
    }
    this.#bytes -= sizeOf(entry);
    return null;
  }

  set(key: string, answer: KeptAnswer, keepMs: number): void {
    this.#forget(key);
    const entry = { answer, untilMs: this.now() + keepMs };
    this.#entries.set(key, entry);
    this.#bytes += sizeOf(entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.mostBytes) return;
      this.#forget(oldest);
    }
  }

  empty(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  close(): void {
    this.empty();
  }

  #forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= sizeOf(entry);
  }
}

function sizeOf({ answer }: Entry): number {
  return answer.body.length + OVERHEAD_BYTES;
}
