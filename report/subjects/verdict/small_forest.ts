/** The small forest of a card: each ratio to the base, with its interval, on one axis. */
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import { verdictWord } from "../../findings/judgements.ts";
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";
import { figureNameOf, isMoreBetter, type Place, withoutLevel } from "../../judge/places.ts";
import { competing } from "../../judge/shortfall.ts";
import { certaintyOf, standingOf } from "../../judge/standing.ts";
import { ratioText } from "../../writing/ratios.ts";
import { capitalized } from "../../writing/words.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";

export type ConclusionForest = NonNullable<Conclusion["forest"]>;
export type ConclusionRow = ConclusionForest["rows"][number];

interface ForestComparison extends Pick<ConclusionRow, "label" | "color"> {
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
  const against = rows.every(({ base }) => base === first.base)
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
  return {
    label,
    color,
    ratio: comparison.ratio ?? 1,
    low: comparison.interval?.low ?? null,
    high: comparison.interval?.high ?? null,
    certainty: isDoubted ? "open" : certaintyOf(standingOf(comparison)),
    text: ratioText(comparison),
    word: isDoubted ? "not by the valid runs alone" : verdictWord(comparison, marginRatio),
  };
}

/** Of one scenario at one setting, or of one target: from the best of those that keep up, where any does. */
export function baseForest(
  { rows, cells, unit }: ScenarioComparison,
  isDoubted: boolean,
): ConclusionForest | null {
  const figure = decisiveFigure(cells);
  const able = competing(cells).map(({ label }) => label);
  const shown = rows.filter(({ name, base }) =>
    able.length === 0 || able.includes(name) && able.includes(base)
  );
  const sign = figure === "rate" ? -1 : 1;
  return forestOf(
    shown.map(({ name, color, base, comparison }) => ({
      ...{ label: name, color, base, isDoubted },
      figure: figureNameOf(figure, cells[0], unit),
      comparison: comparisonOf(comparison, figure),
      marginRatio: comparison.marginRatio,
    })).toSorted((a, b) => sign * ((a.comparison.ratio ?? 1) - (b.comparison.ratio ?? 1))),
  );
}

/** Of others beside a base, or of new runs beside earlier ones, place by place. */
export function placesForest(places: readonly Place[]): ConclusionForest | null {
  const isOne = places.every(({ first }) => first.name === places[0].first.name);
  const areSeveral = places.some(({ name }) => name !== places[0].name);
  const labelOf = ({ name, first }: Place): string => {
    const alike = places.filter((place) => place.name === name && place.first.name === first.name);
    const side = alike.length > 1 ? first.label : first.name;
    return !areSeveral ? side : isOne && alike.length === 1 ? name : `${name}: ${side}`;
  };
  return forestOf(
    places.flatMap((place) => {
      const { first, rival, decision, figure, marginRatio, why } = place;
      return decision === null || rival === null ? [] : [{
        label: labelOf(place),
        color: first.color,
        base: rival.name,
        comparison: decision,
        isDoubted: why === "doubted" || why === "lost",
        ...{ figure, marginRatio },
      }];
    }),
  );
}
