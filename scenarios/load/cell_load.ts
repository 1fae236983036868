/** The load of one cell, every factor decided. Pure. */
import {
  type Combination,
  combinations,
  countOf,
  type Factors,
  type Json,
  lengthMsOf,
  varying,
} from "./factors.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { DEFAULT_DURATION_MS, type Load } from "./load.ts";
import type { Phase } from "../pace/arrivals.ts";
import { durationText, rateText } from "../../base/quantity.ts";

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
  return load.kind === "phases" ? lengthMsOf(load.phases) : load.durationMs;
}

const MS_PER_HOUR = 3_600_000;

/** Why a run of this load is too long, as far as that is known; null when it is not. */
export function whyTooLong(load: CellLoad, intervalMs: number): string | null {
  const ms = durationMsOf(load) ?? 0;
  const hours = ms / MS_PER_HOUR;
  if (!isWithin("runHours", hours)) return beyond("runHours", hours);
  const intervals = Math.ceil(ms / intervalMs);
  return isWithin("intervals", intervals) ? null : beyond("intervals", intervals);
}

/** How a scenario of an experiment is asked. */
export function loadFor(
  { load, scenarios }: {
    readonly load: Load;
    readonly scenarios: Readonly<Record<string, { readonly load?: Load }>>;
  },
  scenario: string,
): Load {
  return scenarios[scenario].load ?? load;
}

type Parameters = Record<string, Json>;

export type LoadVariant = { load: CellLoad; parameters: Parameters };

/** How many loads the factors make; nothing is built for it. */
export function countOfLoads(spec: Load): number {
  if (!("phases" in spec)) return countOf({ ...spec });
  const { phases, ...factors } = spec;
  return phases.length * countOf({ ...factors });
}

/** Every load that the factors make. */
export function loadsOf(spec: Load): LoadVariant[] {
  if ("phases" in spec) {
    const { phases: ways, ...factors } = spec;
    return ways.flatMap(({ phases, parameters }) =>
      everyWay(factors, ({ timeout, workers = null, ...values }) => ({
        kind: "phases",
        phases,
        timeoutMs: timeout,
        workers,
        ...values,
      })).map((variant) => ({
        ...variant,
        parameters: { ...parameters, ...variant.parameters },
      }))
    );
  }
  if ("rate" in spec) {
    return everyWay(spec, ({ rate, duration, timeout, workers = null, ...values }) => ({
      kind: "rate",
      ratePerSec: rate,
      durationMs: duration,
      timeoutMs: timeout,
      workers,
      ...values,
    }));
  }
  return everyWay(
    spec,
    ({ duration, requests = null, timeout, workers = null, ...values }) => ({
      kind: "closed",
      durationMs: duration ?? (requests === null ? DEFAULT_DURATION_MS : null),
      requests,
      timeoutMs: timeout,
      workers,
      ...values,
    }),
  );
}

function everyWay<F extends Factors>(
  factors: F,
  load: (values: Combination<F>) => CellLoad,
): LoadVariant[] {
  return combinations(factors).map((values) => ({
    load: load(values),
    parameters: Object.fromEntries(
      Object.entries(varying(values, factors)).map(([name, value]) => [name, shown(name, value)]),
    ),
  }));
}

/** A factor's value as people write it. */
function shown(name: string, value: Json): Json {
  if (typeof value !== "number") return value;
  if (name === "rate") return rateText(value);
  return name === "duration" || name === "timeout" ? durationText(value) : value;
}
