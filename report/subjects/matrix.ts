/** Every target in every scenario, or at every setting, shaded by how near it comes to the best there. */
import { type Block, table, text } from "../blocks.ts";
import { listed, unique } from "../writing/words.ts";
import type { ReportContext, Subject } from "./subject.ts";
import { NONE, type TableCell } from "./tables/table.ts";
import type { MatrixCell, MatrixModel } from "./verdict/matrix.ts";

export const matrix: Subject<ReportContext> = {
  id: "matrix",
  title: "Every result against the best",
  depth: "summary",
  build: ({ matrix, scenarios }) => {
    if (matrix === null) return [];
    const links = new Map(scenarios.map(({ name }, i) => [name, `s${i + 1}`]));
    const parts = partsOf(matrix);
    const tables = parts.map(({ columns, rows }): Block => {
      const of = parts.length === 1
        ? ""
        : `: ${listed(unique(columns.map(({ label }) => label)), "and")}`;
      return table({
        caption: `Every result against the best of its column${of}`,
        columns: [
          { label: "Target", unit: "", kind: "name" },
          ...columns.map(({ label, figure }) => ({
            label,
            unit: figure === "rate" ? "requests/s" : "p99",
            kind: "number" as const,
          })),
        ],
        rows: rows.map(({ label, color, cells }) => [
          { text: label, color },
          ...cells.map((cell) => cell === null ? NONE : tableCell(cell, links.get(cell.scenario))),
        ]),
        notes: [],
      }, { forms: ["page"] });
    });
    return [...tables, { ...text("reading", READING, "reading"), forms: ["page"] }];
  },
};

const READING =
  "Each cell is a target in a scenario, or at a value of a factor; below it stands its ratio to the best of its column. The greener, the nearer to the best; a dotted rim marks a difference that is likely, not proven, and slanted text one that is open. Rows come from the best on average. A press on a cell leads to its scenario.";

/** Columns that no row connects are tables of their own, as most of one table would be empty; single cells share one. */
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
  { text, value, ratio, ratioText, certainty, shortfall, label }: MatrixCell,
  link: string | undefined,
): TableCell {
  // Whose shortfall it is stands beside the row.
  const short = shortfall.replace(` of the requests to ${label} were`, "").replace(`${label} `, "");
  const below = short || ratioText;
  return {
    ...{ text, value, link },
    ...below !== "" && { below },
    ...shortfall !== "" && { alarming: true },
    shade: [shadeOf(ratio, certainty), certainty].filter(Boolean).join(" "),
  };
}

/** Ratios to the best, either way; each step down is a paler shade. */
const STEPS = [1.05, 1.25, 1.6, 2.5, 5];

/** The more colour, the nearer to the best. */
function shadeOf(ratio: number | null, certainty: MatrixCell["certainty"]): string {
  if (certainty === "best") return "near-0";
  if (ratio === null) return "";
  const distance = Math.max(ratio, 1 / ratio);
  const step = STEPS.findIndex((most) => distance <= most);
  return `near-${step === -1 ? STEPS.length : step}`;
}
