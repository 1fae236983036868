/**
 * Which responses a shared cache may store, for how long, and under which key (RFC 9111 §3 and §4). How long a response
 * is fresh by its own fields is computed by http-cache-semantics; the rules here are stricter where that package relies
 * on a cache that revalidates, stores several variants of a response, or trusts its clients. Pure.
 */
import CachePolicy from "http-cache-semantics";
import { fieldList, type Fields } from "../origin/fields.ts";
import type { StoredResponse } from "./stores/store.ts";

export interface RequestHead {
  readonly method: string;
  /** The path and query. */
  readonly path: string;
  readonly fields: Fields;
}

/** Fields that concern this one request, its client, or a part of the response. */
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
 * By these fields a client claims to come from elsewhere, or to request something other than its first line says. If an
 * origin believed one, its response would depend on more than the key, but everybody would get it. No gateway in front
 * of the cache could have set these fields, so they are not passed on.
 */
const CLAIM =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-(?:host|scheme|real-ip|client-ip|cluster-client-ip|original-(?:host|url|uri)|rewrite-url|http-host-override|http-method(?:-override)?|method-override)|true-client-ip|cf-connecting-ip|front-end-https)$/;

export function withoutClaims(fields: Fields): Fields {
  return fields.some(([name]) => CLAIM.test(name))
    ? fields.filter(([name]) => !CLAIM.test(name))
    : fields;
}

/** Whether the response to a request may come from the cache, and go into it. @param paths The paths of the setting. */
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
 * Whether a path has dot segments, written or encoded: `/public/../account` is under /public unless the server resolves
 * the dots.
 */
function hasDots(path: string): boolean {
  return /[.%\\]/.test(path) && DOTS.test(path);
}

const DOTS = /^[^?]*(?:\/\.{1,2}(?:[/?;]|$)|%2e|%2f|%5c|\\)/i;

/** Whether the path is the prefix, or below it. @param path The path, with or without a query. */
export function isUnder(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return prefix.endsWith("/") || path.length === prefix.length ||
    "/?".includes(path[prefix.length]);
}

/**
 * The key of a response: method, path, query, and the codings that the client accepts, which is the only thing that
 * responses may vary by.
 * @param generation The generation of the path; see `invalidation.ts`.
 */
export function keyOf({ method, path, fields }: RequestHead, generation = 0): string {
  const codings = fieldList(fields, "accept-encoding").toLowerCase().replaceAll(/\s/g, "");
  return `${method} ${path} ${codings}${generation === 0 ? "" : ` ${generation}`}`;
}

/** The statuses of whole and lasting responses: no errors, no parts, no temporary redirects. */
const LASTING: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308]);

interface ResponseHead {
  readonly status: number;
  readonly fields: Fields;
}

/**
 * How long a response is fresh, in milliseconds; 0 if it must not be stored.
 * @param ttlMs The lifetime of the setting.
 */
export function freshForMs(response: ResponseHead, ttlMs: number, nowMs: number): number {
  if (!isShareable(response)) return 0;
  const lifetimeSec = lifetimeSecOf(response, nowMs);
  return Math.max(0, Math.min(ttlMs, (lifetimeSec - ageSecOf(response.fields)) * 1_000));
}

/**
 * Whether a response may be shared. Nothing is revalidated here, so `no-cache` means no-store. A response that sets a
 * cookie, or varies by more than the encoding, is for one client alone.
 */
function isShareable({ status, fields }: ResponseHead): boolean {
  const control = fieldList(fields, "cache-control");
  if (!LASTING.has(status) || /\bno-(?:store|cache)\b|\bprivate\b/i.test(control)) return false;
  if (fields.some(([name]) => name === "set-cookie")) return false;
  if (!/^(?:accept-encoding)?$/i.test(fieldList(fields, "vary").trim())) return false;
  return !/^text\/event-stream\b/i.test(fieldList(fields, "content-type")); // an event stream has no end
}

/**
 * The lifetime that the response states (RFC 9111 §4.2.1); Infinity if it states none, because then the setting
 * decides, not a heuristic.
 */
function lifetimeSecOf({ status, fields }: ResponseHead, nowMs: number): number {
  const control = fieldList(fields, "cache-control");
  const expires = fieldList(fields, "expires");
  const isSaid = /(?:^|[,\s])(?:s-maxage|max-age)=/i.test(control) ||
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
 * Whether a date is in HTTP's form; other forms would be read in local time, or as a date of long ago (RFC 9110
 * §5.6.7).
 */
function isHttpDate(text: string): boolean {
  return text.endsWith(" GMT") && !Number.isNaN(Date.parse(text));
}

/** The age of the response when it arrived, by its own Age field (RFC 9111 §5.1). */
export function ageSecOf(fields: StoredResponse["headers"]): number {
  return Number(/^\d+/.exec(fieldList(fields, "age"))?.[0] ?? 0);
}
