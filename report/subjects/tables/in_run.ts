/**
 * Figures of single runs with intervals that are computed within the run, for a measurement and for cells that have a
 * single run.
 */
import { NAMED_FIGURES } from "../../../base/figures/figure.ts";
import type { InRun, InRunFigure, NO_INTERVAL_REASONS } from "../../../runner/result/in_run.ts";
import { type Block, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { figureRangeText } from "../../writing/figure_text.ts";
import { formatDuration, formatNumber, PERCENT, timeUnit } from "../../writing/units.ts";
import { listed, listedSome } from "../../writing/words.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "./column.ts";
import { type ColumnOf, type Format, type OfCell, type Table, tableOf } from "./table.ts";

/** Why a figure has no interval, as clauses. */
const NO_INTERVAL_TEXTS: Readonly<Record<typeof NO_INTERVAL_REASONS[number], string>> = {
  "too-short": "the run is too short",
  "not-stationary": "the level of the figure changes during the run",
  "depends-too-long": "the figure varies too slowly for a run of this length",
  "few-clusters": "the run has too few clusters of slow or failed requests",
  "lower-bounds": "some requests never ended",
};

export const OF_THIS_RUN_TEXT =
  "These 95 % intervals are about this run alone. They do not show how another process of the target would differ; only repeated runs do.";

const SHOWN: readonly InRunFigure[] = ["rate", "mean", "p50", "p99", "errors"];

/**
 * The figures of one run with their intervals; null if the run is too short for any interval, which a sentence then
 * says instead.
 */
export function inRunTable({ fromS, figures }: InRun): Table | null {
  const rows = SHOWN.flatMap((name) => {
    const figure = figures[name];
    return figure === undefined ? [] : [{ name, ...figure }];
  });
  if (rows.every(({ intervalReason }) => intervalReason === "too-short")) return null;
  const from = fromS === 0 ? "" : `, from ${formatDuration(fromS)} on`;
  return tableOf({ caption: `In this run${from}` }, rows, [
    column.name("Figure", ({ name }) => name),
    column.name("95 % interval", ({ name, value, interval, intervalReason }) => {
      const text = figureRangeText({ value, interval }, NAMED_FIGURES[name].unit);
      return intervalReason === undefined
        ? text
        : `${text}, no interval: ${NO_INTERVAL_TEXTS[intervalReason]}`;
    }),
    {
      label: "Effective samples",
      cell: ({ interval }) => {
        const value = interval?.effectiveSamples ?? null;
        return value === null ? { text: "" } : { text: formatNumber(value), value };
      },
    },
    {
      label: "Independent after",
      cell: ({ independentAfterS: value = null }) =>
        value === null ? { text: "" } : { text: formatDuration(value), value },
    },
  ]);
}

/**
 * Intervals within a run, shown only for cells that have a single run. If there are several runs, the interval over
 * them says more, and the one within a run could be mistaken for it.
 */
export function inOneRun({ name, cells }: ScenarioContext): Block[] {
  const known = cells.filter((cell) => SHOWN.some((figure) => onlyRun(cell, figure)?.interval));
  const ms = timeUnit(known.flatMap((cell) => onlyRun(cell, "p50")?.value ?? []));
  const figure = (label: string, name: InRunFigure, format?: Format): ColumnOf<OfCell> =>
    column.number(label, ({ cell }) => onlyRun(cell, name), format);
  const rows = known.map((cell) => ({ cell }));
  const notes = [OF_THIS_RUN_TEXT, ...notesOn(known)];
  return [table(tableOf({ caption: `Within the only run of ${name}`, notes }, rows, [
    column.cell,
    figure("Requests/s", "rate"),
    figure("Mean", "mean", ms),
    figure("p50", "p50", ms),
    figure("p99", "p99", ms),
    figure("Errors", "errors", PERCENT),
  ]))];
}

function onlyRun({ parts }: CellRuns, name: InRunFigure): InRun["figures"][InRunFigure] | null {
  return parts.length === 1 ? parts[0].whole.inRun?.figures[name] : null;
}

/** For example `No interval of mean and p99 of express: too few clusters of slow or failed requests.` */
function notesOn(cells: readonly CellRuns[]): string[] {
  const lacking = SHOWN.flatMap((name) =>
    [...Map.groupBy(cells, (cell) => onlyRun(cell, name)?.intervalReason)].flatMap(
      ([reason, those]) =>
        reason === undefined
          ? []
          : { name, reason, targets: listedSome(those.map(({ label }) => label), "and") },
    )
  );
  const byReason = Map.groupBy(
    lacking,
    ({ reason, targets }) => `${targets}: ${NO_INTERVAL_TEXTS[reason]}`,
  );
  return [...byReason].map(([why, those]) =>
    `No interval of ${listed(those.map(({ name }) => name), "and")} of ${why}.`
  );
}
