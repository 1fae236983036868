/**
 * Makes the runs of an experiment, in order. Each block has one run for each combination of target, scenario and factor
 * values. The seed shuffles the runs of each block unless `order` is sequential, and the caller takes as many blocks as
 * it needs. Pure.
 */
import { type Problem, UserError } from "../../base/errors.ts";
import { checkLimit } from "../../base/limits.ts";
import { type Draw, drawBy, shuffled } from "../../base/random.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { TargetSpec, WrittenTarget } from "../../base/target/target_shape.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import {
  countOfLoads,
  loadFor,
  loadsOf,
  type PlannedLoad,
  recorded,
  usableConnections,
  whyTooLong,
} from "../load/load.ts";
import type { LoadSpec } from "../load/load_shape.ts";
import type { Scenario } from "../request/scenario.ts";
import { uniqueTables } from "../request/values.ts";
import { checkPorts, type ServingTimes } from "./fixed_ports.ts";
import { checkSlices, turnsOf } from "./in_slices.ts";
import type { Repeat } from "./repetition.ts";
import { checkResultSize } from "./result_size.ts";
import { countOfVariants, targetVariants } from "./target_variants.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/** The parts of an experiment that decide its runs. */
interface RunFactors {
  readonly targets: Readonly<Record<string, WrittenTarget>>;
  readonly scenarios: Readonly<Record<string, Scenario>>;
  readonly load: LoadSpec;
  readonly repeat: Repeat;
  readonly order: "shuffled" | "sequential" | "slices";
  /** Length of an interval of the timelines, in milliseconds. */
  readonly interval: number;
}

/** One combination of target, scenario and factor values. */
export interface Cell {
  readonly target: string;
  /** The target, with a single value for each setting. */
  readonly targetSpec: TargetSpec;
  /**
   * The targets behind the cell's target, to which it passes requests on, keyed by name. Each has a single value for
   * each setting.
   */
  readonly others: Readonly<Record<string, TargetSpec>>;
  readonly scenario: string;
  readonly request: Scenario;
  readonly load: PlannedLoad;
  /** The value of each factor that varies in the experiment, keyed by a path such as `connections` or `set.delay`. */
  readonly parameters: Readonly<Record<string, Json>>;
}

export interface PlannedRun {
  readonly cell: Cell;
  /** Number of the block to which the run belongs, from 1. */
  readonly repetition: number;
  /** Position of the run in the plan, from 1. */
  readonly order: number;
}

export interface PlanOptions {
  readonly seed: number;
  /** Keeps only cells of the named targets and scenarios; absent: all. */
  readonly only?: { readonly targets?: readonly string[]; readonly scenarios?: readonly string[] };
  /** Makes the factors' values fit for results, by removing secrets; absent: they stay as they are. */
  readonly shown?: <Values>(parameters: Values) => Values;
  /**
   * Returns a key for a cell. Cells with equal keys run next to each other in every block, in random order unless
   * `order` is sequential. If absent, each cell stands alone, except that with `order: slices` the cells that take
   * turns run next to each other.
   */
  readonly neighbours?: (cell: Cell) => string;
}

/** The runs that an experiment may make. `repeat` decides how many of them it does make. */
export interface Plan {
  /** The cells, in the order of the file. */
  readonly cells: readonly Cell[];
  /** Yields blocks endlessly, each with one run of every cell. Every call yields the same blocks. */
  readonly blocks: () => Iterable<readonly PlannedRun[]>;
}

/**
 * Throws a UserError if `only` names something that does not exist or leaves no cells, or if the plan can't be carried
 * out.
 */
export function planBlocks(
  experiment: RunFactors & ServingTimes,
  { seed, only, shown, neighbours }: PlanOptions,
): Plan {
  const cells = planCells(experiment, only, shown);
  checkRuns(experiment, cells);
  checkPorts(cells, experiment);
  const isInSlices = experiment.order === "slices";
  const groupOf = neighbours ?? (isInSlices ? turnsOf : null);
  const groups = groupOf === null
    ? cells.map((cell) => [cell])
    : [...Map.groupBy(cells, groupOf).values()];
  if (isInSlices) checkSlices(groups, experiment);
  return { cells, blocks: () => blocksFor(groups, experiment.order, drawBy(seed)) };
}

/**
 * Throws a UserError if the runs would be too many or too long, if a table has too few rows for the virtual users, or
 * if the results would be too large.
 * @param cells The cells that `only` leaves.
 */
