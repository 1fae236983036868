/** The flags of `plateau capacity`: its own, and those of `bench` that make sense at many rates. */
import * as z from "zod";
import type { Problem } from "../../base/errors.ts";
import { type Objective, objectiveOf } from "../../runner/capacity/objective.ts";
import { margin, parseThreshold } from "../../scenarios/claims/threshold.ts";
import { duration } from "../../scenarios/load/load_spec.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import { accessConflicts, benchParts } from "../flags/bench_flags.ts";
import { fleetConflicts } from "../flags/fleet_flags.ts";

/** A rule as the share of requests that may miss it. */
const rule = z.string().transform((text, context): Objective => {
  const parsed = parseThreshold(text);
  if ("problems" in parsed) {
    for (const problem of parsed.problems) context.addIssue(problem);
    return z.NEVER;
  }
  const objective = objectiveOf(parsed.threshold);
  if (objective !== null) return objective;
  const fix = 'write a percentile of the latency, success or errors, such as "p99 < 50ms"';
  context.addIssue(`Cannot search within ${JSON.stringify(text)}: ${fix}`);
  return z.NEVER;
});

const MOST_WIDTH = 0.5;
const LEAST_WIDTH = 0.005;

const width = margin.refine(
  (ratio) => ratio >= LEAST_WIDTH && ratio <= MOST_WIDTH,
  "Cannot use this width: it must be from 0.5% to 50%",
);

const LEAST_TRIAL_MS = 1_000;

/** `5s,30s`: seconds. */
const trial = z.string().transform((text) => text.split(","))
  .pipe(z.tuple([duration, duration], {
    error: "Cannot read the trials: write the shortest and the longest, such as 5s,30s",
  }))
  .refine(
    ([short, long]) => short >= LEAST_TRIAL_MS && short <= long,
    "Cannot use these trials: the shortest must be 1s or more, and no longer than the longest",
  )
  .transform(([short, long]): [number, number] => [short / 1_000, long / 1_000]);

const searchFlags = {
  within: {
    flags: "--within <RULE>",
    about: 'A rule that must hold, such as "p99 < 50ms" or "success >= 99.9%"; may be repeated',
    repeatable: true,
    schema: z.array(rule).min(1, { error: "Cannot search for a capacity without a rule" })
      .prefault([]),
  },
  width: {
    flags: "--width <P>",
    about: "How far the interval may reach to either side of the capacity",
    preset: "2%",
    schema: width,
  },
  trial: {
    flags: "--trial <D,D>",
    about: "Shortest and longest trial",
    preset: "5s,30s",
    schema: trial,
  },
  recover: {
    flags: "--recover <D>",
    about: "Longest wait for the target to recover from a trial",
    preset: "30s",
    schema: duration,
  },
  budget: {
    flags: "--budget <D>",
    about: "Longest search; exit code 5 when the interval is wider by then",
    preset: "20m",
    schema: duration,
  },
} satisfies CommandParts;

const { url, connections, workers, timeout, keepalive, method, header, body } = benchParts;
const { insecure, cacert, unix, expectStatus, expectBody, json, interval, strict } = benchParts;
const { quiet, driver, seed, arrivals, agents, redis, redisPasswordFile, redisCacert } = benchParts;

export const capacityParts = {
  url,
  ...under("Search:", searchFlags),
  connections: { ...connections, about: "Connections in total (default: 50)" },
  arrivals: { ...arrivals, about: "Arrival process: uniform or poisson (default: uniform)" },
  ...{ workers, timeout, keepalive, method, header, body },
  ...{ insecure, cacert, unix, expectStatus, expectBody, json, interval, strict, quiet },
  ...{ agents, redis, redisPasswordFile, redisCacert, driver, seed },
} satisfies CommandParts;

export type CapacityValues = ParsedValues<typeof capacityParts>;

export function capacityConflicts(given: RawArguments): Problem[] {
  return [...accessConflicts(given), ...fleetConflicts(given)];
}
