/** How to read each figure and table: a few plain sentences, the same in every report. */
export const HOW_TO_READ = {
  bars:
    "Each bar is the mean of a target's runs. Each dot is one run; the line joins the lowest and the highest. Longer is better. Every scenario has its own scale.",
  matrix:
    "Each cell is a target in a scenario, or at a value of a factor; below it stands its ratio to the best of its column. The greener, the nearer to the best; a dotted rim marks a difference that is likely, not proven, and slanted text one that is open. Rows come from the best on average. A press on a cell leads to its scenario.",
  capacity:
    "Each dot is a trial at one rate: p99 strong, p50 pale. Filled: every rule held; hollow: a rule broke; a cross: not counted, as the generator or the machine may be why. The dashed line across is a rule's limit. The dashed upright line is the capacity, the bar at its foot the 95 % interval. Beneath, the trials in order: a whisker joins the highest rate that had held below the lowest that had broken; the dashed line is the capacity. A trial that breaks ends early, so its p99 would grow. A cliff: p99 just beyond the capacity is at least 4 times that at it, or fewer than 90 % succeed; else a slope. Latency and the rates of trials are on logarithmic axes.",
  tradeoff:
    "Each dot is a cell: further right serves more, further down responds sooner. Its cross holds both 95 % confidence intervals over the runs; a larger dot used more CPU. The stepped line is the Pareto front: no other cell has both more requests/s and a lower p99 than one on it.",
  timeline:
    "The first chart has all targets in one frame: a line is the median of a target's runs in each interval, its band reaches from the lowest run to the highest. Below, every target has a chart, its runs side by side. A value holds for the interval in which it was measured, so lines are steps. The upper track is latency: p50 (thick line), then p75, p90 and p99 (top line). A band that starts high and settles is a warm-up. Requests that timed out, were unfinished or were never sent count with their elapsed time. The lower tracks are requests per second, CPU and memory of the target, and, where its runtime reported them, for how long collections stopped it and how late its event loop was at most. Served below offered is a backlog. Shaded green: steady state. Hatched: discarded. A solid upright line: the load or the target changes, as planned. Dashed: latency or rate changes to another level. All targets of the scenario share the axes. Drag over a chart, or set the seconds above it, to recompute the figures for that part of the runs.",
  heatmap:
    "Each column is an interval, each row a step of latency. The stronger the colour, the larger the share of the interval's requests that took so long. Two dark rows are two groups of requests, such as hits and misses of a cache; a tall column is a moment in which some waited. The row above the dotted line counts faster requests, too. A line above a cell marks lower bounds: requests that timed out, were unfinished or were never sent, and took longer. Point at a cell, or use the arrow keys, to read it. The axis is logarithmic; all targets of the scenario share it.",
  density:
    "The further left a curve, the faster the responses; the higher the curve, the more requests took about that long. A second hump, or a long tail to the right, is a group of slow requests. More than two stand above each other, the lowest median on top; at most six are drawn at once. Move the red line, or set its number, to read the share of all requests within it; ≥ where requests without a known end may lie within it, too. Only completed requests are drawn. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.",
  tails:
    "The curve shows the slowest requests: at p99 one request in a hundred took longer, at p99.9 one in a thousand. Thick: all runs of a target together. Thin: each run. A curve that turns up early has a long tail; thin lines far apart are runs that differ. A curve ends where fewer than ten requests lie beyond it. A dotted part is a lower bound: requests that timed out, were unfinished or were never sent could raise it. Both axes are logarithmic.",
  confidence:
    "Square brackets hold the 95 % confidence interval over several runs: about 95 of 100 such intervals contain the true value. More runs make it narrower.",
  forest:
    "Each row compares a target with the reference, which is 1. The dot is the ratio, its line the 95 % confidence interval. Within the grey band both are equivalent. A target is better or worse if its whole interval lies outside the band, and Holm's correction for multiple comparisons and the exact test of pairs agree. A hollow dot is inconclusive: more runs would decide. The axis is logarithmic, so twice and half are equally far from 1.",
  errors:
    "Each bar is an interval. It counts the requests that ended in it and failed, or had a wrong response, over all runs, by kind. Bars at one moment are an event; bars all along are a limit. Requests that were never sent have no moment and appear only in the table.",
  agents:
    "Each bar is an interval of one run: its height is the requests per second of all agents, its parts are the agents. Of several runs it is the one that lost the most agents, or the first. On equal machines and networks the parts are equally high; a part that ends is a lost agent.",
  steady:
    "A run is in steady state from the moment after which neither latency nor rate changes (change points in its intervals). It is flat from the start, or steady after a warm-up, or after a slowdown where it was better before. There is no steady state if the last quarter of the run is not on one level, or drifts, swings or jumps. “Within ±” is how far the medians of windows of the steady part lie from its level. Figures are medians over the runs, with the lowest and the highest run below.",
  settlingTime:
    "A percentile has settled when it stays within 5 % of its final value, or as close to it as during the run's last quarter (Kuffel and Walter).",
  settling:
    "Each dot is a cell. Across: the settled latency, the median of the last quarter of a run. Up: the time until the median flattens, with its 95 % confidence interval over the runs. Dots that rise to the right mean that faster targets settle sooner (figure 6 of Kuffel and Walter). A dot at 0 was flat from the start. Point at a dot for its name. The table shows the other percentiles.",
  parts:
    "Start-up is the part before steady state, in runs that have both; a flat run has none. Rates are means over the runs, latencies are pooled. Nothing is discarded here.",
  perSecond:
    "Each whole second of a run counts its requests: in 2.5 % of the seconds there were no more than the figure under 2.5 %. The closer the figures, the steadier the run.",
  profiles:
    "A call is as wide as the time in it and in all that it called; callers stand above what they called. Own time is that in the function itself. Profiles are of extra runs, which are in no other figure.",
  published:
    "Each dot is a cell. Across: the published figure. Up: the measured figure, with its 95 % confidence interval. On the dashed line both are equal; in the grey band they differ by at most a quarter. Dots with a rim lie outside it with their whole interval. Point at a dot for its name.",
  trend:
    "Each point is the cell in one result, its whisker the 95 % confidence interval over its runs. A line joins them from the oldest to the newest, equally far apart whatever the time between. Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile.",
  sweep:
    "Each point is a cell, its whisker the 95 % confidence interval over its runs. A line joins the cells that differ only in the factor.",
  knee:
    "A dashed vertical line marks the knee, where requests/s stop growing; the bar at its foot is its interval.",
  hollow:
    "Hollow points had over 1 % wrong or failed responses, or too few requests for the percentile.",
  logarithmic: "The factor's axis is logarithmic: equal steps are equal ratios.",
  broken: "Zero cannot be drawn on a logarithmic axis; it stands left of the break.",
  offered: "The dotted line is the offered load: a server that keeps up lies on it.",
} as const;
