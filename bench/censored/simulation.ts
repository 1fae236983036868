/** Simulates a closed loop on a server with exponential response times. */
import { productLimitUs } from "../../runner/stats/histogram/censoring.ts";
import { Histogram } from "../../runner/stats/histogram/histogram.ts";
import type { Random } from "../statistics/random.ts";

interface Loop {
  readonly connections: number;
  /** The seconds after which no new request is sent. */
  readonly seconds: number;
  /** The seconds for which the loop then waits for requests that are still in flight. */
  readonly waits: number;
}

const SECOND_US = 1_000_000;

/**
 * Returns the median, in seconds, that Plateau would report for one run. The true median is ln 2, because the response
 * times have a mean of one second.
 */
function simulatedMedian({ connections, seconds, waits }: Loop, random: Random): number {
  const [all, censored] = [new Histogram(), new Histogram()];
  for (let connection = 0; connection < connections; connection++) {
    for (let at = 0; at < seconds;) {
      const takes = random.exponential();
      const watched = seconds + waits - at;
      all.record(Math.min(takes, watched) * SECOND_US);
      if (takes > watched) censored.record(watched * SECOND_US);
      at += takes;
    }
  }
  return productLimitUs(all.toSparse(), censored.toSparse(), 50) / SECOND_US;
}

/** The mean, over many runs, of the median that Plateau would report. */
export function meanMedian(runs: number, loop: Loop, random: Random): number {
  let sum = 0;
  for (let run = 0; run < runs; run++) sum += simulatedMedian(loop, random);
  return sum / runs;
}
