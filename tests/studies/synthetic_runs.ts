/** Runs whose figures are as wanted, for any figure that a claim may name. */
import assert from "node:assert/strict";
import type { Measurement, Run } from "../../runner/result/result.ts";
import { encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import { resultsFixture } from "../report/fixture.ts";
import { distributionOf, INTERVAL_S } from "../report/intervals.ts";
import { STREAMS } from "../report/message_figures.ts";

/** Figures in the unit of the results, by name; `warmup` is the label of a run. */
export type Wanted = Readonly<Record<string, number | string>>;

export type Place = Pick<Run, "target" | "scenario" | "parameters">;

/** Long enough for a settling time of eight seconds, where one is wanted. */
const INTERVALS = { settling: 48, other: 8 };
/** Of each interval. */
const REQUESTS = 200;
/** Runs differ a little, or there would be no interval to judge by. */
const NOISE = [0.999, 1.0004, 1, 0.9996, 1.001];
const WHATEVER_MS = 20;

const templates = Object.fromEntries(
  Object.entries(INTERVALS).map(([kind, intervals]) => {
    const duration = intervals * INTERVAL_S;
    const { runs } = resultsFixture({
      cells: [{ target: "t", scenario: "s", medianMs: 20, duration }],
    });
    return [kind, runs[0]];
  }),
);

/** @param count How many runs. */
export function runsOf(place: Place, wanted: Wanted, count: number): Run[] {
  const isSettling = Object.keys(wanted).some((name) => name.startsWith("stable"));
  const template = templates[isSettling ? "settling" : "other"];
  return Array.from({ length: count }, (_, i) => {
    const run: Run = { ...structuredClone(template), ...place, repetition: i + 1, order: i + 1 };
    run.latency.censored = 0;
    run.requests = { ...run.requests, failed: 0, unfinished: 0 };
    const noisy = Object.fromEntries(
      Object.entries(wanted).map(([figure, value]) => [figure, jittered(figure, value, i)]),
    );
    setLatencies(run, noisy);
    for (const [figure, value] of Object.entries(noisy)) setterOf(figure)(run, Number(value));
    run.statusLatency = statusLatencyOf(run, noisy);
    if ("rate" in noisy) setRate(run, Number(noisy.rate));
    return run;
  });
}

const SHARES = /^(?:success|errors|[2-5]xx|machine\.cpu|hitRatio)$/;

/** Counts, labels, settling times and whole shares stay as they are. */
function jittered(figure: string, value: number | string, i: number): number | string {
  const isWhole = /^(?:over|stable|warmup)/.test(figure) || value === 0 || value === 1;
  if (typeof value === "string" || isWhole) return value;
  const noise = NOISE[i % NOISE.length];
  return SHARES.test(figure) ? 1 - (1 - value) * noise : value * noise;
}

/** Milliseconds, and how many requests of an interval took so long. */
type Sample = readonly [ms: number, count: number];

/** Of figures of latency; every interval is alike but for a settling time. */
function setLatencies(run: Run, wanted: Wanted): void {
  const whole = new Histogram();
  const [slow, settledMs] = [overOf(wanted), settlingOf(wanted)];
  const made = new Map<string, Interval>();
  run.timeline.points = run.timeline.points.map((point, i) => {
    const samples = i === 0 && slow !== null
      ? slow
      : samplesOf(inInterval(wanted, point.endS)).map(([ms, count]): Sample => [
        point.endS * 1_000 <= settledMs ? ms * 10 : ms,
        count,
      ]);
    const key = JSON.stringify(samples);
    const interval = made.get(key) ?? intervalOf(samples);
    made.set(key, interval);
    whole.add(interval.part);
    return { ...point, ...interval.figures };
  });
  const times = distributionOf(whole);
  run.latency = { ...times, clock: "sent", censored: 0, fastest: times.min };
  Object.assign(run, { service: times, firstByte: times, connect: times });
  run.histogram = encodeHistogram(whole.toSparse());
  run.requests.completed = run.requests.due = whole.count;
  run.status = { "200": whole.count };
  run.checks = { passed: whole.count, failed: 0 };
}

/** What a run begins with is of its first half second, where it ends of the others. */
function inInterval({ initial, final, ...others }: Wanted, endS: number): Wanted {
  const ms = endS <= 0.5 ? initial ?? final : final ?? initial;
  return ms === undefined ? others : { final: ms, ...others };
}

type Point = Run["timeline"]["points"][number];

interface Interval {
  readonly part: Histogram;
  readonly figures: Partial<Point>;
}

function intervalOf(samples: readonly Sample[]): Interval {
  const part = new Histogram();
  for (const [ms, count] of samples) {
    for (let n = 0; n < count; n++) part.record(ms * 1_000);
  }
  const { percentiles, max } = distributionOf(part);
  const { "50": p50, "75": p75, "90": p90, "99": p99 } = percentiles;
  const histogram = encodeHistogram(part.toSparse());
  return {
    part,
    figures: { completed: part.count, failed: 0, p50, p75, p90, p99, max, histogram },
  };
}

function settlingOf(wanted: Wanted): number {
  const [, value = 0] = Object.entries(wanted).find(([name]) => /^stable/.test(name)) ?? [];
  return Number(value);
}

/** Of the first interval: what is slower than the limit of `over.…`; null where nothing is asked of it. */
function overOf(wanted: Wanted): readonly Sample[] | null {
  const [name, count] = Object.entries(wanted).find(([name]) => /^over/.test(name)) ?? [];
  if (name === undefined) return null;
  return [[5_000, Number(count)], [1, REQUESTS]];
}

const LATENCY = /^(?:(?:service|firstByte|[2-5]xx)\.)?(?:min|mean|max|p[\d.]+)$|^(?:initial|final)/;

function samplesOf(wanted: Wanted): readonly Sample[] {
  if ("stdev" in wanted) {
    const stdev = Number(wanted.stdev);
    return [[5 * stdev, REQUESTS / 2], [7 * stdev, REQUESTS / 2]];
  }
  const [first, ...others] = Object.entries(wanted).filter(([name]) => LATENCY.test(name));
  if (first === undefined) return [[Object.keys(wanted).some(isOver) ? 1 : WHATEVER_MS, REQUESTS]];
  if (others.length === 0) return [[Number(first[1]), REQUESTS]];
  return medianAndMean(wanted);
}

function isOver(name: string): boolean {
  return name.startsWith("over");
}

/** The only two figures of latency that one cell was asked of at once. */
function medianAndMean(wanted: Wanted): readonly Sample[] {
  assert.deepEqual(Object.keys(wanted).sort(), ["mean", "p50"]);
  const [p50, mean] = [Number(wanted.p50), Number(wanted.mean)];
  const middle = REQUESTS * 0.55;
  return [[p50, middle], [
    (mean * REQUESTS - p50 * middle) / (REQUESTS - middle),
    REQUESTS - middle,
  ]];
}

/** Whole requests by the end of each interval, so that few of them are no other rate. */
function setRate(run: Run, rate: number): void {
  const due = (endS: number): number => Math.round(rate * endS);
  for (const point of run.timeline.points) {
    point.completed = due(point.endS) - due(point.endS - INTERVAL_S);
  }
  run.rate = rate;
  run.requests.completed = run.requests.due = due(run.elapsedS);
}

type Setter = (run: Run, value: number) => void;

const DONE_ELSEWHERE: Setter = () => {};

/** Of figures other than latency. */
const SETTERS: Readonly<Record<string, Setter>> = {
  rate: DONE_ELSEWHERE,
  success: (run, value) => setChecks(run, value),
  errors: (run, value) => setChecks(run, 1 - value),
  cpu: ({ resources }, value) => resources.forEach((point) => point.cpu = value),
  "machine.cpu": ({ generator }, value) => generator.hostActivity.busy = Math.min(1, value),
  memory: ({ resources }, value) => resources.forEach((point) => point.memory = Math.round(value)),
  size: (run, value) => run.bytes.in = Math.round(value * run.requests.completed),
  unfinished: (run, value) => run.requests.unfinished = Math.round(value),
  elapsed: (run, value) => run.elapsedS = value / 1_000,
  eventsPerSec: (run, value) => run.streams = { ...STREAMS, eventsPerSec: value },
  "connect.min": (run, value) => run.connect.min = value,
  read: (run, value) => run.bytes.in = Math.round(value),
  bytes: (run, value) => run.bytes.inPerSecond = value,
  startUp: (run, value) => run.startUp = value,
  stdev: DONE_ELSEWHERE,
  hitRatio: (run, value) => run.cache = cacheOf(run, value),
  imbalance: (run, value) => run.instances = instancesOf(run, value),
};

function setterOf(figure: string): Setter {
  if (LATENCY.test(figure) || /^(?:over|stable)/.test(figure)) return DONE_ELSEWHERE;
  if (figure === "warmup") return DONE_ELSEWHERE;
  if (/^[2-5]xx$/.test(figure)) return (run, value) => setStatus(run, `${figure[0]}00`, value);
  const setter = SETTERS[figure];
  assert.ok(setter, `No run can be made with a given ${figure}: write here how`);
  return setter;
}

function setChecks(run: Run, success: number): void {
  const { completed } = run.requests;
  const passed = Math.round(completed * success);
  run.checks = { passed, failed: completed - passed };
}

function setStatus(run: Run, status: string, share: number): void {
  const { completed } = run.requests;
  const count = Math.round(completed * share);
  const other = status === "200" ? "404" : "200";
  run.status = { [status]: count, ...(count < completed && { [other]: completed - count }) };
}

/** Every response is of the class whose latency is wanted. */
function statusLatencyOf(run: Run, wanted: Wanted): Run["statusLatency"] {
  const [of] = Object.keys(wanted).flatMap((name) => /^([2-5]xx)\./.exec(name)?.[1] ?? []);
  if (of === undefined) return undefined;
  return { [of]: { latency: ofCount(run, run.latency.count), histogram: run.histogram } };
}

function ofCount({ latency }: Run, count: number): Measurement["service"] {
  const { min, mean, stdev, max, percentiles } = latency;
  return { count, min, mean, stdev, max, percentiles };
}

function cacheOf(run: Run, hitRatio: number): Run["cache"] {
  const hits = Math.round(10_000 * hitRatio);
  const counted = (count: number) => ({ latency: ofCount(run, count), histogram: run.histogram });
  return { hit: counted(hits), miss: counted(10_000 - hits) };
}

/** Two: the busier has so much more than their mean. */
function instancesOf(run: Run, imbalance: number): Run["instances"] {
  return [1 + imbalance, 1 - imbalance].map((times, i) => ({
    instance: i + 1,
    latency: ofCount(run, Math.round(1_000 * times)),
    histogram: run.histogram,
  }));
}
