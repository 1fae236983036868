/**
 * Every target in every scenario, or at every setting: its figure, its ratio to the best there, and how certain it is
 * that it differs. Rows are sorted by result.
 */
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { takenPerSec } from "../../figures/capacity.ts";
import { shortfallClause } from "../../findings/judgements.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import { decisiveFigure, settingsOf } from "../../judge/pairs.ts";
import type { DecidedPlan } from "../../judge/places.ts";
import { shortfallOf } from "../../judge/shortfall.ts";
import { certaintyOf, standingOf } from "../../judge/standing.ts";
import { ratioText } from "../../writing/ratios.ts";
import { mean } from "../../writing/spread.ts";
import { boundText, formatMs, formatNumber } from "../../writing/units.ts";
import { unique } from "../../writing/words.ts";

export type MatrixModel = NonNullable<Conclusion["matrix"]>;
export type MatrixCell = NonNullable<MatrixModel["rows"][number]["cells"][number]>;
type MatrixColumn = MatrixModel["columns"][number];

interface BuiltColumn extends MatrixColumn {
  readonly cells: ReadonlyMap<string, { readonly color: number; readonly shown: MatrixCell }>;
}

/** Null where there is only one cell. @param isTrusted False: no run is valid, and so nothing is certain. */
export function matrixOf(plans: readonly DecidedPlan[], isTrusted: boolean): MatrixModel | null {
  const columns = plans.flatMap((plan) => columnsOf(plan, { isTrusted, many: plans.length > 1 }));
  const labels = unique(columns.flatMap(({ cells }) => [...cells.keys()]));
  if (labels.length * columns.length < 2) return null;
  const rows = labels.map((label) => {
    const cells = columns.map(({ cells }) => cells.get(label) ?? null);
    const distance = mean(columns.map((column, i) => distanceIn(column, cells[i]?.shown ?? null)));
    return { label, distance, cells };
  });
  return {
    columns: columns.map(({ label, scenario, figure }) => ({ label, scenario, figure })),
    rows: rows.toSorted((a, b) => a.distance - b.distance).map(({ label, cells }) => ({
      label,
      color: cells.find((cell) => cell !== null)?.color ?? 0,
      cells: cells.map((cell) => cell?.shown ?? null),
    })),
  };
}

/** How far from the best, by the logarithm; what falls short, or was not measured, is farthest. */
function distanceIn({ figure, cells }: BuiltColumn, cell: MatrixCell | null): number {
  const isAble = ({ shortfall, value }: MatrixCell): boolean => shortfall === "" && value > 0;
  if (cell === null || !isAble(cell)) return Math.log(1_000);
  const values = [...cells.values()].map(({ shown }) => shown).filter(isAble)
    .map(({ value }) => value);
  const best = figure === "rate" ? Math.max(...values) : Math.min(...values);
  return Math.abs(Math.log(cell.value / best));
}

function columnsOf(
  plan: DecidedPlan,
  { isTrusted, many }: { readonly isTrusted: boolean; readonly many: boolean },
): BuiltColumn[] {
  const settings = settingsOf(plan.cells);
  return settings.map(({ label: setting, cells }) => {
    const parts = [
      many || settings.length === 1 ? plan.name : "",
      settings.length > 1 ? setting : "",
    ];
    const figure = decisiveFigure(cells);
    return {
      label: parts.filter(Boolean).join(" · "),
      scenario: plan.name,
      figure: figure === 99 ? "p99" : figure,
      cells: new Map(cells.map((cell) => {
        // Of a target that has a factor of its own, each value has a row.
        const isOne = cells.filter(({ target }) => target === cell.target).length === 1;
        const shown = cellOf(cell, plan, figure);
        const isClaimed = shown.certainty === "decided" || shown.certainty === "likely";
        return [isOne ? cell.target : cell.label, {
          color: cell.color,
          shown: isClaimed && !isTrusted ? { ...shown, certainty: "open" as const } : shown,
        }];
      })),
    };
  });
}

function cellOf(cell: CellRuns, plan: DecidedPlan, figure: "rate" | 99): MatrixCell {
  const p99 = cell.latency.percentile(99);
  const taken = takenPerSec(cell);
  const short = shortfallOf(cell);
  return {
    label: cell.label,
    scenario: plan.name,
    text: figure === 99
      ? boundText(formatMs(p99.value), p99.isAtLeast)
      : `${boundText(formatNumber(taken.value), taken.isAtLeast)}/s`,
    value: figure === 99 ? p99.value : taken.value,
    shortfall: short === null ? "" : shortfallClause(short),
    ...againstBest(cell, plan, figure),
  };
}

/** This one's figure over the best; 1 for the best; null where it falls short or is not compared. */
function againstBest(
  cell: CellRuns,
  { contests, lookup }: DecidedPlan,
  figure: "rate" | 99,
): Pick<MatrixCell, "ratio" | "ratioText" | "certainty"> {
  const contest = contests.find(({ ranked, unjudged }) => [...ranked, ...unjudged].includes(cell));
  if (contest === undefined) return { ratio: null, ratioText: "", certainty: "none" };
  const [first] = contest.ranked;
  if (first === cell) return { ratio: 1, ratioText: "", certainty: "best" };
  const comparison = comparisonOf(lookup(first, cell), figure);
  return {
    ratio: comparison.ratio,
    ratioText: ratioText(comparison),
    certainty: certaintyOf(standingOf(comparison)),
  };
}
