/**
 * One connection to an origin: bytes out, answers in. One answer at a time; the connection reads ahead
 * while it is idle, and so knows at once when the origin has closed it.
 */
import { Buffer } from "node:buffer";
import { type Connection, dial } from "../../../base/net/dial.ts";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import { type AnswerHead, parseAnswerHead } from "./response_head.ts";

const BUFFER_BYTES = 64 * 1_024;
const CR_LF = Buffer.from("\r\n");
const EMPTY_LINE = Buffer.from("\r\n\r\n");

export class OriginConnection {
  readonly #conn: Connection;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  /** What was read and not yet taken is between these. */
  #from = 0;
  #to = 0;
  #ahead: Promise<boolean> | null = null;
  isOpen = true;

  private constructor(conn: Connection) {
    this.#conn = conn;
  }

  /** Rejects with a DialError. @param signal Gives the attempt up. */
  static async dial(endpoint: Endpoint, signal: AbortSignal): Promise<OriginConnection> {
    return new OriginConnection(await dial(endpoint, signal));
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
  }

  /** The head of the next answer that is not an interim one. Throws when the connection ends before. */
  async readHead(method: string): Promise<AnswerHead> {
    while (true) {
      const head = parseAnswerHead(await this.#takeUntil(EMPTY_LINE), method);
      if (head.status >= 200) return head;
    }
  }

  /** Text up to `mark`, which is taken as well. */
  async #takeUntil(mark: Buffer): Promise<string> {
    while (true) {
      const at = this.#buffer.subarray(0, this.#to).indexOf(mark, this.#from);
      if (at >= 0) {
        const text = this.#buffer.toString("latin1", this.#from, at);
        this.#from = at + mark.length;
        return text;
      }
      if (!await this.#more()) throw new Error("it closed the connection");
    }
  }

  /** A line of the chunked coding. */
  takeLine(): Promise<string> {
    return this.#takeUntil(CR_LF);
  }

  /** As much of the body as is there, at most `limit` bytes; null at the end of the connection. */
  async take(limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.#from === this.#to && !await this.#more()) return null;
    return this.takeHere(Math.min(limit, this.#to - this.#from));
  }

  /** So many bytes if they are here already, or else null. */
  takeHere(length: number): Uint8Array<ArrayBuffer> | null {
    if (this.#to - this.#from < length) return null;
    const bytes = new Uint8Array(length);
    bytes.set(this.#buffer.subarray(this.#from, this.#from + length));
    this.#from += length;
    return bytes;
  }

  /** Reads ahead until it is used again. @param onEnd The origin has closed it, or said what nobody asked for. */
  rest(onEnd: () => void): void {
    if (this.#from < this.#to) return onEnd();
    const ahead = this.#ahead ??= this.#read();
    void ahead.then(() => this.#ahead === ahead && onEnd());
  }

  /** False at the end of the connection. */
  async #more(): Promise<boolean> {
    const ahead = this.#ahead ?? this.#read();
    this.#ahead = null;
    return await ahead;
  }

  async #read(): Promise<boolean> {
    if (this.#from === this.#to) this.#from = this.#to = 0;
    if (this.#to === BUFFER_BYTES) this.#makeRoom();
    const length = await this.#conn.read(this.#buffer.subarray(this.#to)).catch(() => null);
    if (length === null) this.close();
    else this.#to += length;
    return length !== null;
  }

  #makeRoom(): void {
    if (this.#from === 0) throw new Error("it answers with a header that is too long");
    this.#buffer.copyWithin(0, this.#from, this.#to);
    this.#to -= this.#from;
    this.#from = 0;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#conn.close();
  }
}
