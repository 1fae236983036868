/**
 * The comparisons of an experiment laid out: as a small forest, and every target in every scenario, or at every setting, as a matrix: its figure, its ratio to the best there, and how
 * certain it is that it differs. Rows are sorted by result.
 */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { comparisonOf, type FigureComparison } from "../../judge/comparison.ts";
import { figureName, shortfallText, verdictWord } from "../../findings/judgements.ts";
import type { Place } from "./places.ts";
import { decisiveFigure, settingsOf } from "../../judge/pairs.ts";
import { ratioText } from "../../writing/ratios.ts";
import { competing, shortfallOf } from "../../judge/shortfall.ts";
import { type Certainty, certaintyOf, standingOf } from "../../judge/standing.ts";
import { boundText, formatMs, formatNumber } from "../../writing/units.ts";
import { mean } from "../../writing/spread.ts";
import { isSearched, takenPerSec } from "../../cells/capacity.ts";
import type { CellRuns } from "../../cells/cells.ts";

/** `best`: of all in its column; `none`: it falls short, or there is no other to hold it against. */
export type MatrixCertainty = "best" | Certainty | "none";

export interface MatrixCell {
  /** The cell as the rest of the report labels it. */
  readonly label: string;
  readonly scenario: string;
  /** `15,127/s`, `4.21 ms`. */
  readonly text: string;
  /** Requests/s, or ms of the p99. */
  readonly value: number;
  /** This one's figure over the best; 1 for the best; null where it falls short or is not compared. */
  readonly ratio: number | null;
  /** `0.35× [0.33, 0.37]`; "" without a ratio. */
  readonly ratioText: string;
  readonly certainty: MatrixCertainty;
  /** `times out on 19 %`, with its name; "" where it does what was required. */
  readonly shortfall: string;
}

export interface MatrixColumn {
  /** `static`, `connections 50`, `static · connections 50`. */
  readonly label: string;
  readonly scenario: string;
  /** What its cells hold. */
  readonly figure: "rate" | "p99";
}

export interface MatrixModel {
  readonly columns: readonly MatrixColumn[];
  /** From the best, by their mean ratio to the best of each column. */
  readonly rows: readonly {
    readonly label: string;
    readonly color: number;
    /** One for each column; null where it was not measured. */
    readonly cells: readonly (MatrixCell | null)[];
  }[];
}

interface BuiltColumn extends MatrixColumn {
  readonly cells: ReadonlyMap<string, MatrixCell>;
  readonly colors: ReadonlyMap<string, number>;
}

/** Null where there is only one cell. */
export function matrixOf(scenarios: readonly ScenarioComparison[]): MatrixModel | null {
  const columns = scenarios.flatMap((scenario) => columnsOf(scenario, scenarios.length > 1));
  const labels = [...new Set(columns.flatMap(({ cells }) => [...cells.keys()]))];
  if (labels.length * columns.length < 2) return null;
  const rows = labels.map((label) => ({
    label,
    color: columns.find(({ colors }) => colors.has(label))?.colors.get(label) ?? 0,
    cells: columns.map(({ cells }) => cells.get(label) ?? null),
  }));
  return {
    columns: columns.map(({ label, scenario, figure }) => ({ label, scenario, figure })),
    rows: rows.toSorted((a, b) => distanceOf(columns, a.cells) - distanceOf(columns, b.cells)),
  };
}

/** How far from the best on average, by the logarithm; a shortfall is farthest. */
function distanceOf(
  columns: readonly BuiltColumn[],
  cells: readonly (MatrixCell | null)[],
): number {
  const places = columns.map(({ figure, cells: column }, i) => {
    const cell = cells[i];
    if (cell === null || cell.shortfall !== "" || !(cell.value > 0)) return WORST;
    const able = [...column.values()].filter(({ shortfall, value }) =>
      shortfall === "" && value > 0
    );
    const values = able.map(({ value }) => value);
    const best = figure === "rate" ? Math.max(...values) : Math.min(...values);
    return Math.abs(Math.log(cell.value / best));
  });
  return mean(places);
}

const WORST = Math.log(1_000);

function columnsOf(scenario: ScenarioComparison, isOneOfSeveral: boolean): BuiltColumn[] {
  const settings = settingsOf(scenario.cells);
  return settings.map(({ label: setting, cells }) => {
    const parts = [
      isOneOfSeveral || settings.length === 1 ? scenario.name : "",
      settings.length > 1 ? setting : "",
    ];
    const figure = decisiveFigure(cells);
    const names = rowNames(cells);
    return {
      label: parts.filter(Boolean).join(" · "),
      scenario: scenario.name,
      figure: figure === 99 ? "p99" : figure,
      cells: new Map(cells.map((cell, i) => [names[i], cellOf(cell, scenario, figure)])),
      colors: new Map(cells.map(({ color }, i) => [names[i], color])),
    };
  });
}

/** Of a target that has a factor of its own, each value has a row. */
function rowNames(cells: readonly CellRuns[]): string[] {
  return cells.map(({ target, label }) =>
    cells.filter((other) => other.target === target).length === 1 ? target : label
  );
}

