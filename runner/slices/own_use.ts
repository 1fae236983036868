/**
 * What a target and its parts used in a run in slices, as if the time outside the target's own slices did not exist.
 * Pure.
 */
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { UsePoint, WatchedUse } from "../../targets/observe/use_series.ts";
import { inProportion } from "../host/load_clock.ts";
import type { Run } from "../result/result.ts";

/**
 * The evidence of a run, with the target's CPU use limited to its own slices and reduced by what it uses when idle. The
 * target's waiting and its busiest thread are scaled in proportion.
 */
export function ownEvidence(
  generator: Run["generator"],
  slices: NonNullable<Run["slices"]>,
): Run["generator"] {
  const { target } = generator;
  const cpu = coresInUse(slices);
  return target === undefined || cpu === null || target.cpu === 0
    ? generator
    : { ...generator, target: inProportion(target, cpu / target.cpu) };
}

/**
 * What a target and its parts used, with time counted only in the target's own slices. The CPU use of the target is
 * what it used in these slices, minus what it uses when idle; that of its parts is scaled in proportion.
 */
export function ownUse(
  { resources, parts }: WatchedUse,
  slices: NonNullable<Run["slices"]>,
  spec: TurnsSpec,
): WatchedUse {
  const turns = new Turns(spec);
  const [cores, all] = [coresInUse(slices), meanCoresOf(resources)];
  // If the use when idle is unknown, it is taken to be 0.
  const times = cores === null || all === 0
    ? spec.durationUs / (spec.pairs * spec.sliceUs)
    : cores / all;
  return {
    resources: ownPoints(resources, turns, times),
    parts: parts.map(({ points, busy, ...part }) => ({
      ...part,
      points: ownPoints(points, turns, times),
      ...busy !== undefined && { busy: Math.min(1, times * busy) },
    })),
  };
}

/** @param times Use per second of the target's own slices, divided by use per second of the whole time. */
function ownPoints(points: readonly UsePoint[], turns: Turns, times: number): UsePoint[] {
  const cpu = times * meanCoresOf(points);
  let lastS = 0;
  return points.flatMap((point) => {
    const endS = turns.ownUs(1e6 * point.endS) / 1e6;
    if (endS <= lastS) return [];
    lastS = endS;
    const { peakCpu: _, user: _user, system: _system, switches, ...rest } = point;
    return [{ ...rest, endS, cpu, ...switches && { switches: switchesOf(switches, times) } }];
  });
}

function switchesOf(
  { voluntary, involuntary }: NonNullable<UsePoint["switches"]>,
  times: number,
): UsePoint["switches"] {
  return { voluntary: times * voluntary, involuntary: times * involuntary };
}

/** Mean CPU use in cores; each point covers the time since the one before. 0 without points. */
function meanCoresOf(points: readonly UsePoint[]): number {
  const endS = points.at(-1)?.endS ?? 0;
  const usedS = points.reduce(
    (sum, { cpu, endS }, at) => sum + cpu * (endS - (points[at - 1]?.endS ?? 0)),
    0,
  );
  return endS > 0 ? usedS / endS : 0;
}

/** Cores that the target used in the measured parts of its slices; null if that was not observed. */
function coresInUse({ items }: NonNullable<Run["slices"]>): number | null {
  let cpuMs = 0;
  let measuredS = 0;
  items.pair.forEach((_, at) => {
    const [used, rest] = [items.cpuMs[at], items.restCpuMs[at]];
    if (used === null || rest === null || items.served[at] === 0) return;
    cpuMs += Math.max(0, used - rest) * items.completed[at] / items.served[at];
    measuredS += items.measuredS[at];
  });
  return measuredS === 0 ? null : cpuMs / 1_000 / measuredS;
}
