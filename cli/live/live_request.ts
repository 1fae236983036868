/** What is asked of a live page: read strictly, and refused where it is not the page's own. Pure. */
import { isWithin } from "../../base/limits.ts";

export interface LiveHead {
  readonly method: string;
  readonly path: string;
  /** Names in lower case; values of one name are joined by commas. */
  readonly fields: ReadonlyMap<string, string>;
}

export interface Refusal {
  readonly status: number;
  /** A line for who asked. */
  readonly text: string;
  /** Methods that there are instead (RFC 9110 §15.5.6). */
  readonly allow?: string;
}

/** What the page has, and how each is asked for. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  "/": ["GET", "HEAD"],
  "/events": ["GET"],
  "/shown": ["POST"],
};

const REQUEST_LINE = /^([A-Z]{1,16}) (\/[\x21-\x7e]*) HTTP\/1\.1$/;
const FIELD = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*?)[ \t]*$/;

/** @param text Request line and fields, without the empty line; null when it is no HTTP/1.1 (RFC 9112 §3 and §5). */
export function parseLiveHead(text: string): LiveHead | null {
  const [line, ...rest] = text.split("\r\n");
  const [, method, target] = REQUEST_LINE.exec(line) ?? [];
  if (target === undefined) return null;
  const fields = new Map<string, string>();
  for (const field of rest) {
    const [, name, value] = FIELD.exec(field) ?? [];
    if (name === undefined) return null;
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, before === undefined ? value : `${before}, ${value}`);
  }
  return { method, path: target.replace(/\?.*$/, ""), fields };
}

/** A name or an address of this machine itself, with any port: it may be a forwarded one. */
const OWN_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/** Why it is not answered; null when it is. */
export function refusalOf(head: LiveHead): Refusal | null {
  const methods = Object.hasOwn(METHODS, head.path) ? METHODS[head.path] : null;
  if (!isOwn(head)) return { status: 403, text: "This page is for this machine's browser alone" };
  if (methods === null) return { status: 404, text: "There is no such page" };
  if (!methods.includes(head.method)) {
    const allow = methods.join(", ");
    return { status: 405, text: `Only ${allow} here`, allow };
  }
  return isBodyFit(head) ? null : { status: 413, text: "Only a receipt is taken here" };
}

/**
 * A page elsewhere may have its own name lead here (DNS rebinding), and a browser sends what any page
 * asks: so the host must be this machine's, and the origin the host's own. Browsers send the origin with
 * every POST (Fetch §3.2), so one without is no page's. `Sec-Fetch-Site` names the asking page's
 * place; a tab that follows a link to here is no page that reads the answer.
 */
function isOwn({ method, fields }: LiveHead): boolean {
  const host = fields.get("host") ?? "";
  const origin = fields.get("origin") ?? (method === "POST" ? "" : null);
  if (!OWN_HOST.test(host)) return false;
  if (origin !== null && origin.toLowerCase() !== `http://${host.toLowerCase()}`) return false;
  const site = fields.get("sec-fetch-site") ?? "none";
  return site === "none" || site === "same-origin" || isNewTab(method, fields);
}

function isNewTab(method: string, fields: LiveHead["fields"]): boolean {
  return method === "GET" && fields.get("sec-fetch-mode") === "navigate" &&
    fields.get("sec-fetch-dest") === "document";
}

function isBodyFit(head: LiveHead): boolean {
  return !head.fields.has("transfer-encoding") && isWithin("liveReceipt", bodyBytes(head));
}

/** Infinity when its length is not one number. */
export function bodyBytes({ fields }: LiveHead): number {
  const length = fields.get("content-length") ?? "0";
  return /^\d{1,15}$/.test(length) ? Number(length) : Infinity;
}
