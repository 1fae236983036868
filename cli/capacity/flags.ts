/** The flags of `plateau capacity`: its own, and those of `bench` that make sense at many rates. */
import * as z from "zod";
import type { Problem } from "../../base/errors.ts";
import { objective, searchWidth } from "../../scenarios/claims/objective.ts";
import { SEARCH_PRESETS, searchTrial } from "../../scenarios/load/capacity_spec.ts";
import { duration } from "../../scenarios/load/load_spec.ts";
import {
  type CommandParts,
  type ParsedValues,
  type RawArguments,
  under,
} from "../command_line/command.ts";
import { accessProblems } from "../flags/access_flags.ts";
import { benchParts } from "../flags/bench_flags.ts";
import { fleetConflicts } from "../flags/fleet_flags.ts";
import { outputConflicts } from "../flags/output_flags.ts";

/** `5s,30s`: seconds. */
const trial = z.string().transform((text) => text.split(",")).pipe(searchTrial)
  .transform(([short, long]): [number, number] => [short / 1_000, long / 1_000]);

const searchFlags = {
  within: {
    flags: "--within <RULE>",
    about: 'A rule that must hold, such as "p99 < 50ms" or "success >= 99.9%"; may be repeated',
    repeatable: true,
    schema: z.array(objective).min(1, { error: "Cannot search for a capacity without a rule" })
      .prefault([]),
  },
  width: {
    flags: "--width <P>",
    about: "How far the interval may reach to either side of the capacity",
    preset: SEARCH_PRESETS.width,
    schema: searchWidth,
  },
  trial: {
    flags: "--trial <D,D>",
    about: "Shortest and longest trial",
    preset: SEARCH_PRESETS.trial.join(","),
    schema: trial,
  },
  recover: {
    flags: "--recover <D>",
    about: "Longest wait for the target to recover from a trial",
    preset: SEARCH_PRESETS.recover,
    schema: duration,
  },
  budget: {
    flags: "--budget <D>",
    about: "Longest search; exit code 5 when the interval is wider by then",
    preset: SEARCH_PRESETS.budget,
    schema: duration,
  },
} satisfies CommandParts;

const { url, connections, workers, timeout, keepalive, method, header, body } = benchParts;
const { http2, insecure, cacert, cert, key, resolve, proxy, unix } = benchParts;
const { form, expectStatus, expectBody, json, interval, strict } = benchParts;
const { quiet, driver, seed, arrivals, agents, redis, redisPasswordFile, redisCacert } = benchParts;

export const capacityParts = {
  url,
  ...under("Search:", searchFlags),
  connections: { ...connections, about: "Connections in total (default: 50)" },
  arrivals: { ...arrivals, about: "Arrival process: uniform or poisson (default: uniform)" },
  ...{ workers, timeout, keepalive, method, header, body, form },
  http2: { ...http2, about: "HTTP/2: with prior knowledge for http, by ALPN for https" },
  ...{ insecure, cacert, cert, key, resolve, proxy, unix },
  ...{ expectStatus, expectBody, json, interval, strict, quiet },
  ...{ agents, redis, redisPasswordFile, redisCacert, driver, seed },
} satisfies CommandParts;

export type CapacityValues = ParsedValues<typeof capacityParts>;

export function capacityConflicts(given: RawArguments): Problem[] {
  return [...accessProblems(given), ...fleetConflicts(given), ...outputConflicts(given)];
}
