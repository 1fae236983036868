/** What went wrong in a scenario and when: failures by kind and wrong responses, interval by interval. */
import { ERRORS } from "../../../runner/result/outcome.ts";
import type { Run } from "../../../runner/result/result.ts";
import { sum } from "../../writing/spread.ts";
import { formatCount, formatNumber, formatShare, GLUE } from "../../writing/units.ts";
import { listed } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { wrongResponsesOf } from "../../../runner/result/outcome.ts";
import { areMixed, ERROR_WORDS } from "../tables/responses.ts";
import { type Axis, compact, type Xy, type XySeries } from "../../chart.ts";
import { placesByTime } from "./over_time.ts";
import { linearAxis } from "./time_range.ts";
import { errorsOf } from "../../figures/errors.ts";

export interface ErrorsModel {
  /** One a cell in which something went wrong at a known moment. */
  readonly charts: readonly { readonly label: string; readonly chart: Xy }[];
  /** A sentence for each cell in which something went wrong; none where nothing did. */
  readonly findings: readonly string[];
  /** Whether requests ended in more ways than one, so that a table of them says something. */
  readonly areMixed: boolean;
}

type ErrorPoint = Run["timeline"]["points"][number];

interface ErrorBand {
  readonly label: string;
  /** Of the style sheet. */
  readonly color: number;
  readonly of: (point: ErrorPoint) => number;
}

/** In the order of ERRORS, as far apart as colours go. */
const ERROR_COLORS = [0, 1, 3, 7, 8, 5, 6];

const KINDS: readonly ErrorBand[] = [
  ...ERRORS.map((kind, i): ErrorBand => ({
    label: ERROR_WORDS[kind],
    color: ERROR_COLORS[i],
    of: ({ errors }) => errors?.[kind] ?? 0,
  })),
  {
    label: "Failed",
    color: 9,
    // Results of earlier versions have no kinds by interval.
    of: ({ failed, errors }) => errors === undefined ? failed : 0,
  },
  { label: "Wrong responses", color: 4, of: ({ wrong = 0 }) => wrong },
];

export function errorsModel(cells: readonly CellRuns[]): ErrorsModel {
  const faulty = mostFaulty(cells.filter(({ runs }) => errorsOf(runs).count > 0));
  return {
    charts: faulty.flatMap((cell) => {
      const chart = chartOf(cell);
      return chart.series.length === 0 ? [] : [{ label: cell.label, chart }];
    }),
    findings: faulty.map(findingOf),
    areMixed: areMixed(cells),
  };
}

/** One sentence for all scenarios in which nothing went wrong; "" for none. */
export function flawlessText(
  scenarios: readonly { readonly name: string; readonly errors: ErrorsModel }[],
): string {
  const flawless = scenarios.filter(({ errors }) => errors.findings.length === 0);
  if (flawless.length === 0) return "";
  const text = "o request failed, none was left unsent, and no response was wrong.";
  if (flawless.length === scenarios.length) return `N${text}`;
  return `In ${listed(flawless.map(({ name }) => name), "and")} n${text}`;
}

/** Of more cells than these, the others are only in the table. */
const MOST_CELLS = 6;

/** In the order of the cells, if they are not too many. */
function mostFaulty(cells: readonly CellRuns[]): readonly CellRuns[] {
  if (cells.length <= MOST_CELLS) return cells;
  return [...cells].sort((a, b) => errorsOf(b.runs).count - errorsOf(a.runs).count).slice(
    0,
    MOST_CELLS,
  );
}

/** All runs of the cell, one laid over the other, by the intervals of the longest: shorter ones may have shorter. */
function chartOf({ label, runs }: CellRuns): Xy {
  const longest = runs.map(({ timeline }) => timeline.points)
    .reduce((a, b) => lastEndOf(b) > lastEndOf(a) ? b : a);
  const places = runs.map(({ timeline: { points } }) => placesAmong(longest, points));
  const series = KINDS.map(({ label, color, of }) => {
    const counts = longest.map(() => 0);
    runs.forEach(({ timeline: { points } }, r) =>
      points.forEach((point, i) => counts[places[r][i]] += of(point))
    );
    return { label, color, counts };
  }).filter(({ counts }) => counts.some((count) => count > 0))
    .map(({ label, color, counts }): XySeries => ({ label, color, draw: "bars", values: counts }));
  const kinds = series.map(({ label }) => label.toLowerCase()).join(", ");
  return {
    alt: `Failed and wrong requests of ${label} over time: ${kinds}`,
    ...stackedOver(longest.map(({ endS }) => endS), series),
    y: { ...stackedAxis(series), title: "requests" },
  };
}

/** Bars over time, an interval each. @param endsS Of the intervals, seconds since the start of the run. */
export function stackedOver(
  endsS: readonly number[],
  series: readonly XySeries[],
): Omit<Xy, "alt" | "y"> {
  const at = [0, ...endsS].map(compact);
  return {
    kind: "xy",
    size: "small",
    x: { unit: "s", scale: "linear", min: 0, max: at[at.length - 1] || 1 },
    at,
    series,
  };
}

/** As high as the parts of any place together. */
export function stackedAxis(series: readonly XySeries[]): Axis {
  const sums = series[0]?.values?.map((_, i) => sum(series, ({ values }) => values?.[i] ?? 0)) ??
    [];
  return linearAxis("", sums);
}

function lastEndOf(points: readonly ErrorPoint[]): number {
  return points.at(-1)?.endS ?? 0;
}

/** For each of some intervals the index of the one of the longest run in which it ends. */
function placesAmong(longest: readonly ErrorPoint[], points: readonly ErrorPoint[]): number[] {
  return placesByTime(longest.map(({ endS }) => endS), points.map(({ endS }) => endS));
}

/** `express: 1.2 % of 30,000 requests went wrong (timed out 120, wrong responses 240), from 0.2 s to 2.9 s.` */
function findingOf(cell: CellRuns): string {
  const { label, runs } = cell;
  const { of: judged } = errorsOf(runs);
  const kinds: [string, number][] = [
    ...ERRORS.map((kind): [string, number] => [
      ERROR_WORDS[kind].toLowerCase(),
      sum(runs, ({ errors }) => errors[kind] ?? 0),
    ]),
    ["wrong responses", sum(runs, wrongResponsesOf)],
    ["never sent", sum(runs, ({ requests }) => requests.dropped)],
  ];
  const named = kinds.filter(([, count]) => count > 0)
    .map(([word, count]) => `${word} ${formatCount(count)}`);
  const share = formatShare(cell.errorRatio);
  return `${label}: ${share} of ${formatCount(judged)} requests went wrong (${named.join(", ")})${
    whenText(runs)
  }.`;
}

/** From the first to the last interval with an error, in any run; "" where that is not known. */
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
