/**
 * Fits a line that rises and then stays level to points, by least squares: y = level + slope · min(0, x − corner). The
 * fit is exact, by D. J. Hudson, "Fitting segmented curves whose join points have to be estimated", JASA 61 (1966). If
 * the corner lies strictly between two neighbouring points, the two parts are fitted separately and meet there. If it
 * lies at a point, one regression fits both parts.
 */
import { meanOf } from "../quantile.ts";

interface SegmentedLine {
  readonly corner: number;
  readonly level: number;
  /** Slope of the rising part, above 0. */
  readonly slope: number;
  /** Number of points on the rising part, before the corner. */
  readonly rising: number;
  readonly squaredError: number;
}

interface FittedLine {
  readonly slope: number;
  readonly intercept: number;
}

/**
 * @param xs Ascending, at least three, and as many as `ys`.
 * @param loneSlope The slope of a rising part with a single point, which does not determine one.
 * @returns The best fit with at least two points on the level part; null if nothing rises.
 */
export function fitSegmentedLine(
  xs: readonly number[],
  ys: readonly number[],
  loneSlope: number,
): SegmentedLine | null {
  let best: SegmentedLine | null = null;
  for (let rising = 1; rising <= xs.length - 2; rising++) {
    for (const line of [between(xs, ys, { rising, loneSlope }), at(xs, ys, rising)]) {
      if (line !== null && (best === null || line.squaredError < best.squaredError - 1e-12)) {
        best = line;
      }
    }
  }
  return best;
}

/**
 * The fit with the corner strictly between the points `rising` − 1 and `rising`; null if the parts don't meet there.
 */
function between(
  xs: readonly number[],
  ys: readonly number[],
  { rising, loneSlope }: { rising: number; loneSlope: number },
): SegmentedLine | null {
  const level = meanOf(ys.slice(rising));
  const line = rising === 1
    ? { slope: loneSlope, intercept: ys[0] - loneSlope * xs[0] }
    : regression(xs.slice(0, rising), ys.slice(0, rising));
  if (line.slope <= 0) return null;
  const corner = (level - line.intercept) / line.slope;
  if (corner <= xs[rising - 1] || corner >= xs[rising]) return null;
  return segmentedLineOf(xs, ys, { corner, level, slope: line.slope, rising });
}

/** The fit with the corner at the point `rising`; null if the line does not rise. */
function at(xs: readonly number[], ys: readonly number[], rising: number): SegmentedLine | null {
  const corner = xs[rising];
  const { slope, intercept } = regression(xs.map((x) => Math.min(0, x - corner)), ys);
  return slope <= 0 ? null : segmentedLineOf(xs, ys, { corner, level: intercept, slope, rising });
}

function segmentedLineOf(
  xs: readonly number[],
  ys: readonly number[],
  shape: Omit<SegmentedLine, "squaredError">,
): SegmentedLine {
  const { level, slope, corner } = shape;
  const squaredError = xs.reduce(
    (sum, x, i) => sum + (ys[i] - level - slope * Math.min(0, x - corner)) ** 2,
    0,
  );
  return { ...shape, squaredError };
}

/** Fits a straight line by least squares. */
export function regression(xs: readonly number[], ys: readonly number[]): FittedLine {
  const [x0, y0] = [meanOf(xs), meanOf(ys)];
  const along = xs.reduce((sum, x, i) => sum + (x - x0) * (ys[i] - y0), 0);
  const spread = xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
  const slope = spread === 0 ? 0 : along / spread;
  return { slope, intercept: y0 - slope * x0 };
}
