/**
 * What a measurement draws from chance, kept by the state of chance that it was drawn in: many tests begin
 * with the same seed and the same cells.
 */
import { sum } from "../../report/writing/spread.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import {
  ANSWER_BYTES,
  distributionOf,
  drawInterval,
  type Interval,
  INTERVAL_S,
  type Random,
  spreadOf,
} from "./intervals.ts";

export interface DrawnSpec {
  readonly medianMs: number;
  readonly connections: number;
  readonly duration: number;
  readonly warmUp: number;
  readonly timeoutRatio: number;
  readonly slowRatio?: number;
}

interface Drawing {
  readonly completed: number;
  readonly failed: number;
  readonly fastest: number;
  readonly latency: Measurement["service"];
  readonly points: Measurement["timeline"]["points"];
  readonly perSecond: Measurement["perSecond"];
  readonly histogram: string;
}

const kept = new Map<string, { readonly drawing: Drawing; readonly after: number }>();

/** The caller's own, to change as it likes. */
export function drawMeasurement(spec: DrawnSpec, random: Random): Drawing {
  const { medianMs, connections, duration, warmUp, timeoutRatio, slowRatio } = spec;
  const given = [medianMs, connections, duration, warmUp, timeoutRatio, slowRatio];
  const key = [random.state, ...given].join();
  const known = kept.get(key) ?? { drawing: drawAnew(spec, random), after: random.state };
  kept.set(key, known);
  random.state = known.after;
  return structuredClone(known.drawing);
}

function drawAnew(spec: DrawnSpec, random: Random): Drawing {
  const intervals = intervalsOf(spec, random);
  const whole = new Histogram();
  for (const { histogram } of intervals) whole.addSparse(histogram);
  const fastest = whole.minUs / 1_000;
  for (let i = 0; i < spec.connections; i++) whole.record(random() * spec.medianMs * 1_000);
  return {
    completed: sum(intervals, ({ completed }) => completed),
    failed: sum(intervals, ({ failed }) => failed),
    fastest,
    latency: distributionOf(whole),
    points: intervals.map(({ point }) => point),
    perSecond: {
      requests: spreadOf(intervals, ({ completed }) => completed),
      bytes: spreadOf(intervals, ({ completed }) => completed * ANSWER_BYTES),
    },
    histogram: encodeHistogram(whole.toSparse()),
  };
}

function intervalsOf(spec: DrawnSpec, random: Random): Interval[] {
  const { connections, duration, timeoutRatio, warmUp, medianMs, slowRatio } = spec;
  const speed = 0.97 + random() * 0.06;
  return Array.from({ length: Math.ceil(duration / INTERVAL_S) }, (_, i) =>
    drawInterval({
      timeoutRatio,
      random,
      slowRatio,
      medianMs: medianMs / speed * (1 + (warmUp - 1) * Math.exp(-i / 1.5)),
      connections,
      end: (i + 1) * INTERVAL_S,
    }));
}
