/**
 * The framing of a chunked body (RFC 9112 §7.1): chunk lines, and the trailers after the last chunk. The caller reads
 * the data between the chunk lines, and reports when the data of a chunk is complete.
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
  /** The reader in use, of either a chunk line or the trailers. */
  #lines: ChunkLine | FieldLines = this.#chunkLine;
  /** Bytes that the current chunk line or trailers may still have. */
  #roomBytes = 0;

  /** @param mostBytes Limit for each chunk line, and for all trailers together. */
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

  /** Restarts the limit, which applies to each chunk line, and to all trailers together. */
  #expect(lines: ChunkLine | FieldLines): void {
    this.#lines = lines;
    this.#roomBytes = this.mostBytes;
  }

  /**
   * Reads on in the current chunk line or in the trailers, but not beyond their end. Returns the offset after the
   * octets read.
   */
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