function checkRuns({ repeat, interval }: RunFactors, cells: readonly Cell[]): void {
  const times = typeof repeat === "number" ? repeat : repeat.atMost ?? 1;
  checkLimit("runs", cells.length * times, "plan", "run this");
  for (const { load } of cells) {
    const why = whyTooLong(load, interval);
    if (why !== null) throw new UserError([{ place: "plan", message: `Cannot run this: ${why}` }]);
  }
  checkOwnRows(cells);
  checkResultSize(cells, { times, intervalMs: interval });
}

/**
 * Throws a UserError if a table that gives each virtual user a row of its own has fewer rows than there may be users,
 * because it would run out during the load.
 */
function checkOwnRows(cells: readonly Cell[]): void {
  const problems = cells.flatMap(({ scenario, request, load }) => {
    const users = usableConnections(load);
    return "replay" in request ? [] : uniqueTables(request.values)
      .filter(([, { rows }]) => rows.length < users).map(([name, { path, rows }]): Problem => ({
        place: `scenarios.${scenario}.values.${name}`,
        message: `Cannot give each of ${users} virtual users its own row: ` +
          `${path} has only ${rows.length} rows`,
        fix: `add rows, or write connections: ${rows.length} in the load`,
      }));
  });
  const each = new Map(problems.map((problem) => [problem.place + problem.message, problem]));
  if (each.size > 0) throw new UserError([...each.values()]);
}

function* blocksFor(
  groups: readonly (readonly Cell[])[],
  order: RunFactors["order"],
  draw: Draw,
): Generator<PlannedRun[]> {
  for (let block = 0;; block++) {
    const cells = order === "sequential"
      ? groups.flat()
      : shuffled(groups, draw).flatMap((group) => shuffled(group, draw));
    yield cells.map((cell, at) => ({
      cell,
      repetition: block + 1,
      order: block * cells.length + at + 1,
    }));
  }
}

/**
 * The cells, in the order of the file. Throws a UserError if `only` names something that does not exist or leaves no
 * cells, or if there are too many cells.
 */
export function planCells(
  experiment: RunFactors,
  only: PlanOptions["only"] = {},
  shown: PlanOptions["shown"] = (parameters) => parameters,
): Cell[] {
  checkNames("target", only.targets, experiment.targets);
  checkNames("scenario", only.scenarios, experiment.scenarios);
  checkLimit("cells", countOfCells(experiment), "plan", "run this");
  const cells = cellsOf(experiment).filter(({ target, scenario }) =>
    (only.targets?.includes(target) ?? true) && (only.scenarios?.includes(scenario) ?? true)
  );
  if (cells.length === 0) throw new UserError([NOTHING_LEFT]);
  return cells.map((cell) => ({ ...cell, parameters: shown(cell.parameters) }));
}

const NOTHING_LEFT: Problem = {
  place: "plan",
  message: "Cannot run anything: no scenario applies to any target",
  fix: "check --only, and the targets of the scenarios",
};

function checkNames(what: string, named: readonly string[] = [], known: object): void {
  const names = Object.keys(known);
  const problems = named.filter((name) => !names.includes(name)).map((name) => ({
    place: `--only ${what}=${name}`,
    message: `Cannot find ${what} ${quotedOpenly(name)}`,
    fix: didYouMean(name, names) ?? `there are ${names.join(", ")}`,
  }));
  if (problems.length > 0) throw new UserError(problems);
}

/** Number of cells, counted before they are built, because nine lists of ten values make 10⁹ cells. */
function countOfCells(experiment: RunFactors): number {
  const { targets, scenarios } = experiment;
  const loads = Object.entries(scenarios).map(([scenario, { targets }]) => ({
    only: targets === undefined ? null : new Set(targets),
    count: countOfLoads(loadFor(experiment, scenario)),
  }));
  return Object.entries(targets).reduce((whole, [target, spec]) => {
    const applying = loads.filter(({ only }) => only?.has(target) ?? true);
    const each = applying.reduce((sum, { count }) => sum + count, 0);
    return whole + each * countOfVariants(spec, targets);
  }, 0);
}

function cellsOf(experiment: RunFactors): Cell[] {
  const { targets, scenarios } = experiment;
  return Object.entries(targets).flatMap(([target, spec]) =>
    targetVariants(spec, targets).flatMap((variant) =>
      Object.entries(scenarios)
        .filter(([, request]) => request.targets?.includes(target) ?? true)
        .flatMap(([scenario, request]) =>
          loadsOf(loadFor(experiment, scenario)).map(({ load, parameters }) => ({
            target,
            targetSpec: variant.spec,
            others: variant.others,
            scenario,
            request,
            load: "replay" in request ? recorded(load) : load,
            parameters: { ...parameters, ...variant.parameters },
          }))
        )
    )
  );
}
