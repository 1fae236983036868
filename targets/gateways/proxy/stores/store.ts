/**
 * The interface of the stores in which the proxy keeps responses. Each store has one file and one line in
 * `registry.ts`; `tests/targets/proxy_stores_test.ts` runs the same suite for all of them.
 */

/** A complete response from the origin. */
export interface StoredResponse {
  readonly status: number;
  /**
   * Header fields in the origin's order, with names in lower case; fields that apply only to one connection are
   * removed.
   */
  readonly headers: readonly [name: string, value: string][];
  readonly body: Uint8Array<ArrayBuffer>;
  /** When the response was stored, in milliseconds since 1970. */
  readonly keptAtMs: number;
  /** When the response becomes stale, in milliseconds since 1970. */
  readonly freshUntilMs: number;
}

export interface ResponseStore {
  /** The response; null if none is stored under `key`, or if the store does not respond. Never rejects. */
  get(key: string): StoredResponse | null | Promise<StoredResponse | null>;
  /** Keeps the response for at most `keepMs`. Never throws or rejects. */
  set(key: string, response: StoredResponse, keepMs: number): void | Promise<void>;
  empty(): void;
  close(): void;
}
