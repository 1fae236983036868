/** The small forest of a card: each ratio to the base, with its interval, on one axis. */
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";
import { ratioText } from "../../writing/ratios.ts";
import { competing } from "../../judge/shortfall.ts";
import { type Certainty, certaintyOf, standingOf } from "../../judge/standing.ts";
import { verdictWord } from "../../findings/judgements.ts";
import { capitalized } from "../../writing/words.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { figureNameOf, isMoreBetter, type Place, withoutLevel } from "./places.ts";

export interface ConclusionForest {
  /** `Requests/s against fastify, more is better`. */
  readonly title: string;
  readonly better: "higher" | "lower";
  /** Ratios from 1 / margin to margin make no difference. */
  readonly margin: number;
  readonly rows: readonly ConclusionRow[];
  /** Comparisons that have no row here. */
  readonly omitted: number;
}

export interface ConclusionRow {
  readonly label: string;
  readonly color: number;
  readonly ratio: number;
  /** Null without an interval. */
  readonly low: number | null;
  readonly high: number | null;
  readonly certainty: Certainty;
  /** `4.31× [4.20, 4.43]`. */
  readonly text: string;
  /** `better`, `likely better, not proven: 3 runs`. */
  readonly word: string;
}

interface ForestComparison {
  readonly label: string;
  readonly color: number;
  readonly base: string;
  /** `requests/s` */
  readonly figure: string;
  readonly comparison: FigureComparison;
  readonly marginRatio: number;
  /** Whether the valid runs alone say otherwise. */
  readonly isDoubted: boolean;
}

/** More have no place on a first screen. */
const MOST_ROWS = 10;

/** Of the first figure, as a forest has one axis; null without a ratio. */
function forestOf(all: readonly ForestComparison[]): ConclusionForest | null {
  const rows = all.filter(({ comparison }) =>
    comparison.ratio !== null && comparison.figure === all[0].comparison.figure
  );
  const [first] = rows;
  if (first === undefined) return null;
  const against = new Set(rows.map(({ base }) => base)).size === 1
    ? `against ${first.base}`
    : "compared";
  const isMore = isMoreBetter(first.comparison);
  return {
    title: `${capitalized(first.figure)} ${against}, ${isMore ? "more" : "less"} is better`,
    better: isMore ? "higher" : "lower",
    margin: 1 + first.marginRatio,
    rows: rows.slice(0, MOST_ROWS).map(forestRow),
    omitted: Math.max(0, rows.length - MOST_ROWS),
  };
}

function forestRow(
  { label, color, comparison: compared, marginRatio, isDoubted }: ForestComparison,
): ConclusionRow {
  const comparison = withoutLevel(compared);
  const { ratio, interval } = comparison;
  return {
    label,
    color,
    ratio: ratio ?? 1,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    certainty: isDoubted ? "open" : certaintyOf(standingOf(comparison)),
    text: ratioText(comparison),
    word: isDoubted ? "not by the valid runs alone" : verdictWord(comparison, marginRatio),
  };
}

/** Of one scenario at one setting, or of one target: from the best of those that keep up, where any does. */
export function baseForest(
  { rows, cells }: ScenarioComparison,
  unit: string,
  isDoubted: boolean,
): ConclusionForest | null {
  const figure = decisiveFigure(cells);
  const able = new Set(competing(cells).map(({ label }) => label));
  const shown = rows.filter(({ name, base }) =>
    able.size === 0 || able.has(name) && able.has(base)
  );
  const sign = figure === "rate" ? -1 : 1;
  return forestOf(
    shown.map(({ name, color, base, comparison }) => ({
      label: name,
      color,
      base,
      figure: figureNameOf(figure, cells[0], unit),
      comparison: comparisonOf(comparison, figure),
      marginRatio: comparison.marginRatio,
      isDoubted,
    })).toSorted((a, b) => sign * ((a.comparison.ratio ?? 1) - (b.comparison.ratio ?? 1))),
  );
}

/** Of others beside a base, or of new runs beside earlier ones, place by place. */
export function placesForest(places: readonly Place[]): ConclusionForest | null {
  const isOne = new Set(places.map(({ first }) => first.name)).size === 1;
  return forestOf(places.flatMap((place) => {
    const { name, first, rival, decision, figure, marginRatio, why } = place;
    if (decision === null || rival === null) return [];
    const areSeveral = places.some((other) => other.name !== name);
    return [{
      label: !areSeveral ? first.name : isOne ? name : `${name}: ${first.name}`,
      color: first.color,
      base: rival.name,
      figure,
      comparison: decision,
      marginRatio,
      isDoubted: why === "doubted" || why === "lost",
    }];
  }));
}
