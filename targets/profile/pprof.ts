/**
 * Go's own sampling profiler, through the endpoint of net/http/pprof, whose path the experiment names. `go tool pprof`
 * and speedscope can open its files.
 */
import { beyond, isWithin, type LimitName, oneMoreThan } from "../../base/limits.ts";
import { boundedBody } from "../../base/net/bounded_body.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import {
  moduleOf,
  ownOf,
  type ProcessSamples,
  type Profiler,
  type ProfilingContext,
  type RunningProfiler,
} from "./profiler.ts";

/** The time that Go may take to deliver a profile, beyond the time that the profile covers. */
const BEYOND_MS = 5_000;

export const pprofProfiler: Profiler = {
  ending: ".pprof",
  suits: ({ pid }, { origin, pprofPath }) =>
    pprofPath !== null && listenersOn(origin).includes(pid),
  start(_, context): Promise<RunningProfiler> {
    const profile = fetchProfile(context);
    profile.catch(() => {}); // whoever calls `stop` gets the error
    return Promise.resolve({ stop: () => profile });
  },
};

/** The processes that receive the target's requests; empty if they are not on this machine. */
function listenersOn(origin: string): number[] {
  const { hostname, port } = new URL(origin);
  if (hostname !== LOOPBACK) return [];
  return listenersAt({ bytes: Uint8Array.of(127, 0, 0, 1), port: Number(port) });
}

async function fetchProfile(
  { origin, pprofPath, forMs, signal }: ProfilingContext,
): Promise<ProcessSamples> {
  const url = new URL(`${origin}${pprofPath ?? ""}`);
  url.searchParams.set("seconds", `${Math.max(1, Math.floor(forMs / 1_000))}`);
  const response = await fetch(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(forMs + BEYOND_MS)]),
    redirect: "error",
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`GET ${pprofPath} gives status ${response.status}`);
  }
  const bytes = await boundedBody(response.body, "profile");
  const unpacked = isGzip(bytes) ? await gunzip(bytes) : bytes;
  return { bytes, idleMs: 0, ...treeOfPprof(unpacked) };
}

function isGzip([first, second]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b;
}

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return await boundedBody(unpacked, "profile");
}

/**
 * Limits how many parts of a profile (fields, or calls in stacks) are read, because a profile of a few MB can refer to
 * the same part millions of times.
 */
class Counter {
  #count = 0;

  constructor(private readonly limit: LimitName) {}

  /** Counts one part. Throws an Error if that exceeds the limit. */
  add(): void {
    if (isWithin(this.limit, ++this.#count)) return;
    throw new Error(beyond(this.limit, oneMoreThan(this.limit)));
  }
}

interface PprofField {
  readonly number: number;
  readonly value: number | Uint8Array;
}

/**
 * Reads the fields of a protocol buffer. Throws an Error if the bytes are truncated, are not a protocol buffer, or
 * contain too many fields.
 */
export function* fieldsOf(
  bytes: Uint8Array,
  parts = new Counter("profileParts"),
): Generator<PprofField> {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd) {
    parts.add();
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
        throw new Error("it is not a pprof profile");
    }
  }
}

const CUT_OFF = "the profile is cut off";

