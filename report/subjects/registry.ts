/** The subjects of a report, in the order of the page. To add a subject, add a file and a line here. */
import { type Group, group } from "../blocks.ts";
import { about } from "./about.ts";
import { agents } from "./agents/agents.ts";
import { capacity } from "./capacity.ts";
import { claims } from "./claims.ts";
import { compared } from "./compared.ts";
import { connections, errors, served } from "./tables/responses.ts";
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
import { slices } from "./slices.ts";
import { steps } from "./steps/table.ts";
import { calls } from "./calls.ts";
import { streams } from "./streams.ts";
import { groupsOf, type ReportContext, type ScenarioContext, type Subject } from "./subject.ts";
import { sweeps } from "./sweeps/sweeps.ts";
import { inOneRun } from "./tables/in_run.ts";
import { percentiles, perSecond } from "./tables/percentiles.ts";
import { resources } from "./tables/resources.ts";
import { everyRun } from "./tables/runs.ts";
import { steady } from "./tables/steady.ts";
import { thresholds } from "./thresholds.ts";
import { tradeoff } from "./tradeoff.ts";

const SCENARIO_SUBJECTS: readonly Subject<ScenarioContext>[] = [
  ["time", "Over time", "detail", overTime],
  ["steady", "Warm-up and steady state", "detail", steady],
  ["latency", "Latency", "detail", latency],
  ["steps", "Requests one by one", "detail", steps],
  ["streams", "Messages", "detail", streams],
  ["calls", "Calls of gRPC", "detail", calls],
  ["percentiles", "Percentiles", "everything", percentiles],
  ["in-run", "Within the only run", "detail", inOneRun],
  ["per-second", "Per second", "everything", perSecond],
  ["connections", "Connections and responses", "everything", connections],
  ["littles-law", "Little's law", "everything", littlesLaw],
  ["served", "Kinds of responses", "everything", served],
  ["agents", "Agents", "everything", agents],
  ["resources", "Resources of the targets", "everything", resources],
  ["runs", "Every run", "everything", everyRun],
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

export const SUBJECTS: readonly Subject<ReportContext>[] = [
  ["about", "", "summary", about],
  matrix,
  ["thresholds", "Thresholds", "summary", thresholds],
  overview,
  ["capacity", "Capacity", "summary", capacity],
  ["tradeoff", "Throughput against tail latency", "summary", tradeoff],
  ["sweeps", "Factors", "summary", sweeps],
  ["claims", "Claims", "detail", claims],
  ["compared", "Relative comparison", "detail", compared],
  ["slices", "Slices over time", "detail", slices],
  scenarioGroups,
  ["order", "Runs in time", "detail", order],
  ["settling", "Settling time", "detail", ({ settling }) => settling?.blocks ?? []],
  ["outcomes", "Errors and slowest requests", "detail", errors],
  ["profiles", "Profiles", "detail", profiles],
  ["published", "Published and measured", "detail", published],
  ["missing", "Not measured", "summary", missing],
  ["method", "Machine and method", "everything", method],
];
