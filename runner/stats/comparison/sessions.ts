/**
 * Measuring sessions as the unit: on another day, after a reboot, in another container the same program is
 * faster or slower by more than its runs within a session differ (T. Kalibera and R. Jones, "Rigorous benchmarking in
 * reasonable time", ISMM 2013, make it a level of its own). More runs of one session say nothing about that.
 */
import type { Estimate } from "../confidence/bootstrap.ts";
import type { Variance } from "../confidence/confidence_interval.ts";
import { meanOf } from "../quantile.ts";

/**
 * A figure over several sessions, at the least two: its geometric mean, each session counting once. The means of
 * sessions differ by what sessions differ and by what runs do, so their variance holds both; by luck it may be less
 * than the runs alone explain, and then that counts.
 */
export function meanOfSessions(estimates: readonly Estimate[]): Estimate {
  const count = estimates.length;
  const logs = estimates.map(({ value }) => Math.log(value));
  const mean = meanOf(logs);
  const variance = Math.max(squaresAbout(mean, logs) / (count - 1), errorWithin(estimates));
  return {
    session: null,
    repetitions: [...estimates.keys()],
    value: Math.exp(mean),
    byRun: estimates.map(({ value }) => value),
    logStandardError: Math.sqrt(variance / count),
    logDraws: new Float64Array(),
    of: () => null,
  };
}

/**
 * By how much the sessions of one side differ, by earlier sessions in which nothing else did: the variance of the
 * logarithms of a figure between sessions, less what the runs within explain, pooled over cells. Sessions slow all
 * cells alike, so cells add no degrees of freedom: those are the sessions less one.
 *
 * @param cells The figure of each cell in each session that has it. @returns Null where no cell is in two sessions.
 */
export function spreadOfSessions(cells: readonly (readonly Estimate[])[]): Variance | null {
  const repeated = cells.filter(({ length }) => length > 1);
  if (repeated.length === 0) return null;
  const squares = repeated.map((estimates) => {
    const logs = estimates.map(({ value }) => Math.log(value));
    return squaresAbout(meanOf(logs), logs);
  });
  const freedom = repeated.reduce((sum, { length }) => sum + length - 1, 0);
  const between = squares.reduce((sum, one) => sum + one, 0) / freedom;
  return {
    variance: Math.max(0, between - errorWithin(repeated.flat())),
    degreesOfFreedom: Math.max(...repeated.map(({ length }) => length)) - 1,
  };
}

/** Mean squared standard error of ln value; sessions of one run know of none. */
function errorWithin(estimates: readonly Estimate[]): number {
  const known = estimates.map(({ logStandardError }) => logStandardError ** 2)
    .filter(Number.isFinite);
  return known.length === 0 ? 0 : meanOf(known);
}

function squaresAbout(mean: number, values: readonly number[]): number {
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}
