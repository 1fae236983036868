/** What the whole page can be narrowed to, and held against: targets, or of one target what varies. */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { COLORS } from "../numbers/colors.ts";
import type { CellRuns, ScenarioRuns } from "../runs/cells.ts";

export interface PageTarget {
  readonly name: string;
  readonly color: number;
  /** What it is called elsewhere, but for names that begin with its own: `least-connections · connections 10`. */
  readonly also: readonly string[];
}

/**
 * In the order of the experiment. Of one target alone these are the values of the factor that is compared, or else
 * its cells.
 *
 * @param compared One for each of the scenarios.
 */
export function pageTargets(
  scenarios: readonly ScenarioRuns[],
  compared: readonly ScenarioComparison[],
): PageTarget[] {
  const named = scenarios.flatMap(({ cells }, i) =>
    cells.map((cell) => ({
      cell,
      // What a factor was put in place of still has its parts.
      as: compared[i].cells.find(({ parts }) => parts === cell.parts) ?? cell,
      factor: compared[i].factor,
    }))
  );
  const isOne = new Set(named.map(({ cell }) => cell.target)).size === 1;
  const nameOf = ({ cell, as, factor }: typeof named[number]): string =>
    !isOne ? cell.target : factor === null ? cell.label : as.target;
  return [...Map.groupBy(named, nameOf)].map(([name, those]) => {
    const labels = those.flatMap(({ cell, as }) => [cell.label, as.label, as.target]);
    return {
      name,
      color: colorOf(those.map(({ cell }) => cell)),
      also: [...new Set(labels)].filter((label) => {
        const isOwn = label === name || label.startsWith(`${name} · `);
        return !isOwn && named.every((one) => nameOf(one) === name || !isCalled(one, label));
      }),
    };
  });
}

function isCalled(
  { cell, as }: { readonly cell: CellRuns; readonly as: CellRuns },
  label: string,
): boolean {
  return [cell.label, as.label, as.target].includes(label);
}

/** Of several shades of one colour, the colour itself. */
function colorOf(cells: readonly CellRuns[]): number {
  const [{ color }] = cells;
  return cells.every((cell) => cell.color === color) ? color : color % COLORS;
}
