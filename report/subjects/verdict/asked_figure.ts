/**
 * The figure that a question is about. Where it is not requests/s, it takes their place in the cells: whatever compares
 * requests/s then compares it. Of a flow that is how often all of it is done; an experiment may name another.
 */
import type { Run } from "../../../runner/result/result.ts";
import { estimateOfMean } from "../../../runner/stats/confidence/bootstrap.ts";
import { intervalOf } from "../../../runner/stats/confidence/confidence_interval.ts";
import { isSearched } from "../../figures/capacity.ts";
import type { CellRuns, ScenarioRuns } from "../../cells/cells.ts";
import type { MeasuredRuns } from "../../cells/measured.ts";
import { perCpuSecondOf } from "../../figures/resources.ts";
import { spreadOf } from "../../writing/spread.ts";

interface Asked extends ScenarioRuns {
  /** `requests/s`, `purchases/s`. */
  readonly unit: string;
}

interface AskedFigure {
  readonly unit: string;
  /** Null where nobody saw it. */
  readonly of: (run: Run) => number | null;
}

export const REQUESTS = "requests/s";

export function askedOf(
  { name, cells }: ScenarioRuns,
  { experiment }: Pick<MeasuredRuns, "experiment">,
): Asked {
  const figure = figureOf(name, experiment);
  const own = figure === null || cells.some(({ runs }) => isSearched(runs))
    ? []
    : cells.flatMap((cell) => withFigure(cell, figure) ?? []);
  return figure !== null && own.length === cells.length
    ? { name, cells: own, unit: figure.unit }
    : { name, cells, unit: REQUESTS };
}

function figureOf(scenario: string, experiment: MeasuredRuns["experiment"]): AskedFigure | null {
  const named: unknown = Object(experiment?.compare).figure;
  if (named === "perCpu") return { unit: "requests per CPU second", of: perCpuSecondOf };
  const isFlow = Object(Object(experiment?.scenarios)[scenario]).flow !== undefined;
  return isFlow && named === undefined ? { unit: `${flowsOf(scenario)}/s`, of: flowsPerSec } : null;
}

/** `purchases` of a flow that is called so, else `flows`. */
function flowsOf(scenario: string): string {
  if (!/^[a-z]+$/i.test(scenario)) return "flows";
  return scenario.endsWith("s") ? scenario : `${scenario}s`;
}

function flowsPerSec({ sessions, elapsedS }: Run): number | null {
  return sessions === null || sessions.completed === 0 ? null : sessions.completed / elapsedS;
}

function withFigure(cell: CellRuns, { of }: AskedFigure): CellRuns | null {
  const values = cell.runs.flatMap((run) => of(run) ?? []);
  if (values.length < cell.runs.length) return null;
  const sampling = cell.estimates.get("rate");
  const estimate = sampling ? estimateOfMean(values, sampling) : null;
  return {
    ...cell,
    runs: cell.runs.map((run, i) => ({ ...run, rate: values[i] })),
    rate: spreadOf(values),
    estimates: { get: (figure) => figure === "rate" ? estimate : cell.estimates.get(figure) },
    interval: (figure) =>
      figure === "rate"
        ? cell.interval(figure) && estimate && intervalOf(estimate, cell.level)
        : cell.interval(figure),
  };
}
