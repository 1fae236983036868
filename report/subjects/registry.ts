/** The subjects of a report, in the order of the page. A new subject is one file and one line here. */
import { type Group, group } from "../blocks.ts";
import { about } from "./about.ts";
import { agents } from "./agents/agents.ts";
import { capacity } from "./capacity_picture.ts";
import { claims } from "./claims.ts";
import { compared } from "./compared.ts";
import { errors } from "./errors.ts";
import { latency } from "./latency.ts";
import { littlesLaw } from "./littles_law.ts";
import { matrix } from "./matrix.ts";
import { method } from "./method/method.ts";
import { missing } from "./missing.ts";
import { order } from "./order.ts";
import { overTime } from "./over_time.ts";
import { overview } from "./overview.ts";
import { profiles } from "./profiles/profiles.ts";
import { published } from "./published.ts";
import { settling } from "./settling.ts";
import { slices } from "./slices.ts";
import { steps } from "./steps/table.ts";
import { calls } from "./calls.ts";
import { streams } from "./streams.ts";
import { groupsOf, type ReportContext, type ScenarioContext, type Subject } from "./subject.ts";
import { sweeps } from "./sweeps/sweeps.ts";
import { inOneRun } from "./tables/in_run.ts";
import { percentiles, perSecond } from "./tables/percentiles.ts";
import { resources } from "./tables/resources.ts";
import { connections, served } from "./tables/responses.ts";
import { everyRun } from "./tables/runs.ts";
import { steady } from "./tables/steady.ts";
import { thresholds } from "./thresholds.ts";
import { tradeoff } from "./tradeoff.ts";

const SCENARIO_SUBJECTS: readonly Subject<ScenarioContext>[] = [
  overTime,
  steady,
  latency,
  steps,
  streams,
  calls,
  percentiles,
  inOneRun,
  perSecond,
  connections,
  littlesLaw,
  served,
  agents,
  resources,
  everyRun,
];

/** A section for each scenario, with the blocks of all SCENARIO_SUBJECTS. */
function scenarioGroups({ scenarios }: ReportContext): Group[] {
  return scenarios.map((scenario, i) =>
    group(scenario.name, groupsOf(SCENARIO_SUBJECTS, scenario), {
      id: `s${i + 1}`,
      aside: scenario.request,
      depth: "detail",
    })
  );
}

export const SUBJECTS: readonly (Subject<ReportContext> | typeof scenarioGroups)[] = [
  about,
  matrix,
  thresholds,
  overview,
  capacity,
  tradeoff,
  sweeps,
  claims,
  compared,
  slices,
  scenarioGroups,
  order,
  settling,
  errors,
  profiles,
  published,
  missing,
  method,
];
