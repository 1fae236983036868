/** The options of a k6 script → a load here. What has no equal is a problem at its path. */
import * as z from "zod";
import { durationText } from "../../base/quantity.ts";

const MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Of rates here. */
const UNITS = { s: MS.s, m: MS.m, h: MS.h };

/** `1m30s`, as k6 has it; becomes milliseconds. */
const length = z.string().regex(/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/, {
  error: ({ input }) => `Cannot read ${JSON.stringify(input)} as a time: write 30s or 1m30s`,
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

const RAMPED =
  "Cannot take over virtual users that ramp up or down: here their number is constant; " +
  "write constant-vus, or ramping-arrival-rate";

const executor = z.discriminatedUnion("executor", [
  z.strictObject({
    executor: z.literal("constant-vus"),
    ...shared,
    vus: count.default(1),
    duration: length,
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
  "thresholds",
  "tags",
  "summaryTrendStats",
  "summaryTimeUnit",
  "systemTags",
  "noUsageReport",
];

export const optionsSpec = z.strictObject({
  vus: count.optional(),
  duration: length.optional(),
  stages: z.unknown().refine((given) => given === undefined, RAMPED).optional(),
  scenarios: z.record(z.string(), executor).refine(
    (given) => Object.keys(given).length === 1,
    "Cannot take over several scenarios: k6 runs them at the same time, and here one follows the other",
  ).optional(),
  ...Object.fromEntries(NEUTRAL.map((key) => [key, z.unknown().optional()])),
}).refine(({ duration, scenarios, stages }) => duration ?? scenarios ?? stages, {
  error: "Cannot take over a load without an end: write duration",
});

export interface K6Load {
  readonly scenario: string;
  /** The exported function that it runs. */
  readonly exec: string;
  readonly load: object;
}

export function loadIn({ vus = 1, duration = 0, scenarios }: z.output<typeof optionsSpec>): K6Load {
  const [[scenario, given]] = Object.entries<Executor>(
    scenarios ??
      { default: { executor: "constant-vus", vus, duration } },
  );
  return { scenario, exec: given.exec ?? "default", load: { ...loadFrom(given), timeout: "60s" } };
}

function loadFrom(given: Executor): object {
  if (given.executor === "constant-vus") {
    return { connections: given.vus, duration: durationText(given.duration) };
  }
  const unit = Object.entries(UNITS).find(([, ms]) => ms === given.timeUnit)?.[0];
  const rate = (perUnit: number): string =>
    unit === undefined ? `${perUnit * 1_000 / given.timeUnit}/s` : `${perUnit}/${unit}`;
  const connections = given.maxVUs ?? given.preAllocatedVUs;
  if (given.executor === "constant-arrival-rate") {
    const phases = [{ duration: durationText(given.duration), arrivals: rate(given.rate) }];
    return { phases, connections, pool: "shared" };
  }
  let from = given.startRate;
  const phases = given.stages.flatMap(({ duration, target }) => {
    const phase = { duration: durationText(duration), arrivals: rate(from), rampTo: rate(target) };
    from = target;
    return duration === 0 ? [] : [phase];
  });
  return { phases, connections, pool: "shared" };
}
