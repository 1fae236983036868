import type { KeptResponse } from "./kept.ts";

/** A complete response, of whatever protocol, as checks, captures, cookies and redirects read it. */
export interface ReceivedResponse {
  readonly status: number;
  /** Bytes of the content, without its framing. */
  readonly bodyBytes: number;
  /** The instance that served the response and its cache status, see `FramingFields.served`. */
  readonly served: number;
  /** The response's fields and content; null unless they are kept. */
  readonly kept: KeptResponse | null;
}
