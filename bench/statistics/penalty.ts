// deno-lint-ignore-file no-console -- printing the table is what this program is for
/**
 * Prints the table from which the penalty in `runner/stats/steady_state/change_points.ts` was chosen: the share of flat
 * series in which a change is found. Series have 40, 80 and 120 intervals, and noise of 1 to 5 % with autocorrelation
 * r. `deno run -A bench/statistics/penalty.ts` takes ten seconds.
 */
import { findChangePoints } from "../../runner/stats/steady_state/change_points.ts";
import { LEAST_SEGMENT, LEAST_STDEV_RATIO } from "../../runner/stats/steady_state/segments.ts";
import { Random } from "./random.ts";

const FACTORS = [3, 4, 5, 6, 8, 10, 15];
const SERIES = 500;

function falseShare(length: number, correlation: number, factor: number): number {
  const random = new Random(7);
  const found = Array.from({ length: SERIES }, () => {
    const values = random.waves(length, { stdev: random.uniform(0.01, 0.05), correlation });
    return findChangePoints(values, {
      minSegment: LEAST_SEGMENT,
      minVariance: LEAST_STDEV_RATIO ** 2,
      penalty: factor * Math.log(length),
    }).length > 0;
  });
  return found.filter(Boolean).length / SERIES;
}

if (import.meta.main) {
  console.log(`   n    r ${FACTORS.map((factor) => `${factor}·ln n`.padStart(8)).join("")}`);
  for (const length of [40, 80, 120]) {
    for (const correlation of [0, 0.2, 0.4, 0.6]) {
      const shares = FACTORS.map((factor) =>
        `${Math.round(100 * falseShare(length, correlation, factor))} %`.padStart(8)
      );
      console.log(`${String(length).padStart(4)}  ${correlation.toFixed(1)} ${shares.join("")}`);
    }
  }
}
