/**
 * `Load`, the load that the generator makes. It is built here from validated flags, or from one combination of an
 * experiment's factors. `runner/measure` divides it into jobs for the workers. Pure.
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
  /**
   * Number of connections; for phases, the most concurrent virtual users; for stages, the highest number of
   * connections.
   */
  readonly connections: number;
  /** Number of workers; null if the machine's cores decide. */
  readonly workers: number | null;
}

/** Each connection sends its next request when the last response is complete. */
interface ClosedLoad extends CommonLoad {
  readonly kind: "closed";
  readonly pipeline: number;
  /** Null if the load ends after `requests`. */
  readonly durationMs: number | null;
  readonly requests: number | null;
  /** How the number of connections changes; absent if it is constant. */
  readonly stages?: readonly LoadStage[];
}

/** Requests arrive at a constant rate, whether or not a connection is free. */
export interface RateLoad extends CommonLoad {
  readonly kind: "rate";
  readonly ratePerSec: number;
  readonly arrivals: "uniform" | "poisson";
  readonly durationMs: number;
  /** A higher rate at the beginning, from which the target has to recover; absent if there is none. */
  readonly burst?: { readonly ratePerSec: number; readonly durationMs: number };
}

/** Requests arrive at the times given in a log. `ratePerSec` is the mean rate of the log. */
interface ReplayLoad extends Omit<RateLoad, "arrivals" | "burst"> {
  readonly arrivals: "recorded";
}

/** Virtual users arrive at rates that change from phase to phase. */
interface PhasesLoad extends CommonLoad {
  readonly kind: "phases";
  readonly phases: readonly Phase[];
  readonly arrivals: "uniform" | "poisson";
  /** own: each virtual user opens a new connection; shared: virtual users reuse the connections of earlier ones. */
  readonly pool: "own" | "shared";
}

/** Any load that the generator can make. */
export type Load = ClosedLoad | RateLoad | ReplayLoad | PhasesLoad;

/**
 * A search, which makes trials at many rates, followed by a last part at the capacity that it finds, or at a share of
 * it.
 */
export interface CapacityLoad extends CommonLoad {
  readonly kind: "capacity";
  readonly goal: CapacityGoal;
  /** Rate of the last part, as a share of the capacity. */
  readonly share: number;
  readonly arrivals: "uniform" | "poisson";
}

/** The load of a run: either one that the generator makes, or a search that makes many. */
export type PlannedLoad = Load | CapacityLoad;

/** Approximate number of short trials, and also of long ones, in a search. */
const USUAL_TRIALS = 10;

/**
 * Expected duration of a run's load in milliseconds; for a search, its usual length. Null if the load ends after a
 * number of requests.
 */
export function expectedMsOf(load: PlannedLoad): number | null {
  if (load.kind !== "capacity") return durationMsOf(load);
  const { trial: [shortMs, longMs], budget } = load.goal;
  return Math.min(budget, USUAL_TRIALS * (shortMs + longMs)) + longMs;
}

/** Duration of a load in milliseconds; null if it ends after a number of requests. */
export function durationMsOf(load: Load): number | null {
  return load.kind === "phases" ? lastingMs(load.phases) : load.durationMs;
}

/**
 * The most connections that can be of use. With more connections than requests or users, some connections would be
 * idle, and so would any further workers.
 */
export function usableConnections(load: PlannedLoad): number {
  return Math.min(load.connections, mostUsers(load) ?? Infinity);
}

/** The most requests or users in the whole load; null if chance decides, or if nothing limits them. */
function mostUsers(load: PlannedLoad): number | null {
  if (load.kind === "closed") return load.requests;
  if (load.kind !== "phases" || load.arrivals === "poisson") return null;
  return Math.max(1, Math.ceil(new Profile(load.phases).arrivals));
}

const MS_PER_HOUR = 3_600_000;

/** Why a run with this load is too long, or has too many intervals; null if it is not, or if its length is unknown. */
export function whyTooLong(load: PlannedLoad, intervalMs: number): string | null {
  const isSearch = load.kind === "capacity";
  const measuredMs = isSearch ? load.goal.trial[1] : durationMsOf(load) ?? 0;
  const hours = (measuredMs + (isSearch ? load.goal.budget : 0)) / MS_PER_HOUR;
  if (!isWithin("runHours", hours)) return beyond("runHours", hours);
  const intervals = Math.ceil(measuredMs / intervalMs);
  return isWithin("intervals", intervals) ? null : beyond("intervals", intervals);
}

/** The keys of a scenario that may contain gRPC calls. */
interface Calling {
  readonly grpc: string;
  readonly mix: readonly object[];
  readonly flow: readonly object[];
}

/**
 * Whether the scenario has a gRPC call, so that all its requests use HTTP/2. @param scenario Not yet validated, so any
 * part of it may be wrong.
 */
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
 * The load of one scenario: its own, or else the experiment's. A scenario with gRPC calls gets HTTP/2, and a replay
 * gets the mean rate of its log.
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

/** The times at which the requests of a log are due. */
interface LogMoments {
  readonly dueUs: { readonly length: number };
  readonly durationUs: number;
}

/** Mean requests per second, and the duration in milliseconds. */
function meanOf({ dueUs, durationUs }: LogMoments): { rate: number; duration: number } {
  return { rate: dueUs.length / (durationUs / 1e6), duration: durationUs / 1_000 };
}

/** The load that replays a log, with the connections and options in `fields`. */
export function replayLoadOf(fields: LoadFields, moments: LogMoments): ReplayLoad {
  return recorded(loadOf({ ...fields, ...meanOf(moments) }));
}

/** The load, with requests due at the times of a log. Throws unless the load has a rate. */
export function recorded(load: PlannedLoad): ReplayLoad {
  if (load.kind !== "rate") throw new Error("A replay has a rate, that of its log");
  return { ...load, arrivals: "recorded" };
}

/**
 * Validated values of a load's fields, from one combination of an experiment's factors or from the flags of `bench`.
 */
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

/** The load that the fields describe. Its kind follows from which fields are present. */
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

/** The load for one combination of factors, with the values of the factors that vary. */
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

/** The loads for all combinations of factors. */
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

/** The loads that `made` makes from each variant of phases or stages, with the values of that variant added. */
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

/** The load or search that the fields describe. With a capacity goal, `rate` is a share of the capacity. */
function plannedLoadOf({ capacity: goal, ...fields }: PlannedFields): PlannedLoad {
  if (goal === undefined) return loadOf(fields);
  const load = loadOf({ ...fields, rate: 1 }); // any rate, because each trial has its own
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