function cellOf(cell: CellRuns, scenario: ScenarioComparison, figure: "rate" | 99): MatrixCell {
  const { value, isAtLeast } = cell.latency.percentile(99);
  const taken = takenPerSec(cell);
  const short = shortfallOf(cell);
  return {
    label: cell.label,
    scenario: scenario.name,
    text: figure === 99
      ? boundText(formatMs(value), isAtLeast)
      : `${boundText(formatNumber(taken.value), taken.isAtLeast)}/s`,
    value: figure === 99 ? value : taken.value,
    shortfall: short === null ? "" : shortfallText(short),
    ...againstBest(cell, scenario, figure),
  };
}

type AgainstBest = Pick<MatrixCell, "ratio" | "ratioText" | "certainty">;

function againstBest(
  cell: CellRuns,
  { contests, lookup }: ScenarioComparison,
  figure: "rate" | 99,
): AgainstBest {
  const none: AgainstBest = { ratio: null, ratioText: "", certainty: "none" };
  const contest = contests.find(({ ranked, unjudged }) =>
    ranked.includes(cell) || unjudged.includes(cell)
  );
  if (contest === undefined) return none;
  const [first] = contest.ranked;
  if (first === cell) return { ratio: 1, ratioText: "", certainty: "best" };
  const comparison = comparisonOf(lookup(first, cell), figure);
  return {
    ratio: comparison.ratio,
    ratioText: ratioText(comparison),
    certainty: certaintyOf(standingOf(comparison)),
  };
}

// The small forest: of one comparison each other against the base; of several the lead in each.

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

/** More have no place on a first screen. */
export const MOST_FOREST_ROWS = 10;

/** @param besides Rows of what others do beside a base that the experiment names; none without one. */
export function forestRows(
  places: readonly Place[],
  scenarios: readonly ScenarioComparison[],
  besides: readonly ForestComparison[],
): ConclusionForest | null {
  const rows = places.length > 1
    ? ofFirstFigure(besides.length > 0 ? besides : leadRows(places))
    : baseRows(places.length === 1 ? [places[0].scenario] : scenarios);
  const shown = rows.slice(0, MOST_FOREST_ROWS);
  const [first] = shown;
  if (first === undefined) return null;
  const figure = first.comparison.figure;
  const bases = new Set(rows.map(({ base }) => base));
  const against = bases.size === 1 ? `against ${rows[0].base}` : "compared";
  return {
    title: figure === "rate"
      ? `${rateName(scenarios)} ${against}, more is better`
      : `${figureName(figure)} ${against}, less is better`,
    better: figure === "rate" ? "higher" : "lower",
    margin: 1 + first.marginRatio,
    rows: shown.map(forestRow),
    omitted: rows.length - shown.length,
  };
}

/** What more requests a second of them are. */
function rateName(scenarios: readonly ScenarioComparison[]): string {
  const areSearched = scenarios.every(({ cells }) => cells.every(({ runs }) => isSearched(runs)));
  return areSearched ? "Capacity" : "Requests/s";
}

/** One comparison, as a row of the small forest. */
export interface ForestComparison {
  readonly label: string;
  readonly color: number;
  readonly base: string;
  readonly comparison: FigureComparison;
  readonly marginRatio: number;
}

/** From the best; of those that keep up, where any does: beside one that falls short a ratio says nothing. */
function baseRows(scenarios: readonly ScenarioComparison[]): ForestComparison[] {
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) return [];
  const figure = decisiveFigure(scenario.cells);
  const sign = figure === "rate" ? -1 : 1;
  const able = new Set(competing(scenario.cells).map(({ label }) => label));
  const isShown = ({ name, base }: typeof scenario.rows[number]): boolean =>
    able.size === 0 || able.has(name) && able.has(base);
  return scenario.rows.filter(isShown).map(({ name, color, base, comparison }) => ({
    label: name,
    color,
    base,
    comparison: comparisonOf(comparison, figure),
    marginRatio: comparison.marginRatio,
  })).filter(({ comparison }) => comparison.ratio !== null)
    .toSorted((a, b) => sign * ((a.comparison.ratio ?? 1) - (b.comparison.ratio ?? 1)));
}

/** In the order of the places. */
function leadRows(places: readonly Place[]): ForestComparison[] {
  const bases = new Set(places.map(({ contest: { ranked: [, second] } }) => second?.target));
  return places.flatMap(({ name, contest, decision, scenario }): ForestComparison[] => {
    const { ranked: [first, second] } = contest;
    if (decision === null || decision.ratio === null) return [];
    const { marginRatio } = scenario.lookup(second, first);
    return [{
      label: `${name}: ${first.target}${bases.size === 1 ? "" : ` / ${second.target}`}`,
      color: first.color,
      base: second.target,
      comparison: decision,
      marginRatio,
    }];
  });
}

/** A forest has one axis. */
function ofFirstFigure(rows: readonly ForestComparison[]): ForestComparison[] {
  return rows.filter(({ comparison: { figure } }) => figure === rows[0].comparison.figure);
}

export function forestRow(
  { label, color, comparison, marginRatio }: Omit<ForestComparison, "base">,
): ConclusionRow {
  const { ratio, interval } = comparison;
  return {
    label,
    color,
    ratio: ratio ?? 1,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    certainty: certaintyOf(standingOf(comparison)),
    text: ratioText(comparison),
    word: verdictWord(comparison, marginRatio),
  };
}
