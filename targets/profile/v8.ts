/**
 * V8's own sampling profiler, which Node and Deno offer through the inspector. DevTools and speedscope can open its
 * files. Their format: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile.
 */
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { boundedBody } from "../../base/net/bounded_body.ts";
import { loopbackPortsOf } from "../../base/system/listeners.ts";
import { Inspector } from "./inspector.ts";
import {
  moduleOf,
  ownOf,
  type ProcessSamples,
  type Profiler,
  type RunningProfiler,
} from "./profiler.ts";

const node = z.looseObject({
  id: z.int(),
  callFrame: z.looseObject({
    functionName: z.string(),
    url: z.string(),
    lineNumber: z.int().describe("Line, counted from 0; −1 for none"),
  }),
  children: z.array(z.int()).optional(),
});

export const cpuProfile = z.looseObject({
  nodes: z.array(node).min(1),
  startTime: z.number().describe("Microseconds"),
  endTime: z.number(),
  samples: z.array(z.int()).describe("Nodes by their id"),
  timeDeltas: z.array(z.number()).describe(
    "Microseconds before each sample; before the first, since startTime",
  ),
});

export type CpuProfile = z.output<typeof cpuProfile>;

/** V8's name for idle time, which belongs to no function. */
const IDLE = "(idle)";

/** Reads a profile. The time of each function is the same as in DevTools (`tests/browser/devtools_slow_test.ts`). */
export function treeOfCpuProfile(profile: CpuProfile): { tree: CallTree; idleMs: number } {
  const calls = callsOf(profile.nodes);
  const ownUs = ownTimes(withStacks(inOrder(profile), calls));
  const builder = new CallTreeBuilder();
  let idleMs = 0;
  const places: number[] = [];
  for (const { node, caller } of calls) {
    const ms = (ownUs.get(node.id) ?? 0) / 1_000;
    const isIdle = node.callFrame.functionName === IDLE;
    if (isIdle) idleMs += ms;
    const isNone = caller === null || isIdle;
    const place = isNone ? -1 : builder.child(places[caller], frameOf(node));
    if (place >= 0) builder.addOwn(place, ms);
    places.push(place);
  }
  return { tree: builder.build(), idleMs };
}

type Node = z.output<typeof node>;

interface Call {
  readonly node: Node;
  /** The index of the caller in the list of calls; null for the root. */
  readonly caller: number | null;
  /** The id of the outermost call of the stack, which is the child of the root. */
  readonly outermost: number;
}

/** All calls, each listed once and after its caller. Nodes that cannot be reached from the root are left out. */
function callsOf(nodes: readonly Node[]): Call[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const calls: Call[] = [];
  const seen = new Set<number>();
  const left: { id: number; caller: number | null }[] = [{ id: nodes[0].id, caller: null }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { id, caller } = next;
    const node = byId.get(id);
    if (node === undefined || seen.has(id)) continue;
    seen.add(id);
    const above = caller === null ? undefined : calls[caller];
    const outermost = above === undefined || above.caller === null ? id : above.outermost;
    const place = calls.push({ node, caller, outermost }) - 1;
    for (const child of node.children ?? []) left.push({ id: child, caller: place });
  }
  return calls;
}

interface StackSample {
  /** The id of the node that was sampled. */
  readonly id: number;
  /** The time of the sample, in microseconds. */
  readonly at: number;
}

/** The samples ordered by time. V8 lists them as they arrived, so some of its time deltas are negative. */
function inOrder({ samples, timeDeltas, startTime }: CpuProfile): StackSample[] {
  let at = startTime;
  return samples.map((id, i) => ({ id, at: at += timeDeltas[i] ?? 0 }))
    .sort((a, b) => a.at - b.at);
}

/** V8's name for native code, and for a stack that it could not read. */
const PROGRAM = "(program)";
/** The names of nodes without a stack. */
const STACKLESS = [PROGRAM, "(garbage collector)", IDLE];

/**
 * Where V8 could not read a stack, assumes the previous sample's stack, provided that the previous and the next sample
 * both have a stack, with the same outermost call.
 */
function withStacks(samples: readonly StackSample[], calls: readonly Call[]): StackSample[] {
  const byId = new Map(calls.map((call) => [call.node.id, call]));
  const nameOf = ({ id }: StackSample): string => byId.get(id)?.node.callFrame.functionName ?? IDLE;
  const outermostOf = ({ id }: StackSample): number | undefined => byId.get(id)?.outermost;
  return samples.map((sample, i) => {
    const [before, after] = [samples[i - 1] ?? sample, samples[i + 1] ?? sample];
    const isLost = nameOf(sample) === PROGRAM &&
      ![before, after].some((other) => STACKLESS.includes(nameOf(other))) &&
      outermostOf(before) === outermostOf(after);
    return isLost ? { ...sample, id: before.id } : sample;
  });
}

/**
 * The time spent in each node, in microseconds. A sample stands for the time until the next one; the last sample stands
 * for the average time between samples.
 */
