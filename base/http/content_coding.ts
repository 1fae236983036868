/**
 * Decodes content codings (RFC 9110 §8.4.1): gzip, deflate, br, and zstd if the runtime supports it. The limit
 * `LIMITS.decodedBody` keeps a server from exhausting memory with a small body that expands to a huge one.
 */
import process from "node:process";
import { messageOf } from "../errors.ts";
import { beyond, LIMITS, oneMoreThan } from "../limits.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A body without its content codings. */
export interface DecodedContent {
  /** The decoded body; empty if it can't be decoded. */
  readonly bytes: Bytes;
  /** Why the body can't be decoded, as part of a message; null if it can be. */
  readonly problem: string | null;
}

/** Decodes one coding. Throws if the bytes are not a whole body in that coding. */
type Decode = (bytes: Bytes) => Bytes;

const MOST = { maxOutputLength: LIMITS.decodedBody.most };

/**
 * Imported on demand: a load that checks no bodies does not need it, and its import takes longer than the rest of such
 * a load's start.
 */
let loaded: typeof import("node:zlib") | null = null;

function zlib(): typeof import("node:zlib") {
  return loaded ??= process.getBuiltinModule("node:zlib");
}

/** Loads the decoder before a load, so that the first response does not wait for it. */
export function prepareDecoding(): void {
  zlib();
}

const CODINGS: Readonly<Record<string, Decode>> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => owned(zlib().gunzipSync(bytes, MOST)),
  deflate: (bytes) =>
    owned(
      isZlib(bytes) ? zlib().inflateSync(bytes, MOST) : zlib().inflateRawSync(bytes, MOST),
    ),
  br: (bytes) =>
    whole(bytes, (input) => zlib().brotliDecompressSync(input, WITH_ENGINE), bytes.length),
  zstd: (bytes) => {
    const { zstdDecompressSync: decode } = zlib();
    if (typeof decode !== "function") throw new Error("this runtime cannot read it");
    return whole(bytes, (input) => decode(input, WITH_ENGINE));
  },
};

/** First bytes by which a coding can be recognised (RFC 1952 §2.3.1, RFC 8878 §3.1.1). Brotli has none. */
const MAGIC: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["gzip", [0x1f, 0x8b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
];

/** Name of the coding that the body's first bytes suggest; null if they suggest none. */
export function codingOf(body: Uint8Array): string | null {
  const [name] = MAGIC.find(([, bytes]) => bytes.every((byte, at) => body[at] === byte)) ?? [];
  return name ?? null;
}

/** A response with more codings than this would serve only to waste the decoder's time. */
const MOST_CODINGS = 4;

/**
 * Removes the content codings from a body.
 *
 * @param codings Value of Content-Encoding; null if the response has no such field.
 */
export function decodedContent(body: Bytes, codings: string | null): DecodedContent {
  // Responses to HEAD, and those of status 304, may name a coding although they have no body.
  if (codings === null || body.length === 0) return { bytes: body, problem: null };
  const names = codings.toLowerCase().split(",").map((name) => name.trim().replace(/^x-/, ""))
    .filter((name) => name !== "");
  if (names.length > MOST_CODINGS) {
    return failed(`its content-encoding has ${names.length} codings`);
  }
  let bytes = body;
  for (const name of names.toReversed()) {
    if (!Object.hasOwn(CODINGS, name)) {
      return failed(`its content-encoding ${name} is unknown to Plateau`);
    }
    try {
      bytes = CODINGS[name](bytes);
    } catch (error) {
      return failed(reasonOf(name, error));
    }
  }
  return { bytes, problem: null };
}

function failed(problem: string): DecodedContent {
  return { bytes: new Uint8Array(0), problem };
}

function reasonOf(name: string, error: unknown): string {
  const isTooLong = error instanceof Error && "code" in error &&
    error.code === "ERR_BUFFER_TOO_LARGE";
  return isTooLong
    ? beyond("decodedBody", oneMoreThan("decodedBody"))
    : `its content-encoding is ${name}, but its body is not valid ${name}: ${messageOf(error)}`;
}

function owned(bytes: Uint8Array): Bytes {
  return bytes as Bytes; // zlib never allocates its results in shared memory
}

/** Whether the bytes begin with a zlib header (RFC 1950 §2.2). Some servers send raw deflate data without it. */
function isZlib([first, second]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && ((first << 8) + second) % 31 === 0;
}

const WITH_ENGINE = { ...MOST, info: true };

/**
 * The object that zlib returns with the option `info`, although the type declarations promise only the decoded bytes.
 */
interface Informed {
  readonly buffer: Uint8Array;
  readonly engine: { readonly bytesWritten: number };
}

const SENTINEL = Uint8Array.of(0xff, 0xff, 0xff, 0xff);

/**
 * Decodes a body, and throws if it is truncated or malformed. Deno's decoders for br and zstd accept a truncated body,
 * and the one for br accepts even a malformed one. Some bytes are appended to notice both: the decoder reads on into
 * them if the body is truncated, and stops before the end of the body if it is malformed.
 * @param least The fewest bytes that the decoder reads if the body is valid.
 */
function whole(bytes: Bytes, decode: (input: Bytes) => unknown, least = 0): Bytes {
  const input = new Uint8Array(bytes.length + SENTINEL.length);
  input.set(bytes);
  input.set(SENTINEL, bytes.length);
  const { buffer, engine: { bytesWritten } } = decode(input) as Informed;
  if (bytesWritten > bytes.length) throw new Error("unexpected end of file");
  if (bytesWritten < least) throw new Error(`malformed after ${bytesWritten} bytes`);
  return owned(buffer);
}
