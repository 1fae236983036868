/**
 * `.cpuprofile`, V8's profiles: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-Profile. Pure.
 */
import * as z from "zod";
import { type CallTree, CallTreeBuilder, type Frame } from "../../../base/profile/call_tree.ts";
import { moduleOf } from "./module_name.ts";


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
