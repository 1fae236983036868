/** The subjects of a report, in the order of the page. A new one is a file and a line here. */
import { depthOf, type Group, group, prunedAll } from "../blocks.ts";
import { about } from "./about.ts";
import { agents } from "./agents/agents.ts";
import { capacity } from "./capacity_picture.ts";
import { claims } from "./claims.ts";
import { compared } from "./compared.ts";
import { errors } from "./errors.ts";
import { latency } from "./latency.ts";
import { littlesLaw } from "./littles_law.ts";
import { method } from "./method/method.ts";
import { missing } from "./missing.ts";
import { order } from "./order.ts";
import { overTime } from "./over_time.ts";
import { overview } from "./overview.ts";
import { profiles } from "./profiles/profiles.ts";
import { published } from "./published.ts";
import { settling } from "./settling.ts";
import { steps } from "./steps/table.ts";
import type { ReportContext, ScenarioContext, Subject } from "./subject.ts";
import { sweeps } from "./sweeps/sweeps.ts";
import { percentiles, perSecond } from "./tables/percentiles.ts";
import { resources } from "./tables/resources.ts";
import { connections, served } from "./tables/responses.ts";
import { everyRun } from "./tables/runs.ts";
import { steady } from "./tables/steady.ts";
import { thresholds } from "./thresholds.ts";
import { tradeoff } from "./tradeoff.ts";

/** "scenarios": a section for each, of all that SCENARIO_SUBJECTS say of it. */
export const SUBJECTS: readonly (Subject<ReportContext> | "scenarios")[] = [
  about,
  thresholds,
  overview,
  capacity,
  tradeoff,
  sweeps,
  claims,
  compared,
  "scenarios",
  order,
  settling,
  errors,
  profiles,
  published,
  missing,
  method,
];

export const SCENARIO_SUBJECTS: readonly Subject<ScenarioContext>[] = [
  overTime,
  steady,
  latency,
  steps,
  percentiles,
  perSecond,
  connections,
  littlesLaw,
  served,
  agents,
  resources,
  everyRun,
];

export function groupsOf(context: ReportContext): Group[] {
  return SUBJECTS.flatMap((subject) =>
    subject === "scenarios" ? context.scenarios.map(scenarioGroup) : groupOf(subject, context) ?? []
  );
}

function scenarioGroup(scenario: ScenarioContext, i: number): Group {
  return group(
    scenario.name,
    SCENARIO_SUBJECTS.flatMap((subject) => groupOf(subject, scenario) ?? []),
    {
      id: `s${i + 1}`,
      aside: scenario.request,
      depth: "detail",
    },
  );
}

/** Its group, no less deep than what it has to say; null where it has nothing. */
export function groupOf<Context>(
  { id, title, depth, build }: Subject<Context>,
  context: Context,
): Group | null {
  const blocks = prunedAll(build(context));
  return blocks.length === 0 ? null : group(title, blocks, { id, depth: depthOf(blocks, depth) });
}
