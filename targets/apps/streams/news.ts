/**
 * News that is the same for all listeners, whether they poll the latest message, read server-sent events or use a
 * WebSocket. The schedule does not depend on listeners, and each message is made only once for all of them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Freezes, thawed } from "./schedule.ts";

type Listener = (news: string) => void;

export class News {
  readonly #listeners = new Set<Listener>();
  #end = new AbortController();

  /** @param everyMs The time between successive messages. */
  constructor(private readonly everyMs: number, private readonly freezes: Freezes) {}

  /** The message published last, which is JSON in one line. */
  get latest(): string {
    return newsOf(this.#last());
  }

  /** Calls the listener with each message, until the returned function is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#end = new AbortController();
      const { signal } = this.#end;
      this.#publish(signal).catch((error) => {
        if (error.name !== "AbortError") throw error; // the last listener left while the loop slept
      });
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end.abort();
    };
  }

  async #publish(signal: AbortSignal): Promise<void> {
    for (let k = this.#last() + 1;; k++) {
      const waitMs = this.#dueMs(k) - performance.now();
      await sleep(Math.max(0, Math.ceil(waitMs)), undefined, { signal });
      const news = newsOf(k);
      for (const listener of this.#listeners) listener(news);
    }
  }

  #last(): number {
    const nowMs = performance.now();
    let k = Math.floor((nowMs - this.freezes.startMs) / this.everyMs);
    while (this.#dueMs(k) > nowMs) k--;
    return k;
  }

  #dueMs(k: number): number {
    return thawed(this.freezes.startMs + k * this.everyMs, this.freezes);
  }
}

function newsOf(k: number): string {
  return JSON.stringify({
    n: k,
    headline: `Bulletin ${k}: the harbour is open, and the tide is high`,
  });
}
