/**
 * A connection to the server of a live page. It carries one request, which is parsed strictly and refused unless it
 * comes from the page itself or from a new tab, and one response. Sizes and times are limited.
 */
import { Buffer } from "node:buffer";
import { isWithin, LIMITS } from "../../base/limits.ts";

type ResponseBytes = Uint8Array<ArrayBuffer>;

export interface LiveResponse {
  readonly status: number;
  /** Content type; default: plain text. */
  readonly type?: string;
  readonly body: ResponseBytes | LiveStream;
}

/** A response that consists of server-sent events. */
export interface LiveStream {
  /** Waits for the next event; null if there are no more. */
  next(): Promise<ResponseBytes | null>;
  /** Call this when the client has disconnected: it makes `next` return null. */
  leave(): void;
}

/** Time limit for reading the request, and for each write of the response. */
const PATIENCE_MS = 10_000;
/** Time that a refused client has for reading the reason. Meanwhile the rest of its request is discarded. */
const LINGER_MS = 200;
const LINGER_BYTES = 64 * 1_024;
const PIECE_BYTES = 64 * 1_024;
const END = "\r\n\r\n";

const NO_CONTENT = 204;

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  [NO_CONTENT]: "No Content",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/**
 * Header fields of every response. The content security policy is in the page itself, except for frame-ancestors, which
 * works only in a header field (CSP 3 §6.4.2).
 */
const GUARDS = "cache-control: no-store\r\n" +
  "content-security-policy: frame-ancestors 'none'\r\n" +
  "cross-origin-opener-policy: same-origin\r\n" +
  "cross-origin-resource-policy: same-origin\r\n" +
  "referrer-policy: no-referrer\r\n" +
  "x-content-type-options: nosniff\r\n" +
  "x-frame-options: DENY\r\n" +
  "connection: close\r\n";

/** A complete response with one line of text. */
export function plain({ status, text }: Refusal): LiveResponse & { readonly body: ResponseBytes } {
  return { status, body: new TextEncoder().encode(`${text}\n`) };
}

export class LiveConnection {
  readonly #over = Promise.withResolvers<void>();
  readonly #buffer = Buffer.alloc(LIMITS.liveHead.most + LIMITS.liveReceipt.most);
  #length = 0;
  #bodyAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOpen = true;

