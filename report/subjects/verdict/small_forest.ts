/** The small forest of a card: each ratio to the base, with its interval, on one axis. */
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import { verdictWord } from "../../findings/judgements.ts";
import { certaintyOf, comparisonOf, standingOf } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";
import { figureNameOf, isMoreBetter, type Place, withoutLevel } from "../../judge/places.ts";
import { competing } from "../../judge/shortfall.ts";
import { ratioText } from "../../writing/ratios.ts";
import { capitalized } from "../../writing/words.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";

export type ConclusionForest = NonNullable<Conclusion["forest"]>;
export type ConclusionRow = ConclusionForest["rows"][number];

/** The parts of a place from which a row is made. */
type Compared = Pick<Place, "decision" | "figure" | "marginRatio"> & {
  readonly label: string;
  readonly color: number;
  readonly base: string;
  /** Whether the undisturbed runs alone say otherwise. */
  readonly isDoubted: boolean;
};

/** The most rows that fit on a first screen. */
const MOST_ROWS = 10;

/** A forest of the first figure only, because it has a single axis; null without a ratio. */
function forestOf(compared: readonly Compared[]): ConclusionForest | null {
  const all = compared.flatMap(({ decision, ...row }) =>
    decision === null || decision.ratio === null
      ? []
      : [{ ...row, decision, ratio: decision.ratio }]
  );
  const [first] = all;
  if (first === undefined) return null;
  const rows = all.filter(({ decision }) => decision.figure === first.decision.figure);
  const isOneBase = rows.every(({ base }) => base === first.base);
  const isMore = isMoreBetter(first.decision);
  return {
    title: `${capitalized(first.figure)} ${isOneBase ? `against ${first.base}` : "compared"}, ${
      isMore ? "more" : "less"
    } is better`,
    better: isMore ? "higher" : "lower",
    margin: 1 + first.marginRatio,
    rows: rows.slice(0, MOST_ROWS).map(
      ({ label, color, ratio, decision, marginRatio, isDoubted }) => {
        const shown = withoutLevel(decision);
        return {
          ...{ label, color, ratio },
          low: shown.interval?.low ?? null,
          high: shown.interval?.high ?? null,
          certainty: isDoubted || shown.isDoubted ? "open" : certaintyOf(standingOf(shown)),
          text: ratioText(shown),
          word: isDoubted ? "only with doubtful runs" : verdictWord(shown, marginRatio),
        };
      },
    ),
    omitted: Math.max(0, rows.length - MOST_ROWS),
  };
}

/**
 * A forest of one scenario at one setting, or of one target, the best first; only of targets that keep up, if any do.
 */
export function baseForest(
  { rows, cells, unit }: ScenarioComparison,
  isDoubted: (target: string) => boolean,
): ConclusionForest | null {
  const of = decisiveFigure(cells);
  const figure = figureNameOf(of, cells[0], unit);
  const able = competing(cells).map(({ label }) => label);
  const shown = rows.filter(({ name, base }) =>
    able.length === 0 || able.includes(name) && able.includes(base)
  ).map(({ name, color, base, comparison }) => ({
    ...{ label: name, color, base, figure },
    isDoubted: cells.some(({ label, target }) =>
      (label === name || label === base) && isDoubted(target)
    ),
    decision: comparisonOf(comparison, of),
    marginRatio: comparison.marginRatio,
  }));
  return forestOf(bestFirst(shown));
}

/** A forest of others compared with a base, or of new runs with earlier ones, place by place. */
export function placesForest(places: readonly Place[]): ConclusionForest | null {
  const isOne = places.every(({ first }) => first.name === places[0].first.name);
  const areSeveral = places.some(({ name }) => name !== places[0].name);
  const labelOf = ({ name, first }: Place): string => {
    const alike = places.filter((place) => place.name === name && place.first.name === first.name);
    const side = alike.length > 1 ? first.label : first.name;
    return !areSeveral ? side : isOne && alike.length === 1 ? name : `${name}: ${side}`;
  };
  const compared = places.flatMap((place): Compared[] => {
    const { first, rival, why } = place;
    return rival === null ? [] : [{
      ...place,
      label: labelOf(place),
      color: first.color,
      base: rival.name,
      isDoubted: why === "doubted" || why === "lost",
    }];
  });
  // Settings and the values of a factor keep their order.
  const areTargets = new Set(places.map(({ first }) => first.name)).size === places.length;
  return forestOf(areTargets && !areSeveral ? bestFirst(compared) : compared);
}

function bestFirst(compared: readonly Compared[]): Compared[] {
  return compared.toSorted(({ decision: a }, { decision: b }) => {
    const [one, other] = [a?.ratio ?? 1, b?.ratio ?? 1];
    return a !== null && isMoreBetter(a) ? other - one : one - other;
  });
}
