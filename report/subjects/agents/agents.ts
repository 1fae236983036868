/** A report's section about the agents of a fleet: which they were, where they disagree, and a table. */
import type { Measurement, Run } from "../../../runner/result/result.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { list, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { mean, median } from "../../writing/spread.ts";
import { formatDuration, timeUnit } from "../../writing/units.ts";
import { counted, listedAll } from "../../writing/words.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import * as column from "../tables/column.ts";
import { type ColumnOf, NONE, type Table, tableOf, unitNamed } from "../tables/table.ts";
import {
  type AgentFigures,
  agentFigures,
  disagreements,
  type LoadedPart,
  shareOf,
  wholeFigures,
} from "./disagreement.ts";

export interface AgentsModel {
  /** One for each agent that was lost or disagrees. */
  readonly findings: readonly string[];
  readonly table: Table;
}

/** The agents of a cell, or of a single measurement. */
interface Loaded {
  /** Null if there is only one cell. */
  readonly target: Pick<CellRuns, "label" | "color"> | null;
  readonly isOpen: boolean;
  readonly whole: AgentFigures;
  readonly agents: readonly AgentFigures[];
}

/** Each agent beside the whole fleet; empty if a single program made the load. */
export const agents: Subject<ScenarioContext> = {
  id: "agents",
  title: "Agents",
  depth: "everything",
  build: ({ name, cells }) => {
    const fleets = cells.map((cell) => ({
      cell,
      runs: cell.parts.map(({ whole }) => whole).filter(({ agents }) => agents !== undefined),
    })).filter(({ runs }) => runs.length > 0);
    if (fleets.length === 0) return [];
    const loaded = fleets.map(({ cell, runs }) => loadedBy(runs, cells.length === 1 ? null : cell));
    const isRepeated = fleets.some(({ runs }) => runs.length > 1);
    const isCut = cells.some(({ parts }) => parts.some(({ run, whole }) => run !== whole));
    const whole = agentsTable(`Agents of ${name}`, loaded, [
      ...isRepeated
        ? [
          "Requests/s and Completed are means over the runs. The other figures, percentiles included, are medians over the runs.",
        ]
        : [],
      ...isCut
        ? ["Figures are of whole runs, including the part that the experiment discards."]
        : [],
    ]);
    return [
      list(findingsOf(loaded).map((text) => ({ code: "agents", text })), {
        forms: ["page", "terminal", "markdown"],
      }),
      table(whole, {
        fold: whole.rows.length > MOST_ROWS ? "Each agent" : null,
        forms: ["page", "markdown"],
      }),
    ];
  },
};

/** A table with more rows is folded up, because it only serves to look up single agents. */
const MOST_ROWS = 30;

export function measurementAgents(measurement: Measurement): AgentsModel | null {
  if (measurement.agents === undefined) return null;
  const loaded = [loadedBy([measurement], null)];
  return { findings: findingsOf(loaded), table: agentsTable("Agents", loaded) };
}

function loadedBy(runs: readonly Measurement[], target: Loaded["target"]): Loaded {
  return {
    target,
    isOpen: runs[0].latency.clock === "intended",
    whole: wholeFigures(runs),
    agents: agentFigures(runs),
  };
}

/** The most findings that are listed; the table has all. */
const MOST_FINDINGS = 8;

function findingsOf(loaded: readonly Loaded[]): string[] {
  const found = loaded.flatMap(({ target, agents, isOpen }) => {
    const cell = loaded.length === 1 ? "" : target?.label ?? "";
    // For a single run, its trust already names the lost agents.
    const lost = agents.filter(({ lost, ofRuns }) => lost.length > 0 && ofRuns > 1)
      .map(({ name, lost, ofRuns }) => {
        const [{ atS, reason }] = lost;
        const when = `last report ${formatDuration(atS)} after the start (${reason})`;
        const text = `was lost in ${lost.length} of ${counted(ofRuns, "run")}: ${when}`;
        return { name, in: ["lost"], text };
      });
    return [...lost, ...disagreements(agents, { isOpen })].map((one) => ({ ...one, cell }));
  });
  // A finding that several cells share is stated once: `express and 2 more: agent d measured …`.
  const alike = Map.groupBy(found, ({ name, in: figures }) => JSON.stringify([name, figures]));
  const sentences = [...alike.values()].map(([{ name, cell, text }, ...others]) =>
    cell === ""
      ? `Agent ${name} ${text}.`
      : `${cell}${others.length === 0 ? "" : ` and ${others.length} more`}: agent ${name} ${text}.`
  );
  const left = sentences.length - MOST_FINDINGS;
  return left <= 0 ? sentences : [
    ...sentences.slice(0, MOST_FINDINGS),
    `${counted(left, "more agent")} also ${
      left === 1 ? "differs" : "differ"
    }; the table has them all.`,
  ];
}

