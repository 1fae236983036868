/**
 * Student's t distribution, which serves means of few values (W. S. Gosset, Biometrika 1908), and the normal
 * distribution as its limit.
 */

/** Coefficients of Lanczos' approximation of ln Γ(x) for x > 0, with g = 7 and n = 9; accurate to 15 digits. */
const LANCZOS = [
  0.99999999999980993,
  676.5203681218851,
  -1259.1392167224028,
  771.32342877765313,
  -176.61502916214059,
  12.507343278686905,
  -0.13857109526572012,
  9.9843695780195716e-6,
  1.5056327351493116e-7,
];

function logGamma(x: number): number {
  const shifted = x - 1;
  const series = LANCZOS.reduce(
    (sum, coefficient, i) => i === 0 ? coefficient : sum + coefficient / (shifted + i),
    0,
  );
  const base = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(series);
}

/** The regularised incomplete beta function I_x(a, b), from its continued fraction (DLMF 8.17.22) by Lentz's method. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) /
    a;
  return front / betaFraction(x, a, b);
}

/** The continued fraction 1 + d₁/(1 + d₂/(1 + …)), cut off where a term no longer changes the value. */
function betaFraction(x: number, a: number, b: number): number {
  let value = 1;
  let numerator = 1;
  let denominator = 0;
  for (let i = 1; i <= 500; i++) {
    const m = i >> 1;
    const term = i % 2 === 0
      ? m * (b - m) * x / ((a + i - 1) * (a + i))
      : -(a + m) * (a + b + m) * x / ((a + i - 1) * (a + i));
    denominator = 1 / (1 + term * denominator);
    numerator = 1 + term / numerator;
    value *= numerator * denominator;
    if (Math.abs(numerator * denominator - 1) < 1e-15) break;
  }
  return value;
}

/**
 * Probability that |T| is at least |t|, which is the two-sided p-value of a t statistic.
 *
 * @param degreesOfFreedom Above 0, not necessarily a whole number; Infinity for the normal distribution.
 */
export function twoSidedP(t: number, degreesOfFreedom: number): number {
  // From this many degrees of freedom on, Student's t agrees with the normal distribution to 7
  // digits.
  const df = Math.min(degreesOfFreedom, 1e7);
  return incompleteBeta(df / (df + t * t), df / 2, 0.5);
}

/** Probability that T is at least t. */
export function upperP(t: number, degreesOfFreedom: number): number {
  const half = twoSidedP(t, degreesOfFreedom) / 2;
  return t < 0 ? 1 - half : half;
}

function density(t: number, degreesOfFreedom: number): number {
  const df = Math.min(degreesOfFreedom, 1e7);
  const scale = logGamma((df + 1) / 2) - logGamma(df / 2) - 0.5 * Math.log(df * Math.PI);
  return Math.exp(scale - (df + 1) / 2 * Math.log1p(t * t / df));
}

/** Cache of quantiles. Most intervals of a report have the same number of runs, and so the same degrees of freedom. */
const lastQuantiles = new Map<string, number>();
const MOST_QUANTILES = 64;

/** The value that |T| exceeds with probability 1 − confidence: 2.776 for 95 % and 4 degrees of freedom. */
export function tQuantile(confidence: number, degreesOfFreedom: number): number {
  const key = `${confidence} ${degreesOfFreedom}`;
  const known = lastQuantiles.get(key);
  if (known !== undefined) return known;
  const found = findQuantile(confidence, degreesOfFreedom);
  if (lastQuantiles.size === MOST_QUANTILES) lastQuantiles.clear();
  lastQuantiles.set(key, found);
  return found;
}

/**
 * Finds the quantile by Newton steps on ln p as a function of ln t, which is nearly linear in the tails. Bisects if a
 * step would leave the bracket around the root.
 */
function findQuantile(confidence: number, degreesOfFreedom: number): number {
  const wanted = Math.log(1 - confidence);
  let [low, high] = [-40, 40];
  let at = 0;
  for (let i = 0; i < 100; i++) {
    const t = Math.exp(at);
    const p = twoSidedP(t, degreesOfFreedom);
    if (Math.log(p) > wanted) low = at;
    else high = at;
    const slope = -2 * density(t, degreesOfFreedom) * t / p;
    const next = at - (Math.log(p) - wanted) / slope;
    const step = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(step - at) < 1e-14) break;
    at = step;
  }
  return Math.exp(at);
}
