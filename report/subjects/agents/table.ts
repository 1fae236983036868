/** The whole, and below it each agent that loaded. */
import type { Trust } from "../../../runner/result/generator.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { type DisplayUnit, formatDuration, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import {
  boundCell,
  type ColumnOf,
  countCell,
  errorCell,
  NONE,
  numberCell,
  shareCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "../tables/table.ts";
import type { AgentFigures } from "./disagreement.ts";

/** A cell's whole, in the terms of its agents. */
export interface WholeFigures extends
  Pick<
    AgentFigures,
    | "workers"
    | "connections"
    | "completed"
    | "droppedRatio"
    | "ratePerSec"
    | "p50Ms"
    | "p99Ms"
    | "lowerBounds"
    | "latencies"
    | "connectMs"
    | "cpuRatio"
    | "lagMs"
    | "trust"
  > {
  /** Of the cell, and its colour; null where there is one alone. */
  readonly target: { readonly label: string; readonly color: number } | null;
  readonly isOpen: boolean;
  readonly agents: readonly AgentFigures[];
}

/** One row: the whole, or one agent. */
interface AgentRow extends Omit<WholeFigures, "agents"> {
  /** Null: the whole. */
  readonly agent: AgentFigures | null;
}

/** @param notes Sentences of the model beside those of the table itself. */
export function agentsTable(
  caption: string,
  wholes: readonly WholeFigures[],
  notes: readonly string[] = [],
): Table {
  const rows = wholes.flatMap(rowsOf);
  const unit = timeUnit(rows.map(({ p50Ms }) => p50Ms));
  const connectUnit = timeUnit(rows.map(({ connectMs }) => connectMs ?? 0));
  return tableOf({ caption, notes: [...NOTES, ...notes] }, rows, [
    ...nameColumns(wholes),
    { label: "Requests/s", cell: ({ ratePerSec }) => numberCell(ratePerSec) },
    ...percentileColumns(unit),
    {
      label: "Connect",
      unit: connectUnit.name,
      cell: ({ connectMs }) => connectMs === null ? NONE : numberCell(connectMs, connectUnit),
    },
    { label: "Trust", kind: "text", cell: ({ trust }) => trustCell(trust) },
    ...lostColumn(rows),
    ...droppedColumn(rows),
    { label: "CPU", unit: "%", cell: ({ cpuRatio }) => shareCell(cpuRatio) },
    ...lagColumn(rows),
    { label: "Completed", cell: ({ completed }) => countCell(completed) },
    { label: "Connections", cell: ({ connections }) => countCell(connections) },
    { label: "Workers", cell: ({ workers }) => countCell(workers) },
    clockColumn,
    ...hostColumn(rows),
  ]);
}

const NOTES = [
  "Connect is the time of the fastest connection: a round trip between an agent and the target takes no " +
  "longer. CPU is that of the busiest worker. Clock is by how much an agent's may be off against the others', " +
  "and so the moment of its start.",
];

function rowsOf({ agents, ...whole }: WholeFigures): AgentRow[] {
  return [
    { ...whole, agent: null },
    ...agents.map((agent) => ({ ...whole, ...agent, agent })),
  ];
}

function nameColumns(wholes: readonly WholeFigures[]): ColumnOf<AgentRow>[] {
  const name = ({ agent }: AgentRow): TableCell => textCell(agent === null ? "all" : agent.name);
  if (wholes.every(({ target }) => target === null)) {
    return [{ label: "Agent", kind: "name", cell: name }];
  }
  return [
    {
      label: "Target",
      kind: "name",
      cell: ({ target }) => ({ text: target?.label ?? "", color: target?.color }),
    },
    { label: "Agent", kind: "text", cell: name },
  ];
}

function percentileColumns(unit: DisplayUnit): ColumnOf<AgentRow>[] {
  const column = (p: number, of: (row: AgentRow) => number): ColumnOf<AgentRow> => ({
    label: `p${p}`,
    unit: unit.name,
    cell: (row) => {
      if (row.latencies === 0) return NONE;
      const cell = boundCell(numberCell(of(row), unit), row.lowerBounds.includes(p));
      return { ...cell, weak: !supportsPercentile(row.latencies, p) };
    },
  });
  return [column(50, ({ p50Ms }) => p50Ms), column(99, ({ p99Ms }) => p99Ms)];
}

/** Only in an open loop is there a moment to be late for. */
function lagColumn(rows: readonly AgentRow[]): ColumnOf<AgentRow>[] {
  if (!rows.some(({ isOpen }) => isOpen)) return [];
  const unit = timeUnit(rows.map(({ lagMs }) => lagMs));
  return [{
    label: "Sent late, p99",
    unit: unit.name,
    cell: ({ lagMs, isOpen }) => isOpen ? numberCell(lagMs, unit) : NONE,
  }];
}

function trustCell(trust: Trust): TableCell {
  return { text: trust, alarming: trust !== "valid" };
}

function lostColumn(rows: readonly AgentRow[]): ColumnOf<AgentRow>[] {
  if (!rows.some(({ agent }) => agent !== null && agent.lost.length > 0)) return [];
  return [{ label: "Lost", kind: "text", cell: ({ agent }) => lostCell(agent) }];
}

function lostCell(agent: AgentFigures | null): TableCell {
  if (agent === null || agent.lost.length === 0) return NONE;
  const { lost, ofRuns } = agent;
  const text = ofRuns === 1
    ? `after ${formatDuration(lost[0].atS)}`
    : `in ${lost.length} of ${counted(ofRuns, "run")}`;
  return { text, alarming: true };
}

function droppedColumn(rows: readonly AgentRow[]): ColumnOf<AgentRow>[] {
  if (rows.every(({ droppedRatio }) => droppedRatio === 0)) return [];
  return [{
    label: "Dropped",
    unit: "%",
    cell: ({ droppedRatio }) => errorCell(shareCell(droppedRatio)),
  }];
}

const clockColumn: ColumnOf<AgentRow> = {
  label: "Clock",
  unit: "± ms",
  cell: ({ agent }) => agent === null ? NONE : numberCell(agent.uncertaintyMs),
};

/** Where agents are not called after their machines. */
function hostColumn(rows: readonly AgentRow[]): ColumnOf<AgentRow>[] {
  if (rows.every(({ agent }) => agent === null || agent.host === agent.name)) return [];
  return [{
    label: "Machine",
    kind: "text",
    cell: ({ agent }) => agent === null ? NONE : textCell(agent.host),
  }];
}
