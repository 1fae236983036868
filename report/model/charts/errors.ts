/** What went wrong in a scenario and when: failures by kind and wrong answers, interval by interval. */
import { ERROR_WORDS } from "../tables/outcomes.ts";
import { ERRORS } from "../../../runner/result/outcome.ts";
import type { Run } from "../../../runner/result/result.ts";
import type { Cell } from "../runs/cells.ts";
import { compact, type FaultsChart } from "./charts.ts";
import { sum } from "../numbers/spread.ts";
import { formatCount, formatNumber, formatShare, GLUE } from "../numbers/units.ts";
import { errorsOf, wrongResponsesOf } from "../runs/error_ratio.ts";

export interface FaultsModel {
  /** One a cell in which something went wrong at a known moment. */
  readonly charts: readonly { readonly label: string; readonly chart: FaultsChart }[];
  /** A sentence for each cell in which something went wrong, or one that nothing did. */
  readonly findings: readonly string[];
}

type Point = Run["timeline"]["points"][number];

interface Kind {
  readonly label: string;
  /** Of the style sheet. */
  readonly color: number;
  readonly of: (point: Point) => number;
}

/** In the order of ERRORS, as far apart as colours go. */
const ERROR_COLORS = [0, 1, 3, 7, 8, 5, 6];

const KINDS: readonly Kind[] = [
  ...ERRORS.map((kind, i): Kind => ({
    label: ERROR_WORDS[kind],
    color: ERROR_COLORS[i],
    of: ({ errors }) => errors?.[kind] ?? 0,
  })),
  {
    label: "Failed",
    color: 9,
    // Results of versions that did not tell the kinds by interval.
    of: ({ failed, errors }) => errors === undefined ? failed : 0,
  },
  { label: "Wrong answers", color: 4, of: ({ wrong = 0 }) => wrong },
];

export function faultsOf(cells: readonly Cell[]): FaultsModel {
  const faulty = mostFaulty(cells.filter(({ runs }) => errorsOf(runs).count > 0));
  return {
    charts: faulty.flatMap((cell) => {
      const chart = chartOf(cell);
      return chart.series.length === 0 ? [] : [{ label: cell.label, chart }];
    }),
    findings: faulty.length === 0
      ? ["No request failed, none was left unsent, and no answer was wrong."]
      : faulty.map(findingOf),
  };
}

/** Of more cells than these, the others are only in the table. */
const MOST_CELLS = 6;

/** In the order of the cells, if they are not too many. */
function mostFaulty(cells: readonly Cell[]): readonly Cell[] {
  if (cells.length <= MOST_CELLS) return cells;
  return [...cells].sort((a, b) => errorsOf(b.runs).count - errorsOf(a.runs).count).slice(
    0,
    MOST_CELLS,
  );
}

/** All runs of the cell, one laid over the other. */
function chartOf({ label, runs }: Cell): FaultsChart {
  const longest = runs.map(({ timeline }) => timeline.points)
    .reduce((a, b) => b.length > a.length ? b : a);
  const series = KINDS.map(({ label, color, of }) => ({
    label,
    color,
    counts: longest.map((_, i) => sum(runs, ({ timeline }) => countAt(timeline.points[i], of))),
  })).filter(({ counts }) => counts.some((count) => count > 0));
  const kinds = series.map(({ label }) => label.toLowerCase()).join(", ");
  return {
    kind: "faults",
    alt: `Failed and wrong requests of ${label} over time: ${kinds}`,
    t: longest.map(({ endS }) => compact(endS)),
    series,
  };
}

function countAt(point: Point | undefined, of: Kind["of"]): number {
  return point === undefined ? 0 : of(point);
}

/** `express: 1.2 % of 30,000 requests went wrong (timed out 120, wrong answers 240), from 0.2 s to 2.9 s.` */
function findingOf(cell: Cell): string {
  const { label, runs } = cell;
  const { of: judged } = errorsOf(runs);
  const kinds: [string, number][] = [
    ...ERRORS.map((kind): [string, number] => [
      ERROR_WORDS[kind].toLowerCase(),
      sum(runs, ({ errors }) => errors[kind] ?? 0),
    ]),
    ["wrong answers", sum(runs, wrongResponsesOf)],
    ["never sent", sum(runs, ({ requests }) => requests.dropped)],
  ];
  const told = kinds.filter(([, count]) => count > 0)
    .map(([word, count]) => `${word} ${formatCount(count)}`);
  const share = formatShare(cell.wrongRatio);
  return `${label}: ${share} of ${formatCount(judged)} requests went wrong (${told.join(", ")})${
    whenText(runs)
  }.`;
}

/** From the first to the last interval with a fault, in any run; "" where that is not known. */
function whenText(runs: readonly Run[]): string {
  const spans = runs.flatMap(({ timeline: { intervalS, points } }) =>
    points.filter((point) => point.failed + (point.wrong ?? 0) > 0)
      .map(({ endS }) => [Math.max(0, endS - intervalS), endS])
  );
  if (spans.length === 0) return "";
  const from = Math.min(...spans.map(([start]) => start));
  const to = Math.max(...spans.map(([, end]) => end));
  return `, between ${formatNumber(from, 2)} and ${formatNumber(to, 2)}${GLUE}s of a run`;
}
