/**
 * Redirects that a user's request follows (RFC 9110 §15.4), as browsers do it: 303 becomes a GET, 301 and 302 turn a POST
 * into one, 307 and 308 repeat the request as it was. Only the target is loaded: another host, port or scheme is not
 * followed.
 */
import type { WireRequest } from "../../../../base/http/request.ts";
import type { ResponseReader } from "../../../../base/http/response.ts";

/** How far one request follows; `step` is that of the requests that follow it. */
export interface FollowSpec {
  readonly most: number;
  readonly step: number;
}

/** How far a user's request at hand has been redirected. */
export class Redirected {
  hops = 0;
  /** What is sent in place of the step's own request; null: nothing has been redirected. */
  wire: WireRequest | null = null;

  begin(): void {
    this.hops = 0;
    this.wire = null;
  }
}

/** The request to follow with, or the origin of another host that it leads to. */
export type Redirect = { readonly wire: WireRequest } | { readonly elsewhere: string };

const STATUSES = [301, 302, 303, 307, 308];

/** Null where the response redirects nowhere. @param origin Of the target. */
export function redirectOf(
  { status, kept }: ResponseReader,
  sent: WireRequest,
  origin: string,
): Redirect | null {
  const location = STATUSES.includes(status) ? kept?.field("location") ?? null : null;
  const url = location === null ? null : URL.parse(escaped(location), origin + sent.path);
  if (url === null) return null;
  if (url.origin !== new URL(origin).origin) return { elsewhere: url.origin };
  const path = url.pathname + url.search;
  const becomesGet = status === 303 && sent.method !== "HEAD" ||
    (status === 301 || status === 302) && sent.method === "POST";
  if (!becomesGet) return { wire: { ...sent, path } };
  const headers = Object.fromEntries(
    Object.entries(sent.headers).filter(([name]) => !/^content-/i.test(name)),
  );
  return { wire: { method: "GET", path, headers, body: null } };
}

/** Octets beyond ASCII go back as they came, as browsers have it: servers mean UTF-8. @param text Latin-1. */
function escaped(text: string): string {
  const hex = (octet: string): string => octet.charCodeAt(0).toString(16).toUpperCase();
  return text.replaceAll(/[\x80-\xff]/g, (octet) => `%${hex(octet)}`);
}
