/** Figures of cells, as thresholds, claims and published tables have them, in columns. */
import type { FigureName } from "../../../base/figures/figure.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { type FigureRange, rangeOf } from "../../figures/figures.ts";
import * as column from "./column.ts";
import type { ColumnOf, Format, OfCell } from "./table.ts";

export function figureColumn(label: string, figure: FigureName, format: Format): ColumnOf<OfCell> {
  return column.number(label, ({ cell }) => figureOf(figure, cell), format);
}

export function figureOf(figure: FigureName, cell: CellRuns): FigureRange | null {
  const range = rangeOf(figure, cell);
  return "none" in range ? null : range;
}
