/**
 * Every target in every scenario, or at every setting: its figure, the ratio to the best figure (as a shade), and how
 * certain the difference is. Rows are sorted by result.
 */
import type { Conclusion } from "../../runner/result/conclusion.ts";
import { type Block, type Group, group, prunedAll, table, text } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";
import { takenPerSec } from "../figures/capacity.ts";
import { shortfallClause } from "../findings/judgements.ts";
import { certaintyOf, comparisonOf, standingOf } from "../judge/comparison.ts";
import { type DecisiveFigure, decisiveFigure, settingsOf } from "../judge/pairs.ts";
import type { DecidedPlan } from "../judge/places.ts";
import { shortfallOf } from "../judge/shortfall.ts";
import { ratioText } from "../writing/ratios.ts";
import { mean } from "../writing/spread.ts";
import { boundText, formatMs, formatNumber } from "../writing/units.ts";
import { listed, unique } from "../writing/words.ts";
import type { ReportContext } from "./subject.ts";
import { NONE, type TableCell } from "./tables/table.ts";
import { REQUESTS } from "./verdict/asked_figure.ts";

export type MatrixModel = NonNullable<Conclusion["matrix"]>;
type MatrixCell = NonNullable<MatrixModel["rows"][number]["cells"][number]>;
type MatrixColumn = MatrixModel["columns"][number];

/**
 * The matrix; null if there is only one cell. @param isTrusted If it returns false, no difference of that cell counts
 * as proven or likely.
 */
export function matrixOf(
  plans: readonly DecidedPlan[],
  isTrusted: (cell: CellRuns) => boolean,
): MatrixModel | null {
  const settings = plans.flatMap((plan) => {
    const own = settingsOf(plan.cells);
    const scenario = plans.length > 1 || own.length === 1 ? plan.name : "";
    return own.map(({ label, cells }) => {
      const figure = decisiveFigure(cells);
      const names = [scenario, own.length > 1 ? label : ""];
      const column: MatrixColumn = {
        label: names.filter(Boolean).join(" · "),
        scenario: plan.name,
        figure: figure === "rate" ? figure : `p${figure}` as const,
        ...figure === "rate" && plan.unit !== REQUESTS && { unit: plan.unit },
      };
      // A target that runs at several values of a factor of its own has a row for each of these
      // values.
      const rowOf = ({ target, label }: CellRuns): string =>
        cells.filter((cell) => cell.target === target).length === 1 ? target : label;
      const shown = new Map(
        cells.map((cell) => [rowOf(cell), cellOf(cell, plan, figure, isTrusted)]),
      );
      const colors = new Map(cells.map((cell) => [rowOf(cell), cell.color]));
      const able = [...shown.values()].filter(isAble).map(({ value }) => value);
      const best = figure === "rate" ? Math.max(...able) : Math.min(...able);
      return { column, shown, colors, best };
    });
  });
  const labels = unique(settings.flatMap(({ shown }) => [...shown.keys()]));
  if (labels.length * settings.length < 2) return null;
  const rows = labels.map((label) => {
    const cells = settings.map(({ shown }) => shown.get(label) ?? null);
    return {
      label,
      distance: mean(cells.map((cell, i) => distanceOf(cell, settings[i].best))),
      color: settings.flatMap(({ colors }) => colors.get(label) ?? [])[0] ?? 0,
      cells,
    };
  });
  return {
    columns: settings.map(({ column }) => column),
    rows: rows.toSorted((a, b) => a.distance - b.distance)
      .map(({ distance: _, ...row }) => row),
  };
}

function isAble({ shortfall, value }: Pick<MatrixCell, "shortfall" | "value">): boolean {
  return shortfall === "" && value > 0;
}

/**
 * Logarithmic distance from the best. A cell that falls short of the requirements, or was not measured, counts as a
 * thousand times worse.
 */
function distanceOf(cell: Pick<MatrixCell, "shortfall" | "value"> | null, best: number): number {
  return cell !== null && isAble(cell) ? Math.abs(Math.log(cell.value / best)) : Math.log(1_000);
}

function cellOf(
  cell: CellRuns,
  plan: DecidedPlan,
  figure: DecisiveFigure,
  isTrusted: (cell: CellRuns) => boolean,
): MatrixCell {
  const { certainty, ...best } = againstBest(cell, plan, figure);
  const isClaimed = certainty === "decided" || certainty === "likely";
  const latency = figure === "rate" ? null : cell.latency.percentile(figure);
  const taken = takenPerSec(cell);
  const short = shortfallOf(cell);
  return {
    label: cell.label,
    scenario: plan.name,
    text: latency !== null
      ? boundText(formatMs(latency.value), latency.isAtLeast)
      : `${boundText(formatNumber(taken.value), taken.isAtLeast)}${
        plan.unit.endsWith("/s") ? "/s" : ""
      }`,
    value: latency?.value ?? taken.value,
    shortfall: short === null ? "" : shortfallClause(short),
    ...best,
    certainty: isClaimed && !isTrusted(cell) ? "open" : certainty,
  };
}

