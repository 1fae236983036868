/**
 * The percentiles of several runs' times where no block of a timeline has them: of service, first byte and
 * connecting, and of lag. Never a mean of percentiles: it is the percentile of nothing (ten runs that
 * connect in 1 ms and one in 41 have a mean p50 of 4.6 ms, which no connection took).
 */
import { bootstrap, type Estimate } from "../../../runner/stats/confidence/bootstrap.ts";
import type { Block } from "../../../runner/stats/confidence/pool.ts";
import { decodeSparse } from "../../../runner/stats/histogram/hdr.ts";
import type { SparseHistogram } from "../../../runner/stats/histogram/histogram.ts";
import type { FigureName, Judged } from "./figures.ts";

const TIMES = /^(service|firstByte|connect)\.(?:p([\d.]+)|mean)$/;

/**
 * The figure of all runs together, from their added histogram counts, µs; null for other figures, and where
 * a run has no histogram, as those of older files.
 */
export function timesEstimate(figure: FigureName, runs: readonly Judged[]): Estimate | null {
  const [, of, percentile] = TIMES.exec(figure) ?? [];
  if (of === undefined) return null;
  const times = of as "service" | "firstByte" | "connect";
  const filled = runs.filter((run) => run[times].count > 0);
  const histograms = filled.flatMap(({ histograms }) => histograms?.[times] ?? []);
  if (histograms.length < filled.length) return null;
  const figures = [percentile === undefined ? "mean" as const : Number(percentile)];
  const blocks = histograms.map((histogram) => [blockOf(decodeSparse(histogram))]);
  return bootstrap(blocks, { figures })[0];
}

/** A whole run, of which no rate is asked. */
function blockOf(latency: SparseHistogram): Block {
  return { seconds: 0, completed: 0, latency };
}
