/** Arbitrary tellings of workers, for tests of what goes between agents and coordinators. */
import fc from "fast-check";
import type { Health, WorkerReport } from "../../runner/load/worker/messages.ts";
import type { IntervalPart } from "../../runner/load/recording/intervals.ts";
import { STATUS_CODES } from "../../runner/load/recording/recorder.ts";
import { MAX_REASONS } from "../../runner/load/recording/totals.ts";
import { SLOWEST } from "../../runner/load/recording/slowest.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import { SLOW_OUTCOMES } from "../../runner/result/distribution.ts";
import {
  addSparse,
  Histogram,
  type SparseHistogram,
} from "../../runner/stats/histogram/histogram.ts";
import { HIGHEST_US } from "../../runner/stats/histogram/histogram_counts.ts";
import { anySign } from "../for_all.ts";

/** Of records as programs write them: `Object.prototype` above them. */
function plain<Fields>(
  fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> },
): fc.Arbitrary<Fields> {
  return fc.record(fields, { noNullPrototype: true });
}

const count = fc.oneof(fc.nat(), fc.maxSafeNat());
const us = fc.double({ min: 0, max: 1e12, noNaN: true }).map((us) => us + 0); // never −0
const errors = fc.array(count, { minLength: ERRORS.length, maxLength: ERRORS.length });

/** Of values over the whole range, some of them counted up to 2⁴³ times. */
export const histogram: fc.Arbitrary<SparseHistogram> = fc.tuple(
  fc.array(fc.oneof(fc.nat(5_000), fc.nat(HIGHEST_US + 1_000)), { maxLength: 60 }),
  fc.nat(43),
).map(([values, doublings]) => {
  const recorded = new Histogram();
  for (const value of values) recorded.record(value);
  for (let i = 0; i < doublings; i++) recorded.addSparse(recorded.toSparse());
  recorded.record(values[0] ?? 1);
  return values.length === 0 ? new Histogram().toSparse() : recorded.toSparse();
});

interface Bounded {
  readonly all: SparseHistogram;
  readonly censored: SparseHistogram;
}

/** With some of its values as lower bounds. */
const bounded: fc.Arbitrary<Bounded> = fc.tuple(histogram, histogram).map(([ended, censored]) => ({
  all: addSparse(ended, censored),
  censored,
}));

export const part: fc.Arbitrary<IntervalPart> = plain({
  index: fc.nat(8_640_000),
  completed: count,
  failed: count,
  errors: fc.option(errors),
  wrong: count,
  bytesIn: count,
  secondCompleted: fc.array(count, { maxLength: 61 }),
  secondBytes: fc.array(count, { maxLength: 61 }),
  times: bounded,
}).map(({ times: { all, censored }, ...counts }) => ({ ...counts, latency: all, censored }));

export const health: fc.Arbitrary<Health> = plain({ cpuRatio: us, lateUs: us });

const text = (most: number): fc.Arbitrary<string> =>
  fc.string({ unit: anySign, maxLength: most / 2 });

const slow = plain({
  latencyUs: us,
  dueUs: us,
  sentUs: fc.oneof(us, fc.constant(-1)),
  doneUs: us,
  slot: fc.nat(),
  outcome: fc.constantFrom(...SLOW_OUTCOMES),
  status: fc.nat(STATUS_CODES - 1),
  request: fc.option(text(2_000)),
});

const status = fc.array(fc.tuple(fc.nat(STATUS_CODES - 1), count)).map((pairs) => {
  const status = new Float64Array(STATUS_CODES);
  for (const [code, completed] of pairs) status[code] = completed;
  return status;
});

const totals = plain({
  due: count,
  completed: count,
  failed: count,
  unfinished: count,
  dropped: count,
  censored: count,
  drain: plain({ us, completed: count, failed: count, bytesIn: count }),
  checksPassed: count,
  checksFailed: count,
  reconnects: count,
  unsolicited: count,
  bytesIn: count,
  bytesOut: count,
  status,
  errors: errors.map((counts) => Float64Array.from(counts)),
  reasons: fc.uniqueArray(fc.tuple(text(500), count), {
    maxLength: MAX_REASONS + 1,
    selector: ([reason]) => reason,
  }).map((pairs) => new Map(pairs)),
  times: bounded,
  firstByte: histogram,
  connect: histogram,
  lag: histogram,
  fastestUs: fc.oneof(us, fc.constant(Infinity)),
  slowest: fc.array(slow, { maxLength: SLOWEST }),
  tail: fc.array(fc.tuple(us, us), { maxLength: 20 }).map((pairs) => ({
    dueUs: Float64Array.from(pairs, ([due]) => due),
    latencyUs: Float64Array.from(pairs, ([, latency]) => latency),
  })),
  lastUs: us,
  steps: fc.array(
    plain({
      completed: count,
      failed: count,
      unfinished: count,
      dropped: count,
      wrong: count,
      classes: fc.array(count, { minLength: 9, maxLength: 9 }),
      errors,
      seconds: plain({ everyS: fc.constantFrom(1, 2, 64), counts: fc.array(count) }),
      times: bounded,
    }).map(({ times: { all, censored }, ...counts }) => ({ ...counts, latency: all, censored })),
    { maxLength: 3 },
  ),
  groups: fc.uniqueArray(
    fc.tuple(fc.constantFrom("1xx", "3xx", "5xx", "instance 7", "cache hit"), histogram),
    { selector: ([group]) => group },
  ).map((pairs) => new Map(pairs)),
}).map(({ times: { all, censored }, ...counts }) => ({
  ...counts,
  service: all,
  serviceCensored: censored,
}));

export const report: fc.Arbitrary<WorkerReport> = plain({
  totals,
  sessions: plain({
    ...{ created: count, completed: count, failed: count, length: histogram },
    ...{ places: count, mostOfPlace: count },
  }),
  elapsedUs: us,
  time: plain({ cpuUs: us, waitedUs: fc.option(us) }),
  spunUs: us,
  busyPeriods: histogram,
  timerUs: us,
});