function ownTimes(samples: readonly StackSample[]): Map<number, number> {
  const spanUs = samples.length < 2 ? 0 : samples[samples.length - 1].at - samples[0].at;
  const meanUs = spanUs / Math.max(1, samples.length - 1);
  const ownUs = new Map<number, number>();
  samples.forEach(({ id, at }, i) => {
    const untilUs = i + 1 < samples.length ? samples[i + 1].at - at : meanUs;
    ownUs.set(id, (ownUs.get(id) ?? 0) + untilUs);
  });
  return ownUs;
}

function frameOf({ callFrame: { functionName, url, lineNumber } }: Node): Frame {
  return {
    name: functionName === "" ? "(anonymous)" : functionName,
    module: moduleOf(url),
    line: lineNumber < 0 || url === "" ? 0 : lineNumber + 1,
    ...ownOf(url),
  };
}

/** The sampling interval. A millisecond is also V8's default, and slows the process down by a few percent. */
const INTERVAL_US = 1_000;

const stopped = z.looseObject({ profile: cpuProfile });

export const v8Profiler: Profiler = {
  ending: ".cpuprofile",
  suits: ({ program }) => /^(?:node|nodejs|deno)(?:[\d.]*)$/.test(program),
  async start({ pid }, { forMs, signal }): Promise<RunningProfiler> {
    const place = await findInspector(pid, Math.max(forMs, LEAST_FIND_MS), signal);
    const inspector = await Inspector.open(place, signal);
    try {
      await inspector.call("Profiler.enable");
      await inspector.call("Profiler.setSamplingInterval", { interval: INTERVAL_US });
      await inspector.call("Profiler.start");
    } catch (error) {
      inspector.close();
      throw error;
    }
    return { stop: () => stop(inspector) };
  },
};

/**
 * Ends the profile. With a large profile, each step takes part of a second, so signals are handled between the steps.
 */
async function stop(inspector: Inspector): Promise<ProcessSamples> {
  try {
    const read = stopped.safeParse(await inspector.call("Profiler.stop"));
    if (!read.success) throw new Error("its inspector returned something other than a profile");
    const { profile } = read.data;
    await pause(0);
    const bytes = new TextEncoder().encode(JSON.stringify(profile));
    await pause(0);
    return { bytes, samples: profile.samples.length, ...treeOfCpuProfile(profile) };
  } finally {
    inspector.close();
  }
}

// V8's inspector is a WebSocket on one of the loopback ports on which the process listens. Its
// protocol: https://chromedevtools.github.io/devtools-protocol/v8/.

/**
 * The least time for which to look for an inspector; if the sampling lasts longer, the search may take as long as the
 * sampling. An inspector has a thread of its own, which responds within milliseconds even if its process is busy, but
 * on a crowded machine this thread waits for its turn.
 */
const LEAST_FIND_MS = 1_000;
const LOOK_EACH_MS = 100;
/** The maximum number of ports to try. */
const MOST_PORTS = 256;

const listed = z.array(z.looseObject({ webSocketDebuggerUrl: z.string() })).min(1);

interface InspectorPlace {
  readonly port: number;
  readonly path: string;
}

/**
 * Finds the inspector of a process within `withinMs`. Tries all ports in parallel, including those that the process
 * opens meanwhile. Throws an Error if none of them is an inspector.
 */
async function findInspector(
  pid: number,
  withinMs: number,
  signal: AbortSignal,
): Promise<InspectorPlace> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), withinMs);
  const ended = AbortSignal.any([signal, over.signal]);
  const found = Promise.withResolvers<InspectorPlace | null>();
  ended.addEventListener("abort", () => found.resolve(null));
  if (ended.aborted) found.resolve(null);
  const looked = new Set<number>();
  const look = (): void => {
    for (const port of loopbackPortsOf(pid).slice(0, MOST_PORTS)) {
      if (looked.has(port)) continue;
      looked.add(port);
      void inspectorAt(port, ended).then((place) => place && found.resolve(place));
    }
  };
  const looking = setInterval(look, LOOK_EACH_MS);
  try {
    look();
    const place = await found.promise;
    if (place !== null) return place;
    throw new Error("its inspector is not open");
  } finally {
    clearInterval(looking);
    clearTimeout(timer);
    over.abort();
  }
}

/** The inspector at a port; null if the port has another server, or does not respond. */
async function inspectorAt(port: number, signal: AbortSignal): Promise<InspectorPlace | null> {
  try {
    const url = `http://${LOOPBACK}:${port}/json/list`;
    const { body } = await fetch(url, { signal, redirect: "error" });
    const text = new TextDecoder().decode(await boundedBody(body, "inspectorList"));
    const [first] = listed.parse(JSON.parse(text));
    // Only the path is taken from the URL, because the port is known, and the URL may contain
    // another name of the host.
    return { port, path: new URL(first.webSocketDebuggerUrl).pathname };
  } catch {
    return null;
  }
}
