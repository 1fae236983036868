/**
 * Where the proxy keeps responses. One file a member, one line in `registry.ts`;
 * `tests/targets/proxy_stores_test.ts` runs the same suite over all of them.
 */

/** A whole response of the origin. */
export interface StoredResponse {
  readonly status: number;
  /** Fields in the origin's order, names in lower case, without those of one connection. */
  readonly headers: readonly [name: string, value: string][];
  readonly body: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch. */
  readonly keptAtMs: number;
  /** When it becomes stale, milliseconds since the epoch. */
  readonly freshUntilMs: number;
}

export interface ResponseStore {
  /** Null when nothing is kept under `key`, or the store does not respond. Never rejects. */
  get(key: string): StoredResponse | null | Promise<StoredResponse | null>;
  /** Keeps it for `keepMs`; it may be forgotten sooner. Never throws or rejects. */
  set(key: string, response: StoredResponse, keepMs: number): void | Promise<void>;
  /** Forgets everything that it has kept. */
  empty(): void;
  close(): void;
}
