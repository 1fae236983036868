/**
 * Checks on any machine whether the kernel of macOS on arm64 would run a program. That kernel kills a program at the
 * first page whose hash differs from the one in the signature, and Apple's own check, `codesign --verify`, runs only on
 * macOS. The structures are defined in Apple's mach-o/loader.h and cs_blobs.h.
 */
import { createHash } from "node:crypto";

const MH_MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0;
const CSMAGIC_CODEDIRECTORY = 0xfade0c02;
const CS_HASHTYPE_SHA256 = 2;

interface Segment {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

interface LoadCommands {
  readonly segments: readonly Segment[];
  /** Position of the signature in the file; null if there is none. */
  readonly signature: { readonly offset: number; readonly size: number } | null;
}

/** Reasons why macOS would not run the program; empty if its load commands and signature match the file. */
export function machOProblems(file: Uint8Array<ArrayBuffer>): string[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER_BYTES || view.getUint32(0, true) !== MH_MAGIC_64) {
    return ["it is not a 64-bit Mach-O file"];
  }
  const { segments, signature } = readCommands(view);
  if (signature === null) return ["it has no signature"];
  const linked = segments.find(({ name }) => name === "__LINKEDIT");
  const ends = [
    ...segments.filter(({ offset, size }) => offset + size > file.length)
      .map(({ name }) => `segment ${name} extends beyond the end of the file`),
    ...signature.offset + signature.size > file.length
      ? ["its signature extends beyond the end of the file"]
      : [],
    ...linked === undefined || linked.offset + linked.size < signature.offset + signature.size
      ? ["its signature is not within segment __LINKEDIT"]
      : [],
  ];
  return ends.length > 0 ? ends : signatureProblems(file, view, signature.offset);
}

function readCommands(view: DataView): LoadCommands {
  const segments: Segment[] = [];
  let signature: LoadCommands["signature"] = null;
  const count = view.getUint32(16, true);
  for (let i = 0, at = HEADER_BYTES; i < count; i++) {
    const kind = view.getUint32(at, true);
    if (kind === LC_SEGMENT_64) segments.push(readSegment(view, at));
    if (kind === LC_CODE_SIGNATURE) {
      signature = { offset: view.getUint32(at + 8, true), size: view.getUint32(at + 12, true) };
    }
    at += view.getUint32(at + 4, true);
  }
  return { segments, signature };
}

function readSegment(view: DataView, at: number): Segment {
  const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 8, 16);
  return {
    name: new TextDecoder().decode(bytes).replaceAll("\0", ""),
    offset: Number(view.getBigUint64(at + 40, true)),
    size: Number(view.getBigUint64(at + 48, true)),
  };
}

/** @param at Position of the signature, which covers everything before it. Numbers in the signature are big-endian. */
function signatureProblems(
  file: Uint8Array<ArrayBuffer>,
  view: DataView,
  at: number,
): string[] {
  const blobs = view.getUint32(at) === CSMAGIC_EMBEDDED_SIGNATURE ? view.getUint32(at + 8) : 0;
  const directory = Array.from({ length: blobs }, (_, i) => at + view.getUint32(at + 16 + 8 * i))
    .find((blob) => view.getUint32(blob) === CSMAGIC_CODEDIRECTORY);
  if (directory === undefined) return ["its signature has no code directory"];
  const hashesAt = directory + view.getUint32(directory + 16);
  const pages = view.getUint32(directory + 28);
  const signedBytes = view.getUint32(directory + 32);
  const hashBytes = view.getUint8(directory + 36);
  const hashKind = view.getUint8(directory + 37);
  const pageBytes = 2 ** view.getUint8(directory + 39);
  if (hashKind !== CS_HASHTYPE_SHA256) return [`its hashes are of kind ${hashKind}, not SHA-256`];
  if (signedBytes !== at) {
    return [`its signature covers ${signedBytes} bytes, not the ${at} bytes before it`];
  }
  if (pages !== Math.ceil(signedBytes / pageBytes)) {
    return [`it has ${pages} hashes for ${Math.ceil(signedBytes / pageBytes)} pages`];
  }
  const wrong = Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const code = file.subarray(page * pageBytes, Math.min(signedBytes, (page + 1) * pageBytes));
    const hash = file.subarray(hashesAt + page * hashBytes, hashesAt + (page + 1) * hashBytes);
    return !createHash("sha256").update(code).digest().subarray(0, hashBytes).equals(hash);
  });
  return wrong.length === 0 ? [] : [
    `${wrong.length} of ${pages} pages do not match their hash, the first of them page ${wrong[0]}`,
  ];
}
