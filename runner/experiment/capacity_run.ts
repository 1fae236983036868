/**
 * The search for a capacity within a run. Its trials load the run's own target, which is restarted if it does not
 * recover. Afterwards the run loads that target at the capacity that was found, or at a share of it.
 */
import { TargetError } from "../../base/errors.ts";
import { derivedSeed } from "../../base/random.ts";
import { objective } from "../../scenarios/claims/objective.ts";
import type { CapacityLoad, RateLoad } from "../../scenarios/load/load.ts";
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { Script } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { searchCapacity } from "../capacity/capacity.ts";
import type { SearchHooks, SearchTerms } from "../capacity/search_terms.ts";
import type { TrialHooks, TrialRequest } from "../capacity/trial.ts";
import type { RunCapacity } from "../result/capacity.ts";
import type { Run } from "../result/result.ts";
import type { PriorInterval } from "../stats/capacity/search.ts";
import { cellKey } from "../../base/figures/cells.ts";
import { medianOf } from "../stats/quantile.ts";

interface RunSearch {
  readonly planned: PlannedRun;
  readonly load: CapacityLoad;
  /**
   * Returns the script for the current process of the target. A script from before a restart is not valid any more,
   * because its values were returned by a `setup` that ran with the earlier process.
   */
  readonly script: () => Script;
}

interface RunSearchContext extends TrialHooks {
  /** Seed of the experiment. */
  readonly seed: number;
  readonly workers: number | null;
  readonly intervalMs: number;
  readonly earlierCapacity: (planned: PlannedRun) => PriorInterval | null;
  /** Receives the result of the search with all trials, even if the run fails later. */
  readonly onSearched: (found: RunCapacity) => void;
  readonly target: () => RunningTarget;
  readonly startAnew: () => Promise<RunningTarget>;
}

/** The most restarts in one run. After these, another failure of the target would show nothing new. */
const MOST_STARTS = 3;

/** Throws a TargetError if the target does not respond to single requests, or can't be restarted. */
export async function searchInRun(
  search: RunSearch,
  context: RunSearchContext,
): Promise<{ found: RunCapacity; load: RateLoad }> {
  const { planned, load } = search;
  const rate = rateLoadOf(load, context.workers);
  const found = await searchCapacity(termsOf(load), {
    request: trialRequestOf(search, context, rate),
    earlier: context.earlierCapacity(planned),
  }, { ...context, nowMs: () => performance.now(), ...startsOf(context) });
  if ("unanswered" in found) {
    const why = Object.keys(found.unanswered.reasons)[0] ?? "no response";
    throw new TargetError(
      `Cannot search for a capacity: the target does not respond even without load: ${why}`,
      [
        ...context.target().lastLines(),
      ],
    );
  }
  if (found.trials.length > 0) context.onSearched(found);
  if (found.end === "not-recovered") await context.startAnew();
  return { found, load: { ...rate, ratePerSec: load.share * lastRateOf(found) } };
}

/**
 * The capacity, or, if none was found, the lowest rate that was tried, because the target is most likely to sustain
 * that; without any trial, the peak throughput.
 */
function lastRateOf({ capacity, trials, peakPerSec }: RunCapacity): number {
  if (capacity !== null) return capacity.value;
  const tried = trials.map(({ ratePerSec }) => ratePerSec);
  return tried.length > 0 ? Math.min(...tried) : Math.max(1, peakPerSec);
}

function rateLoadOf(load: CapacityLoad, workers: number | null): RateLoad {
  const { goal: { trial: [, durationMs] }, share: _, ...common } = load;
  return { ...common, kind: "rate", ratePerSec: 1, durationMs, workers: load.workers ?? workers };
}

function termsOf({ goal: { within, width, trial, recover, budget } }: CapacityLoad): SearchTerms {
  return {
    objectives: within.map((text) => objective.parse(text)),
    widthRatio: width,
    trialS: [trial[0] / 1_000, trial[1] / 1_000],
    budgetS: budget / 1_000,
    recoverS: recover / 1_000,
  };
}

function trialRequestOf(
  { planned, script }: RunSearch,
  { seed, intervalMs, target }: RunSearchContext,
  load: RateLoad,
): TrialRequest {
  const { origin, access } = target();
  return {
    origin,
    ...access,
    script: script(),
    load,
    seed: derivedSeed(seed, planned.repetition),
    driver: "auto",
    logPath: null,
    intervalMs,
    implicitCheck: true,
  };
}

/** The hooks that restart the target of a search and tell when its process has ended. */
function startsOf(
  { target, startAnew }: RunSearchContext,
): Required<Pick<SearchHooks, "restart" | "ended">> {
  let starts = 0;
  return {
    restart: async () => {
      if (++starts > MOST_STARTS) return null;
      try {
        const { origin, access } = await startAnew();
        return { origin, ...access };
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        return null; // the search ends, and keeps its trials
      }
    },
    ended: () => {
      const ended = new AbortController();
      void target().exited.then(() => ended.abort());
      return ended.signal;
    },
  };
}

type SearchedRun = Pick<Run, "target" | "scenario" | "parameters"> & {
  readonly capacity?: Pick<RunCapacity, "capacity">;
};

/** A key that is the same for cells that differ only in their share of the capacity. */
function searchKey({ target, scenario, parameters: { rate: _, ...others } }: SearchedRun): string {
  return cellKey({ target, scenario, parameters: others });
}

/**
 * The interval of the capacity that earlier runs of the cell found with the target as the limit; null if there are
 * none. Its bounds are medians over all these runs, so that a single run with a far too low value does not spoil them.
 * @param runs The runs, including interrupted ones of which only the search was kept.
 */
export function earlierCapacityOf(
  cell: Cell,
  runs: readonly SearchedRun[],
): PriorInterval | null {
  const key = searchKey(cell);
  const known = runs.filter((run) => searchKey(run) === key).flatMap(({ capacity }) => {
    const { low, high, bound } = capacity?.capacity ?? {};
    return low === undefined || typeof high !== "number" || bound !== "target"
      ? []
      : [{ low, high }];
  });
  if (known.length === 0) return null;
  return {
    low: medianOf(known.map(({ low }) => low)),
    high: medianOf(known.map(({ high }) => high)),
  };
}
