/** What went wrong in a scenario and when: failures by kind and wrong responses, interval by interval. */
import { ERRORS, wrongResponsesOf } from "../../../runner/result/outcome.ts";
import type { Run } from "../../../runner/result/result.ts";
import { sum } from "../../writing/spread.ts";
import { formatCount, formatNumber, formatShare, GLUE } from "../../writing/units.ts";
import { listed } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { ERROR_WORDS } from "../tables/responses.ts";
import { axisOver, compact, type Xy, type XySeries } from "../../chart.ts";
import { placesByTime } from "./over_time.ts";
import { errorsOf } from "../../figures/errors.ts";

export interface ErrorsModel {
  /** One chart for each cell in which something went wrong at a known moment. */
  readonly charts: readonly { readonly title: string; readonly chart: Xy }[];
  /** A sentence for each cell in which something went wrong; empty if nothing did. */
  readonly findings: readonly string[];
}

type ErrorPoint = Run["timeline"]["points"][number];

interface ErrorKind {
  readonly label: string;
  /** Number of the colour in the style sheet. */
  readonly color: number;
  /** Number in an interval. */
  readonly of: (point: ErrorPoint) => number;
  /** Number in a run. */
  readonly all: (run: Run) => number;
}

/** Colours in the order of ERRORS, as distinct as possible. */
const ERROR_COLORS = [0, 1, 3, 7, 8, 5, 6];

const KINDS: readonly ErrorKind[] = [
  ...ERRORS.map((kind, i): ErrorKind => ({
    label: ERROR_WORDS[kind],
    color: ERROR_COLORS[i],
    of: ({ errors }) => errors?.[kind] ?? 0,
    all: ({ errors }) => errors[kind] ?? 0,
  })),
  {
    label: "Failed",
    color: 9,
    // Results of earlier versions have no kinds by interval.
    of: ({ failed, errors }) => errors === undefined ? failed : 0,
    all: () => 0,
  },
  { label: "Wrong responses", color: 4, of: ({ wrong = 0 }) => wrong, all: wrongResponsesOf },
  // These have no moment, so they are in no interval.
  { label: "Never sent", color: 9, of: () => 0, all: ({ requests }) => requests.dropped },
];

/** With more cells than this, the others are only in the table. */
const MOST_CELLS = 6;

export function errorsModel(cells: readonly CellRuns[]): ErrorsModel {
  const countOf = ({ runs }: CellRuns): number => errorsOf(runs).count;
  const all = cells.filter((cell) => countOf(cell) > 0);
  // In the order of the cells, unless there are too many.
  const faulty = all.length <= MOST_CELLS
    ? all
    : all.toSorted((a, b) => countOf(b) - countOf(a)).slice(0, MOST_CELLS);
  return {
    charts: faulty.map((cell) => ({ title: cell.label, chart: chartOf(cell) }))
      .filter(({ chart }) => chart.series.length > 0),
    findings: faulty.map(findingOf),
  };
}

/** One sentence for all scenarios without errors; "" for none. */
export function flawlessText(
  scenarios: readonly { readonly name: string; readonly errors: ErrorsModel }[],
): string {
  const flawless = scenarios.filter(({ errors }) => errors.findings.length === 0);
  if (flawless.length === 0) return "";
  const text = "o request failed, none was left unsent, and no response was wrong.";
  if (flawless.length === scenarios.length) return `N${text}`;
  return `In ${listed(flawless.map(({ name }) => name), "and")} n${text}`;
}

/** All runs of the cell overlaid, by the intervals of the longest run; shorter runs may have shorter intervals. */
function chartOf({ label, runs }: CellRuns): Xy {
  const endsOf = ({ timeline }: Run): number[] => timeline.points.map(({ endS }) => endS);
  const ends = runs.map(endsOf).reduce((a, b) => (b.at(-1) ?? 0) > (a.at(-1) ?? 0) ? b : a);
  const placed = runs.flatMap((run) => {
    const places = placesByTime(ends, endsOf(run));
    return run.timeline.points.map((point, i) => ({ point, place: places[i] }));
  });
  const series = KINDS.flatMap(({ label, color, of }): XySeries[] => {
    const values = ends.map(() => 0);
    for (const { point, place } of placed) values[place] += of(point);
    return values.some((count) => count > 0) ? [{ label, color, draw: "bars", values }] : [];
  });
  const kinds = series.map(({ label }) => label.toLowerCase()).join(", ");
  const at = [0, ...ends].map(compact);
  const sums = ends.map((_, i) => sum(series, ({ values }) => values?.[i] ?? 0));
  return {
    kind: "xy",
    alt: `Failed and wrong requests of ${label} over time: ${kinds}`,
    size: "small",
    x: { unit: "s", scale: "linear", min: 0, max: at[at.length - 1] || 1 },
    y: { ...axisOver("", sums), title: "requests" },
    at,
    series,
  };
}

/** `express: 1.2 % of 30,000 requests went wrong (timed out 120, wrong responses 240), from 0.2 s to 2.9 s.` */
function findingOf({ label, runs, errorRatio }: CellRuns): string {
  const named = KINDS.map(({ label, all }) => ({
    word: label.toLowerCase(),
    count: sum(runs, all),
  }))
    .filter(({ count }) => count > 0).map(({ word, count }) => `${word} ${formatCount(count)}`);
  return `${label}: ${formatShare(errorRatio)} of ${
    formatCount(errorsOf(runs).of)
  } requests went wrong (${named.join(", ")})${whenText(runs)}.`;
}

/** The first and the last interval with an error, in any run; "" if unknown. */
function whenText(runs: readonly Run[]): string {
  const spans = runs.flatMap(({ timeline: { intervalS, points } }) =>
    points.filter((point) => point.failed + (point.wrong ?? 0) > 0)
      .map(({ endS }) => [Math.max(0, endS - intervalS), endS])
  );
  if (spans.length === 0) return "";
  const from = spans.reduce((least, [start]) => Math.min(least, start), Infinity);
  const to = spans.reduce((most, [, end]) => Math.max(most, end), 0);
  return `, between ${formatNumber(from, 2)} and ${formatNumber(to, 2)}${GLUE}s of a run`;
}
