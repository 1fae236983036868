/** What a reader must know of cells whose runs never settled, before believing their figures. */
import { type CellRuns, type ScenarioRuns, unsteadyOf, unsteadyText } from "../runs/cells.ts";
import { type NamedCell, namedCells, nameOf } from "../runs/match.ts";
import { counted, listed } from "../numbers/words.ts";
import { twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import { formatMs, formatNumber } from "../numbers/units.ts";

/** More cells are counted, as each would be a line. */
const MOST_NAMED = 4;

/** @param figures What the experiment wants the figures to be of. */
export function unsteadyWarnings(
  scenarios: readonly ScenarioRuns[],
  figures: "whole" | "steady",
): string[] {
  const cells = namedCells(scenarios);
  const unsteady = cells.flatMap((named) => {
    const found = unsteadyOf(named.cell.runs);
    return found === null ? [] : [`${nameOf(named)}: ${unsteadyText(found)}`];
  });
  return [
    ...shortened(unsteady, "have no steady state in most of their runs").map((text) =>
      `${text}. The figures have no intervals.`
    ),
    ...(figures === "whole"
      ? []
      : shortened(cells.flatMap(unfiguredText), "have runs without a steady part").map((text) =>
        `${text}.`
      )),
  ];
}

/** `static, hono: 2 of 5 runs have no steady part, and so no figures`; of a cell of which every run has one nothing. */
function unfiguredText(named: NamedCell): string[] {
  const { parts } = named.cell;
  const without = parts.filter(({ steady }) => steady === null).length;
  if (without === 0) return [];
  const says = without === parts.length
    ? "no run has a steady part, so its figures are of whole runs, without intervals"
    : `${without} of ${counted(parts.length, "run")} ${
      without === 1 ? "has" : "have"
    } no steady part, and so no figures`;
  return [`${nameOf(named)}: ${says}`];
}

function shortened(texts: readonly string[], what: string): readonly string[] {
  if (texts.length <= MOST_NAMED) return texts;
  return [`${texts.length} cells ${what}, such as ${texts[0]}`];
}

/** Cells whose runs are of two kinds: their figures are a mean of both, and their intervals promise nothing. */

/** The figures that a comparison is decided by. */
const LOOKED_AT = [
  { figure: "rate", text: (value: number): string => `${formatNumber(value)}/s` },
  { figure: 99, text: (value: number): string => `p99 ${formatMs(value / 1_000)}` },
] as const;

/** `4 near 15,000/s, 1 near 11,900/s`; "" where the runs are of one kind, or too few to see two. */
export function groupsText({ confidence: { estimates } }: CellRuns): string {
  for (const { figure, text } of LOOKED_AT) {
    const groups = twoGroupsOf(estimates.get(figure)?.byRun ?? []);
    if (groups !== null) {
      return groups.map(({ count, value }) => `${count} near ${text(value)}`).join(", ");
    }
  }
  return "";
}

/** As many cells are named. */
const MOST_CELLS_NAMED = 4;

/** What a reader must know of such cells, in a sentence; none where there are none. */
export function groupWarnings(scenarios: readonly ScenarioRuns[]): string[] {
  const found = scenarios.flatMap(({ name, cells }) =>
    cells.map((cell) => ({ place: `${name}, ${cell.label}`, text: groupsText(cell) }))
      .filter(({ text }) => text !== "")
  );
  if (found.length === 0) return [];
  const named = found.slice(0, MOST_CELLS_NAMED).map(({ place, text }) => `${place} (${text})`);
  const rest = found.length - named.length;
  const cells = listed(rest === 0 ? named : [...named, counted(rest, "more cell")], "and");
  return [
    `Runs fall into two groups in ${cells}: the intervals there do not cover the truth in 95 of 100 cases.`,
  ];
}
