/**
 * The load as people write it in the experiment file and as flags of `bench`. It is a closed loop with or without
 * stages, a constant rate, phases, or a search for the capacity; a `stages`, `rate`, `phases` or `capacity` key decides
 * which. A list of values makes a field a factor of the experiment.
 */
import { DEFAULT_INTERVAL_MS } from "../../base/intervals.ts";
import * as z from "zod";
import { AS_INPUT, unknownKeys } from "../../base/explain.ts";
import { beyond, isWithin, LIMITS, oneMoreThan } from "../../base/limits.ts";
import type { Phase } from "../pace/arrivals.ts";
import type { LoadStage } from "../pace/levels.ts";
import {
  countOfPartVariants,
  type PartsVariant,
  type PhaseFactors,
  phaseVariants,
  type StageFactors,
  stageVariants,
} from "./factors.ts";
import { between, msBetween, ratePerSec, ratePerSecOrNone } from "../../base/quantity.ts";
import { findingsOf } from "../../base/problems.ts";
import { factor, OPTION_KEYS, optionConflicts } from "../../base/load_options.ts";
import { checkAbortRules } from "./abort_rules.ts";
import { capacitySearch, shareOfCapacity } from "./capacity_shape.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const positive = z.int().min(1);

export const connections = positive.max(LIMITS.connections.most);
export const pipeline = positive.max(LIMITS.pipeline.most);
export const requests = positive.max(LIMITS.requests.most);
export const workers = positive.max(LIMITS.workers.most);

const DURATIONS = ["1ms", "24h"] as const;
export const duration = between(...DURATIONS);
export const durationMsSchema = msBetween(...DURATIONS);
/** The shortest and the longest interval of timelines. */
const INTERVALS = ["10ms", "1m"] as const;
export const DEFAULT_INTERVAL = `${DEFAULT_INTERVAL_MS}ms`;
export const interval = between(...INTERVALS);
export const intervalMs = msBetween(...INTERVALS);

export const MOST_PER_SEC = LIMITS.ratePerSec.most;
const TOO_MANY = `Cannot use this rate: the maximum is ${MOST_PER_SEC}/s`;
export const rate = ratePerSec.refine((perSec) => perSec <= MOST_PER_SEC, TOO_MANY);
const rateOrNone = ratePerSecOrNone.refine((perSec) => perSec <= MOST_PER_SEC, TOO_MANY);
export const arrivals = z.enum(["uniform", "poisson"]);
export const pool = z.enum(["own", "shared"]);

/** Milliseconds that a run lasts if it sets neither a duration nor a number of requests. */
export const DEFAULT_DURATION_MS = 10_000;
/** Default number of connections of a closed loop, or of a load with a constant rate. */
export const DEFAULT_CONNECTIONS = 50;
/** Default for the most concurrent virtual users of phases. */
export const DEFAULT_USERS = 10_000;

const commonFields = {
  workers: factor(workers).optional()
    .describe("Number of load workers; when absent, the number of cores decides"),
  ...OPTION_KEYS,
  abortOn: OPTION_KEYS.abortOn.superRefine((rules, context) =>
    checkAbortRules(rules?.flat(), context)
  ),
};

const arrivalFields = {
  arrivals: factor(arrivals).default(["uniform"])
    .describe("uniform: evenly spaced; poisson: random gaps, as between independent users"),
};

const WITH_PHASES = { pool: "it belongs to phases" };

/** For each kind of load, the keys and flags that belong to other kinds, with the reason why they conflict with it. */
export const LOAD_CONFLICTS = {
  closed: {
    ...WITH_PHASES,
    arrivals: "a closed loop has no arrivals; add rate or phases",
  },
  stages: {
    ...WITH_PHASES,
    connections: "each stage has its own connections; leave connections out",
    rate: "a rate and stages cannot be combined; leave one of them out",
    arrivals: "a closed loop has no arrivals; write connections in the stages",
    phases: "phases are about arrivals, stages about connections; leave one of them out",
    duration: "each stage has its own duration; leave duration out",
    requests: "stages end after their durations; leave requests out",
    pipeline: "in stages, each connection has one request in flight; leave pipeline out",
  },
  rate: {
    ...WITH_PHASES,
    requests: "a load with a rate ends after its duration; leave requests out",
    pipeline: "a load with a rate has one request in flight per connection; leave pipeline out",
  },
  phases: {
    rate: "each phase has its own arrivals; leave rate or phases out",
    duration: "each phase has its own duration; leave duration out",
    requests: "phases end after their durations; leave requests out",
    pipeline: "each virtual user has its own connection; leave pipeline out",
  },
  capacity: {
    ...WITH_PHASES,
    phases: "phases cannot be combined with the search for a capacity; leave one of them out",
    duration: "trial and budget limit the search; leave duration out",
    requests:
      "a search for a capacity ends when its interval is narrow enough or its budget is spent; leave requests out",
    abortOn: "a search ends hopeless trials by itself; leave abortOn out",
    pipeline:
      "a search for a capacity sends at a rate, with one request in flight per connection; leave pipeline out",
  },
} as const;

