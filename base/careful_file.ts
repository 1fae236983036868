/**
 * Opens files in places where a target or one of its commands may write, and so may have put another file, a link, a
 * named pipe, a device or a folder in place of the expected file. Opening never waits, never follows a link, and
 * refuses everything but a regular file, so that nothing that a target leaves there can block this program or lead it
 * elsewhere.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { beyond, isWithin, type LimitName } from "./limits.ts";

/** Windows lacks both flags, so they are 0 there. */
const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
const CAREFUL = O_NOFOLLOW | O_NONBLOCK;

/** Mode of the files that Plateau appends to: only this user may read them. */
const OWN_MODE = 0o600;

export class CarefulFile implements Disposable {
  private constructor(private readonly descriptor: number, readonly path: string) {}

  /** Opens a file for reading. Throws an Error that says why the file can't be read. */
  static toRead(path: string): CarefulFile {
    return CarefulFile.#opened(path, constants.O_RDONLY);
  }

  /**
   * Opens a file for appending, readable by this user only, and creates it if it does not exist. Throws an Error that
   * says why it can't be opened. A file with a second name (a hard link) is refused, because under that name it may be
   * one of the user's other files.
   */
  static toAppend(path: string): CarefulFile {
    const file = CarefulFile.#made(path) ??
      CarefulFile.#opened(path, constants.O_WRONLY | constants.O_APPEND);
    try {
      const { nlink, mode } = fstatSync(file.descriptor);
      if (nlink > 1) throw new Error("the file has a second name (a hard link): remove it first");
      if ((mode & 0o777) !== OWN_MODE) fchmodSync(file.descriptor, OWN_MODE);
      return file;
    } catch (error) {
      file[Symbol.dispose]();
      throw error;
    }
  }

  /** Creates the file and opens it; null if something with that name exists already. */
  static #made(path: string): CarefulFile | null {
    const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL } = constants;
    try {
      return CarefulFile.#opened(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
    } catch (error) {
      if (codeOf(error) === "EEXIST") return null;
      throw error;
    }
  }

  static #opened(path: string, flags: number): CarefulFile {
    const file = new CarefulFile(descriptorOf(path, flags), path);
    if (fstatSync(file.descriptor).isFile()) return file;
    file[Symbol.dispose]();
    throw new Error(NOT_REGULAR);
  }

  get size(): number {
    return fstatSync(this.descriptor).size;
  }

  /**
   * Reads from offset `from` of the file until the buffer is full or the file ends. Returns the number of bytes read.
   */
  read(buffer: Uint8Array, from: number): number {
    let length = 0;
    while (length < buffer.length) {
      const read = readSync(this.descriptor, buffer, length, buffer.length - length, from + length);
      if (read === 0) break;
      length += read;
    }
    return length;
  }

  append(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      at += writeSync(this.descriptor, bytes, at, bytes.length - at);
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.descriptor);
  }
}

/** The text of a whole file. Throws an Error if the file can't be read or is longer than the limit. */
export function readCarefully(path: string, limit: LimitName): string {
  using file = CarefulFile.toRead(path);
  const { size } = file;
  if (!isWithin(limit, size)) throw new Error(beyond(limit, size));
  const bytes = new Uint8Array(size);
  return new TextDecoder().decode(bytes.subarray(0, file.read(bytes, 0)));
}

const NOT_REGULAR = "it is a pipe, device, socket or folder";

/**
 * Opens the path without following a link. If a link stands there, or a folder, pipe or socket that can't be opened
 * with these flags, the error says so.
 */
function descriptorOf(path: string, flags: number): number {
  try {
    return openSync(path, flags | CAREFUL, OWN_MODE);
  } catch (error) {
    switch (codeOf(error)) {
      case "ELOOP":
        throw new Error("it is a link", { cause: error });
      case "ENXIO": // a pipe that nobody reads, or a socket
      case "EISDIR":
        throw new Error(NOT_REGULAR, { cause: error });
      default:
        throw error;
    }
  }
}

function codeOf(error: unknown): unknown {
  return Reflect.get(Object(error), "code");
}
