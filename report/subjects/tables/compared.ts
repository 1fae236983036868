/** Comparisons as a table, one row for each pair and one column for each figure, and as a forest of ratios. */
import { boundText, formatMs, formatNumber, formatShare, isTooWide } from "../../writing/units.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { percentileOf } from "../../figures/pool.ts";
import * as column from "./column.ts";
import { type ColumnOf, NONE, type Table, tableOf } from "./table.ts";
import { contrastIn } from "../../judge/ratio_of.ts";
import {
  comparisonOf,
  type FigureComparison,
  type FigureStages,
  type GroupComparison,
  NOTABLE_CHANGE,
} from "../../judge/comparison.ts";
import { whyOpen } from "../../judge/places.ts";
import { COMPARED, type ComparedFigure, DECISIVE } from "../../judge/group.ts";
import { figureName, LOOKS_NOTE, verdictText, verdictWord } from "../../findings/judgements.ts";
import { percentText, ratioText } from "../../writing/ratios.ts";
import { counted } from "../../writing/words.ts";
import type { SessionContrast } from "../../../runner/stats/comparison/sessions.ts";
import type { Panel } from "../../blocks.ts";
import { axisOver, compact, type Row, type Rows } from "../../chart.ts";
import { cellParts } from "../../cells/cell_label.ts";

/** Two cells that are compared, with the names that tables and charts give them. */
export interface ComparedPair {
  readonly name: string;
  readonly base: string;
  readonly color: number;
  readonly comparison: GroupComparison;
  readonly cells: readonly [base: CellRuns, next: CellRuns];
}

/**
 * A table of comparisons; null if there are no pairs.
 *
 * @param areSides Whether the pairs are the two sides of a comparison of results, whose figures are shown beside the
 * ratios. Otherwise they are targets, each compared with its own base.
 */
export function comparedTable(
  caption: string,
  pairs: readonly ComparedPair[],
  { areSides }: { readonly areSides: boolean },
): Table | null {
  if (pairs.length === 0) return null;
  const figures = COMPARED.filter((figure) =>
    figure !== "cpuPerRequest" ||
    pairs.some(({ comparison }) => comparisonOf(comparison, figure).ratio !== null)
  );
  const notes = notesOf(pairs.map(({ comparison }) => comparison), "the target over its base");
  return tableOf({ caption, notes }, pairs, [
    ...areSides ? [column.name<ComparedPair>("Cell", ({ name }) => name)] : [
      column.name<ComparedPair>("Target", ({ name, color }) => ({ text: name, color })),
      column.text<ComparedPair>("Against", ({ base }) => base),
    ],
    ...figures.map((figure) => figureColumn(figure, areSides)),
    ...areSides && pairs.some(areWrong) ? [errorsColumn] : [],
  ]);
}

function areWrong({ cells }: ComparedPair): boolean {
  return cells.some(({ errorRatio }) => errorRatio > 0);
}

const errorsColumn: ColumnOf<ComparedPair> = column.text("Errors", (pair) => ({
  text: pair.cells.map(({ errorRatio }) => formatShare(errorRatio)).join(" → "),
  alarming: areWrong(pair),
}));

function figureColumn(figure: ComparedFigure, areSides: boolean): ColumnOf<ComparedPair> {
  const label = figure === "rate" ? "Requests/s" : figure === "mean" ? "Mean" : figureName(figure);
  return column.text(label, ({ comparison, cells }) => {
    const one = comparisonOf(comparison, figure);
    const { ratio, verdict, isDoubted } = one;
    const word = ratio === null ? "" : verdictWord(one, comparison.marginRatio);
    const below = areSides ? [valuesText(one, cells), word].filter(Boolean).join(": ") : "";
    if (ratio === null) return { ...NONE, ...below && { below } };
    return {
      ...{ text: areSides ? ratioText(one) : `${ratioText(one)} ${word}`, value: ratio },
      ...below && { below },
      ...verdict === "worse" && !isDoubted && { alarming: true },
    };
  });
}

/**
 * The figure of both sides, as other tables show it, or the mean if there are several sessions: `1,000 → 2,600` or `≥
 * 12.1 ms → 9.3 ms`.
 */
function valuesText(
  { figure, base, next, between }: FigureComparison,
  cells: readonly [base: CellRuns, next: CellRuns],
): string {
  return [base, next].map((mean, i) => {
    const value = between?.kind === "one-session" ? valueIn(cells[i], figure) ?? mean : mean;
    if (!(value > 0)) return NONE.text;
    const isAtLeast = typeof figure === "number" && cells[i].latency.isAtLeast(figure);
    return boundText(figure === "rate" ? formatNumber(value) : formatMs(value), isAtLeast);
  }).join(" → ");
}

