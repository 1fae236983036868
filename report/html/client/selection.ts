/** A view of a scenario's intervals → what the page says of it. */
import { stretchFigures } from "../../model/charts/time_range.ts";
import { formatTick } from "../../model/numbers/units.ts";
import type { Selected } from "./selected.ts";
import type { Steps } from "./steps.ts";
import type { View } from "./view.ts";

/** @param all Names of all percentiles, as `p99`. */
export function selectedOf(
  { cells, unit }: Steps,
  view: View,
  all: readonly string[],
): Selected {
  const percentiles = all.filter((name) => view.percentiles?.includes(name) ?? true);
  const numbers = percentiles.map((name) => Number(name.slice(1)));
  return {
    what: whatText(view, Math.max(...cells.map(({ runs }) => runs.length))),
    percentiles,
    unit,
    cells: cells.filter((_, i) => !view.hidden.includes(i + 1)).map((cell) => {
      const { label, color, clock, runs, repetitions } = cell;
      const shown = runs.filter((_, i) => view.runs?.includes(repetitions[i]) ?? true);
      return {
        label,
        color,
        figures: stretchFigures({ clock, runs: shown }, view.stretch, numbers),
      };
    }),
  };
}

/** "2–5 s of runs 1, 3". */
function whatText({ stretch, runs }: View, count: number): string {
  const time = stretch ? `${formatTick(stretch.fromS)}–${formatTick(stretch.toS)} s` : "All";
  if (count === 1) return stretch ? time : "All of the run";
  if (runs === null) return `${time} of every run`;
  return `${time} of run${runs.length > 1 ? "s" : ""} ${runs.join(", ")}`;
}
