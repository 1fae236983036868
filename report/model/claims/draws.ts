/**
 * The figures of claims as what their ratios are drawn from: all cells of an experiment by the same repetitions, so
 * that a ratio, and a ratio of ratios, has its centre and its width from one estimator.
 */
import { type Estimate, estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import type { JudgedCell } from "../runs/figure_range.ts";
import { type FigureName, figureOfRun } from "../runs/figures.ts";

/** Of all runs together; null where there is one run, or no ratio to it. */
export function drawnFigure(figure: FigureName, cell: JudgedCell): Estimate | null {
  const name = pooledName(figure);
  return name === null ? drawnMean(figure, cell) : cell.estimates.get(name) ?? null;
}

/** The mean of what each run has. */
export function drawnMean(
  figure: FigureName,
  { runs, estimates }: JudgedCell,
): Estimate | null {
  const known = runs.flatMap((run, i) => {
    const one = figureOfRun(figure, run);
    return "none" in one ? [] : [{ value: one.value, repetition: run.repetition ?? i + 1 }];
  });
  if (known.length < 2) return null;
  return estimateOfMean(known.map(({ value }) => value), {
    session: estimates.get("rate")?.session ?? null,
    repetitions: known.map(({ repetition }) => repetition),
  });
}

/** Null for figures that runs have one value of each. */
function pooledName(figure: FigureName): "rate" | "mean" | number | null {
  if (figure === "rate" || figure === "mean") return figure;
  const percentile = /^p([\d.]+)$/.exec(figure)?.[1];
  return percentile === undefined ? null : Number(percentile);
}
