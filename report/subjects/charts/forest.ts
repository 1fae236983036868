/** Comparisons as a figure: for each pair and figure the ratio with its interval, its verdict, the margin. */
import { type Axis, compact, type Row, type Rows } from "../../chart.ts";
import { comparisonOf, type GroupComparison } from "../../judge/comparison.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import { figureInProse, figureName, verdictWord } from "../../findings/judgements.ts";
import { percentText, ratioText } from "../../writing/ratios.ts";
import { isTooWide } from "../../writing/units.ts";
import { counted, listed } from "../../writing/words.ts";

/** A target held against another. */
export interface ForestPair {
  readonly name: string;
  readonly color: number;
  readonly base: string;
  /** What the labels of both consist of: the target, then each factor with its value. */
  readonly parts: { readonly name: readonly string[]; readonly base: readonly string[] };
  readonly comparison: GroupComparison;
}

export interface ForestModel {
  /** One for each figure, in the same order of pairs; of many pairs several. */
  readonly charts: readonly { readonly title: string; readonly chart: Rows }[];
  readonly finding: string;
}

/** Where requests come at a pace of their own, all targets serve as many. */
const FIGURES: Record<"closed" | "open", readonly ComparedFigure[]> = {
  closed: ["rate", 50, 99],
  open: [50, 99],
};

/** @param isOpen Whether requests come at a pace of their own. Null without a ratio to show. */
export function forestOf(pairs: readonly ForestPair[], isOpen: boolean): ForestModel | null {
  const whole = FIGURES[isOpen ? "open" : "closed"]
    .map((figure) => ({ title: titleOf(pairs, figure), chart: chartOf(pairs, figure) }));
  const parts = Math.ceil(pairs.length / MOST_ROWS);
  const charts = Array.from({ length: parts }, (_, part) => whole.map((one) => partOf(one, part)))
    .flat().filter(({ chart }) => chart.rows.length > 0);
  if (charts.length === 0) return null;
  return { charts, finding: findingOf(pairs, isOpen) };
}

/** More would not be on a page of paper. */
const MOST_ROWS = 16;

type Titled = ForestModel["charts"][number];

/** Some of the rows, on the axis of all. */
function partOf({ title, chart }: Titled, part: number): Titled {
  const rows = chart.rows.slice(part * MOST_ROWS, (part + 1) * MOST_ROWS);
  return { title, chart: { ...chart, rows } };
}

/** `Requests/s against express, more is better`. */
function titleOf(pairs: readonly ForestPair[], figure: ComparedFigure): string {
  const against = baseOf(pairs) === null ? "compared" : `against ${baseOf(pairs)}`;
  return figure === "rate"
    ? `Requests/s ${against}, more is better`
    : `${figureName(figure)} ${against}, less is better`;
}

/** What all are held against; null when that differs. */
function baseOf(pairs: readonly ForestPair[]): string | null {
  const bases = new Set(pairs.map(({ base }) => base));
  return bases.size === 1 ? pairs[0].base : null;
}

/** `hono / nginx · connections 10`: common factors of two cells are printed once. */
function pairLabel({ name, base, parts }: ForestPair): string {
  if (parts.name.length !== parts.base.length) return `${name} / ${base}`;
  return parts.name
    .map((part, i) => part === parts.base[i] ? part : `${part} / ${parts.base[i]}`).join(" · ");
}

function chartOf(pairs: readonly ForestPair[], figure: ComparedFigure): Rows {
  const common = baseOf(pairs);
  const rows = pairs.flatMap((pair): Row[] => {
    const { name, color, comparison } = pair;
    const compared = comparisonOf(comparison, figure);
    const { ratio, interval, verdict } = compared;
    if (ratio === null) return [];
    // Drawn, it would push every other to the same place.
    const drawn = interval && !isTooWide(interval) ? interval : null;
    return [{
      label: common !== null ? name : pairLabel(pair),
      color,
      draw: "dot",
      value: compact(ratio),
      low: drawn && compact(drawn.low),
      high: drawn && compact(drawn.high),
      runs: [],
      // Without an interval there is no verdict to give.
      tone: interval === null || verdict === "inconclusive" ? "open" : TONES[verdict],
      word: interval === null ? "" : verdictWord(compared, comparison.marginRatio),
      text: ratioText(compared),
    }];
  });
  const margin = 1 + (pairs[0]?.comparison.marginRatio ?? 0);
  const against = common === null ? "" : ` against ${common}`;
  return {
    kind: "rows",
    alt: `${figureName(figure)}${against}: ${counted(rows.length, "ratio")} with intervals`,
    axis: axisOf(rows, margin),
    margin: compact(margin),
    ...rows.some(({ label, word }) => label.length + word.length > LONGEST_BESIDE) &&
      { namesApart: true },
    rows,
  };
}

const TONES = { better: "better", worse: "worse", equivalent: "even" } as const;

/** Characters of a name and a verdict that a panel, a third of a page wide, has room for beside a ratio. */
const LONGEST_BESIDE = 32;

/** As far as the intervals reach, but at least from 0.9 to 1.1: equality has its place. */
function axisOf(rows: readonly Row[], margin: number): Axis {
  const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  const positive = ends.filter((end) => end > 0);
  const [least, most] = [Math.min(...positive, 1 / margin), Math.max(...positive, margin)];
  return {
    unit: "×",
    scale: "log",
    min: compact(Math.min(least / 1.06, 0.9)),
    max: compact(Math.max(most * 1.06, 1.1)),
  };
}

/** As many names are printed; of more, their number. */
const MOST_NAMES = 3;

/** `Against express: requests/s better with fastify, the same within 2 % with koa; p99 …`. */
function findingOf(pairs: readonly ForestPair[], isOpen: boolean): string {
  const figures: readonly ComparedFigure[] = isOpen ? [99] : ["rate", 99];
  const says = figures.map((figure) => {
    const name = figureInProse(figure);
    return `${name} ${outcomesText(pairs, figure)}`;
  });
  return `Against ${baseOf(pairs) ?? "the target with equal settings"}: ${says.join("; ")}.`;
}

function outcomesText(pairs: readonly ForestPair[], figure: ComparedFigure): string {
  const byOutcome = Map.groupBy(pairs, ({ comparison }) => outcomeOf(comparison, figure));
  return [...byOutcome].map(([outcome, those]) => `${outcome} ${withWhom(those)}`).join(", ");
}

function outcomeOf(comparison: GroupComparison, figure: ComparedFigure): string {
  const compared = comparisonOf(comparison, figure);
  if (compared.interval === null) return "inconclusive (too few runs)";
  if (compared.verdict === "equivalent") {
    return `the same within ${percentText(comparison.marginRatio)}`;
  }
  return verdictWord(compared, comparison.marginRatio);
}

function withWhom(pairs: readonly ForestPair[]): string {
  const names = [...new Set(pairs.map(({ name }) => name))];
  if (names.length > MOST_NAMES) return `with ${names.length} of the others`;
  return `with ${listed(names, "and")}`;
}
