/** The body of an answer, piece by piece, whatever ends it (RFC 9112 §6 and §7.1). */
import type { Framing } from "./response_head.ts";
import type { OriginConnection } from "./connection.ts";

const CUT_OFF = "the origin closed the connection within its answer";
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** `;name`, `;name=value` or `;name="value"`, any number of them (RFC 9112 §7.1.1). */
const EXTENSIONS = new RegExp(
  `^(?:[ \\t]*;[ \\t]*${TOKEN}(?:[ \\t]*=[ \\t]*(?:${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?)*$`,
);
const PIECE_BYTES = 64 * 1_024;

export class AnswerBody {
  /** Bytes to come: of all, or of the chunk; Infinity until the end of the connection. */
  #left: number;
  #isOver = false;

  constructor(private readonly connection: OriginConnection, private readonly framing: Framing) {
    this.#left = typeof framing === "object" ? framing.bytes : framing === "end" ? Infinity : 0;
  }

  /** The whole body if it is here already, or else null. */
  whole(): Uint8Array<ArrayBuffer> | null {
    if (typeof this.framing !== "object") return null;
    const bytes = this.connection.takeHere(this.framing.bytes);
    this.#isOver = bytes !== null;
    return bytes;
  }

  /** Null at the end. Throws when the origin ends too early. */
  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.framing === "chunks" && this.#left === 0 && !this.#isOver) await this.#beginChunk();
    if (this.#isOver || this.#left === 0) return null;
    const piece = await this.connection.take(Math.min(this.#left, PIECE_BYTES));
    if (piece === null) {
      if (this.framing !== "end") throw new Error(CUT_OFF);
      this.#isOver = true;
      return null;
    }
    this.#left -= piece.length;
    if (this.framing === "chunks" && this.#left === 0) await this.connection.takeLine();
    return piece;
  }

  async #beginChunk(): Promise<void> {
    const line = await this.connection.takeLine();
    const size = /^[\da-f]{1,8}(?=[ \t]*(?:;|$))/i.exec(line)?.[0];
    if (size === undefined) throw new Error("the origin's chunks have no length");
    if (!EXTENSIONS.test(line.slice(size.length).trimEnd())) {
      throw new Error("the origin's chunks have an extension without a name");
    }
    this.#left = parseInt(size, 16);
    if (this.#left > 0) return;
    while (await this.connection.takeLine() !== ""); // trailers are left out
    this.#isOver = true;
  }
}
