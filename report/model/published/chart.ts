/** Published against measured: on the line where both are equal, or off it. */
import { type Axis, compact, type ScatterChart } from "../charts/charts.ts";
import type { Published } from "../../../runner/result/result.ts";
import { formatRatio } from "../comparison/words.ts";
import { figureText, type Range } from "../runs/figure_range.ts";
import { FAR_RATIO, isFar, type NameOf } from "./differences.ts";
import { type ComparedRow, isBase } from "./rows.ts";
import { columnUnit } from "./table.ts";

interface Look {
  readonly alt: string;
  readonly unit: Published["unit"];
  /** What both are divided by; null: nothing. */
  readonly relative: string | null;
  readonly nameOf: NameOf;
}

/** Null for fewer than two cells: a dot alone shows no more than its number. */
export function scatterOf(rows: readonly ComparedRow[], look: Look): ScatterChart | null {
  if (rows.length < 2) return null;
  const scenarios = [...new Set(rows.map(({ at }) => at.scenario))];
  const unit = look.relative !== null
    ? { name: "×", size: 1 }
    : columnUnit(look.unit, valuesOf(rows));
  const axis = axisOf(rows, unit);
  const shown = (value: number): number => compact(value / unit.size);
  const end = (value: number): number => Math.min(axis.max, Math.max(axis.min, shown(value)));
  return {
    kind: "scatter",
    alt: look.alt,
    x: axis,
    y: axis,
    titles: ["published", "measured"].map((title) =>
      look.relative === null ? title : `${title} (${look.relative} = 1)`
    ),
    farRatio: FAR_RATIO,
    points: rows.map((row) => ({
      label: look.nameOf(row),
      color: row.at.cell.color,
      mark: scenarios.indexOf(row.at.scenario),
      x: shown(row.ofPublished),
      y: shown(row.ofMeasured.value),
      low: row.ofMeasured.interval && end(row.ofMeasured.interval.low),
      high: row.ofMeasured.interval && end(row.ofMeasured.interval.high),
      isFar: isFar(row),
      lines: linesOf(row, look),
    })),
  };
}

function valuesOf(rows: readonly ComparedRow[]): number[] {
  return rows.flatMap(({ ofPublished, ofMeasured }) => [ofPublished, ofMeasured.value]);
}

/** Beyond the outermost dots, so that none lies on the edge. */
const MARGIN_RATIO = 1.25;

/** Logarithmic, so that a factor is as long everywhere; not where a value is 0. */
function axisOf(
  rows: readonly ComparedRow[],
  { name: unit, size }: { readonly name: string; readonly size: number },
): Axis {
  const values = valuesOf(rows).map((value) => value / size);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least > 0
    ? { unit, scale: "log", min: compact(least / MARGIN_RATIO), max: compact(most * MARGIN_RATIO) }
    : { unit, scale: "linear", min: 0, max: compact(most * MARGIN_RATIO || 1) };
}

function linesOf(row: ComparedRow, { unit, relative }: Look): string[] {
  const { ofPublished, ofMeasured, measured, quotient } = row;
  const text = (range: Range): string =>
    relative !== null ? formatRatio(range.value, range.interval) : figureText(range, unit);
  return [
    `published ${text({ value: ofPublished, interval: null })}`,
    `measured ${measured.isAtLeast ? "≥ " : ""}${text(ofMeasured)}`,
    ...(quotient === null || isBase(row)
      ? []
      : [`measured ÷ published ${formatRatio(quotient.value, quotient.interval)}`]),
  ];
}
