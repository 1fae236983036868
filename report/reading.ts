/** How to read each figure: one plain sentence or two, the same in every report. */
export const READING = {
  bars:
    "Each bar is the median of a target's runs, each dot one run, the line from the lowest to the highest. Longer is better. Every scenario has a scale of its own.",
  timeline:
    "The runs of a target stand side by side. Upper lane: latency of each interval, from p50 (thick line) through p75 and p90 to p99 (top line); a band that starts high and settles is a warm-up. Lower lanes: requests per second and CPU of the target. All targets of the scenario share the axes.",
  density:
    "The further left a curve, the faster the answers; the higher, the more requests took about that long. A second hump or a long tail to the right is a group of slow requests. The axis is logarithmic and leaves out the fastest 0.1 % and the slowest 0.05 %.",
  perSecond:
    "Each whole second of a run counts its requests; 2.5 % of the seconds had no more than the figure under 2.5 %. The closer the figures, the steadier the run.",
} as const;
