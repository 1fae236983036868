/**
 * What the connections of a load share. What a connection has of its own is seldom in the processor's caches when its
 * response comes, once there are many; so it is little: frames that come or go whole pass through memory of all.
 */
import { FrameBuffers, FrameReader } from "./frames.ts";
import { KnownBlocks, SentBlocks } from "./header_blocks.ts";

export class SharedMemory {
  /** Header blocks that have come. */
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
