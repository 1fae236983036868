/**
 * A package of Fedora, RHEL and openSUSE, in RPM's format 3 and 4: a lead, a header of checksums, a header of tags and a
 * compressed cpio archive (rpm.org's "RPM V4 format"). It is not signed. Pure.
 */
import { Buffer } from "node:buffer";
import type { Platform } from "../platforms.ts";
import { DESCRIPTION, GLIBC, LICENSE, SUMMARY, VERSION } from "../product.ts";
import { cpio } from "../archives/cpio.ts";
import { type ArchiveFile, inOrder } from "../archives/entry.ts";
import { gzip } from "../archives/gzip.ts";
import { md5, sha1, sha256 } from "./digest.ts";
import { type Companions, systemFiles } from "./system.ts";

const RPM_CPU = { x64: "x86_64", arm64: "aarch64" } as const;
const RELEASE = "1";

export function rpmName({ cpu }: Platform): string {
  return `plateau-${VERSION}-${RELEASE}.${RPM_CPU[cpu]}.rpm`;
}

/** @param timeS Time of everything in the package, in seconds since 1970. */
export function rpm(
  { cpu }: Platform,
  program: Uint8Array,
  companions: Companions,
  timeS: number,
): Uint8Array {
  const files = inOrder(systemFiles(program, companions, {
    zshFolder: "usr/share/zsh/site-functions",
    licenseName: "LICENSE",
  }));
  const archive = cpio(files, timeS);
  const payload = gzip(archive);
  const tags = header(IMMUTABLE_REGION, [
    ...productTags(RPM_CPU[cpu], files, timeS),
    ...fileTags(files, timeS),
    ...relationTags(RPM_CPU[cpu]),
    ...payloadTags(payload),
  ]);
  const content = Buffer.concat([tags, payload]);
  const sums = header(SIGNATURE_REGION, [
    text(269, sha1(tags)),
    text(273, sha256(tags)),
    int32(1000, [content.length]),
    bytes(1004, Buffer.from(md5(content), "hex")),
    int32(1007, [archive.length]),
  ]);
  const padding = new Uint8Array(-sums.length & 7);
  return Buffer.concat([lead(cpu), sums, padding, content]);
}

/** The lead, of which current versions of RPM only read the magic number. */
function lead(cpu: Platform["cpu"]): Uint8Array {
  const block = Buffer.alloc(96);
  block.writeUInt32BE(0xedabeedb, 0);
  block.writeUInt8(3, 4);
  block.writeUInt16BE(cpu === "x64" ? 1 : 12, 8);
  block.write(`plateau-${VERSION}-${RELEASE}`, 10);
  block.writeUInt16BE(1, 76); // Linux
  block.writeUInt16BE(5, 78); // a header of checksums follows
  return block;
}

// Tags, by their numbers in rpmtag.h.

const LESS_OR_EQUAL = 2 | 8;
const EQUAL = 8;
const OF_RPM = 1 << 24;
const SHA256 = 8;
const DOCUMENT = 2;
const OWN_LICENSE = 1 << 7;

function productTags(cpu: string, files: readonly ArchiveFile[], timeS: number): Tag[] {
  const size = files.reduce((sum, { content }) => sum + content.length, 0);
  return [
    texts(100, ["C"]),
    text(1000, "plateau"),
    text(1001, VERSION),
    text(1002, RELEASE),
    translated(1004, SUMMARY),
    translated(1005, DESCRIPTION),
    int32(1006, [timeS]),
    text(1007, "localhost"),
    int32(1009, [size]),
    text(1014, LICENSE),
    translated(1016, "Unspecified"),
    text(1021, "linux"),
    text(1022, cpu),
    text(1044, `plateau-${VERSION}-${RELEASE}.src.rpm`),
  ];
}

function fileTags(files: readonly ArchiveFile[], timeS: number): Tag[] {
  const places = files.map(({ path }) => {
    const at = path.lastIndexOf("/") + 1;
    return { folder: `/${path.slice(0, at)}`, name: path.slice(at) };
  });
  const folders = [...new Set(places.map(({ folder }) => folder))];
  const each = <T>(value: T): T[] => files.map(() => value);
  const flags = files.map(({ path }) =>
    !path.startsWith("usr/share/doc/") && !path.startsWith("usr/share/man/")
      ? 0
      : path.endsWith("LICENSE")
      ? OWN_LICENSE
      : DOCUMENT
  );
  return [
    int32(1028, files.map(({ content }) => content.length)),
    int16(1030, files.map(({ mode }) => 0o100000 | mode)),
    int16(1033, each(0)),
    int32(1034, each(timeS)),
    texts(1035, files.map(({ content }) => sha256(content))),
    texts(1036, each("")),
    int32(1037, flags),
    texts(1039, each("root")),
    texts(1040, each("root")),
    int32(1045, each(0xffffffff)),
    int32(1095, each(1)),
    int32(1096, files.map((_, i) => i + 1)),
    texts(1097, each("")),
    int32(1116, places.map(({ folder }) => folders.indexOf(folder))),
    texts(1117, places.map(({ name }) => name)),
    texts(1118, folders),
    int32(5011, [SHA256]),
  ];
}

