import type { KeptResponse } from "./kept.ts";

/**
 * A complete response of any protocol, for the code that runs checks, captures values, stores cookies and follows
 * redirects.
 */
export interface ReceivedResponse {
  readonly status: number;
  /** Bytes of the content, without its framing. */
  readonly bodyBytes: number;
  /** Instance that served the response and its cache status, in the form of `FramingFields.served`. */
  readonly served: number;
  /** The response's fields and content; null if they are not kept. */
  readonly kept: KeptResponse | null;
}
