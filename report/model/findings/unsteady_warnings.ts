/** What a reader must know of cells whose runs never settled, before believing their figures. */
import type { ScenarioRuns } from "../runs/cells.ts";
import { type NamedCell, namedCells, nameOf } from "../runs/match.ts";
import { unsteadyOf, unsteadyText } from "../runs/unsteady.ts";
import { counted } from "../numbers/words.ts";

/** More cells are counted, as each would be a line. */
const MOST_NAMED = 4;

/** @param figures What the experiment asks the figures to be of. */
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
