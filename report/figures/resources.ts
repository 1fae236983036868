/** CPU time, memory and other resources that a target or a part of it used in a run, and what it served with them. */
import type { Measurement, Run } from "../../runner/result/result.ts";
import type { Slices } from "../../runner/result/slices.ts";
import { sum } from "../writing/spread.ts";

/** Use of resources over time, by a target or one of its parts. */
export type ResourceUse = Pick<Run, "resources">;
type ResourceUsePoint = Run["resources"][number];

/** A part of a run's target, or the Redis that it uses. */
export interface PartUsed extends ResourceUse {
  readonly name: string;
}

/** The parts of the target, in the order of the results. */
export function partsOf({ parts = [] }: Pick<Run, "parts">): PartUsed[] {
  return parts.map(({ name, points }) => ({ name, resources: points }));
}

/** The resources in use at a moment. Each point covers the time since the previous point; null after the last point. */
export function pointAt({ resources }: ResourceUse, atS: number): ResourceUsePoint | null {
  return resources.find(({ endS }) => endS >= atS) ?? null;
}

/** The total of a rate over the run. Each point's rate holds since the previous point; 0 if there are no points. */
function totalOf(
  { resources }: ResourceUse,
  ratePerSec: (point: ResourceUsePoint) => number,
): number {
  return resources.reduce(
    (total, point, i) =>
      total + ratePerSec(point) * Math.max(0, point.endS - (resources[i - 1]?.endS ?? 0)),
    0,
  );
}

export function cpuSecondsOf(used: ResourceUse): number {
  return totalOf(used, ({ cpu }) => cpu);
}

/** Mean number of cores in use over the run; 0 if there are no resource points. */
export function meanCoresOf(used: ResourceUse): number {
  const seconds = used.resources.at(-1)?.endS ?? 0;
  return seconds > 0 ? cpuSecondsOf(used) / seconds : 0;
}

/** Share of the CPU time that was spent in the kernel, 0–1; null if unknown. */
export function systemShareOf(used: ResourceUse): number | null {
  const seconds = cpuSecondsOf(used);
  if (seconds === 0 || used.resources.some(({ system }) => system === undefined)) return null;
  return totalOf(used, ({ system = 0 }) => system) / seconds;
}

/** The highest value of a figure over all points; null if no point has the figure. */
export function peakOf(
  { resources }: ResourceUse,
  of: (point: ResourceUsePoint) => number | undefined,
): number | null {
  const known = resources.flatMap((point) => of(point) ?? []);
  return known.length === 0 ? null : known.reduce((most, value) => Math.max(most, value));
}

export function peakCoresOf(used: ResourceUse): number {
  return peakOf(used, ({ cpu, peakCpu = cpu }) => peakCpu) ?? 0;
}

export function peakMemoryBytesOf(used: ResourceUse): number {
  return peakOf(used, ({ memory }) => memory) ?? 0;
}

type DrainedRun = Pick<Run, "requests" | "drain">;
type ChainedRun = DrainedRun & Partial<Pick<Run, "resources" | "parts" | "slices">>;

/** Requests that completed by the deadline, up to which the target is observed. */
function completedInTime({ requests, drain }: DrainedRun): number {
  return requests.completed - (drain?.completed ?? 0);
}

/**
 * Completed requests per second of CPU time. The CPU time is that of everything that serves requests (the target with
 * its parts, and the Redis that it uses), because that of one part alone may be misleading: an origin behind a cache is
 * idle. Null if no CPU time of the target was seen.
 */
export function perCpuSecondOf(run: ChainedRun): number | null {
  return perServingSecond(completedInTime(run), run);
}

/**
 * Messages received by the deadline, per second of CPU time; null if no CPU time was seen, or if there are no streams
 * or WebSockets.
 */
export function eventsPerCpuSecondOf(
  run: Serving & Pick<Run, "streams" | "sockets" | "steps" | "elapsedS">,
): number | null {
  const perSec = receivedPerSecOf(run);
  return perSec === null ? null : perServingSecond(perSec * run.elapsedS, run);
}

type Received = Pick<Measurement, "streams" | "sockets">;

/**
 * Messages received per second up to the deadline; null if no response is a stream and no request opens a WebSocket.
 */
export function receivedPerSecOf(
  { steps = [], ...run }: Received & Pick<Measurement, "steps">,
): number | null {
  if (run.streams === undefined && run.sockets === undefined) return null;
  // Not the sum of both, because messages that a WebSocket receives unasked are counted in
  // `streams` as well.
  return sum(
    steps.length > 0 ? steps : [run],
    ({ streams, sockets }) => sockets?.messagesPerSec ?? streams?.eventsPerSec ?? 0,
  );
}

type Serving = Pick<ChainedRun, "resources" | "parts">;

function perServingSecond(count: number, { resources = [], parts = [] }: Serving): number | null {
  const target = cpuSecondsOf({ resources });
  const redis = sum(
    parts.filter(({ role }) => role === "redis"),
    ({ points }) => cpuSecondsOf({ resources: points }),
  );
  return target > 0 ? count / (target + redis) : null;
}

/**
 * CPU time per request, of everything that serves requests; null if unknown. If the target took turns with another
 * (slices), the CPU time that it uses when idle is subtracted.
 */
export function cpuPerRequestUs(run: ChainedRun): number | null {
  if (run.slices !== undefined) return cpuOfSlicesUs(run.slices);
  const perSecond = perCpuSecondOf(run);
  return perSecond === null || perSecond === 0 ? null : 1e6 / perSecond;
}

function cpuOfSlicesUs({ items: { cpuMs, restCpuMs, served } }: Slices): number | null {
  const seen = served.flatMap((count, i) => {
    const [used, rest] = [cpuMs[i], restCpuMs[i]];
    return used === null || rest === null ? [] : [{ count, ownMs: used - rest }];
  });
  const perRequest = 1_000 * sum(seen, ({ ownMs }) => ownMs) / sum(seen, ({ count }) => count);
  return perRequest > 0 ? perRequest : null;
}

/** Context switches of one kind per completed request; null if unknown. */
export function switchesPerRequestOf(
  kind: "voluntary" | "involuntary",
  used: ResourceUse,
  run: DrainedRun,
): number | null {
  const completed = completedInTime(run);
  const isKnown = used.resources.every(({ switches }) => switches !== undefined);
  if (!isKnown || used.resources.length === 0 || completed === 0) return null;
  return totalOf(used, ({ switches }) => switches?.[kind] ?? 0) / completed;
}
