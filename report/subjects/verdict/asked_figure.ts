/**
 * The figure that the question of an experiment is about. If that is not requests/s, it replaces requests/s in the
 * cells, so that all code that compares requests/s compares this figure instead. For a flow, it is complete flows per
 * second; for streams and WebSockets, messages per second; but an experiment may name another figure.
 */
import type { Run } from "../../../runner/result/result.ts";
import { estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../../runner/stats/confidence/confidence_interval.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { isSearched } from "../../figures/capacity.ts";
import { leadOf } from "../../findings/lead.ts";
import { eventsPerCpuSecondOf, perCpuSecondOf } from "../../figures/resources.ts";
import { spreadOf } from "../../writing/spread.ts";
import { unique } from "../../writing/words.ts";

interface Asked extends ScenarioRuns {
  /** For example `requests/s` or `purchases/s`. */
  readonly unit: string;
}

interface AskedFigure {
  readonly unit: string;
  /** The figure of a run; null if unknown. */
  readonly of: (run: Run) => number | null;
}

export const REQUESTS = "requests/s";

type OfExperiment = Pick<MeasuredRuns, "experiment">;

/** A scenario with requests/s replaced by the figure that the experiment is about. */
export function askedOf(scenario: ScenarioRuns, { experiment }: OfExperiment): Asked {
  return counting(scenario, (runs) => figureOf(scenario.name, runs, experiment));
}

/**
 * A scenario with requests/s replaced by messages/s or tokens/s, if that is its leading figure; otherwise unchanged.
 */
export function ledOf(scenario: ScenarioRuns): Asked {
  return counting(scenario, messagesOf);
}

/**
 * A scenario with requests/s replaced by another figure. Unchanged if there is no such figure, if a run lacks it, or if
 * the load searches for a capacity.
 */
function counting(
  { name, cells }: ScenarioRuns,
  figureIn: (runs: readonly Run[]) => AskedFigure | null,
): Asked {
  const runs = cells.flatMap((cell) => cell.runs);
  const figure = isSearched(runs) ? null : figureIn(runs);
  return figure === null || runs.some((run) => figure.of(run) === null)
    ? { name, cells, unit: REQUESTS }
    : { name, cells: cells.map((cell) => withFigure(cell, figure)), unit: figure.unit };
}

/**
 * The figure that the experiment names, if some runs lack it, so that it can't decide; null if every run has it, if the
 * experiment names none, or if the load searches for a capacity.
 */
export function lackedFigure(
  { runs, experiment }: OfExperiment & Pick<MeasuredRuns, "runs">,
): { readonly figure: string; readonly scenarios: readonly string[] } | null {
  const figure = namedFigure(experiment);
  if (figure === null || isSearched(runs)) return null;
  const without = runs.filter((run) => figure.of(run) === null);
  if (without.length === 0) return null;
  return { figure: figure.unit, scenarios: unique(without.map(({ scenario }) => scenario)) };
}

const NAMED: ReadonlyMap<unknown, AskedFigure> = new Map([
  ["perCpu", { unit: "requests per CPU second", of: perCpuSecondOf }],
  ["eventsPerCpu", { unit: "messages per CPU second", of: eventsPerCpuSecondOf }],
]);

/** The figure that the experiment names; null if it names none, or requests/s. */
function namedFigure(experiment: MeasuredRuns["experiment"]): AskedFigure | null {
  return NAMED.get(Object(experiment?.compare).figure) ?? null;
}

function figureOf(
  scenario: string,
  runs: readonly Run[],
  experiment: MeasuredRuns["experiment"],
): AskedFigure | null {
  if (Object(experiment?.compare).figure !== undefined) return namedFigure(experiment);
  const isFlow = Object(Object(experiment?.scenarios)[scenario]).flow !== undefined;
  if (!isFlow) return messagesOf(runs);
  // For example `purchases` for a scenario named `purchase`, or `flows` if its name is not a word.
  const flows = /^[a-z]+$/i.test(scenario) ? scenario.replace(/s?$/, "s") : "flows";
  return {
    unit: `${flows}/s`,
    of: ({ sessions, elapsedS }) => sessions?.completed ? sessions.completed / elapsedS : null,
  };
}

/** The leading figure of the runs if it is messages/s or tokens/s; null if it is requests/s or differs between runs. */
function messagesOf(runs: readonly Run[]): AskedFigure | null {
  const [unit, ...others] = new Set(runs.map((run) => leadOf(run).unit));
  if (unit === undefined || unit === "requests" || others.length > 0) return null;
  return { unit: `${unit}/s`, of: (run) => leadOf(run).ratePerSec };
}

function withFigure(cell: CellRuns, { of }: AskedFigure): CellRuns {
  const values = cell.runs.map((run) => of(run) ?? 0);
  // This needs an estimate of its own: if streams outlast a run, no request ends by the deadline,
  // so the cell has no estimate of requests/s.
  const estimate = estimateOfMean(values, cell.sampling);
  return {
    ...cell,
    runs: cell.runs.map((run, i) => ({ ...run, rate: values[i] })),
    rate: spreadOf(values),
    estimates: { get: (figure) => figure === "rate" ? estimate : cell.estimates.get(figure) },
    interval: (figure) =>
      figure === "rate"
        ? cell.hasLevel && estimate ? intervalOf(estimate, cell.level) : null
        : cell.interval(figure),
  };
}