/** Each connection sends its next request when the last response is complete. */
const closed = z.strictObject({
  connections: factor(connections).default([DEFAULT_CONNECTIONS]).describe(
    "Connections in total",
  ),
  duration: factor(duration).optional()
    .describe("How long each run loads its target (10s when no requests are given)"),
  requests: factor(requests).optional()
    .describe("Ends each run after this many requests instead of a duration"),
  pipeline: factor(pipeline).default([1]).describe("Requests in flight on each connection"),
  ...commonFields,
}, { error: unknownKeys(LOAD_CONFLICTS.closed, ["stages", "rate", "phases", "capacity"]) })
  .superRefine(({ duration, requests, pipeline, keepAlive }, context) => {
    const refuse = (path: string, message: string): void =>
      context.addIssue({ code: "custom", path: [path], message });
    if (duration !== undefined && requests !== undefined) {
      refuse("requests", "Cannot use both duration and requests: leave one out");
    }
    if (keepAlive?.includes(false) && pipeline?.some((depth) => depth > 1)) {
      refuse(
        "pipeline",
        "Cannot pipeline requests on a connection that closes after each response: " +
          "leave out pipeline or keepAlive: false",
      );
    }
  }, { when: ({ value }) => typeof value === "object" && value !== null });

const connectionsOrNone = z.int().min(0).max(LIMITS.connections.most);

const stage = z.strictObject({
  duration: factor(duration).describe("How long the stage lasts"),
  connections: factor(connectionsOrNone).describe(
    "Connections at the start of the stage, each with a virtual user",
  ),
  rampTo: factor(connectionsOrNone).optional()
    .describe("Connections at the end of the stage; their number changes linearly until then"),
}, { error: unknownKeys({ arrivals: "write connections, or phases instead of stages" }) });

export const NO_CONNECTIONS = "Cannot load without connections: give at least one stage some";

export function someConnect(stages: readonly LoadStage[]): boolean {
  return stages.some(({ from, to }) => from + to > 0);
}

/** A closed loop whose number of connections changes. */
const staged = z.strictObject({
  stages: variants(
    "stages",
    stage,
    stageVariants,
    (stages) => someConnect(stages) ? null : NO_CONNECTIONS,
  ).describe("Stages, one after the other"),
  ...commonFields,
}, { error: unknownKeys(LOAD_CONFLICTS.stages, ["capacity"]) });

/** Requests arrive at a constant rate, whether or not a connection is free. */
const constant = z.strictObject({
  rate: factor(rate).describe("Arrivals, such as 1000/s"),
  connections: factor(connections).default([DEFAULT_CONNECTIONS])
    .describe("Connections in total; an arrival waits when all are busy"),
  duration: factor(duration).prefault("10s").describe("How long each run loads its target"),
  ...arrivalFields,
  ...commonFields,
}, { error: unknownKeys(LOAD_CONFLICTS.rate, ["stages", "phases", "capacity"]) });

const pause = z.strictObject({
  pause: factor(duration).describe("Length of a pause without arrivals"),
}, {
  error: unknownKeys({
    duration: "pause already is the duration",
    arrivals: "a pause has no arrivals",
    rampTo: "a pause has no arrivals",
  }),
}).transform(({ pause }): PhaseFactors => ({ duration: pause, arrivals: [0] }));

const arriving = z.strictObject({
  duration: factor(duration).describe("How long the phase lasts"),
  arrivals: factor(rateOrNone).describe("Rate at which virtual users arrive, such as 50/s"),
  rampTo: factor(rateOrNone).optional()
    .describe(
      "Rate of arrivals at the end of the phase; it changes linearly until then",
    ),
}, { error: unknownKeys({ rate: "write arrivals" }, ["pause"]) });

export const phase = z.xor([pause, arriving]);

export const NO_ARRIVALS = "Cannot load without arrivals: give at least one phase a rate above 0";

export function someArrive(phases: readonly Phase[]): boolean {
  return phases.some(({ fromPerSec, toPerSec }) => fromPerSec + toPerSec > 0);
}

/** Virtual users, each with a session of its own, arrive at rates that change from phase to phase. */
const phased = z.strictObject({
  phases: variants(
    "phases",
    phase,
    phaseVariants,
    (phases) => someArrive(phases) ? null : NO_ARRIVALS,
  ).describe("Phases, one after the other"),
  connections: factor(connections).default([DEFAULT_USERS])
    .describe("Concurrent virtual users in total; further arrivals wait"),
  pool: factor(pool).default(["own"])
    .describe(
      "own: a new connection per virtual user; shared: later virtual users reuse connections",
    ),
  ...arrivalFields,
  ...commonFields,
}, { error: unknownKeys(LOAD_CONFLICTS.phases, ["capacity"]) });

