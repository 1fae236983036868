/**
 * `Load`, the load that the generator makes: validated once, here, from flags or from an experiment file with every
 * factor decided. `runner/measure` divides it into the jobs of the workers. Pure.
 */
import {
  combinations,
  countOf,
  type Factors,
  type FactorValues,
  lastingMs,
  type PartsVariant,
  varies,
} from "./factors.ts";
import { type Json } from "../../base/yaml/json_text.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import {
  DEFAULT_CONNECTIONS,
  DEFAULT_DURATION_MS,
  DEFAULT_USERS,
  type LoadSpec,
} from "./load_shape.ts";
import { type CapacityGoal, shareOfCapacityText } from "./capacity_shape.ts";
import { type Phase, Profile } from "../pace/arrivals.ts";
import {
  type GivenOptions,
  type LoadOptions,
  optionsOf,
  optionText,
} from "../../base/load_options.ts";
import { type LoadStage, mostUsersOf } from "../pace/levels.ts";
import { durationText, rateText } from "../../base/quantity.ts";

interface CommonLoad extends LoadOptions {
  /** For phases, the most concurrent virtual users; for stages, the highest number of connections. */
  readonly connections: number;
  /** Number of workers; null: chosen from the machine's cores. */
  readonly workers: number | null;
}

/** Each connection sends its next request when the last response is complete. */
interface ClosedLoad extends CommonLoad {
  readonly kind: "closed";
  readonly pipeline: number;
  /** Null if the run ends by `requests`. */
  readonly durationMs: number | null;
  readonly requests: number | null;
  /** How the number of connections changes; absent: it does not. */
  readonly stages?: readonly LoadStage[];
}

/** Requests arrive at a constant rate, whether or not a connection is free. */
export interface RateLoad extends CommonLoad {
  readonly kind: "rate";
  readonly ratePerSec: number;
  readonly arrivals: "uniform" | "poisson";
  readonly durationMs: number;
  /** A higher rate at the beginning, from which the target must recover; absent: none. */
  readonly burst?: { readonly ratePerSec: number; readonly durationMs: number };
}

/** Requests arrive at the times of a log; the rate is the log's mean. */
interface ReplayLoad extends Omit<RateLoad, "arrivals" | "burst"> {
  readonly arrivals: "recorded";
}

/** Virtual users arrive at rates that change from phase to phase. */
interface PhasesLoad extends CommonLoad {
  readonly kind: "phases";
  readonly phases: readonly Phase[];
  readonly arrivals: "uniform" | "poisson";
  /** own: a new connection per virtual user; shared: later virtual users reuse connections. */
  readonly pool: "own" | "shared";
}

/** A load that the generator makes, of one of these kinds. */
export type Load = ClosedLoad | RateLoad | ReplayLoad | PhasesLoad;

/** Trials at many rates, and a last part at the capacity that they find, or at a share of it. */
export interface CapacityLoad extends CommonLoad {
  readonly kind: "capacity";
  readonly goal: CapacityGoal;
  /** Rate of the last part, as a share of the capacity; 1 is at the capacity. */
  readonly share: number;
  readonly arrivals: "uniform" | "poisson";
}

/** The load of a run: one that the generator makes, or a search that makes many. */
export type PlannedLoad = Load | CapacityLoad;

/** Approximate number of trials of each length in a search. */
const USUAL_TRIALS = 10;

/**
 * Expected duration of a run's load, as far as known; for a search, its usual length. Null if the load ends after a
 * number of requests.
 */
export function expectedMsOf(load: PlannedLoad): number | null {
  if (load.kind !== "capacity") return durationMsOf(load);
  const { trial: [shortMs, longMs], budget } = load.goal;
  return Math.min(budget, USUAL_TRIALS * (shortMs + longMs)) + longMs;
}

/** Duration of a run's load, as far as known; null if the load ends after a number of requests. */
export function durationMsOf(load: Load): number | null {
  return load.kind === "phases" ? lastingMs(load.phases) : load.durationMs;
}

/**
 * The most connections that can be of use: with more connections than requests or users, some would be idle, as would
 * any further workers.
 */
export function usableConnections(load: PlannedLoad): number {
  return Math.min(load.connections, mostUsers(load) ?? Infinity);
}

