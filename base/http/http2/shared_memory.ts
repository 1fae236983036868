/**
 * What the connections of a load share. With many connections, a connection's own memory has left the processor's
 * caches by the time its response comes. So each connection has little memory of its own, and whole frames pass through
 * memory that all of them share.
 */
import { FrameBuffers, FrameReader } from "./frames.ts";
import { KnownBlocks, SentBlocks } from "./header_blocks.ts";

export class SharedMemory {
  /** Header blocks that were received. */
  readonly known = new KnownBlocks();
  /** Header blocks that were sent. */
  readonly sent = new SentBlocks();
  readonly buffers = new FrameBuffers();
  /** Reader of frames that come whole. */
  whole = new FrameReader();
  readonly #free: FrameReader[] = [];

  /** Returns `whole`, which has read a part of a frame and belongs to its connection until the rest has come. */
  keepWhole(): FrameReader {
    const reader = this.whole;
    this.whole = this.#free.pop() ?? new FrameReader();
    return reader;
  }

  release(reader: FrameReader): void {
    this.#free.push(reader);
  }
}
