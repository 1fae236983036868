/** Tar archives in the POSIX ustar format, without any trace of the machine that writes them. Pure. */
import { Buffer } from "node:buffer";
import { type ArchiveFile, FOLDER_MODE, foldersOf, inOrder } from "./entry.ts";

const BLOCK = 512;
const FILE = "0";
const FOLDER = "5";

export interface TarOptions {
  /** Modification time of all files and folders, in seconds since 1970. */
  readonly timeS: number;
  /** Put before every path, such as `./` in Debian's packages. */
  readonly prefix?: string;
  /** Whether folders have entries of their own. */
  readonly folders?: boolean;
  /** A folder that every user may write to, such as `/tmp`. */
  readonly openFolder?: string;
}

export function tar(files: readonly ArchiveFile[], options: TarOptions): Uint8Array {
  const { timeS, prefix = "", folders = false, openFolder } = options;
  const sorted = inOrder(files);
  const paths = folders ? foldersOf(sorted.map(({ path }) => path)) : [];
  const blocks: Uint8Array[] = [
    ...paths.map((path) =>
      header({ path: `${prefix}${path}/`, type: FOLDER, mode: FOLDER_MODE, size: 0, timeS })
    ),
    ...openFolder === undefined
      ? []
      : [header({ path: `${openFolder}/`, type: FOLDER, mode: 0o1777, size: 0, timeS })],
    ...sorted.flatMap(({ path, mode, content }) => [
      header({ path: prefix + path, type: FILE, mode, size: content.length, timeS }),
      content,
      new Uint8Array(-content.length & (BLOCK - 1)),
    ]),
  ];
  return Buffer.concat([...blocks, new Uint8Array(2 * BLOCK)]);
}

interface Header {
  readonly path: string;
  readonly type: string;
  readonly mode: number;
  readonly size: number;
  readonly timeS: number;
}

function header({ path, type, mode, size, timeS }: Header): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = placed(path);
  const octal = (value: number, length: number, at: number): void => {
    block.write(value.toString(8).padStart(length - 1, "0"), at, "latin1");
  };
  block.write(name, 0);
  octal(mode, 8, 100);
  octal(0, 8, 108);
  octal(0, 8, 116);
  octal(size, 12, 124);
  octal(timeS, 12, 136);
  block.fill(" ", 148, 156);
  block.write(type, 156);
  block.write("ustar\x0000", 257, "latin1");
  block.write("root", 265);
  block.write("root", 297);
  octal(0, 8, 329);
  octal(0, 8, 337);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** A long path is split at a `/` into two fields, of 155 and 100 bytes. */
function placed(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (name !== "" && Buffer.byteLength(name) <= 100 && Buffer.byteLength(prefix) <= 155) {
      return [prefix, name];
    }
  }
  throw new Error(`Cannot put this path into a tar archive: ${path}`);
}
