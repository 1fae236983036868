/**
 * Finds the points at which the level of several series has certainly changed. Apache Otava's algorithm proposes
 * candidates (`change_points.ts`); those that may be explained by the correlation of successive results are dropped
 * (`chance.ts`). All series are tested as one family, because they decide one exit code together, and with more series
 * an odd week in one of them becomes more likely.
 */
import { holm } from "../comparison/significance_tests.ts";
import { SIGNIFICANCE } from "../comparison/verdict.ts";
import { bestStep, chanceOf, LEAST_SIDE, stepAt } from "./chance.ts";
import { candidatesOf, type ChangePoint, ratioOf } from "./change_points.ts";

export interface LevelChange extends ChangePoint {
  /** p-value of the change among the values between its neighbouring changes, not adjusted for the number of series. */
  readonly p: number;
}

export interface SeriesLevels {
  readonly changes: readonly LevelChange[];
  /** Estimated correlation of successive values after the changes are removed; null if there are too few values. */
  readonly correlation: number | null;
}

export interface LevelOptions {
  /** The smallest relative change that counts; 0.02 is 2 %. */
  readonly marginRatio: number;
}

/** The fewest values in which a step of ten standard deviations is certainly detected. */
export const LEAST_VALUES = 6;

/**
 * The p-value below which Otava's test, which assumes independent values, proposes a candidate. It may be lenient,
 * because a stricter test follows.
 */
const CANDIDATE_P = 0.05;

/**
 * @param all Series of positive values, oldest first. No changes are sought in a series of fewer than `LEAST_VALUES`
 * values.
 */
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
    // Holm's method has tightened the limit for the strongest change of this series; the same limit
    // applies to all of its changes.
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

/**
 * The significant changes of a series. The weakest candidate is removed again and again, because its neighbours then
 * have more values to be judged by. If none is left, the best single step is tried.
 */
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
    // Bonferroni correction for n candidates, because each is judged between neighbours that were
    // picked from the same data.
    if (weakest.p <= mostP / left.length) return judged;
    left = left.filter((index) => index !== weakest.index);
  }
  return [];
}

/**
 * Judges a candidate by the values between the candidates next to it; p is 1 if they are too few or the step is within
 * the margin.
 */
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