class Reader {
  #at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.#at >= this.bytes.length;
  }

  /** Reads a number, which is exact up to 2⁵³. Counts and times are smaller, and addresses are not needed. */
  varint(): number {
    let value = 0;
    for (let scale = 1;; scale *= 128) {
      const byte = this.bytes[this.#at++];
      if (byte === undefined) throw new Error(CUT_OFF);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  take(length: number): Uint8Array {
    const taken = this.bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw new Error(CUT_OFF);
    this.#at += length;
    return taken;
  }
}

/**
 * A message whose fields are decoded anew on each access, because a whole profile as objects would take a hundred times
 * the memory of its bytes.
 */
class PprofMessage {
  constructor(private readonly bytes: Uint8Array, private readonly parts: Counter) {}

  number(field: number): number {
    return this.#valuesOf(field).find(isNumber) ?? 0;
  }

  /** The numbers of a repeated field, which may be packed or unpacked. */
  *numbers(field: number): Generator<number> {
    for (const value of this.#valuesOf(field)) {
      if (isNumber(value)) yield value;
      else yield* this.#packed(value);
    }
  }

  *messages(field: number): Generator<PprofMessage> {
    for (const bytes of this.octets(field)) yield new PprofMessage(bytes, this.parts);
  }

  *octets(field: number): Generator<Uint8Array> {
    for (const value of this.#valuesOf(field)) if (!isNumber(value)) yield value;
  }

  *#packed(bytes: Uint8Array): Generator<number> {
    const reader = new Reader(bytes);
    while (!reader.isAtEnd) {
      this.parts.add();
      yield reader.varint();
    }
  }

  *#valuesOf(field: number): Generator<PprofField["value"]> {
    for (const { number, value } of fieldsOf(this.bytes, this.parts)) {
      if (number === field) yield value;
    }
  }
}

function isNumber(value: PprofField["value"]): value is number {
  return typeof value === "number";
}

const PROFILE = { sampleType: 1, sample: 2, location: 4, function: 5, stringTable: 6 };
const NS_PER_MS = 1e6;

/**
 * Reads a profile, which is a protocol buffer (https://github.com/google/pprof/blob/main/proto/profile.proto). Only the
 * fields listed in `PROFILE`, and a few within them, are needed. Throws an Error if it is not a CPU profile, or is too
 * large.
 * @param bytes The profile after gunzip.
 */
export function treeOfPprof(bytes: Uint8Array): { tree: CallTree; samples: number } {
  const profile = new PprofMessage(bytes, new Counter("profileParts"));
  const strings = stringsOf(profile);
  const units = [...profile.messages(PROFILE.sampleType)].map((type) => strings[type.number(2)]);
  const cpu = units.indexOf("nanoseconds");
  if (cpu < 0) throw new Error("the profile contains no CPU times");
  const counts = units.indexOf("count");
  const stacks = stackFrames(profile, strings);
  const calls = new Counter("profileCalls");
  const builder = new CallTreeBuilder();
  let samples = 0;
  for (const sample of profile.messages(PROFILE.sample)) {
    const values = [...sample.numbers(2)];
    samples += counts < 0 ? 1 : values[counts] ?? 0;
    const stack = stackOf(sample, stacks, calls);
    builder.addStack(stack.reverse(), (values[cpu] ?? 0) / NS_PER_MS);
  }
  return { tree: builder.build(), samples };
}

/** The frames of a stack, with the innermost first. */
function stackOf(
  sample: PprofMessage,
  stacks: ReadonlyMap<number, readonly Frame[]>,
  calls: Counter,
): Frame[] {
  const stack: Frame[] = [];
  for (const location of sample.numbers(1)) {
    for (const frame of stacks.get(location) ?? []) {
      calls.add();
      stack.push(frame);
    }
  }
  return stack;
}

/** The longest name or path in bytes. Longer ones are cut, because thousands of functions may share one string. */
const MOST_STRING_BYTES = 1_000;

function stringsOf(profile: PprofMessage): string[] {
  const decoder = new TextDecoder();
  return Array.from(
    profile.octets(PROFILE.stringTable),
    (bytes) => decoder.decode(bytes.subarray(0, MOST_STRING_BYTES)),
  );
}

/**
 * The functions at each location, by the location's id, with the innermost first. A location has several functions if
 * some were inlined into others.
 */
function stackFrames(profile: PprofMessage, strings: readonly string[]): Map<number, Frame[]> {
  const functions = new Map<number, Frame>();
  for (const each of profile.messages(PROFILE.function)) {
    const [name, file] = [2, 4].map((field) => strings[each.number(field)] ?? "");
    functions.set(each.number(1), {
      ...{ name, module: moduleOf(file), line: each.number(5) },
      ...ownOf(file),
    });
  }
  const stacks = new Map<number, Frame[]>();
  for (const location of profile.messages(PROFILE.location)) {
    const frames = [...location.messages(4)]
      .flatMap((line) => functions.get(line.number(1)) ?? []);
    stacks.set(location.number(1), frames.length > 0 ? frames : [UNKNOWN]);
  }
  return stacks;
}

const UNKNOWN: Frame = { name: "(unknown)", module: "", line: 0 };
