/** Comparisons as a figure: for each pair and figure the ratio with its interval, the verdict, and the margin. */
import type { Panel } from "../../blocks.ts";
import { axisOver, compact, type Row, type Rows } from "../../chart.ts";
import { cellParts } from "../../cells/cell_label.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import type { ComparedFigure } from "../../judge/group.ts";
import { figureName, verdictWord } from "../../findings/judgements.ts";
import { ratioText } from "../../writing/ratios.ts";
import { isTooWide } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import type { ComparedPair } from "../tables/compared.ts";

/** A panel for each figure, with the pairs in the same order; several panels if there are many pairs. */
export interface ForestPanel extends Panel {
  readonly title: string;
  readonly chart: Rows;
}

/** If requests come at a fixed pace, all targets serve the same number, so requests/s are not compared. */
const FIGURES: Record<"closed" | "open", readonly ComparedFigure[]> = {
  closed: ["rate", 50, 99],
  open: [50, 99],
};

/** The pairs as panels, one for each figure. @param isOpen Whether requests come at a fixed pace. */
export function forestOf(pairs: readonly ComparedPair[], isOpen: boolean): ForestPanel[] {
  const whole = FIGURES[isOpen ? "open" : "closed"]
    .map((figure) => ({ title: titleOf(pairs, figure), chart: chartOf(pairs, figure) }));
  // Each panel has some of the rows, on an axis that fits all of them.
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

/** `Requests/s against express, more is better`. */
function titleOf(pairs: readonly ComparedPair[], figure: ComparedFigure): string {
  const against = baseOf(pairs) === null ? "compared" : `against ${baseOf(pairs)}`;
  return figure === "rate"
    ? `Requests/s ${against}, more is better`
    : `${figureName(figure)} ${against}, less is better`;
}

/** The base of all pairs; null if they have different bases. */
function baseOf(pairs: readonly ComparedPair[]): string | null {
  const bases = new Set(pairs.map(({ base }) => base));
  return bases.size === 1 ? pairs[0].base : null;
}

/** `hono / nginx · connections 10`: common factors of two cells are printed once. */
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
    // A very wide interval is not drawn, because it would squeeze all others together.
    const drawn = interval && !isTooWide(interval) ? interval : null;
    return [{
      label: common !== null ? name : pairLabel(pair),
      color,
      draw: "dot",
      value: compact(ratio),
      low: drawn && compact(drawn.low),
      high: drawn && compact(drawn.high),
      runs: [],
      // Without an interval there is no verdict.
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
    // Reaches at least from 0.9 to 1.1, so that 1 is always on the axis.
    axis: axisOver("×", [...ends.filter((end) => end > 0), 1 / margin, margin, 0.95, 1.04], {
      ...{ logFrom: 0, room: 1.06 },
    }),
    margin: compact(margin),
    rows,
  };
}

const TONES = { better: "better", worse: "worse", equivalent: "even" } as const;