/** The most requests or users that there can be in all; null if chance decides, or nothing limits them. */
function mostUsers(load: PlannedLoad): number | null {
  if (load.kind === "closed") return load.requests;
  if (load.kind !== "phases" || load.arrivals === "poisson") return null;
  return Math.max(1, Math.ceil(new Profile(load.phases).arrivals));
}

const MS_PER_HOUR = 3_600_000;

/** Why a run with this load is too long, as far as known; null if it is not. */
export function whyTooLong(load: PlannedLoad, intervalMs: number): string | null {
  const isSearch = load.kind === "capacity";
  const measuredMs = isSearch ? load.goal.trial[1] : durationMsOf(load) ?? 0;
  const hours = (measuredMs + (isSearch ? load.goal.budget : 0)) / MS_PER_HOUR;
  if (!isWithin("runHours", hours)) return beyond("runHours", hours);
  const intervals = Math.ceil(measuredMs / intervalMs);
  return isWithin("intervals", intervals) ? null : beyond("intervals", intervals);
}

/** Keys of a scenario that show whether it calls gRPC. */
interface Calling {
  readonly grpc: string;
  readonly mix: readonly object[];
  readonly flow: readonly object[];
}

/** Whether the scenario has a gRPC call, so that all its requests use HTTP/2. @param scenario Any part may be wrong. */
export function callsGrpc(scenario: object | undefined): boolean {
  const { grpc, mix, flow }: { [Key in keyof Calling]?: unknown } = { ...scenario };
  return grpc !== undefined ||
    [mix, flow].some((requests) =>
      Array.isArray(requests) && requests.some((request) => Object.hasOwn(Object(request), "grpc"))
    );
}

interface LoadedScenario extends Partial<Calling> {
  readonly load?: LoadSpec;
  readonly replay?: { readonly replay: LogMoments };
}

/**
 * The load of one scenario: its own, or the experiment's; with HTTP/2 for gRPC calls, and with the mean rate of the log
 * for a replay.
 */
export function loadFor(
  { load, scenarios }: {
    readonly load: LoadSpec;
    readonly scenarios: Readonly<Record<string, LoadedScenario>>;
  },
  scenario: string,
): LoadSpec {
  const { load: own = load, replay } = scenarios[scenario];
  if (replay === undefined) return callsGrpc(scenarios[scenario]) ? { ...own, http2: [true] } : own;
  const { workers } = own;
  const connections = "stages" in own ? [DEFAULT_CONNECTIONS] : own.connections; // a replay has no stages
  const { rate, duration } = meanOf(replay.replay);
  const common = { connections, workers, ...optionsOf(own) };
  return { ...common, rate: [rate], duration: [duration], arrivals: ["uniform"] };
}

/** When each request of a log is due. */
interface LogMoments {
  readonly dueUs: { readonly length: number };
  readonly durationUs: number;
}

/** Mean requests per second, and the duration in milliseconds. */
function meanOf({ dueUs, durationUs }: LogMoments): { rate: number; duration: number } {
  return { rate: dueUs.length / (durationUs / 1e6), duration: durationUs / 1_000 };
}

/** The load that replays a log, with the connections in `fields`. */
export function replayLoadOf(fields: LoadFields, moments: LogMoments): ReplayLoad {
  return recorded(loadOf({ ...fields, ...meanOf(moments) }));
}

/** The load with the times of the log. */
export function recorded(load: PlannedLoad): ReplayLoad {
  if (load.kind !== "rate") throw new Error("A replay has a rate, that of its log");
  return { ...load, arrivals: "recorded" };
}

/** Checked values of a load's fields: one combination of an experiment's factors, or the flags of `bench`. */
interface LoadFields extends GivenOptions {
  readonly connections?: number;
  /** Duration in milliseconds. */
  readonly duration?: number;
  readonly requests?: number;
  readonly pipeline?: number;
  /** Arrivals per second. */
  readonly rate?: number;
  readonly phases?: readonly Phase[];
  readonly stages?: readonly LoadStage[];
  readonly arrivals?: RateLoad["arrivals"];
  readonly pool?: PhasesLoad["pool"];
  readonly workers?: number;
}

