/** All benches, in the order in which they run. */
import type { Bench } from "./bench.ts";
import { agent } from "./agent.ts";
import { arrivals } from "./arrivals.ts";
import { builds } from "./capacity/builds.ts";
import { capacity } from "./capacity.ts";
import { causes } from "./causes.ts";
import { censored } from "./censored.ts";
import { confirm } from "./confirm.ts";
import { connections } from "./connections.ts";
import { counters } from "./counters.ts";
import { fleet } from "./fleet.ts";
import { frozen } from "./frozen.ts";
import { generators } from "./generators.ts";
import { grpc } from "./grpc.ts";
import { hooks } from "./hooks.ts";
import { http2 } from "./http2.ts";
import { known } from "./capacity/known.ts";
import { lag } from "./lag.ts";
import { log } from "./log.ts";
import { memory } from "./memory.ts";
import { mlrsearch } from "./mlrsearch.ts";
import { oneRun } from "./one_run.ts";
import { others } from "./others/others.ts";
import { planted } from "./planted.ts";
import { profile } from "./profile.ts";
import { profiles } from "./profiles.ts";
import { readBack } from "./read_back.ts";
import { replay } from "./replay.ts";
import { report } from "./report_size.ts";
import { betweenRuns } from "./between_runs.ts";
import { sessions } from "./sessions.ts";
import { slices } from "./slices.ts";
import { startup } from "./startup.ts";
import { streams } from "./streams.ts";
import { steps } from "./steps.ts";
import { power } from "./power.ts";
import { statistics } from "./simulations.ts";
import { tls } from "./tls.ts";
import { trends } from "./trends.ts";
import { trust } from "./trust.ts";
import { websocket } from "./websocket.ts";
import { witness } from "./witness.ts";
import { workers } from "./workers.ts";

export const benches = {
  generators,
  profile,
  lag,
  arrivals,
  workers,
  frozen,
  censored,
  capacity,
  known,
  builds,
  mlrsearch,
  memory,
  connections,
  startup,
  between: betweenRuns,
  tls,
  http2,
  grpc,
  hooks,
  streams,
  websocket,
  log,
  replay,
  steps,
  report,
  read: readBack,
  witness,
  others,
  agent,
  fleet,
  statistics,
  "one-run": oneRun,
  power,
  sessions,
  slices,
  trends,
  confirm,
  trust,
  planted,
  causes,
  counters,
  profiles,
} satisfies Record<string, Bench>;

export type BenchName = keyof typeof benches;

export function isBenchName(name: string): name is BenchName {
  return Object.hasOwn(benches, name);
}
