/**
 * Go's own sampling profiler, through the endpoint that the program offers for it (net/http/pprof), whose path the
 * experiment names. Its files open in `go tool pprof` and speedscope.
 */
import { LOOPBACK } from "../../base/net/listen.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import {
  moduleOf,
  type ProcessSamples,
  type Profiler,
  type ProfilingContext,
  type RunningProfiler,
} from "./profiler.ts";

/** Go collects a profile for a while after its time. */
const BEYOND_MS = 10_000;
/** A profile has some KB. */
const MOST_BYTES = 64 * 1024 * 1024;

export const pprofProfiler: Profiler = {
  ending: ".pprof",
  suits: ({ pid }, { origin, pprofPath }) =>
    pprofPath !== null && listenersOn(origin).includes(pid),
  start(_, context): Promise<RunningProfiler> {
    const profile = fetchProfile(context);
    profile.catch(() => {}); // whoever stops it gets the error
    return Promise.resolve({ stop: () => profile });
  },
};

/** Who has the target's requests, where it is on this machine. */
function listenersOn(origin: string): number[] {
  const { hostname, port } = new URL(origin);
  if (hostname !== LOOPBACK) return [];
  return listenersAt({ bytes: Uint8Array.of(127, 0, 0, 1), port: Number(port) });
}

async function fetchProfile(
  { origin, pprofPath, forMs, signal }: ProfilingContext,
): Promise<ProcessSamples> {
  const url = new URL(pprofPath ?? "", origin);
  url.searchParams.set("seconds", `${Math.max(1, Math.floor(forMs / 1_000))}`);
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(forMs + BEYOND_MS)]),
    redirect: "error",
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`GET ${pprofPath} gives status ${response.status}`);
  }
  const bytes = await bytesOf(response.body ?? new Blob().stream());
  const unpacked = isGzip(bytes) ? await gunzip(bytes) : bytes;
  return { bytes, idleMs: 0, ...treeOfPprof(unpacked) };
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await bytesOf(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: BlobPart[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error(`its profile is larger than ${MOST_BYTES} bytes`);
    chunks.push(Uint8Array.from(chunk));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

// The format: a gzipped protocol buffer, https://github.com/google/pprof/blob/main/proto/profile.proto. It is read
// here, as it takes seven fields of it.

/** A field of a message: a number, or bytes. */
interface PprofField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/** Throws an Error where the bytes are cut, or no protocol buffer. */
export function* fieldsOf(bytes: Uint8Array): Generator<PprofField> {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    const key = reader.varint();
    const number = Math.floor(key / 8);
    switch (key % 8) {
      case 0:
        yield { number, value: reader.varint() };
        break;
      case 1:
        reader.take(8);
        break;
      case 2:
        yield { number, value: reader.take(reader.varint()) };
        break;
      case 5:
        reader.take(4);
        break;
      default:
        throw new Error("it is no profile of pprof");
    }
  }
}

class Reader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** Exact up to 2⁵³: numbers and times are; addresses are not read. */
  varint(): number {
    let value = 0;
    for (let scale = 1;; scale *= 128) {
      const [byte] = this.take(1);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new Error("the profile is cut off");
    this.#at += length;
    return taken;
  }
}

/** A list of numbers: packed, or one by one. */
function numbersOf(value: PprofField["value"]): number[] {
  if (typeof value === "number") return [value];
  const reader = new Reader(value);
  const numbers: number[] = [];
  while (!reader.isAtEnd) numbers.push(reader.varint());
  return numbers;
}

interface PprofMessage {
  readonly number: (field: number) => number;
  readonly numbers: (field: number) => number[];
  readonly messages: (field: number) => PprofMessage[];
}

function messageOf(bytes: Uint8Array): PprofMessage {
  const fields = Map.groupBy(fieldsOf(bytes), ({ number }) => number);
  const of = (field: number): readonly PprofField[] => fields.get(field) ?? [];
  return {
    number: (field) => of(field).map(({ value }) => value).find(isNumber) ?? 0,
    numbers: (field) => of(field).flatMap(({ value }) => numbersOf(value)),
    messages: (field) =>
      of(field).flatMap(({ value }) => isNumber(value) ? [] : [messageOf(value)]),
  };
}

function isNumber(value: PprofField["value"]): value is number {
  return typeof value === "number";
}

const PROFILE = { sampleType: 1, sample: 2, location: 4, function: 5, stringTable: 6 };
const NS_PER_MS = 1e6;

/** @param bytes Unpacked. Throws an Error where it is no profile of CPU time. */
export function treeOfPprof(bytes: Uint8Array): { tree: CallTree; samples: number } {
  const profile = messageOf(bytes);
  const strings = stringsOf(bytes);
  const types = profile.messages(PROFILE.sampleType)
    .map((type) => ({ name: strings[type.number(1)], unit: strings[type.number(2)] }));
  const cpu = types.findIndex(({ unit }) => unit === "nanoseconds");
  if (cpu < 0) throw new Error("the profile holds no times");
  const counts = types.findIndex(({ unit }) => unit === "count");
  const stacks = stackFrames(profile, strings);
  const builder = new CallTreeBuilder();
  let samples = 0;
  for (const sample of profile.messages(PROFILE.sample)) {
    const values = sample.numbers(2);
    samples += counts < 0 ? 1 : values[counts] ?? 0;
    const stack = sample.numbers(1).flatMap((location) => stacks.get(location) ?? []);
    builder.addStack(stack.reverse(), (values[cpu] ?? 0) / NS_PER_MS);
  }
  return { tree: builder.build(), samples };
}

function stringsOf(bytes: Uint8Array): string[] {
  const decoder = new TextDecoder();
  return [...fieldsOf(bytes)]
    .filter(({ number }) => number === PROFILE.stringTable)
    .map(({ value }) => isNumber(value) ? "" : decoder.decode(value));
}

/** Of each location by its number: its functions, the innermost first, as some are inlined in others. */
function stackFrames(profile: PprofMessage, strings: readonly string[]): Map<number, Frame[]> {
  const functions = new Map(
    profile.messages(PROFILE.function).map((each) => [each.number(1), {
      name: strings[each.number(2)] ?? "",
      module: moduleOf(strings[each.number(4)] ?? ""),
      line: each.number(5),
    }]),
  );
  return new Map(
    profile.messages(PROFILE.location).map((location) => {
      const frames = location.messages(4).flatMap((line) => functions.get(line.number(1)) ?? []);
      return [location.number(1), frames.length > 0 ? frames : [UNKNOWN]];
    }),
  );
}

const UNKNOWN: Frame = { name: "(unknown)", module: "", line: 0 };
