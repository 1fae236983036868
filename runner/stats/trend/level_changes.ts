/**
 * Where several series of results change their levels for certain. Candidates are those of Apache Otava
 * (`change_points.ts`); those that the dependence of successive results may explain are dropped (`chance.ts`). All
 * series are tested as one family, because one exit code stands for all of them, and the more series there are, the
 * more of them have an odd week.
 */
import { holm } from "../comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../comparison/verdict.ts";
import { bestStep, chanceOf, LEAST_SIDE, stepAt } from "./chance.ts";
import { candidatesOf, type ChangePoint, ratioOf } from "./change_points.ts";

export interface LevelChange extends ChangePoint {
  /** p-value among the values between the neighbouring changes; not yet adjusted for many series. */
  readonly p: number;
}

export interface SeriesLevels {
  readonly changes: readonly LevelChange[];
  /** Estimated correlation of neighbours, with the changes removed; null if there are too few values. */
  readonly correlation: number | null;
}

export interface LevelOptions {
  /** Smaller changes don't count: 0.02 is 2 %. */
  readonly marginRatio: number;
}

/** With this many values, a step of ten standard deviations is detected for certain. */
export const LEAST_VALUES = 6;

/** The limit for candidates, as if values were independent: the strict test follows. */
const CANDIDATE_P = 0.05;

/** @param all Series of values above 0, oldest first. Series with fewer than `LEAST_VALUES` values are ignored. */
export function levelChangesOf(
  all: readonly (readonly number[])[],
  options: LevelOptions,
): SeriesLevels[] {
  const long = all.filter(({ length }) => length >= LEAST_VALUES);
  const found = new Map(long.map((series) => [series, leftOf(series, SIGNIFICANCE, options)]));
  const ps = long.map((series) => {
    const judged = found.get(series) ?? [];
    return Math.min(1, ...judged.map(({ p }) => p * judged.length));
  });
  const raised = holm(ps);
  return all.map((series) => {
    const at = long.indexOf(series);
    if (at === -1) return { changes: [], correlation: null };
    // If a series has changes, each of them must be as significant as Holm's method required of the strongest.
    const changes = raised[at] <= SIGNIFICANCE
      ? leftOf(series, SIGNIFICANCE * ps[at] / raised[at], options)
      : [];
    return levelsOf(series, changes);
  });
}

interface Judged {
  readonly index: number;
  readonly p: number;
  readonly correlation: number;
}

/** Removes the weakest candidate repeatedly, since its neighbours then have more values to be judged by. */
function leftOf(
  series: readonly number[],
  mostP: number,
  { marginRatio }: LevelOptions,
): Judged[] {
  const logs = series.map(Math.log);
  const candidates = candidatesOf(series, { marginRatio, mostP: CANDIDATE_P });
  const left = eliminated(logs, candidates, { mostP, marginRatio });
  const best = bestStep(logs);
  return left.length > 0 || best === null
    ? left
    : eliminated(logs, [best.index], { mostP, marginRatio });
}

function eliminated(
  logs: readonly number[],
  candidates: readonly number[],
  { mostP, marginRatio }: { readonly mostP: number; readonly marginRatio: number },
): Judged[] {
  for (let left = [...candidates]; left.length > 0;) {
    const judged = left.map((_, i) => judgedAt(logs, left, i, marginRatio));
    const weakest = judged.reduce((most, one) => one.p > most.p ? one : most);
    // Several candidates cut the series where it suits them, so n of them must each be n times as significant.
    if (weakest.p <= mostP / left.length) return judged;
    left = left.filter((index) => index !== weakest.index);
  }
  return [];
}

/** Judges a change by the values between the neighbouring candidates. */
function judgedAt(
  logs: readonly number[],
  candidates: readonly number[],
  i: number,
  marginRatio: number,
): Judged {
  const [from, to] = [candidates[i - 1] ?? 0, candidates[i + 1] ?? logs.length];
  const index = candidates[i];
  const values = logs.slice(from, to);
  const isShort = Math.min(index - from, to - index) < LEAST_SIDE || values.length < LEAST_VALUES;
  if (isShort) return { index, p: 1, correlation: 0 };
  const step = stepAt(values, index - from);
  const chance = chanceOf(step, values.length);
  const isSmall = Math.abs(meanOf(values, index - from) - meanOf(values, 0, index - from)) <=
    Math.log1p(marginRatio);
  return { index, p: isSmall ? 1 : chance.p, correlation: chance.correlation };
}

function meanOf(values: readonly number[], from: number, to = values.length): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += values[i];
  return sum / (to - from);
}

function levelsOf(series: readonly number[], judged: readonly Judged[]): SeriesLevels {
  const best = bestStep(series.map(Math.log));
  const whole = best === null ? null : chanceOf(best, series.length).correlation;
  const correlation = judged.length === 0
    ? whole
    : judged.reduce((sum, one) => sum + one.correlation, 0) / judged.length;
  const changes = judged.map(({ index, p }, i): LevelChange => {
    const [from, to] = [judged[i - 1]?.index ?? 0, judged[i + 1]?.index ?? series.length];
    const ratio = ratioOf(series.slice(from, index), series.slice(index, to), correlation ?? 0);
    return { index, p, ratio };
  });
  return { changes, correlation };
}
