/** The agents of a fleet: what each of them did, where they disagree, and a table. */
import type { AgentPart, Measurement, Run } from "../../../runner/result/result.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { type Block, type Form, FORMS, list, table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { lowerMedian, mean, median, sum } from "../../writing/spread.ts";
import {
  formatDuration,
  formatMs,
  formatNumber,
  formatShare,
  timeUnit,
} from "../../writing/units.ts";
import { counted, listedAll } from "../../writing/words.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "../tables/column.ts";
import { type ColumnOf, NONE, type Table, tableOf, unitNamed } from "../tables/table.ts";
import { TRUSTS } from "../../../runner/result/generator.ts";
import { poolLatency } from "../../figures/pool.ts";

/** The agents of a cell, or of a single measurement. */
interface Loaded {
  /** Null if there is only one cell, which needs no label. */
  readonly target: Pick<CellRuns, "label" | "color"> | null;
  readonly isOpen: boolean;
  readonly whole: AgentFigures;
  readonly agents: readonly AgentFigures[];
}

/** A comparison of each agent with the whole fleet; empty if a single program made the load. */
export function agents({ name, cells }: ScenarioContext): Block[] {
  const fleets = cells.map((cell) => ({
    cell,
    runs: cell.parts.map(({ whole }) => whole).filter(({ agents }) => agents !== undefined),
  })).filter(({ runs }) => runs.length > 0);
  if (fleets.length === 0) return [];
  const loaded = fleets.map(({ cell, runs }) => loadedBy(runs, cells.length === 1 ? null : cell));
  const isRepeated = fleets.some(({ runs }) => runs.length > 1);
  const isCut = cells.some(({ parts }) => parts.some(({ run, whole }) => run !== whole));
  const whole = agentsTable(`Agents of ${name}`, loaded, [
    ...isRepeated ? [REPEATED] : [],
    ...isCut ? [CUT] : [],
  ]);
  return [
    findingsList(loaded, FORMS),
    table(whole, {
      fold: whole.rows.length > MOST_ROWS ? "Each agent" : null,
      forms: ["page", "markdown"],
    }),
  ];
}

const REPEATED =
  "Requests/s and Completed are means over the runs. The other figures, percentiles included, are medians over the runs.";
const CUT = "Figures are of whole runs, including the part that the experiment discards.";

/** A table with more rows is folded up, because it only serves to look up single agents. */
const MOST_ROWS = 30;

/** A table with more rows is not shown in a terminal, where it would bury everything else. */
const MOST_TERMINAL_ROWS = 17;

export function measurementAgents(measurement: Measurement): Block[] {
  if (measurement.agents === undefined) return [];
  const loaded = [loadedBy([measurement], null)];
  const all = agentsTable("Agents", loaded);
  const forms = all.rows.length > MOST_TERMINAL_ROWS ? ["markdown" as const] : undefined;
  return [findingsList(loaded), table(all, { forms })];
}

function loadedBy(runs: readonly Measurement[], target: Loaded["target"]): Loaded {
  return {
    target,
    isOpen: runs[0].latency.clock === "intended",
    whole: wholeFigures(runs),
    agents: agentFigures(runs),
  };
}

/** At most this many findings are listed, because the table shows all agents anyway. */
const MOST_FINDINGS = 8;

