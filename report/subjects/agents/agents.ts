/** What a report says of the agents that loaded together: who they were, when they disagree, and a table. */
import { type Trust, TRUSTS } from "../../../runner/result/generator.ts";
import type { AgentPart, Measurement, Run } from "../../../runner/result/result.ts";
import { compact, legendOf, type Xy, type XySeries } from "../../chart.ts";
import { stackedAxis, stackedOver } from "../charts/errors.ts";
import { COLORS } from "../../cells/colors.ts";
import { lowerMedian, mean, median } from "../../writing/spread.ts";
import { formatDuration, formatMs, formatNumber } from "../../writing/units.ts";
import { counted, listedAll } from "../../writing/words.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { poolLatency } from "../../figures/pool.ts";
import { figure, type Form, list, table } from "../../blocks.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import type { Table } from "../tables/table.ts";
import {
  type AgentFigures,
  agentFigures,
  disagreements,
  droppedRatio,
  type LoadKind,
} from "./disagreement.ts";
import { agentsTable, type WholeFigures } from "./table.ts";

export interface AgentsModel {
  /** One for each agent that was lost or disagrees, or one that they agree. */
  readonly findings: readonly string[];
  readonly table: Table;
}

/** More of them help nobody; the table has all. */
const MOST_FINDINGS = 8;

/** Each agent beside the whole; nothing where one program loaded alone. */
export const agents: Subject<ScenarioContext> = {
  id: "agents",
  title: "Agents",
  depth: "everything",
  build: ({ name, cells }) => {
    const model = agentsModel(name, cells);
    if (model === null) return [];
    return [
      list(model.findings.map((text) => ({ code: "agents", text })), { forms: FORMS }),
      table(model.table, {
        fold: model.table.rows.length > MOST_ROWS ? "Each agent" : null,
        forms: ["page", "markdown"],
      }),
      ...agentsPanels(cells).map(({ label, chart }) =>
        figure([{ title: `Requests per second, ${label}`, of: null, chart }], {
          legend: legendOf(chart),
          reading: READING,
        })
      ),
    ];
  },
};

const FORMS: readonly Form[] = ["page", "terminal", "markdown"];
/** A longer table is folded up: it serves to look up one agent. */
const MOST_ROWS = 30;
const READING =
  "Each bar is an interval of one run: its height is the requests per second of all agents, its parts are the agents. Of several runs it is the one that lost the most agents, or the first. On equal machines and networks the parts are equally high; a part that ends is a lost agent.";

function agentsModel(scenario: string, cells: readonly CellRuns[]): AgentsModel | null {
  const loaded = cells.flatMap(({ label, color, parts }) => {
    const runs = parts.map(({ whole }) => whole).filter(({ agents }) => agents !== undefined);
    const target = cells.length === 1 ? null : { label, color };
    return runs.length === 0 ? [] : [{ whole: wholeOf(runs, target), runs }];
  });
  if (loaded.length === 0) return null;
  const isRepeated = loaded.some(({ runs }) => runs.length > 1);
  const isCut = cells.some(({ parts }) => parts.some(({ run, whole }) => run !== whole));
  return {
    findings: findingsOf(loaded.map(({ whole, runs }) => ({ ...whole, kind: runs[0].load.kind }))),
    table: agentsTable(`Agents of ${scenario}`, loaded.map(({ whole }) => whole), [
      ...(isRepeated
        ? [
          "Requests/s and completed are means over the runs, the other figures medians, percentiles a run's own.",
        ]
        : []),
      ...(isCut ? ["Figures are of whole runs, with what the experiment discards."] : []),
    ]),
  };
}

/** Null without agents. */
export function measurementAgents(measurement: Measurement): AgentsModel | null {
  if (measurement.agents === undefined) return null;
  const whole = wholeOf([measurement], null);
  return {
    findings: findingsOf([{ ...whole, kind: measurement.load.kind }]),
    table: agentsTable("Agents", [whole]),
  };
}

function wholeOf(runs: readonly Measurement[], target: WholeFigures["target"]): WholeFigures {
  const middle = (of: (run: Measurement) => number): number => median(runs.map(of));
  const connected = runs.filter(({ connect }) => connect.count > 0);
  return {
    target,
    isOpen: runs[0].latency.clock === "intended",
    workers: middle(({ generator }) => generator.workers),
    connections: middle(({ load }) => load.connections),
    completed: mean(runs.map(({ requests }) => requests.completed)),
    droppedRatio: droppedRatio(runs),
    ratePerSec: mean(runs.map(({ rate }) => rate)),
    p50Ms: lowerMedian(runs.map(({ latency }) => latency.percentiles["50"])),
    p99Ms: lowerMedian(runs.map(({ latency }) => latency.percentiles["99"])),
    lowerBounds: [50, 99].filter((p) => runs.some((run) => poolLatency([run]).isAtLeast(p))),
    latencies: Math.min(...runs.map(({ latency }) => latency.count)),
    connectMs: connected.length === 0 ? null : median(connected.map(({ connect }) => connect.min)),
    cpuRatio: middle(({ generator }) => generator.cpu),
    lagMs: middle(({ generator }) => generator.lag.p99),
    trust: worstOf(runs),
    agents: agentFigures(runs),
  };
}

function worstOf(runs: readonly Pick<Measurement, "generator">[]): Trust {
  return TRUSTS.findLast((level) => runs.some(({ generator }) => generator.trust === level)) ??
    "valid";
}

/** What is found of one agent in one cell. */
interface RunAgents {
  readonly name: string;
  /** "" where there is one alone. */
  readonly cell: string;
  readonly because: string;
  readonly text: string;
}

