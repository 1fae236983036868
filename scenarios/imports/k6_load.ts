/** Converts the options of a k6 script to a load. Each option without an equivalent is reported with its path. */
import * as z from "zod";
import { quotedOpenly } from "../../base/secrets.ts";
import { durationText } from "../../base/quantity.ts";
import { arriving } from "./format/arriving.ts";
import { MOST_HOPS } from "../request/follow.ts";
import { type K6Thresholds, k6Thresholds } from "./k6_thresholds.ts";

const MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Units of rates, in milliseconds. */
const UNITS = { s: MS.s, m: MS.m, h: MS.h };

/** A duration in k6's form, which is a text such as `1m30s` or a number of milliseconds. Becomes milliseconds. */
export const length = z.union([
  z.number().min(0),
  z.string().regex(/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/, {
    error: ({ input }) => `Cannot read ${quotedOpenly(input)} as a time: write 30s or 1m30s`,
  }).transform((text) =>
    [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)]
      .reduce((sum, [, number, unit]) => sum + Number(number) * MS[unit as keyof typeof MS], 0)
  ),
]);

const count = z.int().min(1);
const stages = z.array(z.strictObject({ duration: length, target: z.number().min(0) })).min(1);
const shared = {
  exec: z.string().optional(),
  env: z.record(z.string(), z.unknown()).optional(),
  startTime: z.unknown().optional(),
  gracefulStop: z.unknown().optional(),
  tags: z.unknown().optional(),
};
const arrivalFields = {
  ...shared,
  timeUnit: length.prefault("1s"),
  preAllocatedVUs: count,
  maxVUs: count.optional(),
};

const userStages = z.array(z.strictObject({ duration: length, target: z.int().min(0) })).min(1);

const UNEVEN =
  "Cannot share these iterations evenly among the virtual users: write a multiple of vus";

const iterating = z.strictObject({
  executor: z.enum(["shared-iterations", "per-vu-iterations"]),
  ...shared,
  vus: count.default(1),
  iterations: count.default(1),
  maxDuration: z.unknown().optional(),
}).refine(
  ({ executor, vus, iterations }) => executor !== "shared-iterations" || iterations % vus === 0,
  { path: ["iterations"], error: UNEVEN },
);

const executor = z.discriminatedUnion("executor", [
  iterating,
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
    ...arrivalFields,
    rate: z.number().positive(),
    duration: length,
  }),
  z.strictObject({
    executor: z.literal("ramping-arrival-rate"),
    ...arrivalFields,
    startRate: z.number().min(0).default(0),
    stages,
  }),
]);

type Executor = z.output<typeof executor>;

/** Options that are ignored, because they do not affect what is sent. */
const NEUTRAL = [
  ...["tags", "systemTags", "summaryTrendStats", "summaryTimeUnit", "noUsageReport", "noSummary"],
  ...["discardResponseBodies", "setupTimeout", "teardownTimeout", "batch", "batchPerHost"],
  ...["ext", "cloud", "httpDebug", "linger", "throw"],
];

/** Options that are not supported, so a script may only switch them off. */
const OFF = ["noVUConnectionReuse", "noCookiesReset", "noThresholds", "paused"];

export const optionsSpec = z.strictObject({
  vus: count.optional(),
  duration: length.optional(),
  iterations: count.optional(),
  stages: userStages.optional(),
  scenarios: z.record(z.string(), executor).refine(
    (given) => Object.keys(given).length === 1,
    "Cannot convert several scenarios: k6 runs them at the same time, Plateau one after another",
  ).optional(),
  maxRedirects: z.int().min(0).max(MOST_HOPS).default(10),
  insecureSkipTLSVerify: z.boolean().default(false),
  noConnectionReuse: z.boolean().default(false),
  userAgent: z.string().optional(),
  thresholds: k6Thresholds.default({}),
  ...Object.fromEntries(NEUTRAL.map((key) => [key, z.unknown().optional()])),
  ...Object.fromEntries(OFF.map((key) => [key, z.literal(false).optional()])),
}).refine(
  ({ duration, iterations, scenarios, stages }) =>
    [duration ?? iterations, scenarios, stages].filter((given) => given !== undefined).length < 2,
  {
    error:
      "Cannot convert more than one of duration, stages and scenarios: k6 uses only one of them",
  },
).refine(({ duration, iterations }) => duration === undefined || iterations === undefined, {
  error:
    "Cannot convert both duration and iterations: k6 ends at whichever comes first; write one of them",
}).refine(({ iterations, vus = 1 }) => iterations === undefined || iterations % vus === 0, {
  path: ["iterations"],
  error: UNEVEN,
});