/** A list with one finding for each agent that was lost or whose figures differ from the other agents'. */
function findingsList(loaded: readonly Loaded[], forms?: readonly Form[]): Block {
  const found = loaded.flatMap(({ target, agents, isOpen }) => {
    const cell = loaded.length === 1 ? "" : target?.label ?? "";
    // With a single run, lost agents are already named among the reasons for the run's level of
    // trust.
    const lost = agents.filter(({ lost, ofRuns }) => lost.length > 0 && ofRuns > 1)
      .map(({ name, lost, ofRuns }) => {
        const [{ atS, reason }] = lost;
        const when = `last report ${formatDuration(atS)} after the start (${reason})`;
        const text = `was lost in ${lost.length} of ${counted(ofRuns, "run")}: ${when}`;
        return { name, in: ["lost"], text };
      });
    return [...lost, ...disagreements(agents, { isOpen })].map((one) => ({ ...one, cell }));
  });
  // A finding that several cells share is stated once: `express and 2 more: agent oslo measured …`.
  const alike = Map.groupBy(found, ({ name, in: figures }) => JSON.stringify([name, figures]));
  const sentences = [...alike.values()].map(([{ name, cell, text }, ...others]) =>
    cell === ""
      ? `Agent ${name} ${text}.`
      : `${cell}${others.length === 0 ? "" : ` and ${others.length} more`}: agent ${name} ${text}.`
  );
  const left = sentences.length - MOST_FINDINGS;
  const rest = `${counted(left, "more agent")} also ${
    left === 1 ? "differs" : "differ"
  }; the table has them all.`;
  const said = [...sentences.slice(0, MOST_FINDINGS), ...left > 0 ? [rest] : []];
  return list(said.map((text) => ({ code: "agents", text })), { forms });
}

/** The most characters that agents' names may take up in a line. */
const MOST_NAMES_LENGTH = 36;

/** The number of agents and their names, for example `4: berlin, lima (lost), oslo, paris`; "" without agents. */
export function agentsText(runs: readonly (Measurement | Run)[]): string {
  const agents = agentFigures(runs.filter(({ agents }) => agents !== undefined));
  if (agents.length === 0) return "";
  const names = agents.map(({ name, lost }) => lost.length > 0 ? `${name} (lost)` : name);
  return `${agents.length}: ${listedAll(names, MOST_NAMES_LENGTH)}`;
}

// A table with a row for the whole fleet, followed by a row for each agent.

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
  const connectUnit = timeUnit(rows.map(({ connectMs }) => connectMs ?? 0));
  const lagUnit = timeUnit(rows.map(lagOf));
  const completedIn = ({ requests }: LoadedPart): number => requests.completed;
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
    column.number("Connect", ({ connectMs }) => connectMs, connectUnit),
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
    // Only in an open loop does a request have a time at which it is due, so only there can it be
    // late.
    column.number("Sent late, p99", (row) => row.isOpen ? lagOf(row) : null, lagUnit),
    column.number("Completed", ({ parts }) => mean(parts.map(completedIn)), "count"),
    column.number("Connections", ({ connections }) => connections, "count"),
    column.number("Workers", middle(({ workers }) => workers), "count"),
    column.number("Clock", ({ parts }) => uncertaintyOf(parts), unitNamed("± ms")),
    // The machine's name, unless the agent is named after the machine.
    column.text("Machine", ({ name, host }) => host === name ? NONE.text : host),
  ]);
}

function middle(of: (part: LoadedPart) => number): (row: AgentRow) => number {
  return ({ parts }) => median(parts.map(of));
}

const lagOf = middle(({ lag }) => lag);

