/**
 * The contract of the stores in which the proxy keeps responses. Each store has one file, and one line in
 * `registry.ts`; `tests/targets/proxy_stores_test.ts` runs the same suite over all of them.
 */

/** A whole response from the origin. */
export interface StoredResponse {
  readonly status: number;
  /** The header fields in the origin's order, with names in lower case, without those that concern one connection. */
  readonly headers: readonly [name: string, value: string][];
  readonly body: Uint8Array<ArrayBuffer>;
  /** The moment of storing, in milliseconds since the epoch. */
  readonly keptAtMs: number;
  /** The moment at which the response becomes stale, in milliseconds since the epoch. */
  readonly freshUntilMs: number;
}

export interface ResponseStore {
  /** The response; null if none is stored under `key`, or the store does not respond. Never rejects. */
  get(key: string): StoredResponse | null | Promise<StoredResponse | null>;
  /** Keeps the response for `keepMs`, or for a shorter time. Never throws or rejects. */
  set(key: string, response: StoredResponse, keepMs: number): void | Promise<void>;
  /** Forgets all responses. */
  empty(): void;
  close(): void;
}
