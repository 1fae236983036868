/** The rate of each agent over one run, so that a reader sees when one falls behind or falls silent. */
import type { AgentPart, Run } from "../../runner/result/result.ts";
import { type AgentsChart, COLORS, compact } from "../charts.ts";
import type { Cell } from "../cells.ts";

export interface AgentsPanel {
  /** `hono, run 2`; the cell alone where it has one run. */
  readonly label: string;
  readonly chart: AgentsChart;
}

/** Of more cells than these, the figures are only in the table. */
const MOST_CELLS = 6;

/** Of each cell the run in which most agents were lost, or its first. */
export function agentsPanels(cells: readonly Cell[]): AgentsPanel[] {
  return cells.slice(0, MOST_CELLS).flatMap(({ label, parts }) => {
    const runs = parts.map(({ whole }) => whole).filter(({ agents = [] }) => isDrawn(agents));
    if (runs.length === 0) return [];
    const run = runs.reduce((a, b) => lostIn(b) > lostIn(a) ? b : a);
    const named = parts.length === 1 ? label : `${label}, run ${run.repetition}`;
    return [{ label: named, chart: chartOf(named, run) }];
  });
}

/** One agent is the whole, and more agents than colours can't be told apart. */
function isDrawn(agents: readonly AgentPart[]): boolean {
  return agents.length > 1 && agents.length <= COLORS;
}

function lostIn({ agents = [] }: Run): number {
  return agents.filter(({ lost }) => lost !== null).length;
}

function chartOf(named: string, { timeline, agents = [] }: Run): AgentsChart {
  const { points } = timeline;
  const starts = points.map((_, i) => i === 0 ? 0 : points[i - 1].endS);
  return {
    kind: "agents",
    alt: `Requests per second of each agent over time, ${named}`,
    t: points.map(({ endS }) => compact(endS)),
    series: agents.map(({ name, completed }, color) => ({
      label: name,
      color,
      rate: points.map(({ endS }, i) =>
        compact(endS > starts[i] ? completed[i] / (endS - starts[i]) : 0)
      ),
    })),
  };
}
