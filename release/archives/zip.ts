/** Zip archives (PKWARE's APPNOTE 6.3), deflated, without any trace of the machine that writes them. Pure. */
import { Buffer } from "node:buffer";
import { crc32, deflateRawSync } from "node:zlib";
import { type ArchiveFile, inOrder } from "./entry.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** The value of "version made by" for permissions as in Unix. */
const UNIX = 3 << 8;
const REGULAR = 0o100000;
const UTF8 = 1 << 11;
const DEFLATED = 8;

/** @param timeS Modification time of all files, in seconds since 1970; a zip can't express times before 1980. */
export function zip(files: readonly ArchiveFile[], timeS: number): Uint8Array {
  const locals: Uint8Array[] = [];
  const centrals: Uint8Array[] = [];
  let offset = 0;
  for (const { path, content, mode } of inOrder(files)) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: 6 });
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(VERSION, 0);
    shared.writeUInt16LE(UTF8, 2);
    shared.writeUInt16LE(DEFLATED, 4);
    shared.writeUInt32LE(dosTime(timeS), 6);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(name.length, 22);
    locals.push(uint32(LOCAL), shared, name, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((REGULAR | mode) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    centrals.push(uint32(CENTRAL), uint16(UNIX | VERSION), shared, rest, name);
    offset += 30 + name.length + packed.length;
  }
  const size = centrals.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...centrals, end]);
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

/** Time in the low half, date in the high half; in UTC, in steps of 2 s. */
function dosTime(timeS: number): number {
  const at = new Date(Math.max(timeS, Date.UTC(1980, 0, 1) / 1000) * 1000);
  const time = at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1;
  const date = (at.getUTCFullYear() - 1980) << 9 | (at.getUTCMonth() + 1) << 5 | at.getUTCDate();
  return (date << 16 | time) >>> 0;
}
