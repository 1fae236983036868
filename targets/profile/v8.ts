/**
 * V8's own sampling profiler, through the inspector: Node and Deno. Its files open in DevTools and speedscope, and
 * have a shape of their own: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile.
 */
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import { LOOPBACK } from "../../base/net/listen.ts";
import { loopbackPortsOf } from "../../base/system/listeners.ts";
import { settlesWithin } from "../launch/settles.ts";
import { moduleOf, type ProcessSamples, type Profiler, type RunningProfiler } from "./profiler.ts";

const node = z.looseObject({
  id: z.int(),
  callFrame: z.looseObject({
    functionName: z.string(),
    url: z.string(),
    lineNumber: z.int().describe("From 0; −1 where there is none"),
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

/** Nothing to do: neither work nor anybody's time. */
const IDLE = "(idle)";

/** With the time in each function that DevTools shows of the same file (`tests/browser/devtools_test.ts`). */
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
  /** In the list of calls; null for the root. */
  readonly caller: number | null;
  /** Id of the node at the top of its stack. */
  readonly outermost: number;
}

/** Callers before what they call; what is no tree is left out. */
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
  /** Of its node. */
  readonly id: number;
  /** Microseconds. */
  readonly at: number;
}

/** V8 gives samples in the order of their arrival: some distances are negative. */
function inOrder({ samples, timeDeltas, startTime }: CpuProfile): StackSample[] {
  let at = startTime;
  return samples.map((id, i) => ({ id, at: at += timeDeltas[i] ?? 0 }))
    .sort((a, b) => a.at - b.at);
}

/** Where V8 could not read the stack; native code is called so as well. */
const PROGRAM = "(program)";
/** Of these none has a stack. */
const STACKLESS = [PROGRAM, "(garbage collector)", IDLE];

/** A stack that could not be read, between two of the same outermost call, is taken as the one before. */
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

/** Microseconds of each node. A sample stands for the time until the next, the last for as long as all on average. */
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
  };
}

/** V8 takes a sample each millisecond by default, and at this distance costs a few percent. */
const INTERVAL_US = 1_000;

const stopped = z.looseObject({ profile: cpuProfile });

export const v8Profiler: Profiler = {
  ending: ".cpuprofile",
  suits: ({ program }) => /^(?:node|nodejs|deno)(?:[\d.]*)$/.test(program),
  async start({ pid }, { signal }): Promise<RunningProfiler> {
    const inspector = await Inspector.open(await findInspector(pid, signal), signal);
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

async function stop(inspector: Inspector): Promise<ProcessSamples> {
  try {
    const read = stopped.safeParse(await inspector.call("Profiler.stop"));
    if (!read.success) throw new Error("its inspector gave something else than a profile");
    const { profile } = read.data;
    return {
      bytes: new TextEncoder().encode(JSON.stringify(profile)),
      samples: profile.samples.length,
      ...treeOfCpuProfile(profile),
    };
  } finally {
    inspector.close();
  }
}

// The inspector of a V8 runtime: a WebSocket on a loopback port of the process, found among the ports on which the
// process listens. The protocol: https://chromedevtools.github.io/devtools-protocol/v8/.

/** An inspector responds within milliseconds, one whose process is busy with a long task when that is over. */
const LIST_MS = 2_000;
const REPLY_MS = 10_000;

const listed = z.array(z.looseObject({ webSocketDebuggerUrl: z.string() })).min(1);
const reply = z.looseObject({
  id: z.number().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});

/** A process that has just begun opens its inspector within this. */
const OPENS_MS = 3_000;
const LOOK_EACH_MS = 100;

/** WebSocket addresses of the process's inspector. Throws an Error when it has none. */
async function findInspector(pid: number, signal: AbortSignal): Promise<string> {
  const untilMs = performance.now() + OPENS_MS;
  do {
    for (const port of loopbackPortsOf(pid)) {
      const address = await inspectorAt(port, signal);
      if (address !== null) return address;
    }
    await pause(LOOK_EACH_MS);
  } while (performance.now() < untilMs && !signal.aborted);
  throw new Error("it has no inspector open");
}

/** Null where another server listens, or one that does not respond. */
async function inspectorAt(port: number, signal: AbortSignal): Promise<string | null> {
  try {
    const response = await fetch(`http://${LOOPBACK}:${port}/json/list`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]),
      redirect: "error",
    });
    const [first] = listed.parse(await response.json());
    // Only the path is taken from it: the address is that of the process.
    return `ws://${LOOPBACK}:${port}${new URL(first.webSocketDebuggerUrl).pathname}`;
  } catch {
    return null;
  }
}

/** A conversation with an inspector. */
class Inspector {
  #lastId = 0;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lost: Error | null = null;

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => this.#lose("its inspector has closed the connection");
    socket.onerror = () => this.#lose("its inspector can't be reached");
  }

  /** Throws an Error when it does not open. */
  static async open(address: string, signal: AbortSignal): Promise<Inspector> {
    const socket = new WebSocket(address);
    const inspector = new Inspector(socket);
    const opened = Promise.withResolvers<void>();
    socket.onopen = () => opened.resolve();
    signal.addEventListener("abort", () => socket.close());
    const isOpen = await settlesWithin(
      Promise.race([opened.promise, inspector.#ended.promise]),
      LIST_MS,
    );
    if (isOpen && inspector.#lost === null) return inspector;
    inspector.close();
    throw inspector.#lost ?? new Error("its inspector does not respond");
  }

  readonly #ended = Promise.withResolvers<void>();

  /** Throws an Error when it refuses, or gives no response in 10 s. */
  async call(method: string, params: object = {}): Promise<unknown> {
    if (this.#lost !== null) throw this.#lost;
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.socket.send(JSON.stringify({ id, method, params }));
    const timer = setTimeout(
      () => waiting.reject(new Error(`its inspector gives no response to ${method}`)),
      REPLY_MS,
    );
    return await waiting.promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(id);
    });
  }

  close(): void {
    if (this.socket.readyState !== WebSocket.CLOSED) this.socket.close();
  }

  #take(data: unknown): void {
    const read = reply.safeParse(jsonOrNull(data));
    if (!read.success || read.data.id === undefined) return; // an event
    const { id, result, error } = read.data;
    const waiting = this.#waiting.get(id);
    if (error !== undefined) waiting?.reject(new Error(`its inspector refuses: ${error.message}`));
    else waiting?.resolve(result);
  }

  #lose(why: string): void {
    this.#lost ??= new Error(why);
    for (const { reject } of this.#waiting.values()) reject(this.#lost);
    this.#ended.resolve();
  }
}

function jsonOrNull(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}
