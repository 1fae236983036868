/**
 * The framing of a chunked body (RFC 9112 §7.1): chunk lines, and trailers after the last. The caller reads the data
 * between them, and says when the data of a chunk is over.
 */
import { ChunkLine } from "./chunk_line.ts";
import { FieldLines } from "./field_lines.ts";
import type { ProtocolError } from "./reason.ts";

export class ChunkedBody {
  /** Bytes of data that come next; 0 while a line is being read. */
  dataBytes = 0;
  /** Whether the trailers, and so the body, are complete. */
  done = false;
  reason: ProtocolError | "" = "";
  readonly #chunkLine = new ChunkLine();
  readonly #trailers = new FieldLines();
  /** The reader of the current lines: a chunk line or the trailers. */
  #lines: ChunkLine | FieldLines = this.#chunkLine;
  /** Bytes that may still come before the current lines exceed their limit. */
  #roomBytes = 0;

  /** @param mostBytes Limit of a chunk line, and of the trailers. */
  constructor(private readonly mostBytes: number) {}

  begin(): void {
    this.done = false;
    this.reason = "";
    this.#expectChunkLine(false);
  }

  endData(): void {
    this.#expectChunkLine(true);
  }

  #expectChunkLine(afterData: boolean): void {
    this.dataBytes = 0;
    this.#chunkLine.begin(afterData);
    this.#expect(this.#chunkLine);
  }

  /** Chunk lines and trailers each have a limit of their own. */
  #expect(lines: ChunkLine | FieldLines): void {
    this.#lines = lines;
    this.#roomBytes = this.mostBytes;
  }

  /** Reads lines up to data or the end of the body; returns the offset after the octets that were read. */
  read(bytes: Uint8Array, from: number, to: number): number {
    const lines = this.#lines;
    const at = lines.read(bytes, from, Math.min(to, from + this.#roomBytes));
    this.#roomBytes -= at - from;
    if (lines.reason !== "") this.reason = lines.reason;
    else if (lines.done && lines === this.#trailers) this.done = true;
    else if (lines.done) this.#follow(this.#chunkLine.size);
    else if (this.#roomBytes === 0) {
      this.reason = "a chunk line or the trailers are larger than 65.5 kB, the limit";
    }
    return at;
  }

  #follow(size: number): void {
    this.dataBytes = size;
    if (size > 0) return;
    this.#trailers.beginTrailers();
    this.#expect(this.#trailers);
  }
}
