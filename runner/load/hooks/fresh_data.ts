/**
 * Renews `user.data` in the middle of a load. Workers read no messages while they run a load, so the data lies in
 * shared memory, in two halves: one is written while the other is read.
 */
import { LIMITS } from "../../../base/limits.ts";

const VERSION = 0;
/** Index of the first of the two words that hold the lengths of the halves, in bytes. */
const LENGTHS = 1;
const HEAD_BYTES = 16;
const HALF_BYTES = LIMITS.scriptData.most;

export class FreshData {
  readonly #words: Int32Array<SharedArrayBuffer>;

  /** @param memory Shared by another thread; absent: new memory, which the system provides only as it is written. */
  constructor(readonly memory = new SharedArrayBuffer(HEAD_BYTES + 2 * HALF_BYTES)) {
    this.#words = new Int32Array(memory, 0, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT);
  }

  /** How many times the data was written. */
  get version(): number {
    return Atomics.load(this.#words, VERSION);
  }

  /** Writes the data for all readers. Throws an Error if it is too large. @param json The data. */
  write(json: string): void {
    const octets = new TextEncoder().encode(json);
    if (octets.length > HALF_BYTES) {
      throw new Error(`its result has ${octets.length} bytes, but the limit is ${HALF_BYTES}`);
    }
    const next = this.version + 1;
    this.#half(next).set(octets);
    this.#words[LENGTHS + next % 2] = octets.length;
    Atomics.store(this.#words, VERSION, next);
  }

  /**
   * The newest data, and its version. If a newer version was written during the read, the data is read again, because
   * the version after the newer one would overwrite the half of the memory that is being read.
   */
  latest(): { readonly version: number; readonly json: string } {
    for (;;) {
      const { version } = this;
      const json = this.read(version);
      if (this.version === version) return { version, json };
    }
  }

  read(version = this.version): string {
    const octets = this.#half(version).slice(0, this.#words[LENGTHS + version % 2]);
    return new TextDecoder().decode(octets);
  }

  #half(version: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory, HEAD_BYTES + version % 2 * HALF_BYTES, HALF_BYTES);
  }
}
