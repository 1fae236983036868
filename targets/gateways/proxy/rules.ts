/**
 * Decides which responses a shared cache may store, for how long and under which key (RFC 9111 §3 and §4).
 * http-cache-semantics computes how long a response is fresh by its own fields. The rules here are stricter where that
 * package expects a cache to revalidate, to store several variants of a response, or to trust its clients. Pure.
 */
import CachePolicy from "http-cache-semantics";
import { fieldList, type Fields } from "../origin/fields.ts";
import type { StoredResponse } from "./stores/store.ts";

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  readonly fields: Fields;
}

/** Request fields that make the response specific to one request or client, or ask for only a part of it. */
const PERSONAL = [
  "authorization",
  "cookie",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
];

/**
 * With these fields, a client claims to come from elsewhere, or to request something other than its request line says.
 * If an origin believed them, its response would depend on more than the key, but every client would get it. They are
 * removed, because no trusted gateway in front of this cache can have set them.
 */
const CLAIM =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-(?:host|scheme|real-ip|client-ip|cluster-client-ip|original-(?:host|url|uri)|rewrite-url|http-host-override|http-method(?:-override)?|method-override)|true-client-ip|cf-connecting-ip|front-end-https)$/;

export function withoutClaims(fields: Fields): Fields {
  return fields.some(([name]) => CLAIM.test(name))
    ? fields.filter(([name]) => !CLAIM.test(name))
    : fields;
}

/**
 * Whether a request may be served from the cache, and its response stored.
 *
 * @param paths Path prefixes that the settings allow to be cached.
 */
export function mayUseCache(
  { method, path, fields }: RequestHead,
  paths: readonly string[],
): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (!paths.some((prefix) => isUnder(path, prefix)) || hasDots(path)) return false;
  if (fields.some(([name]) => PERSONAL.includes(name))) return false;
  return !/\bno-(?:store|cache)\b/i.test(fieldList(fields, "cache-control"));
}

/**
 * Whether the path has dot segments, plain or encoded. `/public/../account` begins with /public, but the server may
 * resolve it to /account.
 */
function hasDots(path: string): boolean {
  return /[.%\\]/.test(path) && DOTS.test(path);
}

const DOTS = /^[^?]*(?:\/\.{1,2}(?:[/?;]|$)|%2e|%2f|%5c|\\)/i;

/**
 * Whether the path equals the prefix or is below it.
 *
 * @param path With or without a query.
 */
export function isUnder(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return prefix.endsWith("/") || path.length === prefix.length ||
    "/?".includes(path[prefix.length]);
}

/**
 * The key of a response: method, path, query and the codings that the client accepts. A response that varies by
 * anything else is not stored.
 *
 * @param generation The generation of the path; see `invalidation.ts`.
 */
export function keyOf({ method, path, fields }: RequestHead, generation = 0): string {
  const codings = fieldList(fields, "accept-encoding").toLowerCase().replaceAll(/\s/g, "");
  return `${method} ${path} ${codings}${generation === 0 ? "" : ` ${generation}`}`;
}

/** Statuses of complete, lasting responses: no errors, partial content or temporary redirects. */
const LASTING: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308]);

interface ResponseHead {
  readonly status: number;
  readonly fields: Fields;
}

/**
 * For how many milliseconds a response is fresh; 0 if it must not be stored.
 *
 * @param ttlMs The most that the settings allow.
 */
export function freshForMs(response: ResponseHead, ttlMs: number, nowMs: number): number {
  if (!isShareable(response)) return 0;
  const lifetimeSec = lifetimeSecOf(response, nowMs);
  return Math.max(0, Math.min(ttlMs, (lifetimeSec - ageSecOf(response.fields)) * 1_000));
}

/**
 * For how many milliseconds a response may be served after it was fresh; 0 if it forbids that (RFC 9111 §4.2.4).
 *
 * @param staleMs What the settings allow.
 */
export function staleForMs(fields: StoredResponse["headers"], staleMs: number): number {
  const control = fieldList(fields, "cache-control");
  return /\b(?:must-revalidate|proxy-revalidate|s-maxage)\b/i.test(control) ? 0 : staleMs;
}

/**
 * Whether a response may be shared. `no-cache` is treated like no-store, because this cache never revalidates. A
 * response that sets a cookie, or varies by anything but the coding, is for one client only.
 */
function isShareable({ status, fields }: ResponseHead): boolean {
  const control = fieldList(fields, "cache-control");
  if (!LASTING.has(status) || /\bno-(?:store|cache)\b|\bprivate\b/i.test(control)) return false;
  if (fields.some(([name]) => name === "set-cookie")) return false;
  if (!/^(?:accept-encoding)?$/i.test(fieldList(fields, "vary").trim())) return false;
  // An event stream has no end.
  return !/^text\/event-stream\b/i.test(fieldList(fields, "content-type"));
}

/**
 * The lifetime that the response states, in seconds (RFC 9111 §4.2.1). Infinity if it states none, so that the settings
 * decide rather than a heuristic.
 */
function lifetimeSecOf({ status, fields }: ResponseHead, nowMs: number): number {
  // The package reads names in lower case only, and takes a response with proxy-revalidate as never
  // fresh.
  const control = fieldList(fields, "cache-control").toLowerCase()
    .replaceAll("proxy-revalidate", "");
  const expires = fieldList(fields, "expires");
  const isSaid = /(?:^|[,\s])(?:s-maxage|max-age)=/.test(control) ||
    fields.some(([name]) => name === "expires");
  if (!isSaid) return Infinity;
  const headers = {
    "cache-control": control,
    expires: isHttpDate(expires) ? expires : "",
    date: isHttpDate(fieldList(fields, "date"))
      ? fieldList(fields, "date")
      : new Date(nowMs).toUTCString(),
  };
  const policy = new CachePolicy({ method: "GET", headers: {} }, { status, headers });
  const seconds: number = policy.maxAge();
  return seconds;
}

/**
 * Whether a date is in HTTP's format (RFC 9110 §5.6.7). Other formats would be read as local time, or as a date long
 * ago.
 */
function isHttpDate(text: string): boolean {
  return text.endsWith(" GMT") && !Number.isNaN(Date.parse(text));
}

/** The response's age in seconds when it arrived, from its Age field (RFC 9111 §5.1); 0 if it has none. */
export function ageSecOf(fields: StoredResponse["headers"]): number {
  return Number(/^\d+/.exec(fieldList(fields, "age"))?.[0] ?? 0);
}
