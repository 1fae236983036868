/** What a shared cache may keep, for how long, and under which key (RFC 9111 §3 and §4). Pure. */
import { type Fields, listed } from "../origin/fields.ts";
import type { KeptAnswer } from "./stores/store.ts";

export interface AskedHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly fields: Fields;
}

/** What in a request is about this very request, its client, or a part of the answer only. */
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
 * By these a client claims to come from elsewhere, or to ask for something else than it says: an origin that
 * believes one answers what the key knows nothing of, for everybody. A client of a cache has nobody in
 * front of it who could set them, so they are not passed on.
 */
const CLAIM =
  /^(?:forwarded|x-forwarded(?:-.*)?|x-(?:host|scheme|real-ip|client-ip|cluster-client-ip|original-(?:host|url|uri)|rewrite-url|http-host-override|http-method(?:-override)?|method-override)|true-client-ip|cf-connecting-ip|front-end-https)$/;

export function withoutClaims(fields: Fields): Fields {
  return fields.some(([name]) => CLAIM.test(name))
    ? fields.filter(([name]) => !CLAIM.test(name))
    : fields;
}

/** Whether the answer to a request may come from the cache, and go into it. @param paths Of the setting. */
export function mayUseCache(
  { method, path, fields }: AskedHead,
  paths: readonly string[],
): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (!paths.some((prefix) => isUnder(path, prefix)) || hasDots(path)) return false;
  if (fields.some(([name]) => PERSONAL.includes(name))) return false;
  return !/\bno-(?:store|cache)\b/i.test(listed(fields, "cache-control"));
}

/**
 * `/public/../account` is under /public for one, and elsewhere for another who takes the dots out, written
 * or encoded.
 */
function hasDots(path: string): boolean {
  return /[.%\\]/.test(path) && DOTS.test(path);
}

const DOTS = /^[^?]*(?:\/\.{1,2}(?:[/?;]|$)|%2e|%2f|%5c|\\)/i;

function isUnder(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return prefix.endsWith("/") || path.length === prefix.length ||
    "/?".includes(path[prefix.length]);
}

/** Method, path, query, and the codings that the client takes: the only thing that answers may vary by. */
export function keyOf({ method, path, fields }: AskedHead): string {
  const codings = listed(fields, "accept-encoding").toLowerCase().replaceAll(/\s/g, "");
  return `${method} ${path} ${codings}`;
}

/** Whole and lasting: no errors, no parts, no temporary redirects. */
const LASTING: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308]);

interface AnsweredHead {
  readonly status: number;
  readonly fields: Fields;
}

/** How long an answer is fresh, milliseconds; 0 when it must not be kept. @param ttlMs Of the setting. */
export function freshForMs({ status, fields }: AnsweredHead, ttlMs: number, nowMs: number): number {
  const control = listed(fields, "cache-control");
  if (!LASTING.has(status) || /\bno-(?:store|cache)\b|\bprivate\b/i.test(control)) return 0;
  if (fields.some(([name]) => name === "set-cookie")) return 0;
  if (!/^(?:accept-encoding)?$/i.test(listed(fields, "vary").trim())) return 0;
  if (/^text\/event-stream\b/i.test(listed(fields, "content-type"))) return 0; // it has no end
  const seconds = secondsIn(control, "s-maxage") ?? secondsIn(control, "max-age") ??
    secondsToExpiry(fields, nowMs);
  return Math.max(0, Math.min(ttlMs, (seconds - toldAgeSec(fields)) * 1_000));
}

/** How old the answer was when it came, as it says itself (RFC 9111 §5.1). */
export function toldAgeSec(fields: KeptAnswer["headers"]): number {
  return Number(/^\d+/.exec(listed(fields, "age"))?.[0] ?? 0);
}

/** By the origin's own clock where it tells the time; Infinity when it says nothing (RFC 9111 §5.3). */
function secondsToExpiry(fields: Fields, nowMs: number): number {
  if (!fields.some(([name]) => name === "expires")) return Infinity;
  const [expiresMs, dateMs] = ["expires", "date"].map((name) => msOf(listed(fields, name)));
  return expiresMs === null ? 0 : (expiresMs - (dateMs ?? nowMs)) / 1_000;
}

/** Null when it is no date (RFC 9110 §5.6.7). */
function msOf(date: string): number | null {
  const ms = date.endsWith(" GMT") ? Date.parse(date) : NaN;
  return Number.isNaN(ms) ? null : ms;
}

function secondsIn(control: string, directive: string): number | null {
  const [, seconds] = new RegExp(`(?:^|[,\\s])${directive}="?(\\d+)`, "i").exec(control) ?? [];
  return seconds === undefined ? null : Number(seconds);
}