/** The most characters of names in a line. */
const MOST_NAMES_LENGTH = 36;

/** `4: a, b (lost), c, d`; "" without agents. */
export function agentsText(runs: readonly (Measurement | Run)[]): string {
  const agents = agentFigures(runs.filter(({ agents }) => agents !== undefined));
  if (agents.length === 0) return "";
  const names = agents.map(({ name, lost }) => lost.length > 0 ? `${name} (lost)` : name);
  return `${agents.length}: ${listedAll(names, MOST_NAMES_LENGTH)}`;
}

// The whole, and below it each agent.

interface AgentRow extends AgentFigures {
  readonly target: Loaded["target"];
  readonly isOpen: boolean;
}

function agentsTable(
  caption: string,
  loaded: readonly Loaded[],
  notes: readonly string[] = [],
): Table {
  const rows = loaded.flatMap(({ whole, agents, target, isOpen }) =>
    [whole, ...agents].map((one): AgentRow => ({ ...one, target, isOpen }))
  );
  const unit = timeUnit(rows.map(({ p50Ms }) => p50Ms));
  const percentile = (p: number, of: (row: AgentRow) => number): ColumnOf<AgentRow> =>
    column.number(`p${p}`, (row) =>
      row.latencies === 0 ? null : {
        value: of(row),
        isAtLeast: row.parts.some((part) => part.isAtLeast(p)),
        isWeak: !supportsPercentile(row.latencies, p),
      }, unit);
  return tableOf({ caption, notes: [NOTE, ...notes] }, rows, [
    ...loaded.every(({ target }) => target === null)
      ? [column.name<AgentRow>("Agent", ({ name }) => name)]
      : [
        column.name<AgentRow>("Target", ({ target }) => ({
          text: target?.label ?? "",
          color: target?.color,
        })),
        column.text<AgentRow>("Agent", ({ name }) => name),
      ],
    column.number("Requests/s", ({ ratePerSec }) => ratePerSec),
    percentile(50, ({ p50Ms }) => p50Ms),
    percentile(99, ({ p99Ms }) => p99Ms),
    column.number(
      "Connect",
      ({ connectMs }) => connectMs,
      timeUnit(rows.map((row) => row.connectMs ?? 0)),
    ),
    column.text("Trust", ({ trust }) => ({ text: trust, alarming: trust !== "valid" })),
    column.text("Lost", ({ lost, ofRuns }) =>
      lost.length === 0 ? NONE : {
        text: ofRuns === 1
          ? `after ${formatDuration(lost[0].atS)}`
          : `in ${lost.length} of ${counted(ofRuns, "run")}`,
        alarming: true,
      }),
    column.rare(column.errors("Dropped", ({ parts }) => shareOf("dropped", parts) ?? 0, "share")),
    column.number("CPU", middle(({ cpu }) => cpu), "share"),
    // Only in an open loop is there a moment to be late for.
    column.number(
      "Sent late, p99",
      (row) => row.isOpen ? lagOf(row) : null,
      timeUnit(rows.map(lagOf)),
    ),
    column.number(
      "Completed",
      ({ parts }) => mean(parts.map(({ requests }) => requests.completed)),
      "count",
    ),
    column.number("Connections", ({ connections }) => connections, "count"),
    column.number("Workers", middle(({ workers }) => workers), "count"),
    column.number("Clock", ({ parts }) => uncertaintyOf(parts), unitNamed("± ms")),
    // The machine, unless the agent is named after it.
    column.text("Machine", ({ name, host }) => host === name ? NONE.text : host),
  ]);
}

function middle(of: (part: LoadedPart) => number): (row: AgentRow) => number {
  return ({ parts }) => median(parts.map(of));
}

const lagOf = middle(({ lag }) => lag);

/** The largest uncertainty of an agent's clock, in ms; null for all agents together. */
function uncertaintyOf(parts: readonly LoadedPart[]): number | null {
  const known = parts.flatMap(({ uncertaintyMs }) => uncertaintyMs ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

const NOTE =
  "Connect is the time of the fastest connection: a round trip between an agent and the target takes no " +
  "longer. CPU is that of the busiest worker. Clock is how far an agent's clock may differ from those of the other " +
  "agents; the start of its load may differ by as much.";
