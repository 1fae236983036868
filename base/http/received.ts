import type { KeptResponse } from "./kept.ts";

/** A response that has come whole, by whatever protocol: what checks, captures, cookies and redirects read. */
export interface ReceivedResponse {
  readonly status: number;
  /** Bytes of the content, without its framing. */
  readonly bodyBytes: number;
  /** The instance that served it and its use of a cache, see `FramingFields.served`. */
  readonly served: number;
  /** Its fields and its content; null unless they are retained. */
  readonly kept: KeptResponse | null;
}
