/**
 * A connection to an origin that carries one request at a time. It reads even while it is idle, so it notices
 * immediately if the origin closes it.
 */
import { Buffer } from "node:buffer";
import type { Connection } from "../../../base/net/connection.ts";
import { dial } from "../../../base/net/dial.ts";
import { systemReason } from "../../../base/net/dial_error.ts";
import type { Endpoint } from "../../../base/net/endpoint.ts";
import type { ResponseSink } from "../../../base/http/kept.ts";
import { trimmedValue } from "../../../base/http/octets.ts";
import { BROKEN, COMPLETE, ResponseReader } from "../../../base/http/response.ts";
import type { Fields } from "./fields.ts";

const BUFFER_BYTES = 64 * 1_024;

interface OriginHead {
  readonly status: number;
  /** Header fields with names in lower case. */
  readonly fields: Fields;
}

export type BodyBytes = Uint8Array<ArrayBuffer>;

export class OriginConnection {
  readonly #conn: Connection;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  /** Bounds of the octets that were read but not yet consumed. */
  #from = 0;
  #to = 0;
  #ahead: Promise<boolean> | null = null;
  /** Why reading failed; null if it has not. */
  #readFailure: string | null = null;
  readonly #received = new ReceivedParts();
  readonly #reader = new ResponseReader({
    sink: this.#received,
    maxKeptBytes: Infinity,
    allowsBothFramings: true,
  });
  isOpen = true;

  private constructor(conn: Connection) {
    this.#conn = conn;
  }

  /**
   * Connects to the origin. Rejects with a DialError.
   *
   * @param signal Aborts the attempt.
   */
  static async dial(endpoint: Endpoint, signal: AbortSignal): Promise<OriginConnection> {
    return new OriginConnection(await dial(endpoint, signal));
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#conn.write(bytes.subarray(at));
  }

  /** Prepares for the response to a request with this method. */
  begin(method: string): void {
    this.#reader.begin(method === "HEAD");
  }

  /** Reads the head of the next final response. Throws if the head is malformed, or if the connection ends first. */
  async readHead(): Promise<OriginHead> {
    while (!this.#reader.hasHead) await this.#advance();
    return { status: this.#reader.status, fields: fieldsOf(this.#received.head) };
  }

  /** Whether any octet of the current response has arrived. */
  get hasResponse(): boolean {
    return this.#reader.started;
  }

  /** Whether the current response is complete. */
  get isWhole(): boolean {
    return this.#reader.state === COMPLETE;
  }

  /** Whether the connection may carry another request; valid only after the response is complete. */
  get keepAlive(): boolean {
    return this.#reader.keepAlive;
  }

  /** Takes the part of the body that has arrived so far. */
  takeBody(): BodyBytes {
    return joined(this.#received.takePieces());
  }

  /**
   * Reads the next part of the body; null at its end. Throws if the body is malformed, or if the connection ends early.
   */
  async readBody(): Promise<BodyBytes | null> {
    while (!this.#received.hasBody) {
      if (this.isWhole) return null;
      await this.#advance();
    }
    return this.takeBody();
  }

  async #advance(): Promise<void> {
    if (this.#from < this.#to || await this.#more()) {
      this.#from = this.#reader.read(this.#buffer, this.#from, this.#to);
    } else if (this.#readFailure !== null) {
      // Unlike a close, this never completes a body (RFC 9112 §8 and §9.8).
      throw new Error(this.#readFailure);
    } else {
      this.#reader.end();
    }
    if (this.#reader.state === BROKEN) throw new Error(this.#reader.reason);
  }

  /**
   * Keeps reading until the connection is used again.
   *
   * @param onEnd Called if the origin closes the connection or sends an unsolicited response.
   */
  rest(onEnd: () => void): void {
    if (this.#from < this.#to) return onEnd();
    const ahead = this.#ahead ??= this.#read();
    void ahead.then(() => this.#ahead === ahead && onEnd());
  }

  /** Waits for more octets; false if the connection has ended. */
  async #more(): Promise<boolean> {
    const ahead = this.#ahead ?? this.#read();
    this.#ahead = null;
    return await ahead;
  }

  async #read(): Promise<boolean> {
    this.#from = this.#to = 0;
    const length = await this.#conn.read(this.#buffer).catch((error) => {
      this.#readFailure = systemReason(error);
      return null;
    });
    if (length === null) this.close();
    else this.#to = length;
    return length !== null;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#conn.close();
  }
}

/** Collects the head of a response as text, and the parts of its body until they are taken. */
class ReceivedParts implements ResponseSink {
  head = "";
  #pieces: BodyBytes[] = [];

  get hasBody(): boolean {
    return this.#pieces.length > 0;
  }

  takePieces(): BodyBytes[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  clear(): void {
    this.head = "";
    this.#pieces = [];
  }

  addHead(bytes: Buffer, from: number, to: number): boolean {
    this.head += bytes.toString("latin1", from, to);
    return true;
  }

  addBody(bytes: Uint8Array, from: number, to: number): boolean {
    this.#pieces.push(new Uint8Array(bytes.subarray(from, to)));
    return true;
  }
}

/**
 * The fields of a valid head, without Content-Length if there is a Transfer-Encoding. Throws if the body has several
 * lengths, because the client may use another one than this gateway.
 */
function fieldsOf(head: string): Fields {
  const lines = head.split("\r\n").slice(1, -2);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), trimmedValue(line.slice(colon + 1))];
  });
  if (fields.some(([name]) => name === "transfer-encoding")) {
    return fields.filter(([name]) => name !== "content-length");
  }
  const lengths = fields.filter(([name]) => name === "content-length");
  if (lengths.length > 1 || lengths[0]?.[1].includes(",")) {
    throw new Error("several content-lengths");
  }
  return fields;
}

function joined(pieces: readonly BodyBytes[]): BodyBytes {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
