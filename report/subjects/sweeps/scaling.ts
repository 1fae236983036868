/** The universal scalability law of a line: what keeps its requests/s from growing as the factor does. */
import {
  type ScalingFit,
  type ScalingLaw,
  scalingLawOf,
} from "../../../runner/stats/regression/scalability.ts";
import type { Estimate } from "../../../runner/stats/confidence/bootstrap.ts";
import { formatNumber, formatShare, GLUE } from "../../writing/units.ts";
import { type NumericFactor, phraseOf } from "../../cells/factors.ts";

/** What adds capacity: with twice as many, twice as much can be served at best. */
const ADD_CAPACITY: readonly string[] = ["connections", "instances", "workers"];

/** A law that misses a measured value by more is not that of the line: it then has a knee, or another shape. */
const MOST_MISSED_RATIO = 1.1;

interface ScaledPoint {
  readonly at: number;
  readonly served: Estimate;
}

/** Null where the factor is another, the law is not that of the points, or the runs show nothing of it. */
export function scalingOf(
  points: readonly ScaledPoint[],
  { name, kind }: NumericFactor,
  confidence: number,
): ScalingLaw | null {
  if (!ADD_CAPACITY.includes(name) || kind !== "plain") return null;
  const law = scalingLawOf(points, confidence);
  if (law === null || law.contention === null && law.coherency === null) return null;
  const fits = points.every(({ at, served }) => {
    const ratio = servedBy(law.fit, at) / served.value;
    return Math.max(ratio, 1 / ratio) <= MOST_MISSED_RATIO;
  });
  return fits ? law : null;
}

function servedBy({ single, contention, coherency }: ScalingFit, at: number): number {
  return single * at / (1 + contention * (at - 1) + coherency * at * (at - 1));
}

/** `By the universal scalability law contention is 4.1 % [3 %, 5 %], most are served with 38 connections [30, 52].` */
export function scalingSentence(
  { fit, contention, coherency, peak }: ScalingLaw,
  factor: NumericFactor,
): string {
  const number = (value: number): string => formatNumber(value, value < 10 ? 1 : 0);
  const parts = [
    ...contention === null ? [] : [`contention is ${shareText(fit.contention, contention)}`],
    ...coherency === null ? [] : [`coherency is ${shareText(fit.coherency, coherency)}`],
    ...peak === null ? [] : [
      `most are served with ${phraseOf(factor, number(fit.peak))}${GLUE}[${number(peak.low)}, ${
        number(peak.high)
      }]`,
    ],
  ];
  return `By the universal scalability law ${parts.join(", ")}.`;
}

function shareText(share: number, { low, high }: { low: number; high: number }): string {
  return `${formatShare(share)}${GLUE}[${formatShare(low)}, ${formatShare(high)}]`;
}
