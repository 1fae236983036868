/**
 * The writing side of a connection: what it is given goes out whole and in order, one write at a time.
 */
import type { Connection } from "../../base/net/dial.ts";

export class Outlet {
  /** What the write under way began with; null when none is. */
  #underWay: Uint8Array<ArrayBuffer> | null = null;
  readonly #waiting: Uint8Array<ArrayBuffer>[] = [];
  #isStopped = false;

  constructor(private readonly conn: Connection) {}

  // hot: no promise of its own, and no list, where one request is one write.
  send(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isStopped) return;
    if (this.#underWay === null) this.#write(bytes);
    else this.#waiting.push(bytes);
  }

  /** Nothing more is written, nor is the connection touched again. */
  stop(): void {
    this.#isStopped = true;
  }

  #write(bytes: Uint8Array<ArrayBuffer>): void {
    this.#underWay = bytes;
    this.conn.write(bytes).then(this.#onWritten, this.#onBroken);
  }

  readonly #onWritten = (length: number): void => {
    if (this.#isStopped) return;
    const bytes = this.#underWay;
    this.#underWay = null;
    if (bytes !== null && length < bytes.length) this.#waiting.unshift(bytes.subarray(length));
    const next = this.#waiting.shift();
    if (next !== undefined) this.#write(next);
  };

  /** The reader finds out too, and tells. */
  readonly #onBroken = (): void => this.stop();
}
