/** What a shared cache may keep, for how long, and under which key (RFC 9111 §3 and §4). Pure. */
import { type Fields, listed } from "../upstream/fields.ts";

export interface AskedHead {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly fields: Fields;
}

/** What in a request is about this very request, its client, or a part of the answer only. */
const PERSONAL = [
  "authorization",
  "range",
  "if-match",
  "if-none-match",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
];

/** Whether the answer to a request may come from the cache, and go into it. @param paths Of the setting. */
export function mayUseCache(
  { method, path, fields }: AskedHead,
  paths: readonly string[],
): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  if (!paths.some((prefix) => isUnder(path, prefix))) return false;
  if (fields.some(([name]) => PERSONAL.includes(name))) return false;
  return !/\bno-(?:store|cache)\b/i.test(listed(fields, "cache-control"));
}

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

/** How long an answer is fresh, milliseconds; 0 when it must not be kept. @param ttlMs Of the setting. */
export function freshForMs(status: number, fields: Fields, ttlMs: number): number {
  const control = listed(fields, "cache-control");
  if (!LASTING.has(status) || /\bno-(?:store|cache)\b|\bprivate\b/i.test(control)) return 0;
  if (fields.some(([name]) => name === "set-cookie")) return 0;
  if (!/^(?:accept-encoding)?$/i.test(listed(fields, "vary").trim())) return 0;
  const seconds = secondsIn(control, "s-maxage") ?? secondsIn(control, "max-age") ?? Infinity;
  return Math.min(ttlMs, seconds * 1_000);
}

function secondsIn(control: string, directive: string): number | null {
  const [, seconds] = new RegExp(`(?:^|[,\\s])${directive}="?(\\d+)`, "i").exec(control) ?? [];
  return seconds === undefined ? null : Number(seconds);
}
