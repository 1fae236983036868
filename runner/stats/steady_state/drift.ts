/**
 * How far a stretch of values drifted: the change of a straight line through them from the first to
 * the last, fitted by least squares.
 */
export interface Drift {
  /** In the values' unit; positive when they rise. */
  readonly change: number;
  /**
   * Of `change`. Noise that comes in waves (an autocorrelation r from one value to the next) is taken
   * for as many independent values as it is worth, n · (1 − r) / (1 + r).
   */
  readonly standardError: number;
  /** Sum of the squared distances of the values from the line. */
  readonly residualSquares: number;
}

/** @param values At least 3. */
export function driftOf(values: readonly number[]): Drift {
  const length = values.length;
  const middle = (length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / length;
  const spread = (length ** 3 - length) / 12; // Σ (i − middle)²
  const slope = values.reduce((sum, value, i) => sum + (i - middle) * value, 0) / spread;
  const residuals = values.map((value, i) => value - mean - slope * (i - middle));
  const squares = residuals.reduce((sum, residual) => sum + residual ** 2, 0);
  const products = residuals.slice(1).reduce(
    (sum, residual, i) => sum + residual * residuals[i],
    0,
  );
  const correlation = squares === 0 ? 0 : Math.max(0, products / squares);
  const variance = squares / (length - 2) * (1 + correlation) / (1 - correlation);
  return {
    change: slope * (length - 1),
    standardError: (length - 1) * Math.sqrt(variance / spread),
    residualSquares: squares,
  };
}
