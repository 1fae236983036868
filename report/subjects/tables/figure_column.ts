/** Columns for any figure of cells, as in thresholds, claims and published tables. */
import type { FigureName } from "../../../base/figures/figure.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { type FigureRange, rangeOf } from "../../figures/figures.ts";
import { column, type ColumnOf, type Format, type OfCell } from "./table.ts";

export function figureColumn(label: string, figure: FigureName, format: Format): ColumnOf<OfCell> {
  return column(label, ({ cell }) => figureOf(figure, cell), format);
}

export function figureOf(figure: FigureName, cell: CellRuns): FigureRange | null {
  const range = rangeOf(figure, cell);
  return "none" in range ? null : range;
}
