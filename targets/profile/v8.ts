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

/** A sample stands for the time until the next, the last for that until the end, as in DevTools. */
export function treeOfCpuProfile(
  { nodes, samples, timeDeltas, startTime, endTime }: CpuProfile,
): { tree: CallTree; idleMs: number } {
  const ownUs = new Map<number, number>();
  let at = startTime;
  samples.forEach((id, sample) => {
    at += timeDeltas[sample] ?? 0;
    const untilUs = sample + 1 < samples.length ? timeDeltas[sample + 1] ?? 0 : endTime - at;
    // V8 gives samples of its threads in the order of their arrival: some distances are negative.
    ownUs.set(id, (ownUs.get(id) ?? 0) + untilUs);
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const builder = new CallTreeBuilder();
  let idleMs = 0;
  const left = [{ id: nodes[0].id, parent: -1, isRoot: true }];
  const seen = new Set<number>();
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const node = byId.get(next.id);
    if (node === undefined || seen.has(next.id)) continue; // no tree
    seen.add(next.id);
    const ms = Math.max(0, ownUs.get(next.id) ?? 0) / 1_000;
    const isIdle = node.callFrame.functionName === IDLE;
    if (isIdle) idleMs += ms;
    const place = next.isRoot || isIdle ? -1 : builder.child(next.parent, frameOf(node));
    if (place >= 0) builder.addOwn(place, ms);
    for (const id of node.children ?? []) left.push({ id, parent: place, isRoot: false });
  }
  return { tree: builder.build(), idleMs };
}

function frameOf({ callFrame: { functionName, url, lineNumber } }: z.output<typeof node>): Frame {
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