/**
 * The ratio of this cell's figure to the best one, which is 1 for the best itself; null if the cell falls short or is
 * not compared.
 */
function againstBest(
  cell: CellRuns,
  { contests, lookup }: DecidedPlan,
  figure: DecisiveFigure,
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

/** The matrix as a table; empty if the bar chart shows the same. */
export function matrix({ matrix, scenarios }: ReportContext): Group[] {
  if (matrix === null) return [];
  const links = new Map(scenarios.map(({ name }, i) => [name, `s${i + 1}`]));
  const parts = partsOf(matrix);
  const tables = parts.map(({ columns, rows }): Block => {
    const of = parts.length === 1
      ? ""
      : `: ${listed(unique(columns.map(({ label }) => label)), "and")}`;
    return table({
      caption: `${titleOf(rows)}${rows.length > 1 ? " of its column" : ""}${of}`,
      columns: [
        { label: "Target", unit: "", kind: "name" },
        ...columns.map(({ label, figure, unit = REQUESTS }) => ({
          label,
          unit: figure === "rate" ? unit : figure,
          kind: "number" as const,
        })),
      ],
      rows: rows.map(({ label, color, cells }) => [
        { text: label, color },
        ...cells.map((cell) =>
          cell === null
            ? NONE
            : tableCell(cell, { link: links.get(cell.scenario), isHeld: rows.length > 1 })
        ),
      ]),
      notes: [],
    }, { forms: ["page"] });
  });
  const shades = matrix.rows.length > 1 ? ` ${SHADES}` : "";
  const reading =
    `Each cell is a target in a scenario, or at a value of a factor.${shades} Press a cell to go to its scenario.`;
  const blocks: Block[] = [...tables, { ...text("reading", reading, "reading"), forms: ["page"] }];
  return [group(titleOf(matrix.rows), prunedAll(blocks), { id: "matrix", depth: "summary" })];
}

/** The title of the matrix. A single row has nothing to be compared with. */
function titleOf(rows: readonly unknown[]): string {
  return rows.length > 1 ? "Every result against the best" : "Every result";
}

const SHADES =
  "Below each figure stands its ratio to the best figure of the column. The greener a cell, the nearer it is to the best; a dotted rim marks a difference that is likely but not proven, and slanted text an undecided one. Rows are in order from the best on average to the worst.";

/**
 * Groups of columns that have no row in common become separate tables, because one table would be mostly empty. Groups
 * that are just one cell share a table.
 */
function partsOf({ columns, rows }: MatrixModel): MatrixModel[] {
  const groups = rows.reduce((before: ReadonlySet<number>[], { cells }) => {
    const own = new Set(cells.flatMap((cell, i) => cell === null ? [] : [i]));
    const joined = before.filter((group) => [...own].some((i) => group.has(i)));
    const others = before.filter((group) => !joined.includes(group));
    return [...others, new Set([...own, ...joined.flatMap((group) => [...group])])];
  }, []);
  const rowsIn = (group: ReadonlySet<number>): MatrixModel["rows"] =>
    rows.filter(({ cells }) => cells.some((cell, i) => cell !== null && group.has(i)));
  const [singles, larger] = [true, false].map((isOne) =>
    groups.filter((group) => (group.size * rowsIn(group).length === 1) === isOne)
  );
  const parts = [...larger, new Set(singles.flatMap((group) => [...group]))]
    .filter(({ size }) => size > 0);
  const isIn = (group: ReadonlySet<number>) => (_: unknown, i: number): boolean => group.has(i);
  return parts.toSorted((a, b) => Math.min(...a) - Math.min(...b)).map((group) => ({
    columns: columns.filter(isIn(group)),
    rows: rowsIn(group).map((row) => ({ ...row, cells: row.cells.filter(isIn(group)) })),
  }));
}

function tableCell(
  { text, value, ratio, ratioText, certainty, shortfall }: MatrixCell,
  { link, isHeld }: { readonly link: string | undefined; readonly isHeld: boolean },
): TableCell {
  const below = shortfall || ratioText;
  return {
    ...{ text, value, link },
    ...below !== "" && { below },
    ...shortfall !== "" && { alarming: true },
    ...isHeld && { shade: [shadeOf(ratio, certainty), certainty].filter(Boolean).join(" ") },
  };
}

/** Upper limits of the ratio to the best, in either direction. Beyond each limit, the shade is paler. */
const STEPS = [1.05, 1.25, 1.6, 2.5, 5];

/** The nearer to the best, the deeper the colour. */
function shadeOf(ratio: number | null, certainty: MatrixCell["certainty"]): string {
  if (certainty === "best") return "near-0";
  if (ratio === null) return "";
  const distance = Math.max(ratio, 1 / ratio);
  const step = STEPS.findIndex((most) => distance <= most);
  return `near-${step === -1 ? STEPS.length : step}`;
}
