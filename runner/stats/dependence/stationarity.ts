/**
 * Tells whether a series stays on one level or wanders off, by the low-frequency test of stationarity of U. K. Müller
 * and M. W. Watson ("Testing models of low-frequency variability", Econometrica 76, 2008). The cosine transforms of a
 * stationary series are about equally large. Those of a random walk beneath noise, of a trend and of a step are larger
 * the lower their frequency. The test is the most powerful one against a random walk. Pure.
 */
import { cosineTransforms } from "./long_run_variance.ts";

/** Size of the random walk for which the test is optimised, as chosen by its authors. */
const WALK = 10;
/**
 * Number of transforms, and the critical value, which 5 % of stationary series exceed (in 10⁶ draws of normal values).
 * `FULL` is for series of at least `LEAST_FULL` values, `SHORT` for shorter ones.
 */
const FULL = { transforms: 20, critical: 1.514 };
const SHORT = { transforms: 12, critical: 1.979 };
const LEAST_FULL = 120;

/**
 * @param innovations A series from which the dependence on the previous value was removed; see `long_run_variance.ts`.
 */
export function isStationary(innovations: Float64Array): boolean {
  const { transforms, critical } = innovations.length >= LEAST_FULL ? FULL : SHORT;
  let [all, higher] = [0, 0];
  cosineTransforms(innovations, transforms).forEach((value, at) => {
    all += value ** 2;
    higher += value ** 2 / (1 + (WALK / (Math.PI * (at + 1))) ** 2);
  });
  return all <= critical * higher;
}
