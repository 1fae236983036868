/** Thresholds on measurements of which every latency is known. */
import assert from "node:assert/strict";
import { groupRuns } from "../../report/cells/cells.ts";
import { runAlone } from "../../report/cells/measured.ts";
import { gateOutcome } from "../../report/findings/threshold_sentences.ts";
import {
  type Gate,
  gatesOf,
  judgeTogether,
  measurementGates,
  type ThresholdOutcome,
} from "../../report/judge/thresholds.ts";
import type { Evidence } from "../../report/judge/rules.ts";
import type { Measurement, Results } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { parseThreshold, type Threshold } from "../../scenarios/claims/threshold.ts";
import { measurementFixture, resultsFixture } from "./fixture.ts";
import { distributionOf, randomFrom } from "./intervals.ts";

/** So many requests, of so many ms each. */
export type Times = readonly (readonly [count: number, ms: number])[];

const BASE = measurementFixture({ target: "a", scenario: "s", medianMs: 5, duration: 1 });

export function thresholdsOf(...texts: string[]): Threshold[] {
  return texts.map((text) => {
    const parsed = parseThreshold(text);
    assert.ok("threshold" in parsed, JSON.stringify(parsed));
    return parsed.threshold;
  });
}

/** Ten seconds. */
const INTERVALS = 40;

/**
 * Requests at moments that do not depend on each other.
 *
 * @param wrong Of those that ended. @param failed Beside them, which have no latency.
 */
function timelineOf(
  times: Times,
  { wrong = 0, failed = 0 }: { readonly wrong?: number; readonly failed?: number } = {},
): Measurement["timeline"] {
  const random = randomFrom(29);
  const drawn = Array.from({ length: INTERVALS }, () => new Histogram());
  const counts = drawn.map(() => ({ completed: 0, wrong: 0, failed: 0 }));
  const any = (): number => Math.floor(INTERVALS * random());
  for (const [count, ms] of times) {
    for (let i = 0; i < count; i++) {
      const at = any();
      drawn[at].record(ms * 1_000);
      counts[at].completed++;
    }
  }
  for (let i = 0; i < wrong; i++) counts[any()].wrong++;
  for (let i = 0; i < failed; i++) counts[any()].failed++;
  const points = drawn.map((histogram, i) => {
    const at = (percentile: number): number => histogram.valueAtPercentile(percentile) / 1_000;
    return {
      endS: (i + 1) * 0.25,
      ...counts[i],
      bytes: 0,
      ...{ p50: at(50), p75: at(75), p90: at(90), p99: at(99), max: histogram.maxUs / 1_000 },
      histogram: histogram.count === 0 ? "" : encodeHistogram(histogram.toSparse()),
    };
  });
  return { intervalS: 0.25, points };
}

/** @param bounds Requests that never ended, at the time they took so far. */
export function timed(ended: Times, bounds: Times = []): Measurement {
  const [all, censored] = [histogramOf([...ended, ...bounds]), histogramOf(bounds)];
  const completed = histogramOf(ended);
  const latency = distributionOf(all);
  const unfinished = censored.count;
  return {
    ...BASE,
    requests: {
      due: completed.count + unfinished,
      completed: completed.count,
      failed: 0,
      unfinished,
      dropped: 0,
    },
    status: { "200": completed.count },
    errors: {},
    checks: { passed: completed.count, failed: 0 },
    elapsedS: 10,
    timeline: timelineOf([...ended, ...bounds]),
    rate: 1_200,
    latency: {
      ...latency,
      clock: "sent",
      censored: unfinished,
      fastest: completed.count === 0 ? 0 : completed.minUs / 1_000,
    },
    service: latency,
    firstByte: distributionOf(completed),
    connect: distributionOf(completed),
    histogram: encodeHistogram(all.toSparse()),
    ...(unfinished > 0 && { censoredHistogram: encodeHistogram(censored.toSparse()) }),
  };
}

function histogramOf(times: Times): Histogram {
  const histogram = new Histogram();
  for (const [count, ms] of times) {
    for (let i = 0; i < count; i++) histogram.record(ms * 1_000);
  }
  return histogram;
}

/** So many right and wrong responses. */
export function answered(right: number, wrong: number, dropped = 0): Measurement {
  const completed = right + wrong;
  return {
    ...timed([[completed, 5]]),
    requests: { due: completed + dropped, completed, failed: 0, unfinished: 0, dropped },
    timeline: timelineOf([[completed, 5]], { wrong }),
    checks: { passed: right, failed: wrong },
  };
}

/** Measurements as the runs of one cell. */
export function repeated(...measurements: readonly Measurement[]): Results {
  const runs = measurements.map((measurement, i) => ({
    ...runAlone(measurement, ""),
    repetition: i + 1,
    order: i + 1,
  }));
  return { ...resultsFixture({ cells: [], state: "interrupted" }), runs };
}

type Judged = Gate & Pick<Evidence, "found" | "reason"> & { readonly outcome: ThresholdOutcome };

export function judgedOf(gate: Gate): Judged {
  return { ...gate, ...gate.evidence, outcome: gateOutcome(gate).outcome };
}

/** One threshold on one measurement. */
export function judge(
  text: string,
  measurement: Measurement,
  baseline: Results | null = null,
): Judged {
  return judgedOf(measurementGates(thresholdsOf(text), measurement, baseline)[0]);
}

/** A threshold on every cell of results, and with others: see `judgeTogether`. */
export function gatesIn(
  results: Results,
  text: string,
  baseline: Results | null = null,
): Judged[] {
  const gates = gatesOf(thresholdsOf(text), groupRuns(results), results, { baseline });
  return judgeTogether(gates).map(judgedOf);
}

/** `pass`, `fail`, or why it is inconclusive; where nothing could be judged, why that is. */
export function endOf({ outcome, found, reason }: Judged): string {
  return found.code === "absent" ? found.absences[0].code : reason?.code ?? outcome;
}
