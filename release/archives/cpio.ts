/** Cpio archives in the "newc" format, the payload of an RPM package. Pure. */
import { Buffer } from "node:buffer";
import { type ArchiveFile, inOrder } from "./entry.ts";

const MAGIC = "070701";
const REGULAR = 0o100000;

/** @param timeS Modification time of all files, in seconds since 1970. */
export function cpio(files: readonly ArchiveFile[], timeS: number): Uint8Array {
  const entries = inOrder(files).flatMap(({ path, mode, content }, i) =>
    entry({ path: `./${path}`, inode: i + 1, mode: REGULAR | mode, timeS, content })
  );
  const trailer = { path: "TRAILER!!!", inode: 0, mode: 0, timeS: 0, content: new Uint8Array() };
  return Buffer.concat([...entries, ...entry(trailer)]);
}

interface Entry {
  readonly path: string;
  readonly inode: number;
  readonly mode: number;
  readonly timeS: number;
  readonly content: Uint8Array;
}

function entry({ path, inode, mode, timeS, content }: Entry): Uint8Array[] {
  const name = Buffer.from(`${path}\0`);
  const fields = [inode, mode, 0, 0, 1, timeS, content.length, 0, 0, 0, 0, name.length, 0];
  const hex = fields.map((field) => field.toString(16).padStart(8, "0")).join("");
  const head = Buffer.concat([Buffer.from(MAGIC + hex), name]);
  return [head, padding(head.length), content, padding(content.length)];
}

/** Zeros up to the next multiple of 4. */
function padding(length: number): Uint8Array {
  return new Uint8Array(-length & 3);
}