export interface K6Load {
  readonly scenario: string;
  /** Name of the k6 scenario's counterpart in Plateau. */
  readonly ownScenario: string;
  /** Name of the exported function that runs in each iteration. */
  readonly exec: string;
  readonly load: object;
  /**
   * Number of iterations in the flow: all those of a virtual user if k6 gives it a number of iterations, otherwise 1.
   */
  readonly rounds: number;
  readonly limits: K6Thresholds;
  /** Differences from k6, as sentences without full stops. */
  readonly notes: readonly string[];
  /** Environment variables that the k6 scenario sets. */
  readonly env?: Readonly<Record<string, unknown>>;
  /** The most redirects that a request follows. */
  readonly maxRedirects: number;
  readonly insecure: boolean;
  readonly userAgent?: string;
}

/** The load of a script without options, which k6 runs once. */
export const ONCE: Omit<K6Load, "limits"> = {
  ...{ scenario: "default", ownScenario: "default", exec: "default", load: {}, notes: [] },
  ...{ rounds: 1, maxRedirects: 10, insecure: false },
};

export function loadIn(options: z.output<typeof optionsSpec>): Omit<K6Load, "ownScenario"> {
  const { scenarios, thresholds: limits, maxRedirects, userAgent } = options;
  const [[scenario, given]] = Object.entries<Executor>(scenarios ?? { default: plain(options) });
  const keepAlive = options.noConnectionReuse ? { keepAlive: false } : {};
  return {
    ...{ scenario, exec: given.exec ?? "default", limits, maxRedirects, userAgent },
    rounds: roundsOf(given),
    load: { ...loadFrom(given), ...keepAlive },
    insecure: options.insecureSkipTLSVerify,
    env: given.env,
    notes: notesOf(given, options),
  };
}

function roundsOf(given: Executor): number {
  if (!("iterations" in given)) return 1;
  return given.executor === "per-vu-iterations" ? given.iterations : given.iterations / given.vus;
}

function plain({ vus = 1, duration, iterations, stages }: z.output<typeof optionsSpec>): Executor {
  if (stages !== undefined) return { executor: "ramping-vus", startVUs: vus, stages };
  if (duration !== undefined) return { executor: "constant-vus", vus, duration };
  return iterations === undefined
    ? { executor: "per-vu-iterations", vus: 1, iterations: 1 }
    : { executor: "shared-iterations", vus, iterations };
}

function notesOf(
  given: Executor,
  { duration, iterations, stages, scenarios }: z.output<typeof optionsSpec>,
): string[] {
  const { executor, startTime } = given;
  const isNothing = [duration, iterations, stages, scenarios].every((one) => one === undefined);
  return [
    ...isNothing
      ? ["the script sets no load: k6 runs it once, unless its command line says otherwise"]
      : [],
    ...startTime === undefined ? [] : ["the load begins at once, without its startTime"],
    ...executor.endsWith("-vus") ? [ENDED] : executor.endsWith("-rate") ? ARRIVING : COUNTED,
    ...roundsOf(given) > 1 ? [SEVERAL] : [],
    ...executor === "shared-iterations" && given.vus > 1 ? [SHARED] : [],
    ...executor === "ramping-vus" ? [LEAVING] : [],
  ];
}

const COUNTED = [
  "k6 ends iterations after maxDuration (10m unless set); here each virtual user completes all of its own",
  "latency counts from the moment when a virtual user was due to begin",
];
const SHARED =
  "k6's virtual users share iterations, so that a fast one runs more of them; here all run equally many";
const SEVERAL =
  "k6 empties the cookie jar in each iteration, and goes on after a response that fails a check; here a virtual user " +
  "keeps its cookies from iteration to iteration, and ends at such a response";
const ARRIVING = [
  "k6 drops iterations for which no virtual user is free; here they wait",
  "k6 times from the send; here latency counts from the moment when the request was due",
];
const ENDED =
  "at the end k6 waits for iterations under way (gracefulStop); here nothing more is sent then, " +
  "and requests in flight are waited for";
const LEAVING = "k6 ends a virtual user that is still busy after its gracefulRampDown; " +
  "here every iteration that has begun runs to its end";

function loadFrom(given: Executor): object {
  if (given.executor === "constant-vus") {
    return { connections: given.vus, duration: durationText(given.duration) };
  }
  if ("iterations" in given) return arriving(given.vus);
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

/**
 * Converts stages to ramps. A stage of duration 0 gets no ramp: the load jumps to its target, from where the next ramp
 * starts.
 */
function rampsOf(
  start: number,
  stages: readonly { readonly duration: number; readonly target: number }[],
): K6Ramp[] {
  return stages.flatMap(({ duration, target }, at) => {
    const from = at === 0 ? start : stages[at - 1].target;
    return duration === 0 ? [] : [{ durationMs: duration, from, to: target }];
  });
}
