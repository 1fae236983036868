/**
 * Reads files up to a size limit. A larger file is refused before it is read if its size is known, or else (a pipe, a
 * device, a growing file) as soon as more bytes than the limit have been read.
 */
import { beyond, isWithin, type LimitName, LIMITS, oneMoreThan } from "./limits.ts";

/** Size of the first buffer, unless the file is known to be larger or the limit is smaller. */
const FIRST_BYTES = 65_536;

const PIECE_BYTES = 1_048_576;

/** Reads a whole file. Throws with the reason if the file can't be read or is too long. */
export function readBytesSync(path: string, limit: LimitName): Uint8Array<ArrayBuffer> {
  using file = Deno.openSync(path);
  const room = new LimitedBuffer(file.statSync().size, limit);
  for (let read; (read = file.readSync(room.rest())) !== null;) room.take(read);
  return room.taken();
}

export async function readBytes(path: string, limit: LimitName): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const room = new LimitedBuffer((await file.stat()).size, limit);
  for (let read; (read = await file.read(room.rest())) !== null;) room.take(read);
  return room.taken();
}

/**
 * Passes the bytes of a file to `take`, at most 1 MiB at a time. The buffer is reused, so its content is valid only
 * until `take` returns. Throws with the reason if the file can't be read or is too long.
 */
export async function readPieces(
  path: string,
  limit: LimitName,
  take: (bytes: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  using file = await Deno.open(path);
  check(limit, (await file.stat()).size);
  const piece = new Uint8Array(PIECE_BYTES);
  let all = 0;
  for (let read; (read = await file.read(piece)) !== null;) {
    check(limit, all += read);
    take(piece.subarray(0, read));
  }
}

/** Reads a file as UTF-8. Like `Deno.readTextFile`, replaces invalid bytes by U+FFFD. */
export async function readText(path: string, limit: LimitName): Promise<string> {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(await readBytes(path, limit));
}

export function readTextSync(path: string, limit: LimitName): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(readBytesSync(path, limit));
}

/** A buffer that grows to at most one byte beyond the limit. If that byte is filled, the file is too long. */
class LimitedBuffer {
  #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;

  /** @param size Size that the file reports; 0 if the size is unknown. */
  constructor(size: number, private readonly limit: LimitName) {
    check(limit, size);
    this.#bytes = new Uint8Array(this.#capped(Math.max(size + 1, FIRST_BYTES)));
  }

  rest(): Uint8Array<ArrayBuffer> {
    if (this.#used === this.#bytes.length) {
      const larger = new Uint8Array(this.#capped(2 * this.#used));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    return this.#bytes.subarray(this.#used);
  }

  take(read: number): void {
    this.#used += read;
    check(this.limit, this.#used);
  }

  taken(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#used);
  }

  #capped(wanted: number): number {
    return Math.min(wanted, LIMITS[this.limit].most + 1);
  }
}

function check(limit: LimitName, size: number): void {
  if (!isWithin(limit, size)) throw new Error(beyond(limit, Math.max(size, oneMoreThan(limit))));
}
