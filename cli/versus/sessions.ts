/**
 * The sessions of `plateau versus`, in each of which both servers are loaded alternately: how many there are, how long
 * they take, and when they are enough.
 */
import { TargetError } from "../../base/errors.ts";
import { describeMachine } from "../../base/system/describe.ts";
import { VERSION } from "../../base/version.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import type { Run } from "../../runner/result/result.ts";
import { TRIAL_MS } from "../../runner/slices/lengths.ts";
import { PROCESS_LOOKS } from "../../runner/stats/slices/looks.ts";
import type { Threshold } from "../../scenarios/claims/threshold.ts";
import { lookAt } from "../experiment/looks.ts";
import { NAMES } from "./sides.ts";

/**
 * Default time for which a session loads each side. It is longer if even the fewest possible slices (stretches in which
 * one side is loaded) take longer, or if the budget is larger than the default. It is chosen so that a large difference
 * is found after the fourth session, and so that the last interim check (a look) comes shortly before the time is up.
 */
const SESSION_MS = 400;
/** Time for the whole measurement without `--duration`. */
export const DEFAULT_BUDGET_MS = 60_000;

export interface SessionPlan {
  /** Maximum number of sessions. */
  readonly sessions: number;
  /** Time for which each session loads each side. */
  readonly durationMs: number;
  /** The sessions end once their slices have loaded each side for this long. They take longer if slices are long. */
  readonly loadMs: number;
  /** Time for all sessions, including what happens between them. */
  readonly budgetMs: number;
  /** Whether the sessions end early once there is a verdict. */
  readonly isOpen: boolean;
}

/** @param duration,budget In milliseconds. */
export function sessionPlan({ duration, budget }: {
  readonly duration?: number;
  readonly budget?: number;
}): SessionPlan {
  if (duration === undefined) {
    const sessions = Math.max(...PROCESS_LOOKS);
    const budgetMs = budget ?? DEFAULT_BUDGET_MS;
    const durationMs = SESSION_MS * Math.max(1, budgetMs / DEFAULT_BUDGET_MS);
    return { sessions, durationMs, loadMs: Infinity, budgetMs, isOpen: true };
  }
  const sessions = Math.max(1, Math.round(duration / SESSION_MS));
  return {
    ...{ sessions, durationMs: duration / sessions, loadMs: duration },
    ...{ budgetMs: budget ?? Infinity, isOpen: false },
  };
}

interface SessionsContext {
  readonly plan: SessionPlan;
  /** Measures both sides in one session. Throws a TargetError if a side can't be measured. */
  readonly carryOut: (repetition: number) => Promise<readonly Run[]>;
  readonly compare: (runs: readonly Run[]) => ResultsComparison;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

interface Sessions {
  /** Runs of the complete sessions. */
  readonly runs: readonly Run[];
  /** Null if no session was completed. */
  readonly comparison: ResultsComparison | null;
  /** Why the sessions ended too early; null if they did not. */
  readonly failure: TargetError | null;
}

/** Measures sessions until they are enough, the time is up, a session fails, or the user interrupts. */
export async function sessionsOf(
  { plan, carryOut, compare, nowMs, signal }: SessionsContext,
): Promise<Sessions> {
  const beganMs = nowMs();
  const runs: Run[] = [];
  let loadedMs = 0;
  const ended = (failure: TargetError | null = null): Sessions => ({
    ...{ runs, failure },
    comparison: runs.length === 0 ? null : compare(runs),
  });
  for (let repetition = 1; repetition <= plan.sessions; repetition++) {
    const sessionMs = nowMs();
    try {
      const made = await carryOut(repetition);
      if (signal.aborted) return ended();
      runs.push(...made);
      loadedMs += measuredSlicesMs(made[0]);
    } catch (error) {
      if (signal.aborted) return ended();
      if (error instanceof TargetError) return ended(error);
      throw error;
    }
    const trialMs = repetition === 1 ? TRIAL_MS : 0;
    const isLate = nowMs() - beganMs + (nowMs() - sessionMs) - trialMs > plan.budgetMs;
    if (isLate || loadedMs >= plan.loadMs) break;
    if (plan.isOpen && lookAt(() => compare(runs), repetition).isEnough) break;
  }
  return ended();
}

/** How long the slices of a run are together, without those that only warm connections up. */
function measuredSlicesMs({ slices }: Run): number {
  return slices === undefined ? 0 : slices.items.pair.length * slices.sliceMs;
}

/** The name of both servers in a comparison. */
const SERVER = "server";

interface Judged {
  readonly plan: SessionPlan;
  readonly intervalMs: number;
  readonly marginRatio: number;
  readonly thresholds: readonly Threshold[];
}

function urlOf(runs: readonly Run[], name: string): string {
  return runs.find(({ target }) => target === name)?.url ?? name;
}

/**
 * Compares the servers as if they were one target with two results.
 * @param runs Runs of both servers, from one or more sessions.
 */
export function comparisonOf(
  runs: readonly Run[],
  { plan, intervalMs: interval, marginRatio, thresholds }: Judged,
): ResultsComparison {
  const repeat = plan.isOpen
    ? { until: null, atMost: null, budget: plan.budgetMs }
    : runs.length / 2;
  const machine = describeMachine();
  const [base, next] = [NAMES.base, NAMES.next].map((name) => ({
    version: VERSION,
    machine,
    startedAt: runs[0].startedAt, // the same for both, because they were measured together
    experiment: {
      ...{ name: "versus", order: "slices", repeat, interval },
      // Without the addresses, because different addresses would count as a difference in method.
      targets: { [SERVER]: {} },
    },
    runs: runs.filter(({ target }) => target === name).map((run) => ({
      ...run,
      target: SERVER,
      ...run.slices && { slices: { ...run.slices, partner: SERVER } },
    })),
  }));
  return compareResults(base, next, {
    ...{ marginRatio, thresholds },
    decidedBy: thresholds.length > 0 ? "thresholds" : "figures",
    names: [NAMES.base, NAMES.next],
    areServers: true,
    revisions: { base: urlOf(runs, NAMES.base), next: urlOf(runs, NAMES.next) },
  });
}
