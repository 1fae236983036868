/** What timelines show below requests per second: what a target used, and what its runtime reported of itself. */
import type { Run } from "../../../runner/result/result.ts";
import type { CountersPoint } from "../../../runner/result/runtime/counters.ts";
import { sizeUnit } from "../../writing/units.ts";
import { intervalsOf } from "../../figures/intervals.ts";
import { peakMemoryBytesOf, pointAt } from "../../figures/resources.ts";
import type { Axis } from "../../chart.ts";
import { linearAxis } from "./time_range.ts";

export interface Track {
  readonly title: string;
  /** That of all runs. */
  readonly axis: Axis;
  /** Of each run, one for each of its intervals; null where nobody knows. */
  readonly values: ReadonlyMap<Run, readonly (number | null)[]>;
}

interface TrackKind {
  readonly title: string;
  readonly unit: string;
  /** The axis reaches so far, so that what is next to nothing looks so. */
  readonly least: number;
  /** @param atS Seconds since the start of the run. */
  readonly valueAt: (run: Run, atS: number) => number | null;
}

/** From the top; without those of which nobody knows anything. */
export function tracksOf(runs: readonly Run[]): Track[] {
  return kindsOf(runs).flatMap(({ title, unit, least, valueAt }) => {
    const values = new Map(
      runs.map((run) => [run, middlesOf(run).map((atS) => valueAt(run, atS))]),
    );
    const known = [...values.values()].flat().filter((value) => value !== null);
    const isEmpty = known.length === 0 || least === 0 && known.every((value) => value === 0);
    return isEmpty ? [] : [{ title, axis: linearAxis(unit, [least, ...known]), values }];
  });
}

function kindsOf(runs: readonly Run[]): TrackKind[] {
  const memory = sizeUnit(runs.map(peakMemoryBytesOf));
  return [
    {
      title: "CPU",
      unit: "cores",
      least: 1,
      valueAt: (run, atS) => pointAt(run, atS)?.cpu ?? null,
    },
    {
      title: "Memory",
      unit: memory.name,
      least: 0,
      valueAt: (run, atS) => {
        const point = pointAt(run, atS);
        return point && point.memory / memory.size;
      },
    },
    {
      title: "Stopped by collections",
      unit: "ms/s",
      least: 10,
      valueAt: (run, atS) => {
        const point = countersAt(run, atS);
        return point && point.stoppedMs / run.timeline.intervalS;
      },
    },
    {
      title: "Event loop late",
      unit: "ms",
      least: 10,
      valueAt: (run, atS) => countersAt(run, atS)?.delay ?? null,
    },
  ];
}

/** Of each interval that is drawn, seconds. */
function middlesOf(run: Run): number[] {
  return intervalsOf(run).map(({ point }) => point.endS - run.timeline.intervalS / 2);
}

/** What the runtime reported of the interval around a moment. */
function countersAt({ counters, timeline }: Run, atS: number): CountersPoint | null {
  const point = counters?.points.find(({ endS }) => endS >= atS);
  return point !== undefined && point.endS - timeline.intervalS < atS ? point : null;
}
