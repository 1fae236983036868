/**
 * The strongest regular swing of a series: the sine that explains most of its variance, by Schuster's periodogram
 * (A. Schuster, 1898) on a grid four times as fine as that of the Fourier frequencies, so that a period between
 * two of these is not missed. A swing counts only with two whole cycles in the series: less is a bend.
 */

export interface Cycle {
  /** Half the way from the lowest to the highest point of the sine, in the unit of the series. */
  readonly amplitude: number;
  /** Values from one top to the next. */
  readonly period: number;
  /** Share of the variance about the mean that the sine explains, 0–1. */
  readonly explained: number;
}

/** Shorter periods look like others: 2 values a cycle is the limit (H. Nyquist, 1928). */
const LEAST_PERIOD = 2.5;
const GRID = 4;
/** More values are put together in pairs first, two minutes of 250 ms: the search takes their square. */
const MOST_VALUES = 480;

/** @returns Null for equal values, and for fewer than two cycles of the shortest period. */
export function strongestCycle(values: readonly number[]): Cycle | null {
  if (values.length > MOST_VALUES) {
    const cycle = strongestCycle(inPairs(values));
    return cycle && { ...cycle, period: 2 * cycle.period };
  }
  const length = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const deviations = values.map((value) => value - mean);
  const squares = deviations.reduce((sum, value) => sum + value ** 2, 0);
  if (squares === 0) return null;
  const most = Math.floor(GRID * length / LEAST_PERIOD);
  const cycles = Array.from({ length: Math.max(0, most - 2 * GRID + 1) }, (_, i) => {
    const perValue = (2 * GRID + i) / (GRID * length);
    const power = powerAt(deviations, perValue);
    return {
      amplitude: 2 * Math.sqrt(power) / length,
      period: 1 / perValue,
      explained: Math.min(1, 2 * power / (length * squares)),
    };
  });
  return cycles.reduce<Cycle | null>(
    (best, cycle) => best !== null && best.explained >= cycle.explained ? best : cycle,
    null,
  );
}

function inPairs(values: readonly number[]): number[] {
  return Array.from(
    { length: Math.floor(values.length / 2) },
    (_, i) => (values[2 * i] + values[2 * i + 1]) / 2,
  );
}

/** Squared length of the Fourier sum at a frequency of so many cycles per value (G. Goertzel, 1958). */
function powerAt(values: readonly number[], perValue: number): number {
  const turn = 2 * Math.cos(2 * Math.PI * perValue);
  let [last, before] = [0, 0];
  for (const value of values) [last, before] = [value + turn * last - before, last];
  return last ** 2 + before ** 2 - turn * last * before;
}