  constructor(private readonly conn: Deno.TcpConn) {
    this.#hurry(PATIENCE_MS);
  }

  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Closes the connection after `limitMs`, in place of any earlier limit. */
  #hurry(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.close(), limitMs);
  }

  async head(): Promise<LiveHead | Refusal> {
    for (;;) {
      const at = this.#buffer.subarray(0, this.#length).indexOf(END);
      if (at >= 0) {
        this.#bodyAt = at + END.length;
        return parseLiveHead(this.#buffer.toString("latin1", 0, at)) ??
          { status: 400, text: "This is not an HTTP/1.1 request" };
      }
      if (!isWithin("liveHead", this.#length)) {
        return { status: 431, text: "This request is too long" };
      }
      await this.#more();
    }
  }

  /**
   * Reads the request's body.
   * @param length Length of the body in bytes; at most that of a receipt, the token that the page sends back.
   */
  async body(length: number): Promise<string> {
    while (this.#length < this.#bodyAt + length) await this.#more();
    clearTimeout(this.#timer);
    return this.#buffer.toString("latin1", this.#bodyAt, this.#bodyAt + length);
  }

  async #more(): Promise<void> {
    const length = await this.conn.read(this.#buffer.subarray(this.#length));
    if (length === null) throw new Error("The client has disconnected");
    this.#length += length;
  }

  async refuse(refusal: Refusal): Promise<void> {
    const { body } = plain(refusal);
    await this.#write(headBytes({ status: refusal.status, body }, refusal.allow));
    await this.#write(body);
    await this.conn.closeWrite();
    this.#hurry(LINGER_MS);
    const dropped = new Uint8Array(LINGER_BYTES);
    for (let bytes = 0; bytes < LINGER_BYTES;) bytes += await this.conn.read(dropped) ?? Infinity;
  }

  /** @param isHead Whether the request was HEAD, so that the response has no body. */
  async send(response: LiveResponse, isHead: boolean): Promise<void> {
    const { body } = response;
    this.conn.setNoDelay(true);
    await this.#write(headBytes(response));
    if (isHead) return;
    if (body instanceof Uint8Array) await this.#write(body);
    else await this.#stream(body);
  }

  async #stream(stream: LiveStream): Promise<void> {
    const leave = (): void => stream.leave();
    // Nothing may follow the request. So the client is done if the connection has more data or
    // ends.
    void this.conn.read(new Uint8Array(1)).then(leave, leave);
    try {
      for (let news; (news = await stream.next()) !== null;) await this.#write(news);
    } finally {
      leave();
    }
  }

  async #write(bytes: ResponseBytes): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      this.#hurry(PATIENCE_MS);
      at += await this.conn.write(bytes.subarray(at, at + PIECE_BYTES));
    }
    clearTimeout(this.#timer);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.conn.close();
    this.#over.resolve();
  }
}

function headBytes({ status, type, body }: LiveResponse, allow?: string): ResponseBytes {
  const isWhole = body instanceof Uint8Array && status !== NO_CONTENT;
  const text = `HTTP/1.1 ${status} ${REASONS[status]}\r\n` +
    `content-type: ${type ?? "text/plain; charset=utf-8"}\r\n` +
    (isWhole ? `content-length: ${body.length}\r\n` : "") +
    (allow === undefined ? "" : `allow: ${allow}\r\n`) + GUARDS + "\r\n";
  return new TextEncoder().encode(text);
}

export interface LiveHead {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. Values of fields with the same name are joined by commas. */
  readonly fields: ReadonlyMap<string, string>;
}

interface Refusal {
  readonly status: number;
  /** A line that tells the client why. */
  readonly text: string;
  /** The allowed methods, for a response of status 405 (RFC 9110 §15.5.6). */
  readonly allow?: string;
}

/** The paths that are served, each with its methods. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  "/": ["GET", "HEAD"],
  "/events": ["GET"],
  "/shown": ["POST"],
};

const REQUEST_LINE = /^([A-Z]{1,16}) (\/[\x21-\x7e]*) HTTP\/1\.1$/;
const FIELD = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):[ \t]*([\x20-\x7e\x80-\xff\t]*?)[ \t]*$/;

/**
 * @param text The request line and the header fields, without the empty line. Returns null if they are not valid
 * HTTP/1.1 (RFC 9112 §3, §5).
 */
function parseLiveHead(text: string): LiveHead | null {
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

/** Matches a host name or address of this machine itself. Any port is accepted, because the port may be forwarded. */
const OWN_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;

/** Why the request is refused; null if it is accepted. */
export function refusalOf(head: LiveHead): Refusal | null {
  const methods = Object.hasOwn(METHODS, head.path) ? METHODS[head.path] : null;
  if (!isOwn(head)) return { status: 403, text: "This page is only for browsers on this machine" };
  if (methods === null) return { status: 404, text: "There is no such page" };
  if (!methods.includes(head.method)) {
    const allow = methods.join(", ");
    return { status: 405, text: `Only ${allow} here`, allow };
  }
  return isBodyFit(head) ? null : { status: 413, text: "Only a receipt is accepted here" };
}

/**
 * Whether the request was sent by the live page or by a new tab. Other pages could also send requests, because a
 * browser lets any page do so, and a page may make its own host name resolve to this machine (DNS rebinding). So the
 * host must be this machine's, and the origin must match the host. Browsers send the origin with every POST (Fetch
 * §3.2), so a POST without an origin does not come from a page. `Sec-Fetch-Site` tells whether a page of another site
 * caused the request. A new tab opened by a link on another site is accepted, because the other site can't read the
 * response.
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

/** Length of the request's body in bytes; Infinity if the content-length is not a single number. */
export function bodyBytes({ fields }: LiveHead): number {
  const length = fields.get("content-length") ?? "0";
  return /^\d{1,15}$/.test(length) ? Number(length) : Infinity;
}
