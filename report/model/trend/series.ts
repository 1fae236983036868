/** The same cells in several results of one experiment, in the order of time. */
import type { Results } from "../../../runner/result/result.ts";
import type { Cell } from "../runs/cells.ts";
import { parametersKey } from "../runs/match.ts";
import type { ReportModel } from "../model.ts";
import { formatMoment } from "../numbers/units.ts";
import { unique } from "../numbers/words.ts";

/** Results with what the report makes of them. */
export interface Reported {
  readonly results: Results;
  readonly model: ReportModel;
}

/** One of the results. */
export interface TrendPoint extends Reported {
  /** What charts and tables call it: its commit, or where that does not tell it, its time. */
  readonly label: string;
  readonly isDirty: boolean;
}

export interface TrendSeries {
  readonly scenario: string;
  readonly label: string;
  readonly color: number;
  /** One for each of the points; null where a result has no such cell. */
  readonly cells: readonly (Cell | null)[];
}

/** From the oldest. */
export function pointsOf(reported: readonly Reported[]): TrendPoint[] {
  const inTime = [...reported].sort((a, b) => startedMs(a) - startedMs(b));
  const labels = labelsOf(inTime.map(({ results }) => results));
  return inTime.map((one, i) => ({
    ...one,
    label: labels[i],
    isDirty: one.results.commit?.dirty ?? false,
  }));
}

function startedMs({ results }: Reported): number {
  return Date.parse(results.startedAt);
}

const HASH_LENGTH = 7;

/** Each different from the others. */
function labelsOf(results: readonly Results[]): string[] {
  const hashes = results.map(hashOf);
  const moments = results.map(({ startedAt }) => formatMoment(startedAt));
  if (!hashes.includes("") && isDistinct(hashes)) return hashes;
  if (isDistinct(moments)) return moments;
  const both = results.map((_, i) => [hashes[i], moments[i]].filter(Boolean).join(" "));
  return isDistinct(both) ? both : both.map((text, i) => `${i + 1}: ${text}`);
}

/** `0123456`, with a + where files differed from the commit; "" where git knew none. */
function hashOf({ commit }: Results): string {
  return commit === null ? "" : commit.hash.slice(0, HASH_LENGTH) + (commit.dirty ? "+" : "");
}

function isDistinct(texts: readonly string[]): boolean {
  return unique(texts).length === texts.length;
}

/** Cells that two results have or more, in the order of the newest result that has them. */
export function seriesOf(points: readonly TrendPoint[]): TrendSeries[] {
  const placed = points.map(({ model }) => placesOf(model));
  const keys = unique(placed.toReversed().flatMap((places) => [...places.keys()]));
  const all = keys.map((key) => {
    const cells = placed.map((places) => places.get(key)?.cell ?? null);
    return { scenario: placed.flatMap((places) => places.get(key)?.scenario ?? [])[0], cells };
  });
  const drawn = all.filter(({ cells }) => cells.filter(Boolean).length > 1);
  const labels = unique(drawn.map(labelOf));
  return drawn.map(({ scenario, cells }) => {
    const label = labelOf({ cells });
    return { scenario, label, color: labels.indexOf(label), cells };
  });
}

function labelOf({ cells }: Pick<TrendSeries, "cells">): string {
  return cells.findLast((cell) => cell !== null)?.label ?? "";
}

interface Placed {
  readonly scenario: string;
  readonly cell: Cell;
}

function placesOf({ scenarios }: ReportModel): Map<string, Placed> {
  return new Map(scenarios.flatMap(({ name, cells }) =>
    cells.map((cell) => [
      JSON.stringify([name, cell.target, parametersKey(cell)]),
      { scenario: name, cell },
    ])
  ));
}
