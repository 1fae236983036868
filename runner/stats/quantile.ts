/**
 * The value below which `share` (0–1) of the values lie, by linear interpolation between the two nearest
 * (definition 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996; the default
 * of R and NumPy). NaN for no values.
 *
 * @param sorted Ascending.
 */
export function quantileOf(sorted: ArrayLike<number>, share: number): number {
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(sorted.length - 1, below + 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

/** The middle value, or the mean of the two; NaN for no values. */
export function medianOf(values: readonly number[]): number {
  return quantileOf([...values].sort((a, b) => a - b), 0.5);
}