/** The load that the fields describe; its kind follows from the fields present. */
export function loadOf(fields: LoadFields): Load {
  const { phases, rate, duration = DEFAULT_DURATION_MS, requests = null, pipeline = 1 } = fields;
  const { arrivals = "uniform", workers = null } = fields;
  const { connections = phases ? DEFAULT_USERS : DEFAULT_CONNECTIONS } = fields;
  const common = { connections, workers, ...optionsOf(fields) };
  if (phases) return { kind: "phases", ...common, phases, arrivals, pool: fields.pool ?? "own" };
  if (fields.stages !== undefined) return stagedLoad(fields.stages, common);
  if (rate !== undefined) {
    return { kind: "rate", ...common, ratePerSec: rate, arrivals, durationMs: duration };
  }
  const durationMs = requests === null ? duration : null;
  return { kind: "closed", ...common, pipeline, durationMs, requests };
}

function stagedLoad(stages: readonly LoadStage[], common: CommonLoad): ClosedLoad {
  const timed = { pipeline: 1, durationMs: lastingMs(stages), requests: null };
  return { kind: "closed", ...common, connections: mostUsersOf(stages), ...timed, stages };
}

/** One of the loads that factors produce, with their values. */
interface LoadVariant {
  readonly load: PlannedLoad;
  readonly parameters: FactorValues;
}

/** Number of loads that the factors produce, computed without building them. */
export function countOfLoads(spec: LoadSpec): number {
  if ("phases" in spec) {
    const { phases, ...factors } = spec;
    return phases.length * countOf({ ...factors });
  }
  if (!("stages" in spec)) return countOf({ ...spec });
  const { stages, ...factors } = spec;
  return stages.length * countOf({ ...factors });
}

/** Every load that the factors produce. */
export function loadsOf(spec: LoadSpec): LoadVariant[] {
  if ("phases" in spec) {
    const { phases, ...factors } = spec;
    const all = combinations(factors);
    return ofEach(
      phases,
      (phases) => variantsOf(all.map((fields) => ({ ...fields, phases })), factors),
    );
  }
  if (!("stages" in spec)) return variantsOf(combinations(spec), spec);
  const { stages, ...factors } = spec;
  const all = combinations(factors);
  return ofEach(
    stages,
    (stages) => variantsOf(all.map((fields) => ({ ...fields, stages })), factors),
  );
}

/** The loads that `made` makes from each variant of phases or stages, with the variant's values. */
function ofEach<Part>(
  variants: readonly PartsVariant<Part>[],
  made: (parts: readonly Part[]) => LoadVariant[],
): LoadVariant[] {
  return variants.flatMap(({ parts, parameters }) =>
    made(parts).map((variant) => ({
      ...variant,
      parameters: { ...parameters, ...variant.parameters },
    }))
  );
}

interface PlannedFields extends LoadFields {
  readonly capacity?: CapacityGoal;
}

/** With a capacity goal, the rate is a share of that capacity. */
function plannedLoadOf({ capacity: goal, ...fields }: PlannedFields): PlannedLoad {
  if (goal === undefined) return loadOf(fields);
  const load = loadOf({ ...fields, rate: 1 }); // each trial has its own rate
  if (load.kind !== "rate") throw new Error("A load with a rate was read as another kind");
  const { ratePerSec: _, durationMs: _ms, ...rest } = load;
  const { arrivals = "uniform", rate: share = 1 } = fields;
  return { ...rest, kind: "capacity", goal, share, arrivals };
}

function variantsOf(combined: readonly PlannedFields[], factors: Factors): LoadVariant[] {
  return combined.map((fields) => ({
    load: plannedLoadOf(fields),
    parameters: Object.fromEntries(
      Object.entries(fields).filter(([name]) => varies(name, factors))
        .map(([name, value]) => [name, shown(name, value, fields.capacity !== undefined)]),
    ),
  }));
}

/** A factor's value as people write it. */
function shown(name: string, value: Json, isSearch: boolean): Json {
  const text = optionText(name, value);
  if (text !== null || typeof value !== "number") return text ?? value;
  if (name === "rate") return isSearch ? shareOfCapacityText(value) : rateText(value);
  return name === "duration" ? durationText(value) : value;
}
