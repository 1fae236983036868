/**
 * The runs of one experiment, in the order of its file: scenarios, in each its cells (a target with
 * its parameters), in each its runs. Statistics are over runs, never over requests.
 */
import type { Results, Run } from "../runner/result.ts";
import { type PooledLatency, poolLatency } from "./pool.ts";
import { type Spread, spreadOf, sum } from "./spread.ts";

export interface Cell {
  readonly target: string;
  /** Target and the parameters that vary; what every table and chart calls the cell. */
  readonly label: string;
  /** Index of its colour: the same in every scenario. */
  readonly color: number;
  /** By repetition; at least one. */
  readonly runs: readonly Run[];
  /** Completed requests per second. */
  readonly rate: Spread;
  readonly latency: PooledLatency;
  /** Requests without a right answer (failed, or against an expectation) as a share of those that ended. */
  readonly wrongRatio: number;
}

export interface ScenarioRuns {
  readonly name: string;
  readonly cells: readonly Cell[];
}

/** The scenarios that have a run, with their cells. */
export function groupRuns(results: Results): ScenarioRuns[] {
  const colors = colorIndex(results);
  const scenarios = namesOf("scenario", results);
  const targets = namesOf("target", results);
  return scenarios
    .map((name) => {
      const runs = results.runs.filter(({ scenario }) => scenario === name);
      return { name, cells: cellsOf(runs, targets, colors) };
    })
    .filter(({ cells }) => cells.length > 0);
}

function cellsOf(
  runs: readonly Run[],
  targets: readonly string[],
  colors: ReadonlyMap<string, number>,
): Cell[] {
  const groups = Map.groupBy(runs, cellLabel);
  return [...groups.entries()]
    .map(([label, group]) => cellOf(label, colors.get(label) ?? 0, group))
    .sort((a, b) =>
      targets.indexOf(a.target) - targets.indexOf(b.target) ||
      compareNatural(a.label, b.label)
    );
}

function cellOf(label: string, color: number, unordered: readonly Run[]): Cell {
  const runs = [...unordered].sort((a, b) => a.repetition - b.repetition);
  return {
    target: runs[0].target,
    label,
    color,
    runs,
    rate: spreadOf(runs.map(({ rate }) => rate)),
    latency: poolLatency(runs),
    wrongRatio: wrongRatioOf(runs),
  };
}

function wrongRatioOf(runs: readonly Run[]): number {
  const ended = sum(runs, ({ requests }) => requests.completed + requests.failed);
  const wrong = sum(runs, ({ requests, checks }) => requests.failed + checks.failed);
  return ended === 0 ? 1 : wrong / ended;
}

/** `hono`, or `hono · connections 50 · delay 100ms` when factors vary. */
export function cellLabel({ target, parameters }: Pick<Run, "target" | "parameters">): string {
  const varying = Object.entries(parameters).map(([path, value]) =>
    `${path.replace(/^(set|load)\./, "")} ${
      typeof value === "string" ? value : JSON.stringify(value)
    }`
  );
  return [target, ...varying].join(" · ");
}

/** Names in the order of the experiment file, then those that only the runs know. */
function namesOf(kind: "target" | "scenario", results: Results): string[] {
  const written = results.experiment[`${kind}s`];
  const inFile = typeof written === "object" && written !== null ? Object.keys(written) : [];
  return [...new Set([...inFile, ...results.runs.map((run) => run[kind])])];
}

function colorIndex(results: Results): ReadonlyMap<string, number> {
  const targets = namesOf("target", results);
  const labels = [...new Map(results.runs.map((run) => [cellLabel(run), run.target]))]
    .sort(([a, targetA], [b, targetB]) =>
      targets.indexOf(targetA) - targets.indexOf(targetB) || compareNatural(a, b)
    );
  return new Map(labels.map(([label], index) => [label, index]));
}

/** Numbers inside the texts compare as numbers: "connections 50" before "connections 200". */
function compareNatural(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
