/**
 * Experiment → ordered runs: factors × repetitions, shuffled in blocks by the seed. Pure.
 */
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import type { z } from "zod";
import type { TargetSpec } from "../targets/spec.ts";
import { type Problem, UserError } from "./errors.ts";
import type { Experiment } from "./experiment.ts";
import { DEFAULT_DURATION_MS, type Load } from "./load.ts";
import type { Phase } from "./pace/profile.ts";
import type { Scenario } from "./request.ts";
import { didYouMean } from "./suggest.ts";

export type Json = z.core.util.JSONType;

interface CommonLoad {
  /** In phases: visitors at once. */
  readonly connections: number;
  readonly keepAlive: boolean;
  readonly timeoutMs: number;
  /** Null: chosen from the machine. */
  readonly workers: number | null;
}

/** Each connection sends its next request when the last answer is in. */
export interface ClosedLoad extends CommonLoad {
  readonly kind: "closed";
  readonly pipeline: number;
  /** Null when the run ends by `requests`. */
  readonly durationMs: number | null;
  readonly requests: number | null;
}

/** Requests arrive at a constant rate, whether or not a connection is free. */
export interface RateLoad extends CommonLoad {
  readonly kind: "rate";
  readonly ratePerSec: number;
  readonly arrivals: "uniform" | "poisson";
  readonly durationMs: number;
}

/** Visitors arrive at rates that change from phase to phase. */
export interface PhasesLoad extends CommonLoad {
  readonly kind: "phases";
  readonly phases: readonly Phase[];
  readonly arrivals: "uniform" | "poisson";
  /** own: a new connection for every visitor; shared: one serves visitor after visitor. */
  readonly pool: "own" | "shared";
}

/** The load of one cell, every factor decided. */
export type CellLoad = ClosedLoad | RateLoad | PhasesLoad;

/** How long a run is loaded, as far as that is known; null when it ends by count. */
export function durationMsOf(load: CellLoad): number | null {
  if (load.kind !== "phases") return load.durationMs;
  return load.phases.reduce((sum, { durationUs }) => sum + durationUs / 1_000, 0);
}

/** One combination of target, scenario and factor values. */
export interface Cell {
  readonly target: string;
  /** With one value for each setting. */
  readonly targetSpec: TargetSpec;
  readonly scenario: string;
  readonly request: Scenario;
  readonly load: CellLoad;
  /** Value of each factor that varies in the experiment, by its path (`connections`, `set.delay`). */
  readonly parameters: Readonly<Record<string, Json>>;
}

/** One cell, once. */
export interface PlannedRun {
  readonly cell: Cell;
  /** 1 … repeat. */
  readonly repetition: number;
  /** 1 … number of runs: the position in which it runs. */
  readonly order: number;
}

export interface PlanOptions {
  readonly seed: number;
  /** Keeps only cells that match every given name. */
  readonly only?: { readonly targets?: readonly string[]; readonly scenarios?: readonly string[] };
}

/** Throws a UserError when `only` names what is not there, or leaves nothing. */
export function planExperiment(experiment: Experiment, { seed, only }: PlanOptions): PlannedRun[] {
  const cells = planCells(experiment, only);
  const random = xoroshiro128plus(seed);
  const arrange = experiment.order === "shuffled"
    ? () => shuffled(cells, (most) => uniformInt(random, 0, most))
    : () => cells;
  const blocks = Array.from(
    { length: experiment.repeat },
    (_, block) => arrange().map((cell) => ({ cell, repetition: block + 1 })),
  );
  return blocks.flat().map((run, at) => ({ ...run, order: at + 1 }));
}

/** The cells in the order of the file. Throws as `planExperiment` does. */
export function planCells(experiment: Experiment, only: PlanOptions["only"] = {}): Cell[] {
  checkNames("target", only.targets, experiment.targets);
  checkNames("scenario", only.scenarios, experiment.scenarios);
  const cells = cellsOf(experiment).filter(({ target, scenario }) =>
    (only.targets?.includes(target) ?? true) && (only.scenarios?.includes(scenario) ?? true)
  );
  if (cells.length === 0) throw new UserError([NOTHING_LEFT]);
  return cells;
}

const NOTHING_LEFT: Problem = {
  place: "plan",
  message: "Cannot run anything: no target is asked any scenario",
  fix: "look at --only, and at the targets of the scenarios",
};

function checkNames(what: string, named: readonly string[] = [], known: object): void {
  const names = Object.keys(known);
  const problems = named.filter((name) => !names.includes(name)).map((name) => ({
    place: `--only ${what}=${name}`,
    message: `Cannot find ${what} "${name}"`,
    fix: didYouMean(name, names) ?? `there are ${names.join(", ")}`,
  }));
  if (problems.length > 0) throw new UserError(problems);
}

/** Fisher and Yates' shuffle. @param upTo A random whole number from 0 to the given one. */
function shuffled<T>(items: readonly T[], upTo: (most: number) => number): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = upTo(last);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}

function cellsOf({ targets, scenarios, load }: Experiment): Cell[] {
  const loads = loadsOf(load);
  return Object.entries(targets).flatMap(([target, spec]) =>
    variantsOf(spec).flatMap((variant) =>
      Object.entries(scenarios)
        .filter(([, request]) => request.targets?.includes(target) ?? true)
        .flatMap(([scenario, request]) =>
          loads.map(({ load, parameters }) => ({
            target,
            targetSpec: variant.spec,
            scenario,
            request,
            load,
            parameters: { ...parameters, ...variant.parameters },
          }))
        )
    )
  );
}

type Parameters = Record<string, Json>;

function loadsOf(spec: Load): { load: ClosedLoad; parameters: Parameters }[] {
  const { keepAlive, timeout, duration, requests = null, workers = null } = spec;
  const durationMs = duration ?? (requests === null ? DEFAULT_DURATION_MS : null);
  const factors = { connections: spec.connections, pipeline: spec.pipeline };
  return combinations(factors).map((values) => ({
    load: { kind: "closed" as const, ...values, keepAlive, timeoutMs: timeout, durationMs, requests, workers },
    parameters: varying(values, factors),
  }));
}

/** The target with each combination of its settings. */
function variantsOf(spec: TargetSpec): { spec: TargetSpec; parameters: Parameters }[] {
  if (!("app" in spec)) return [{ spec, parameters: {} }];
  const factors = Object.fromEntries(
    Object.entries(spec.set).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]),
  );
  return combinations(factors).map((set) => ({
    spec: { ...spec, set },
    parameters: Object.fromEntries(
      Object.entries(varying(set, factors)).map(([key, value]) => [`set.${key}`, value]),
    ),
  }));
}

type Factors = Readonly<Record<string, readonly Json[]>>;
type Combination<F extends Factors> = { [Name in keyof F]: F[Name][number] };

/** One value of each factor, in every way; the last factor changes fastest. */
function combinations<F extends Factors>(factors: F): Combination<F>[] {
  return Object.entries(factors).reduce<Parameters[]>(
    (all, [name, values]) =>
      all.flatMap((before) => [...new Set(values)].map((value) => ({ ...before, [name]: value }))),
    [{}],
  ) as Combination<F>[];
}

function varying(values: Parameters, factors: Factors): Parameters {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => new Set(factors[name]).size > 1),
  );
}
