/** Responses in the memory of the proxy; when there are too many, the least recently used are dropped. */
import { LRUCache } from "lru-cache";
import type { ResponseStore, StoredResponse } from "./store.ts";

/** The most memory for bodies: 256 MB. */
const MAX_BYTES = 256 * 1_024 * 1_024;
/** The approximate memory of a response besides its body. */
const OVERHEAD_BYTES = 1_024;

export class MemoryStore implements ResponseStore {
  readonly #responses: LRUCache<string, StoredResponse>;

  constructor(maxBytes = MAX_BYTES, now = Date.now) {
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ body }) => body.length + OVERHEAD_BYTES,
      ttlResolution: 0, // without a timer: each look-up reads the clock
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
