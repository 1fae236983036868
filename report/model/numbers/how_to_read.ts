/** How to read each figure: one plain sentence or two, the same in every report. */
export const HOW_TO_READ = {
  bars:
    "Each bar is the mean of a target's runs, each dot one run, the line from the lowest to the highest. Longer is better. Every scenario has a scale of its own.",
  timeline:
    "The runs of a target stand side by side. Upper panel: latency of each interval, from p50 (thick line) through p75 and p90 to p99 (top line); a band that starts high and settles is a warm-up. Requests that timed out, were unfinished or were never sent count with the time they had taken. Lower panels: requests per second, CPU and memory of the target. Shaded green: the steady part. Dashed: where latency or rate goes to another level. All targets of the scenario share the axes. Drag over a chart, or set the seconds above it, to recompute the figures for a part of the runs.",
  density:
    "The further left a curve, the faster the responses; the higher, the more requests took about that long. A second hump or a long tail to the right is a group of slow requests. Only completed requests are drawn. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.",
  tails:
    "How slow the slowest are: at p99 one request in a hundred took longer than the line, at p99.9 one in a thousand. Thick: all runs of a target together; thin: each run. A line that turns up early has a long tail; thin lines far apart mean that runs differ. A line ends where fewer than ten requests lie beyond it. A dotted part is a lower bound: requests that timed out, were unfinished or were never sent could make it higher. Both axes are logarithmic.",
  confidence:
    "In square brackets, where there are several runs: the 95 % interval. Of 100 experiments like this one, some 95 would find the true figure between such ends. It rests on how the runs differ, so more repetitions make it narrower.",
  forest:
    "Each row holds a target against another, whose figure is 1. The dot is the ratio, its line the 95 % interval; on the grey band both are as good as equal. A whole interval to one side of it is a difference: better or worse, if Holm's correction for so many comparisons and the exact test of pairs agree. A hollow dot has no verdict: more runs would decide. The axis is logarithmic, so that twice and half are as far from 1.",
  errors:
    "Each bar is an interval, with the requests in it that failed or had a wrong response, over all runs, by kind. Bars at one moment are an event; bars all along are a limit. Requests that were never sent have no moment and are only in the table.",
  agents:
    "Each bar is an interval of one run, its height the requests per second of all agents, its parts those of each: of several runs the one in which most agents were lost, or the first. Where machines and networks are alike the parts are of like height; a part that ends is an agent that was lost.",
  steady:
    "A run is steady from the moment after which neither its latency nor its rate changes any more (change points in its intervals): flat from the start, after a warm-up, or, where it was better before, after a slowdown. Without a last part of a quarter of the run on one level, or where that part drifts, swings or jumps, there is no steady state. “Within ±” is how far the medians of windows of the steady part lie from its level. Figures are medians of the runs, with the lowest and highest run below.",
  settlingTime:
    "A percentile is flat from the moment after which it stays within 5 % of where it ends, or as near as its last quarter does (the measure of Kuffel and Walter).",
  settling:
    "Each dot is a cell: to the right its settled median latency (that of the last quarter of a run), upwards its settling time: after it the median stays near that level, with its 95 % interval over the runs. Dots that rise to the right mean that faster targets settle sooner (figure 6 of Kuffel and Walter); a dot at 0 was flat from the start. Point at a dot for its name. The table has the same of the other percentiles.",
  parts:
    "Start-up is what comes before the steady part, in the runs that have both; a flat run has none. Rates are means of the runs, latencies are pooled. Nothing is discarded here.",
  perSecond:
    "Each whole second of a run counts its requests; 2.5 % of the seconds had no more than the figure under 2.5 %. The closer the figures, the steadier the run.",
  sweep:
    "Each point is a cell, its whisker the 95 % interval over its runs; a line joins cells that differ in nothing but the factor.",
  knee:
    "A dashed upright line is where requests/s stop growing, the bar at its foot how far that may be off.",
  hollow:
    "Hollow points had more than 1 % wrong or failed responses, or too few requests for the percentile.",
  logarithmic: "The factor's axis is logarithmic: equal steps are equal ratios.",
  broken: "Zero cannot be drawn on a logarithmic axis; it stands left of the break.",
  offered: "The dotted line is the offered rate: a server that keeps up is on it.",
} as const;
