/** Of an experiment that compares nothing: the most that each target serves, beside what the machine could. */
import type { PeakThroughput } from "../../../runner/result/generator.ts";
import { competing } from "../comparison/shortfall.ts";
import { boundText, formatNumber } from "../numbers/units.ts";
import { listed } from "../numbers/words.ts";
import { takenPerSec } from "../runs/capacity.ts";
import type { CellRuns } from "../runs/cells.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";

/**
 * `The most requests/s: hono 111,283 and nginx 98,200 in static; hono 57,537 in redis; a load worker 156,050`, without
 * a full stop; "" where no target does what was required.
 */
export function mostSentence(
  scenarios: readonly ScenarioComparison[],
  peaks: PeakThroughput | undefined,
): string {
  const served = scenarios.map(({ name, cells }) => ({ name, best: bestOfTargets(cells) }))
    .filter(({ best }) => best.length > 0);
  if (served.length === 0) return "";
  const ofScenarios = served.map(({ name, best }) =>
    listed(best.map(mostText), "and") + (served.length > 1 ? ` in ${name}` : "")
  );
  const ofMachine = [
    ...peaks?.generator ? [`a load worker ${formatNumber(peaks.generator.perSec)}`] : [],
    ...peaks?.redis ? [`Redis ${formatNumber(peaks.redis.perSec)}`] : [],
  ];
  const texts = [...ofScenarios, ...ofMachine.length > 0 ? [listed(ofMachine, "and")] : []];
  return `The most requests/s: ${texts.join("; ")}`;
}

/** The best cell of each target, from the one that serves most. */
function bestOfTargets(cells: readonly CellRuns[]): CellRuns[] {
  const byTarget = Map.groupBy(competing(cells), ({ target }) => target);
  const most = (a: CellRuns, b: CellRuns): number => takenPerSec(b).value - takenPerSec(a).value;
  return [...byTarget.values()].map((group) => group.toSorted(most)[0]).toSorted(most);
}

function mostText(cell: CellRuns): string {
  const { value, isAtLeast } = takenPerSec(cell);
  return `${cell.target} ${boundText(formatNumber(value), isAtLeast)}`;
}