/** A cell's figure as other tables show it; null for CPU time, which no other table shows per request. */
function valueIn({ rate, latency }: CellRuns, figure: ComparedFigure): number | null {
  if (figure === "cpuPerRequest") return null;
  if (figure === "rate") return rate.mean;
  return figure === "mean" ? latency.mean : percentileOf(latency, figure);
}

/** One text for each figure that may decide, with its verdict, followed by a single text for all other figures. */
export function comparedTexts(
  { figures, marginRatio, decisive }: GroupComparison,
  cells: readonly [base: CellRuns, next: CellRuns],
): string[] {
  const [own, others] = [true, false].map((isDecisive) =>
    figures.filter(({ figure }) => DECISIVE.some((one) => one === figure) === isDecisive)
  );
  return [
    ...own.filter(({ figure, ratio }) => figure !== "cpuPerRequest" || ratio !== null)
      .map((one) => {
        const { figure } = one;
        const values = valuesText(one, cells);
        const of = figure === "rate" ? `${values} requests/s` : `${figureName(figure)} ${values}`;
        const verdict = figure === 99 && !decisive.includes(99)
          ? "not judged, because at the capacity p99 is what the rules allow"
          : verdictText(one, marginRatio);
        return `${of}, ${ratioText(one)}: ${verdict}`;
      }),
    others.map((one) =>
      `${figureName(one.figure)} ${ratioText(one)} ${verdictWord(one, marginRatio)}`
    ).join(", "),
  ];
}

/** A note on the sessions that intervals are based on. */
function sessionsNote(contrasts: readonly SessionContrast[]): string {
  const [widest] = contrasts.toSorted((a, b) => b.variance - a.variance);
  const { base, next, earlier } = widest.sessions;
  const besides = earlier === 0 ? "" : ` and ${counted(earlier, "earlier one")}`;
  return `Intervals include the differences between sessions: ${
    counted(base, "session")
  } of the base, ` +
    `${next} of the new side${besides}. Over these sessions, a ratio has a standard error of up to ${
      percentText(Math.sqrt(widest.variance))
    }; successive sessions correlate by about ${widest.correlation.toFixed(1)}.`;
}

/** A note on the ratios of cells that were measured again because they might have been worse. */
function stagesNote({ blocks: { first, fresh } }: FigureStages): string {
  return `Every figure that seemed worse after ${
    counted(first, "block")
  } was measured again in ${fresh} fresh blocks. ` +
    "The ratio of such a figure is the median-unbiased estimate from all blocks, and its interval allows for the fact that only figures " +
    "that looked worse were measured again. The figure is worse only if the fresh blocks alone are beyond " +
    "the margin, too. Both stages run the same builds, so a memory layout that makes one build " +
    "slower does so in both stages.";
}

type Noted = "equivalent" | "proven" | "likely" | "not-seen" | "inconclusive";

/** The kind of verdict that needs a note; null without an interval, and if the verdict's own words say everything. */
function notedOf(one: FigureComparison): Noted | null {
  if (one.interval === null) return null;
  if (one.verdict !== "inconclusive") return one.verdict === "equivalent" ? "equivalent" : "proven";
  switch (whyOpen(one)) {
    case "likely-ahead":
    case "likely-behind":
      return "likely";
    case "no-difference-seen":
      return "not-seen";
    case "nothing":
    case "errors":
    case "sessions":
      return null;
    default:
      return "inconclusive";
  }
}

/**
 * Notes on the ratios and the verdicts that occur, one for each, so that several tables share those they have in
 * common. If there is a particular reason why a verdict is inconclusive, the
 * verdict itself states it, so no note does.
 *
 * @param of What a ratio compares, such as `NEW over BASE`.
 */
export function notesOf(comparisons: readonly GroupComparison[], of: string): string[] {
  const [{ marginRatio }] = comparisons;
  const all = comparisons.flatMap(({ figures }) => figures);
  const isPaired = all.some(({ pairs }) => pairs !== null);
  const from = all.some(({ sliced }) => sliced?.areTheseTwo)
    ? " from pairs of slices (for a percentile: from the ratios of the rounds)"
    : isPaired
    ? " from pairs of runs of the same repetition"
    : "";
  const [staged = null] = all.flatMap(({ stages }) => stages ?? []);
  const contrasts = all.flatMap(({ between }) => contrastIn(between) ?? []);
  const interval = all.some(({ interval }) => interval !== null)
    ? `, with a 95 % interval${from}`
    : "";
  const margin = percentText(marginRatio);
  const pairs = isPaired ? "pairs" : "runs";
  const noted = new Set(all.map(notedOf));
  const notes = ([
    ["equivalent", `Equivalent: the whole interval is within ${margin}.`],
    [
      "proven",
      `Better or worse: the whole interval is beyond ${margin}, also after Holm's correction for the number of ` +
      `comparisons, and by the exact test of ${pairs}.`,
    ],
    [
      "likely",
      "Likely: the interval shows a difference, but Holm's correction for the number of comparisons, the exact test " +
      `of ${pairs} or the margin of ${margin} leaves it open.`,
    ],
    [
      "not-seen",
      `No difference seen: no verdict, though a change of ${
        percentText(NOTABLE_CHANGE)
      } would have shown in 4 of 5 experiments.`,
    ],
    ["inconclusive", "Inconclusive: no verdict; more runs, or a longer measurement, may decide."],
  ] as const).filter(([kind]) => noted.has(kind));
  return [
    `A ratio is ${of}${interval}.`,
    ...notes.map(([, note]) => note),
    ...(all.some(({ isDoubted }) => isDoubted)
      ? ["Only with doubtful runs: the undisturbed runs alone do not give this verdict."]
      : []),
    ...(contrasts.length === 0 ? [] : [sessionsNote(contrasts)]),
    ...(staged === null ? [] : [stagesNote(staged)]),
    ...(all.some(({ sliced }) => sliced?.areLooked) ? [LOOKS_NOTE] : []),
  ];
}

