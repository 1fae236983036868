/** One connection to a live page: one request, one answer, each within bounds of size and time. */
import { Buffer } from "node:buffer";
import { isWithin, LIMITS } from "../../base/limits.ts";
import { type LiveHead, parseLiveHead, type Refusal } from "./live_request.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface LiveAnswer {
  readonly status: number;
  /** Of its content; plain text when absent. */
  readonly type?: string;
  readonly body: Bytes | LiveStream;
}

/** An answer that lasts. */
export interface LiveStream {
  /** Waits for news; null at the end. */
  next(): Promise<Bytes | null>;
  /** Whoever reads it has gone: `next` gives null. */
  leave(): void;
}

/** A request is there within this, and bytes of an answer are taken within this. */
const PATIENCE_MS = 10_000;
/** For who is refused to read why; the rest of what it sends is dropped. */
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

/** The page's own policy stands in it; it can't say there who may frame it (CSP 3 §6.4.2). */
const GUARDS = "cache-control: no-store\r\n" +
  "content-security-policy: frame-ancestors 'none'\r\n" +
  "cross-origin-opener-policy: same-origin\r\n" +
  "cross-origin-resource-policy: same-origin\r\n" +
  "referrer-policy: no-referrer\r\n" +
  "x-content-type-options: nosniff\r\n" +
  "x-frame-options: DENY\r\n" +
  "connection: close\r\n";

/** A line as an answer. */
export function plain({ status, text }: Refusal): LiveAnswer & { readonly body: Bytes } {
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

  /** Whoever takes longer finds it closed. */
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
          { status: 400, text: "This is no request" };
      }
      if (!isWithin("liveHead", this.#length)) return { status: 431, text: "This is too long" };
      await this.#more();
    }
  }

  /** @param length At most that of a receipt. */
  async body(length: number): Promise<string> {
    while (this.#length < this.#bodyAt + length) await this.#more();
    clearTimeout(this.#timer);
    return this.#buffer.toString("latin1", this.#bodyAt, this.#bodyAt + length);
  }

  async #more(): Promise<void> {
    const length = await this.conn.read(this.#buffer.subarray(this.#length));
    if (length === null) throw new Error("It has gone");
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

  /** @param isHead Asked for without its body. */
  async send(answer: LiveAnswer, isHead: boolean): Promise<void> {
    const { body } = answer;
    this.conn.setNoDelay(true);
    await this.#write(headBytes(answer));
    if (isHead) return;
    if (body instanceof Uint8Array) await this.#write(body);
    else await this.#stream(body);
  }

  async #stream(stream: LiveStream): Promise<void> {
    const leave = (): void => stream.leave();
    // Nothing follows a request: who sends more is at the end of its stream, too.
    void this.conn.read(new Uint8Array(1)).then(leave, leave);
    try {
      for (let news; (news = await stream.next()) !== null;) await this.#write(news);
    } finally {
      leave();
    }
  }

  async #write(bytes: Bytes): Promise<void> {
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

function headBytes({ status, type, body }: LiveAnswer, allow?: string): Bytes {
  const isWhole = body instanceof Uint8Array && status !== NO_CONTENT;
  const text = `HTTP/1.1 ${status} ${REASONS[status]}\r\n` +
    `content-type: ${type ?? "text/plain; charset=utf-8"}\r\n` +
    (isWhole ? `content-length: ${body.length}\r\n` : "") +
    (allow === undefined ? "" : `allow: ${allow}\r\n`) + GUARDS + "\r\n";
  return new TextEncoder().encode(text);
}