function relationTags(cpu: string): Tag[] {
  const self = { name: "plateau", flags: EQUAL, version: `${VERSION}-${RELEASE}` };
  const own = { ...self, name: `plateau(${cpu === "x86_64" ? "x86-64" : "aarch-64"})` };
  const needs = [
    { name: `libc.so.6(GLIBC_${GLIBC})(64bit)`, flags: 0, version: "" },
    { name: "libgcc_s.so.1()(64bit)", flags: 0, version: "" },
    ...[
      ["CompressedFileNames", "3.0.4-1"],
      ["FileDigests", "4.6.0-1"],
      ["PayloadFilesHavePrefix", "4.0-1"],
    ].map(([feature, version]) => ({
      name: `rpmlib(${feature})`,
      flags: OF_RPM | LESS_OR_EQUAL,
      version,
    })),
  ];
  const provided = [self, own];
  return [
    texts(1047, provided.map(({ name }) => name)),
    int32(1048, needs.map(({ flags }) => flags)),
    texts(1049, needs.map(({ name }) => name)),
    texts(1050, needs.map(({ version }) => version)),
    int32(1112, provided.map(({ flags }) => flags)),
    texts(1113, provided.map(({ version }) => version)),
  ];
}

function payloadTags(payload: Uint8Array): Tag[] {
  return [
    text(1124, "cpio"),
    text(1125, "gzip"),
    text(1126, "6"),
    texts(5092, [sha256(payload)]),
    int32(5093, [SHA256]),
  ];
}

// The format of a header.

interface Tag {
  readonly number: number;
  readonly type: number;
  readonly count: number;
  /** Alignment of the tag's data, in bytes. */
  readonly alignment: number;
  readonly data: Uint8Array;
}

const HEADER_MAGIC = [0x8e, 0xad, 0xe8, 0x01, 0, 0, 0, 0];
const SIGNATURE_REGION = 62;
const IMMUTABLE_REGION = 63;
const INT16 = 3;
const INT32 = 4;
const STRING = 6;
const BINARY = 7;
const STRINGS = 8;
const TRANSLATED = 9;
const ENTRY_BYTES = 16;

/** A header. The region tag, which checksums and signatures cover, comes first; its data comes last. */
function header(region: number, tags: readonly Tag[]): Uint8Array {
  const sorted = [...tags].sort((a, b) => a.number - b.number);
  const data: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let size = 0;
  for (const { number, type, count, alignment, data: own } of sorted) {
    const gap = (alignment - size % alignment) % alignment;
    entries.push(entry(number, type, size + gap, count));
    data.push(new Uint8Array(gap), own);
    size += gap + own.length;
  }
  const trailer = entry(region, BINARY, -(sorted.length + 1) * ENTRY_BYTES, ENTRY_BYTES);
  const first = entry(region, BINARY, size, ENTRY_BYTES);
  const counts = Buffer.alloc(8);
  counts.writeUInt32BE(sorted.length + 1, 0);
  counts.writeUInt32BE(size + ENTRY_BYTES, 4);
  return Buffer.concat([Buffer.from(HEADER_MAGIC), counts, first, ...entries, ...data, trailer]);
}

function entry(number: number, type: number, offset: number, count: number): Uint8Array {
  const block = Buffer.alloc(ENTRY_BYTES);
  block.writeUInt32BE(number, 0);
  block.writeUInt32BE(type, 4);
  block.writeInt32BE(offset, 8);
  block.writeUInt32BE(count, 12);
  return block;
}

function text(number: number, value: string): Tag {
  return { number, type: STRING, count: 1, alignment: 1, data: Buffer.from(`${value}\0`) };
}

function texts(number: number, values: readonly string[]): Tag {
  const data = Buffer.from(values.map((value) => `${value}\0`).join(""));
  return { number, type: STRINGS, count: values.length, alignment: 1, data };
}

function translated(number: number, value: string): Tag {
  return { ...text(number, value), type: TRANSLATED };
}

function bytes(number: number, data: Uint8Array): Tag {
  return { number, type: BINARY, count: data.length, alignment: 1, data };
}

function int16(number: number, values: readonly number[]): Tag {
  const data = Buffer.alloc(2 * values.length);
  values.forEach((value, i) => data.writeUInt16BE(value, 2 * i));
  return { number, type: INT16, count: values.length, alignment: 2, data };
}

function int32(number: number, values: readonly number[]): Tag {
  const data = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => data.writeUInt32BE(value, 4 * i));
  return { number, type: INT32, count: values.length, alignment: 4, data };
}
