/** Keeps responses in the memory of the proxy, and drops the least recently used ones if they take too much memory. */
import { LRUCache } from "lru-cache";
import type { ResponseStore, StoredResponse } from "./store.ts";

const MAX_BYTES = 256 * 1_024 * 1_024;
/** Approximate memory of a response in addition to its body. */
const OVERHEAD_BYTES = 1_024;

export class MemoryStore implements ResponseStore {
  readonly #responses: LRUCache<string, StoredResponse>;

  constructor(maxBytes = MAX_BYTES, now = Date.now) {
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }) => body.length + OVERHEAD_BYTES,
      ttlResolution: 0, // read the clock on each look-up instead of keeping a timer
      perf: { now },
    });
  }

  get(key: string): StoredResponse | null {
    return this.#responses.get(key) ?? null;
  }

  set(key: string, response: StoredResponse, keepMs: number): void {
    this.#responses.set(key, response, { ttl: Math.ceil(keepMs) });
  }

  empty(): void {
    this.#responses.clear();
  }

  close(): void {
    this.empty();
  }
}
