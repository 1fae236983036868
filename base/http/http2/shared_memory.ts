/**
 * Memory that the connections of a load share. With many connections, a connection's own memory has left the
 * processor's caches by the time its response arrives. Therefore, each connection has only little memory of its own,
 * and whole frames pass through shared memory.
 */
import { FrameBuffers, FrameReader } from "./frames.ts";
import { KnownBlocks, SentBlocks } from "./header_blocks.ts";

export class SharedMemory {
  readonly known = new KnownBlocks();
  readonly sent = new SentBlocks();
  readonly buffers = new FrameBuffers();
  /** Reads frames that have arrived whole. */
  whole = new FrameReader();
  readonly #free: FrameReader[] = [];

  /**
   * Returns `whole` and replaces it. The returned reader has read a part of a frame, and belongs to the calling
   * connection until the rest has arrived.
   */
  keepWhole(): FrameReader {
    const reader = this.whole;
    this.whole = this.#free.pop() ?? new FrameReader();
    return reader;
  }

  release(reader: FrameReader): void {
    this.#free.push(reader);
  }
}