/** The largest uncertainty of an agent's clock, in ms; null if unknown, as it is for all agents together. */
function uncertaintyOf(parts: readonly LoadedPart[]): number | null {
  const known = parts.flatMap(({ uncertaintyMs }) => uncertaintyMs ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

const NOTE =
  "Connect is the time of the fastest connection: a round trip between an agent and the target takes no " +
  "longer. CPU is that of the busiest worker. Clock is how far an agent's clock may differ from those of the other " +
  "agents; the start of its load may differ by as much.";

// Disagreements between agents that load one target together. They share the target, so if one
// agent measures something different, its network or its machine is the reason. There is at most
// one sentence for each agent.

/** A figure that should be about the same for all agents of one load. */
interface CommonFigure {
  readonly name: "latency" | "share" | "pace";
  readonly of: (agent: AgentFigures) => number;
  readonly text: (value: number) => string;
  /** A clause that says what an agent with this value did. */
  readonly said: (text: string) => string;
  /** An agent may differ from the others' figure by up to this share of that figure. */
  readonly withinRatio: number;
  /** Differences below this, in the unit of the figure, are ignored. */
  readonly least: number;
}

const LATENCY: CommonFigure = {
  name: "latency",
  of: ({ p50Ms }) => p50Ms,
  text: formatMs,
  said: (text) => `measured a median latency of ${text}`,
  withinRatio: 0.25,
  least: 0.1, // ms: a core can take that long to wake up from power saving
};
/**
 * The share of its scheduled requests that an agent completed. Compared only in an open loop, where the schedule does
 * not depend on responses.
 */
const SHARE: CommonFigure = {
  name: "share",
  of: ({ parts }) => shareOf("completed", parts) ?? 0,
  text: formatShare,
  said: (text) => `completed ${text} of its scheduled requests`,
  withinRatio: 0.1,
  least: 0,
};
/** Requests/s per connection. Compared only in a closed loop, where a connection sends as fast as it gets responses. */
const PACE: CommonFigure = {
  name: "pace",
  of: ({ ratePerSec, connections }) => ratePerSec / Math.max(1, connections),
  text: (value) => formatNumber(value),
  said: (text) => `completed ${text} requests/s per connection`,
  withinRatio: 0.25,
  least: 0,
};

/**
 * How an agent differs from the others. `in` names the figures that differ, so that the same difference can be found in
 * other cells.
 */
interface Difference extends Pick<AgentFigures, "name"> {
  readonly in: readonly CommonFigure["name"][];
  /** A sentence without its subject and full stop. */
  readonly text: string;
}

/** Disagreements between the agents that were not lost. Lost agents have findings of their own. */
export function disagreements(
  all: readonly AgentFigures[],
  { isOpen }: { readonly isOpen: boolean },
): Difference[] {
  const present = all.filter(({ latencies, lost }) => latencies > 0 && lost.length === 0);
  return present.flatMap((agent) => {
    const others = present.filter((other) => other !== agent);
    // In a closed loop, a different latency explains a different pace, so only the latency is
    // reported.
    const restMs = lowerMedian(others.map(LATENCY.of));
    const isAlike = !areApart(agent.p50Ms, restMs, { ...LATENCY, least: 0 });
    const figures = isOpen ? [LATENCY, SHARE] : isAlike ? [LATENCY, PACE] : [LATENCY];
    const differing = figures.filter(({ of, ...figure }) => {
      // An agent must also differ from the lower median of all agents, itself included. So if one
      // half of the agents differs from the other half, only the half with the larger values is
      // reported.
      const rest = [others, present].map((those) => lowerMedian(those.map(of)));
      return others.length > 0 && rest.every((value) => areApart(of(agent), value, figure));
    });
    if (differing.length === 0) return [];
    const who = others.length === 1 ? `agent ${others[0].name}` : "the others";
    const texts = differing.map(({ of, text, said }) =>
      `${said(text(of(agent)))}, ${who} ${text(lowerMedian(others.map(of)))}`
    );
    const theirs = others.flatMap(({ connectMs }) => connectMs ?? []);
    const connections = agent.connectMs === null || theirs.length === 0 ? [] : [
      `its fastest connection took ${formatMs(agent.connectMs)}, theirs ${
        formatMs(lowerMedian(theirs))
      }`,
    ];
    return [{
      name: agent.name,
      in: differing.map(({ name }) => name),
      text: [...texts, ...connections].join("; "),
    }];
  });
}

function areApart(
  value: number,
  rest: number,
  { withinRatio, least }: Pick<CommonFigure, "withinRatio" | "least">,
): boolean {
  const apart = Math.abs(value - rest);
  return apart > least && apart > withinRatio * rest;
}

// What each agent did in the runs of a cell, or in a single measurement, as one set of figures for each agent.

/**
 * An agent's figures over the runs in which it took part. The rate is a mean, so that the rates of all agents add up.
 * `latencies` is the number of latencies in the run that has the fewest. The other figures are medians.
 */
export interface AgentFigures {
  readonly name: string;
  readonly host: string;
  /** The agent's part in each run in which it took part. */
  readonly parts: readonly LoadedPart[];
  readonly ofRuns: number;
  /** When the agent's last report came and why it was given up, one entry for each run in which it was lost. */
  readonly lost: readonly NonNullable<AgentPart["lost"]>[];
  readonly connections: number;
  readonly ratePerSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly latencies: number;
  /**
   * Connect time of the fastest connection in ms, the median over the runs. It is an upper bound on a round trip. Null
   * if unknown.
   */
  readonly connectMs: number | null;
  /** The worst trust over all runs. */
  readonly trust: AgentPart["trust"];
}

/** What an agent did in one run, or what all agents did in it together. */
export interface LoadedPart extends
  Pick<
    AgentPart,
    "name" | "host" | "lost" | "workers" | "connections" | "rate" | "cpu" | "lag" | "trust"
  > {
  readonly requests: Readonly<AgentPart["requests"]>;
  readonly connect: { readonly count: number; readonly min: number };
  readonly latency: { readonly count: number; readonly p50: number; readonly p99: number };
  readonly uncertaintyMs: number | null;
  readonly isAtLeast: (percentile: number) => boolean;
}

/** The figures of each agent, in the order in which agents first appear in the runs; empty without a fleet. */
export function agentFigures(runs: readonly Pick<Measurement, "agents">[]): AgentFigures[] {
  const parts = runs.flatMap(({ agents = [] }) => agents).map((part): LoadedPart => ({
    ...part,
    uncertaintyMs: part.clock.uncertainty,
    // Latencies of uncompleted requests are only lower bounds, so their true values may be the
    // longest of all.
    isAtLeast: (p) =>
      part.latency.count > part.requests.completed &&
      p / 100 * part.latency.count > part.requests.completed,
  }));
  return [...Map.groupBy(parts, ({ name }) => name).values()].map((own) =>
    figuresOf(own, runs.length)
  );
}

export function wholeFigures(runs: readonly Measurement[]): AgentFigures {
  return figuresOf(
    runs.map((run): LoadedPart => ({
      ...{ name: "all", host: "all", lost: null, uncertaintyMs: null },
      ...{ workers: run.generator.workers, connections: run.load.connections },
      ...{ requests: run.requests, rate: run.rate, connect: run.connect },
      latency: {
        count: run.latency.count,
        p50: run.latency.percentiles["50"],
        p99: run.latency.percentiles["99"],
      },
      ...{ cpu: run.generator.cpu, lag: run.generator.lag.p99, trust: run.generator.trust },
      isAtLeast: (p) => poolLatency([run]).isAtLeast(p),
    })),
    runs.length,
  );
}

function figuresOf(parts: readonly LoadedPart[], ofRuns: number): AgentFigures {
  const connected = parts.filter(({ connect }) => connect.count > 0);
  const { name, host } = parts[parts.length - 1];
  return {
    ...{ name, host, parts, ofRuns },
    lost: parts.flatMap(({ lost }) => lost ?? []),
    connections: median(parts.map(({ connections }) => connections)),
    ratePerSec: mean(parts.map(({ rate }) => rate)),
    p50Ms: lowerMedian(parts.map(({ latency }) => latency.p50)),
    p99Ms: lowerMedian(parts.map(({ latency }) => latency.p99)),
    latencies: Math.min(...parts.map(({ latency }) => latency.count)),
    connectMs: connected.length === 0 ? null : median(connected.map(({ connect }) => connect.min)),
    trust: TRUSTS.findLast((level) => parts.some(({ trust }) => trust === level)) ?? "valid",
  };
}

/** Share of the due requests with this outcome; null if none were due. */
export function shareOf(
  end: keyof AgentPart["requests"],
  parts: readonly LoadedPart[],
): number | null {
  const due = sum(parts, ({ requests }) => requests.due);
  return due === 0 ? null : sum(parts, ({ requests }) => requests[end]) / due;
}
