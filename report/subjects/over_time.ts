/** Charts of every target of a scenario over the time of its runs. */
import { type Block, figure } from "../blocks.ts";
import { timelineFindings } from "../findings/timeline_findings.ts";
import { marksText, timelinesOf } from "./charts/timelines.ts";
import type { ScenarioContext } from "./subject.ts";

export function overTime({ cells, results }: ScenarioContext): Block[] {
  const charts = timelinesOf(cells, results);
  return [figure(cells.map((of, i) => ({ of, chart: charts[i] })), {
    id: "timeline",
    findings: [
      ...timelineFindings(cells),
      { code: "marks", text: marksText(charts) },
    ],
    reading: READING,
    forms: ["page"],
  })];
}

const READING =
  "The first chart has all targets in one frame: a line is the median of a target's runs in each interval, its band reaches from the lowest run to the highest. Below, every target has a chart, its runs side by side. A value holds for the interval in which it was measured, so lines are steps. The upper track is latency: p50 (thick line), then p75, p90 and p99 (top line). A band that starts high and settles is a warm-up. Requests that timed out, were unfinished or were never sent count with their elapsed time. The lower tracks are requests per second, the messages of streams and WebSockets with the p99 of their times, CPU and memory of the target, and, where its runtime reported them, for how long collections stopped it, how late its event loop was at most, and how many functions its compilers optimised or gave up. Where served stays below offered, a backlog grows. Shaded green: steady state. Hatched: discarded. A solid upright line: the load or the target changes, as planned. Dashed: latency or rate changes to another level. All targets of the scenario share the axes. Drag over a chart, or set the seconds above it, to recompute the figures for that part of the runs.";
