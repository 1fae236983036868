/**
 * How uncertain the mean of a series of dependent values is: its long-run variance, which is n times the variance of
 * the mean of n values. Pure.
 *
 * The series is prewhitened by an autoregression of order 1 (D. W. K. Andrews and J. C. Monahan, "An improved
 * heteroskedasticity and autocorrelation consistent covariance matrix estimator", Econometrica 60, 1992). The squares
 * of the first cosine transforms of the remainder are averaged; each is an independent value with one degree of freedom
 * (E. Lazarus, D. J. Lewis, J. H. Stock and M. W. Watson, "HAR inference: recommendations for practice", Journal of
 * Business & Economic Statistics 36, 2018). So intervals use Student's t with one degree of freedom for each transform.
 * Only a few transforms are used, because more of them would include waves that are shorter than the dependence lasts,
 * and so measure noise instead.
 */

/**
 * Number of cosine transforms that are averaged. With so many, 95 % intervals are 18 % wider than with a known
 * variance.
 */
export const DEGREES_OF_FREEDOM = 8;
/**
 * The largest autocorrelation r that is assumed between neighbours. It multiplies the variance by 1/(1 − r)² ≈ 1,000.
 */
const MOST_CORRELATION = 0.97;

export interface LongRun {
  /** Variance of one value about the mean. */
  readonly variance: number;
  /** n times the variance of the mean of n values. */
  readonly longRunVariance: number;
  /** Values of the prewhitened series, which hardly depend on their predecessors. */
  readonly innovations: Float64Array;
}

/**
 * @param deviations Deviations from the mean, in order of time; considerably more of them than `DEGREES_OF_FREEDOM`.
 */
export function longRunOf(deviations: Float64Array): LongRun {
  const { length } = deviations;
  const variance = productsOf(deviations, 0) / length;
  const correlation = variance === 0 ? 0 : correlationOf(deviations);
  const innovations = new Float64Array(length - 1);
  for (let i = 1; i < length; i++) {
    innovations[i - 1] = deviations[i] - correlation * deviations[i - 1];
  }
  const squares = cosineTransforms(innovations, DEGREES_OF_FREEDOM)
    .reduce((sum, value) => sum + value * value, 0);
  const longRunVariance = squares / DEGREES_OF_FREEDOM / (1 - correlation) ** 2;
  return { variance, longRunVariance, innovations };
}

/**
 * Autocorrelation of neighbours, with most of its bias, −(1 + 3r)/n, removed (M. G. Kendall, "Note on bias in the
 * estimation of autocorrelation", 1954).
 */
function correlationOf(deviations: Float64Array): number {
  const found = productsOf(deviations, 1) / productsOf(deviations, 0);
  const unbiased = found + (1 + 3 * found) / deviations.length;
  return Math.max(0, Math.min(MOST_CORRELATION, unbiased));
}

function productsOf(values: Float64Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < values.length; i++) sum += values[i] * values[i - lag];
  return sum;
}

/**
 * Cosine transforms of type II, scaled so that those of independent values have the variance of a single value.
 * @param count Number of transforms, from the lowest frequency above 0 up.
 */
export function cosineTransforms(values: Float64Array, count: number): Float64Array {
  const { length } = values;
  const scale = Math.sqrt(2 / length);
  return Float64Array.from({ length: count }, (_, at) => {
    const step = Math.PI * (at + 1) / length;
    let sum = 0;
    for (let i = 0; i < length; i++) sum += values[i] * Math.cos(step * (i + 0.5));
    return scale * sum;
  });
}
