/**
 * Redirects that a user's request follows (RFC 9110 §15.4), as in browsers: 303 turns any request but a HEAD into a
 * GET, 301 and 302 turn a POST into a GET, 307 and 308 repeat the request unchanged. A redirect to another host, port
 * or scheme is followed only if the experiment names that origin.
 */
import type { WireRequest } from "../../../../base/http/request.ts";
import type { ReceivedResponse } from "../../../../base/http/received.ts";

/**
 * `most`: how many redirects a request may follow; `step`: the step under which the requests that follow redirects are
 * counted.
 */
export interface FollowSpec {
  readonly most: number;
  readonly step: number;
}

/** How far a user's current request has been redirected. */
export class Redirected {
  hops = 0;
  /** Index of the origin of the current request: 0 is the target. */
  origin = 0;
  /** The request that replaces the step's own; null before any redirect. */
  wire: WireRequest | null = null;

  begin(): void {
    this.hops = 0;
    this.origin = 0;
    this.wire = null;
  }
}

/** A request, and the index of the origin to which it goes. */
export interface SentRequest {
  readonly wire: WireRequest;
  readonly origin: number;
}

/**
 * What a redirect leads to: the request to send next; an origin that the experiment does not name; or a Location that
 * is not an HTTP(S) URL.
 */
export type Redirect =
  | SentRequest
  | { readonly elsewhere: string }
  | { readonly unreadable: string };

const STATUSES = [301, 302, 303, 307, 308];

/**
 * The redirect in a response; null if the response has no redirect status or no Location.
 * @param origins Origins to which requests may go.
 */
export function redirectOf(
  { status, kept }: ReceivedResponse,
  { wire: sent, origin: from }: SentRequest,
  origins: readonly string[],
): Redirect | null {
  const location = STATUSES.includes(status) ? kept?.field("location") ?? null : null;
  if (location === null) return null;
  const url = URL.parse(escaped(location), origins[from] + sent.path);
  if (url === null || !/^https?:$/.test(url.protocol)) return { unreadable: location };
  const origin = origins.indexOf(url.origin);
  if (origin < 0) return { elsewhere: url.origin };
  const becomesGet = status === 303 && sent.method !== "HEAD" ||
    (status === 301 || status === 302) && sent.method === "POST";
  const left = [...becomesGet ? [OF_BODY] : [], ...origin === from ? [] : [OF_HOST]];
  const headers = Object.fromEntries(
    Object.entries(sent.headers).filter(([name]) => !left.some((which) => which.test(name))),
  );
  const { method, body } = becomesGet ? { method: "GET", body: null } : sent;
  return { wire: { method, path: url.pathname + url.search, headers, body }, origin };
}

/** Fields that describe a body. */
const OF_BODY = /^content-/i;
/** Fields for one host only, which must not be sent to another host (Fetch Standard, "HTTP-redirect fetch"). */
const OF_HOST = /^(?:authorization|cookie|host|proxy-authorization)$/i;

/**
 * Percent-encodes octets beyond ASCII one by one, as browsers do, because servers that send such octets mean UTF-8.
 * @param text The octets as Latin-1 characters.
 */
function escaped(text: string): string {
  const hex = (octet: string): string => octet.charCodeAt(0).toString(16).toUpperCase();
  return text.replaceAll(/[\x80-\xff]/g, (octet) => `%${hex(octet)}`);
}