// The comparisons as a chart: for each pair and figure, the ratio with its interval, the verdict
// and the margin.

export type ForestPanel = Required<Pick<Panel, "title">> & { readonly chart: Rows };

/**
 * The pairs as one panel for each figure, all in the same order. If there are many pairs, a figure has several panels.
 * @param isOpen Whether requests come at a fixed pace. If so, all targets serve the same number, and requests/s are not
 * compared.
 */
export function forestOf(pairs: readonly ComparedPair[], isOpen: boolean): ForestPanel[] {
  const figures = isOpen ? [50, 99] as const : ["rate", 50, 99] as const;
  const base = baseOf(pairs);
  const whole = figures.map((figure) => {
    const [name, more] = figure === "rate" ? ["Requests/s", "more"] : [figureName(figure), "less"];
    const against = base === null ? "compared" : `against ${base}`;
    return { title: `${name} ${against}, ${more} is better`, chart: chartOf(pairs, figure) };
  });
  // Each panel has some of the rows, but its axis fits all rows.
  return Array.from(
    { length: Math.ceil(pairs.length / MOST_ROWS) },
    (_, part) =>
      whole.map(({ chart, ...head }) => {
        const rows = chart.rows.slice(part * MOST_ROWS, (part + 1) * MOST_ROWS);
        return { ...head, chart: { ...chart, rows } };
      }),
  ).flat().filter(({ chart }) => chart.rows.length > 0);
}

/** Number of rows that fit on a page of paper. */
const MOST_ROWS = 16;

/** The base of all pairs; null if they have different bases. */
function baseOf(pairs: readonly ComparedPair[]): string | null {
  const bases = new Set(pairs.map(({ base }) => base));
  return bases.size === 1 ? pairs[0].base : null;
}

/** For example `hono / nginx · connections 10`. Factors that both cells have in common appear only once. */
function pairLabel({ name, base, cells }: ComparedPair): string {
  const [to, of] = cells.map(({ runs }) => cellParts(runs[0]));
  if (of.length !== to.length) return `${name} / ${base}`;
  return of.map((part, i) => part === to[i] ? part : `${part} / ${to[i]}`).join(" · ");
}

function chartOf(pairs: readonly ComparedPair[], figure: ComparedFigure): Rows {
  const common = baseOf(pairs);
  const rows = pairs.flatMap((pair): Row[] => {
    const { name, color, comparison } = pair;
    const compared = comparisonOf(comparison, figure);
    const { ratio, interval, verdict, isDoubted } = compared;
    if (ratio === null) return [];
    // A very wide interval is not drawn, because it would squeeze all the others.
    const drawn = interval && !isTooWide(interval) ? interval : null;
    return [{
      label: common !== null ? name : pairLabel(pair),
      color,
      draw: "dot",
      value: compact(ratio),
      low: drawn && compact(drawn.low),
      high: drawn && compact(drawn.high),
      runs: [],
      // Without an interval, there is no verdict.
      tone: interval === null || verdict === "inconclusive" || isDoubted ? "open" : TONES[verdict],
      word: interval === null ? "" : verdictWord(compared, comparison.marginRatio),
      text: ratioText(compared),
    }];
  });
  const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const margin = 1 + (pairs[0]?.comparison.marginRatio ?? 0);
  const against = common === null ? "" : ` against ${common}`;
  return {
    kind: "rows",
    alt: `${figureName(figure)}${against}: ${counted(rows.length, "ratio")} with intervals`,
    // The axis reaches at least from 0.9 to 1.1, so that 1 is always on it.
    axis: axisOver("×", [...ends.filter((end) => end > 0), 1 / margin, margin, 0.95, 1.04], {
      logFrom: 0,
      room: 1.06,
    }),
    margin: compact(margin),
    rows,
  };
}

const TONES = { better: "better", worse: "worse", equivalent: "even" } as const;
