/**
 * Go's own sampling profiler, through the endpoint that the program offers for it (net/http/pprof), whose path the
 * experiment names. Its files open in `go tool pprof` and speedscope.
 */
import { LOOPBACK } from "../../base/net/listen.ts";
import { listenersAt } from "../../base/system/listeners.ts";
import { treeOfPprof } from "./formats/pprof_file.ts";
import type { Profiler, ProfilingContext, Sampled } from "./profiler.ts";

/** Go collects a profile for a while after its time. */
const BEYOND_MS = 10_000;
/** A profile has some KB. */
const MOST_BYTES = 64 * 1024 * 1024;

export const pprofProfiler: Profiler = {
  ending: ".pprof",
  suits: ({ pid }, { origin, pprofPath }) =>
    pprofPath !== null && listenersOn(origin).includes(pid),
  start(_, context) {
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

async function fetchProfile({ origin, pprofPath, forMs, signal }: ProfilingContext): Promise<Sampled> {
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
