/** The options of a k6 script → a load here. What has no equal is a problem at its path. */
import * as z from "zod";
import { durationText } from "../../base/quantity.ts";
import { type K6Thresholds, k6Thresholds } from "./k6_thresholds.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Of rates here. */
const UNITS = { s: MS.s, m: MS.m, h: MS.h };

/** `1m30s`, as k6 has it; becomes milliseconds. */
const length = z.string().regex(/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/, {
  error: ({ input }) => `Cannot read ${quotedOpenly(input)} as a time: write 30s or 1m30s`,
}).transform((text) =>
  [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[hms])/g)]
    .reduce((sum, [, number, unit]) => sum + Number(number) * MS[unit as keyof typeof MS], 0)
);

const count = z.int().min(1);
const stages = z.array(z.strictObject({ duration: length, target: z.number().min(0) })).min(1);
const shared = {
  exec: z.string().optional(),
  gracefulStop: z.unknown().optional(),
  tags: z.unknown().optional(),
};
const arriving = {
  ...shared,
  timeUnit: length.prefault("1s"),
  preAllocatedVUs: count,
  maxVUs: count.optional(),
};

const userStages = z.array(z.strictObject({ duration: length, target: z.int().min(0) })).min(1);

const executor = z.discriminatedUnion("executor", [
  z.strictObject({
    executor: z.literal("constant-vus"),
    ...shared,
    vus: count.default(1),
    duration: length,
  }),
  z.strictObject({
    executor: z.literal("ramping-vus"),
    ...shared,
    startVUs: z.int().min(0).default(1),
    stages: userStages,
    gracefulRampDown: z.unknown().optional(),
  }),
  z.strictObject({
    executor: z.literal("constant-arrival-rate"),
    ...arriving,
    rate: z.number().positive(),
    duration: length,
  }),
  z.strictObject({
    executor: z.literal("ramping-arrival-rate"),
    ...arriving,
    startRate: z.number().min(0).default(0),
    stages,
  }),
]);

type Executor = z.output<typeof executor>;

/** Options that change nothing of what is sent. */
const NEUTRAL = [
  "tags",
  "summaryTrendStats",
  "summaryTimeUnit",
  "systemTags",
  "noUsageReport",
];

export const optionsSpec = z.strictObject({
  vus: count.optional(),
  duration: length.optional(),
  stages: userStages.optional(),
  scenarios: z.record(z.string(), executor).refine(
    (given) => Object.keys(given).length === 1,
    "Cannot take over several scenarios: k6 runs them at the same time, and here one follows the other",
  ).optional(),
  thresholds: k6Thresholds.default({}),
  ...Object.fromEntries(NEUTRAL.map((key) => [key, z.unknown().optional()])),
}).refine(({ duration, scenarios, stages }) => duration ?? scenarios ?? stages, {
  error: "Cannot take over a load without an end: write duration",
}).refine(
  ({ duration, scenarios, stages }) =>
    [duration, scenarios, stages].filter((given) => given !== undefined).length < 2,
  {
    error: "Cannot take over several of duration, stages and scenarios: k6 takes one of them",
  },
);

export interface K6Load {
  readonly scenario: string;
  /** The exported function that it runs. */
  readonly exec: string;
  readonly load: object;
  readonly limits: K6Thresholds;
  /** What is different here. */
  readonly notes: readonly string[];
}

export function loadIn(
  { vus = 1, duration = 0, stages, scenarios, thresholds: limits }: z.output<typeof optionsSpec>,
): K6Load {
  const plain: Executor = stages === undefined
    ? { executor: "constant-vus", vus, duration }
    : { executor: "ramping-vus", startVUs: vus, stages };
  const [[scenario, given]] = Object.entries<Executor>(scenarios ?? { default: plain });
  const load = { ...loadFrom(given), timeout: "60s" };
  return { scenario, exec: given.exec ?? "default", load, limits, notes: notesOf(given) };
}

function notesOf({ executor }: Executor): string[] {
  return [
    ...executor.endsWith("-vus") ? [ENDED] : ARRIVING,
    ...executor === "ramping-vus" ? [LEAVING] : [],
  ];
}

const ARRIVING = [
  "k6 drops iterations for which no virtual user is free; here they wait",
  "k6 times from the moment of sending; here latency counts from the moment that was due",
];
const ENDED =
  "at the end k6 waits for iterations under way (gracefulStop); here nothing more is sent then, " +
  "and requests in flight are waited for";
const LEAVING =
  "k6 ends what a virtual user does who should have left for longer than gracefulRampDown; " +
  "here every iteration that has begun goes on to its end";

function loadFrom(given: Executor): object {
  if (given.executor === "constant-vus") {
    return { connections: given.vus, duration: durationText(given.duration) };
  }
  if (given.executor === "ramping-vus") return { stages: stagesOf(given) };
  const unit = Object.entries(UNITS).find(([, ms]) => ms === given.timeUnit)?.[0];
  const rate = (perUnit: number): string =>
    unit === undefined ? `${perUnit * 1_000 / given.timeUnit}/s` : `${perUnit}/${unit}`;
  const connections = given.maxVUs ?? given.preAllocatedVUs;
  if (given.executor === "constant-arrival-rate") {
    const phases = [{ duration: durationText(given.duration), arrivals: rate(given.rate) }];
    return { phases, connections, pool: "shared" };
  }
  const phases = rampsOf(given.startRate, given.stages).map(({ durationMs, from, to }) => ({
    duration: durationText(durationMs),
    arrivals: rate(from),
    rampTo: rate(to),
  }));
  return { phases, connections, pool: "shared" };
}

function stagesOf({ startVUs, stages }: Executor & { executor: "ramping-vus" }): object[] {
  return rampsOf(startVUs, stages).map(({ durationMs, from, to }) => ({
    duration: durationText(durationMs),
    connections: from,
    ...to !== from && { rampTo: to },
  }));
}

interface K6Ramp {
  readonly durationMs: number;
  readonly from: number;
  readonly to: number;
}

/** A stage without a duration is a jump, to where the next one begins. */
function rampsOf(
  start: number,
  stages: readonly { readonly duration: number; readonly target: number }[],
): K6Ramp[] {
  return stages.flatMap(({ duration, target }, at) => {
    const from = at === 0 ? start : stages[at - 1].target;
    return duration === 0 ? [] : [{ durationMs: duration, from, to: target }];
  });
}
