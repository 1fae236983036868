/** Cells whose runs are of two kinds: their figures are a mean of both, and their intervals promise nothing. */
import { twoGroupsOf } from "../../../runner/stats/comparison/two_groups.ts";
import { formatMs, formatNumber } from "../numbers/units.ts";
import { counted, listed } from "../numbers/words.ts";
import type { Cell, ScenarioRuns } from "../runs/cells.ts";

/** The figures that a comparison is decided by. */
const LOOKED_AT = [
  { figure: "rate", text: (value: number): string => `${formatNumber(value)}/s` },
  { figure: 99, text: (value: number): string => `p99 ${formatMs(value / 1_000)}` },
] as const;

/** `4 near 15,000/s, 1 near 11,900/s`; "" where the runs are of one kind, or too few to see two. */
export function groupsText({ confidence: { estimates } }: Cell): string {
  for (const { figure, text } of LOOKED_AT) {
    const groups = twoGroupsOf(estimates.get(figure)?.byRun ?? []);
    if (groups !== null) {
      return groups.map(({ count, value }) => `${count} near ${text(value)}`).join(", ");
    }
  }
  return "";
}

/** As many cells are named. */
const MOST_NAMED = 4;

/** What a reader must know of such cells, in a sentence; none where there are none. */
export function groupWarnings(scenarios: readonly ScenarioRuns[]): string[] {
  const found = scenarios.flatMap(({ name, cells }) =>
    cells.map((cell) => ({ place: `${name}, ${cell.label}`, text: groupsText(cell) }))
      .filter(({ text }) => text !== "")
  );
  if (found.length === 0) return [];
  const named = found.slice(0, MOST_NAMED).map(({ place, text }) => `${place} (${text})`);
  const rest = found.length - named.length;
  const cells = listed(rest === 0 ? named : [...named, counted(rest, "more cell")], "and");
  return [
    `Runs fall into two groups in ${cells}: the intervals there do not cover the truth in 95 of 100 cases.`,
  ];
}
