/**
 * Every target in every scenario, or at every setting: its figure, its ratio to the best there, and how certain it is
 * that it differs. Rows are sorted by result.
 */
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import { decisiveFigure, settingsOf } from "../../judge/pairs.ts";
import { ratioText } from "../../writing/ratios.ts";
import { shortfallOf } from "../../judge/shortfall.ts";
import { shortfallText } from "../../findings/judgements.ts";
import { type Certainty, certaintyOf, standingOf } from "../../judge/standing.ts";
import { boundText, formatMs, formatNumber } from "../../writing/units.ts";
import { mean } from "../../writing/spread.ts";
import { takenPerSec } from "../../figures/capacity.ts";
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

/** Null where there is only one cell. @param isTrusted False: no run is valid, and so nothing is certain. */
export function matrixOf(
  scenarios: readonly ScenarioComparison[],
  isTrusted: boolean,
): MatrixModel | null {
  const columns = scenarios.flatMap((scenario) => columnsOf(scenario, scenarios.length > 1));
  const labels = [...new Set(columns.flatMap(({ cells }) => [...cells.keys()]))];
  if (labels.length * columns.length < 2) return null;
  const rows = labels.map((label) => ({
    label,
    color: columns.find(({ colors }) => colors.has(label))?.colors.get(label) ?? 0,
    cells: columns.map(({ cells }) => {
      const cell = cells.get(label) ?? null;
      const isClaimed = cell?.certainty === "decided" || cell?.certainty === "likely";
      return cell !== null && isClaimed && !isTrusted
        ? { ...cell, certainty: "open" as const }
        : cell;
    }),
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
