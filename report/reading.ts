/** How to read each figure: one plain sentence or two, the same in every report. */
export const READING = {
  bars:
    "Each bar is the mean of a target's runs, each dot one run, the line from the lowest to the highest. Longer is better. Every scenario has a scale of its own.",
  timeline:
    "The runs of a target stand side by side. Upper lane: latency of each interval, from p50 (thick line) through p75 and p90 to p99 (top line); a band that starts high and settles is a warm-up. Lower lanes: requests per second and CPU of the target. All targets of the scenario share the axes.",
  density:
    "The further left a curve, the faster the answers; the higher, the more requests took about that long. A second hump or a long tail to the right is a group of slow requests. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.",
  confidence:
    "In square brackets, where there are several runs: the 95 % interval. Of 100 experiments like this one, some 95 would find the true figure between such ends. It rests on how the runs differ, so more repetitions make it narrower.",
  steady:
    "A run is steady from the moment after which neither its latency nor its rate changes any more (change points in its intervals): flat from the start, after a warm-up, or, where it was better before, after a slowdown. Without a last part of a quarter of the run on one level there is no steady state. Figures are medians of the runs, with the lowest and highest run below.",
  flattening:
    "A percentile is flat from the moment after which it stays within 5 % of where it ends, or as near as its last quarter does (the measure of Kuffel and Walter).",
  parts:
    "Start-up is what comes before the steady part, in the runs that have both; a flat run has none. Rates are means of the runs, latencies are pooled. Nothing is discarded here.",
  perSecond:
    "Each whole second of a run counts its requests; 2.5 % of the seconds had no more than the figure under 2.5 %. The closer the figures, the steadier the run.",
} as const;