const { abortOn: _, ...searchedFields } = commonFields;

/**
 * A search for the capacity, which is the highest rate at which every rule holds, with trials at many rates. The run
 * then measures at a share of the capacity.
 */
const searched = z.strictObject({
  capacity: capacitySearch.transform((goal) => [goal])
    .describe("The search for the highest rate at which every rule holds"),
  rate: factor(shareOfCapacity).prefault("100% of capacity")
    .describe("Rate of arrivals in the last part of a run, such as 80% of capacity"),
  connections: factor(connections).default([DEFAULT_CONNECTIONS])
    .describe("Connections in total; an arrival waits when all are busy"),
  ...arrivalFields,
  ...searchedFields,
}, { error: unknownKeys(LOAD_CONFLICTS.capacity) });

export const loadSpec = z.xor([searched, phased, staged, constant, closed]);
export type LoadSpec = z.output<typeof loadSpec>;

/**
 * The options that conflict with another setting in at least one of the loads that the factors make, with the reason.
 */
export function conflictsIn(load: LoadSpec): { readonly key: string; readonly message: string }[] {
  const given = new Map<string, unknown>(Object.entries(load));
  const conflicts = optionConflicts((setting) => {
    const values = [given.get(setting) ?? []].flat();
    if (setting === "keepAlive") return values.includes(false);
    if (setting !== "pipeline") return values.some((value) => value !== false);
    const isHttp1 = [given.get("http2") ?? false].flat().includes(false);
    return isHttp1 && values.some((depth) => depth !== 1);
  });
  return conflicts.map(({ option: key, rival, message }) => {
    const other = rival === "keepAlive" ? "keepAlive: false" : rival;
    return { key, message: `${message}: leave out ${key} or ${other}` };
  });
}

/**
 * The first key of a load that a replay does not allow, because the log decides when requests are sent; null if there
 * is none.
 */
export function replayConflict(load: LoadSpec): string | null {
  for (const key of ["rate", "phases", "stages", "capacity", "duration", "requests"]) {
    if (Reflect.get(load, key) !== undefined) return key;
  }
  return "pipeline" in load && load.pipeline.some((depth) => depth > 1) ? "pipeline" : null;
}

/** The schema of phases or stages. Its output has one variant for each combination of the values listed in them. */
function variants<Factors extends PhaseFactors | StageFactors, Text, Part>(
  what: "phases" | "stages",
  part: z.ZodType<Factors, Text>,
  variantsOf: (parts: readonly Factors[]) => PartsVariant<Part>[],
  whyWrong: (parts: readonly Part[]) => string | null,
): z.ZodType<PartsVariant<Part>[], Text[]> {
  return z.array(part).max(LIMITS.phases.most)
    .refine(
      (parts) => isWithin("cells", countOfPartVariants(parts)),
      `Cannot use these ${what}: ${beyond("cells", oneMoreThan("cells"))}`,
    )
    .transform(variantsOf)
    .superRefine((made: readonly PartsVariant<Part>[], context) => {
      const wrong = made.map(({ parts }) => whyWrong(parts)).find((why) => why !== null);
      if (wrong) context.addIssue(wrong);
    });
}

/** Parses the text of `--phases`, such as `30s@10/s,60s@50/s..200/s`. A phase such as `10s@0/s` is a pause. */
export const phases = z.string().transform((text, context): Phase[] => {
  const parts = text.split(",");
  if (!isWithin("phases", parts.length)) {
    context.addIssue(`Cannot use these phases: ${beyond("phases", parts.length)}`);
    return [];
  }
  const read = parts.map((part) => readPhase(part.trim()));
  const wrong = read.flatMap((result) => result.wrong);
  for (const message of wrong) context.addIssue(message);
  return read.flatMap(({ phase }) => phase ?? []);
}).refine(someArrive, NO_ARRIVALS);

interface ReadPhase {
  readonly phase?: Phase;
  /** One message for each problem of the phase. */
  readonly wrong: readonly string[];
}

function readPhase(part: string): ReadPhase {
  const [duration, rates = "", ...rest] = part.split("@");
  const [arrivals, rampTo, ...more] = rates.split("..");
  if (rates === "" || rest.length + more.length > 0) {
    return {
      wrong: [`Cannot read ${quotedOpenly(part)} as a phase: write 30s@10/s, or 30s@10/s..50/s`],
    };
  }
  const given = { duration, arrivals, rampTo };
  const { data, error } = phase.safeParse(given, AS_INPUT);
  const wrong = findingsOf(error?.issues ?? [], given).map(({ message }) => `${part}: ${message}`);
  return { phase: data && phaseVariants([data])[0].parts[0], wrong };
}