function findingsOf(wholes: readonly (WholeFigures & { readonly kind: LoadKind })[]): string[] {
  const found = wholes.flatMap((whole) => {
    const cell = wholes.length === 1 ? "" : whole.target?.label ?? "";
    const { agents, kind } = whole;
    return [...lostOf(agents), ...disagreements(agents, kind)].map((one) => ({ ...one, cell }));
  });
  if (found.length === 0) return agreement(wholes);
  const alike = Map.groupBy(found, ({ name, because }) => JSON.stringify([name, because]));
  const sentences = [...alike.values()].map(sentenceOf);
  const left = sentences.length - MOST_FINDINGS;
  if (left <= 0) return sentences;
  return [
    ...sentences.slice(0, MOST_FINDINGS),
    `${counted(left, "more agent")} also ${
      left === 1 ? "differs" : "differ"
    }; the table has them all.`,
  ];
}

/** `express and 2 more: agent d measured …`: what holds in several cells is said once. */
function sentenceOf([first, ...others]: readonly RunAgents[]): string {
  const { name, cell, text } = first;
  const agent = `gent ${name} ${text}.`;
  if (cell === "") return `A${agent}`;
  return `${cell}${others.length === 0 ? "" : ` and ${others.length} more`}: a${agent}`;
}

/** Where there is one run, its trust says so already. */
function lostOf(agents: readonly AgentFigures[]): Omit<RunAgents, "cell">[] {
  return agents.filter(({ lost, ofRuns }) => lost.length > 0 && ofRuns > 1)
    .map(({ name, lost, ofRuns }) => {
      const runs = `${lost.length} of ${counted(ofRuns, "run")}`;
      const [{ atS, reason }] = lost;
      const when = `last report ${formatDuration(atS)} after the start (${reason})`;
      return { name, because: "lost", text: `was lost in ${runs}: ${when}` };
    });
}

/** Of one agent nothing is to be said, nor of a lost one: it measured another while. */
function agreement(wholes: readonly WholeFigures[]): string[] {
  const apart = wholes.map(({ agents }) =>
    agents.filter(({ latencies, lost }) => latencies > 0 && lost.length === 0)
      .map(({ p50Ms }) => p50Ms)
  ).filter((medians) => medians.length > 1);
  if (apart.length === 0) return [];
  const isWhole = wholes.every(({ agents }) => agents.every(({ lost }) => lost.length === 0));
  const who = isWhole ? "The agents" : "The agents that were not lost";
  if (apart.length > 1) return [`${who} agree on every target.`];
  const [low, high] = [Math.min(...apart[0]), Math.max(...apart[0])].map(formatMs);
  return [
    low === high
      ? `${who} agree: each measured a median latency of ${low}.`
      : `${who} agree: their median latencies are from ${low} to ${high}.`,
  ];
}

/** Names in a line are not to fill it. */
const MOST_NAMES_LENGTH = 36;

/** `4: a, b (lost), c, d · 12,000/s each`; "" without agents. */
export function agentsText(runs: readonly (Measurement | Run)[]): string {
  const agents = agentFigures(runs.filter(({ agents }) => agents !== undefined));
  if (agents.length === 0) return "";
  const names = agents.map(({ name, lost }) => lost.length > 0 ? `${name} (lost)` : name);
  const each = runs.length === 1 ? ` · ${eachText(agents)}` : "";
  return `${agents.length}: ${listedAll(names, MOST_NAMES_LENGTH)}${each}`;
}

/** Of those that were there to the end. */
function eachText(agents: readonly AgentFigures[]): string {
  const there = agents.filter(({ lost }) => lost.length === 0);
  const rates = (there.length > 0 ? there : agents).map(({ ratePerSec }) => ratePerSec);
  const [low, high] = [Math.min(...rates), Math.max(...rates)];
  const text = high > 1.1 * low ? `${formatNumber(low)}–${formatNumber(high)}` : formatNumber(
    median(rates),
  );
  return `${text}/s${agents.length === 1 ? "" : " each"}`;
}

// The rate of each agent over one run, so that a reader sees when one falls behind or falls silent.

interface AgentsPanel {
  /** `hono, run 2`; the cell alone where it has one run. */
  readonly label: string;
  readonly chart: Xy;
}

/** Of more cells than these, the figures are only in the table. */
const MOST_CELLS = 6;

/** Of each cell the run in which most agents were lost, or its first. */
function agentsPanels(cells: readonly CellRuns[]): AgentsPanel[] {
  return cells.slice(0, MOST_CELLS).flatMap(({ label, parts }) => {
    const runs = parts.map(({ whole }) => whole).filter(({ agents = [] }) => isDrawn(agents));
    if (runs.length === 0) return [];
    const run = runs.reduce((a, b) => lostIn(b) > lostIn(a) ? b : a);
    const named = parts.length === 1 ? label : `${label}, run ${run.repetition}`;
    return [{ label: named, chart: chartOf(named, run) }];
  });
}

/** One agent is the whole; more agents than colours look alike. */
function isDrawn(agents: readonly AgentPart[]): boolean {
  return agents.length > 1 && agents.length <= COLORS;
}

function lostIn({ agents = [] }: Run): number {
  return agents.filter(({ lost }) => lost !== null).length;
}

function chartOf(named: string, { timeline, agents = [] }: Run): Xy {
  const { points } = timeline;
  const starts = points.map((_, i) => i === 0 ? 0 : points[i - 1].endS);
  const series = agents.map(({ name, completed }, color): XySeries => ({
    label: name,
    color,
    draw: "bars",
    values: points.map(({ endS }, i) =>
      compact(endS > starts[i] ? completed[i] / (endS - starts[i]) : 0)
    ),
  }));
  return {
    alt: `Requests per second of each agent over time, ${named}`,
    ...stackedOver(points.map(({ endS }) => endS), series),
    y: { ...stackedAxis(series), title: "requests/s" },
  };
}
