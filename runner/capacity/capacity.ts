/**
 * The search for a capacity on a real server: a look at it at rest, its peak in a closed loop, then trials until the
 * interval is narrow enough, the budget is spent, or the search can't go on. Its trials are kept, however it ends.
 */
import { VERSION } from "../../base/version.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { MOST_PER_SEC } from "../../scenarios/load/load_spec.ts";
import type { Load } from "../../scenarios/load/load.ts";
import { type BenchRequest, measureLoad } from "../measure/measure.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import type { CapacityEnd, CapacityResult, CapacityTrial } from "../result/capacity.ts";
import { isUnanswered } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import {
  capacityOf,
  nextStep,
  type SearchedTrial,
  type SearchGoal,
} from "../stats/capacity/search.ts";
import type { Objective } from "./objective.ts";
import { lookAt, recover } from "./recovery.ts";
import { type MadeTrial, makeTrial, type TrialHooks, type TrialRequest } from "./trial.ts";

export interface CapacitySearch {
  readonly request: BenchRequest & { readonly load: TrialRequest["load"] };
  readonly objectives: readonly Objective[];
  /** 0.02: 2 % to either side. */
  readonly widthRatio: number;
  /** Shortest and longest trial. */
  readonly trialS: readonly [short: number, long: number];
  readonly budgetS: number;
  /** Longest wait for the target to recover from a trial. */
  readonly recoverS: number;
}

export interface CapacityHooks extends TrialHooks {
  /** By any clock that doesn't go back. */
  readonly nowMs: () => number;
}

/** Fewer requests than these in a short trial decide nothing. */
const FEWEST_REQUESTS = 20;

/** One after the other: then the machine is too busy to measure on. */
const MOST_DISTURBED = 5;

/** @returns The measurement at rest instead, where it had no response. */
export async function findCapacity(
  search: CapacitySearch,
  hooks: CapacityHooks,
): Promise<CapacityResult | { readonly unanswered: Measurement }> {
  const { url, scenario, ...request } = search.request;
  const trialRequest: TrialRequest = {
    ...request,
    script: scriptOf(scenario, request.seed),
    origin: url.origin,
    implicitCheck: true,
  };
  const beganMs = hooks.nowMs();
  const rest = await lookAt(trialRequest, hooks);
  if (isUnanswered(rest)) return { unanswered: rest };
  const peakPerSec = await peakOf(trialRequest, search.trialS[0], hooks);
  const run = new SearchRun(search, trialRequest, {
    ...hooks,
    beganMs,
    peakPerSec,
    restMs: rest.service.percentiles["50"],
  });
  const end = await run.toItsEnd();
  return run.result(end);
}

/** In a closed loop, which also warms the target up. */
async function peakOf(
  request: TrialRequest,
  durationS: number,
  hooks: TrialHooks,
): Promise<number> {
  const { connections, keepAlive, timeoutMs, workers } = request.load;
  const load: Load = {
    ...{ kind: "closed", connections, keepAlive, timeoutMs, workers, pipeline: 1 },
    durationMs: durationS * 1_000,
    requests: null,
  };
  return (await measureLoad({ ...request, load }, hooks)).rate;
}

interface SearchContext extends CapacityHooks {
  readonly beganMs: number;
  readonly peakPerSec: number;
  readonly restMs: number;
}

class SearchRun {
  readonly #goal: SearchGoal;
  readonly #counted: SearchedTrial[] = [];
  readonly #trials: CapacityTrial[] = [];
  /** Rates at which the generator broke the rules, as far as is known. */
  readonly #doubted: number[] = [];

  constructor(
    private readonly search: CapacitySearch,
    private readonly request: TrialRequest,
    private readonly context: SearchContext,
  ) {
    const { objectives, widthRatio, trialS: [shortS, longS], budgetS } = search;
    const patient = objectives.map(({ limitMs }) => patientS(limitMs, widthRatio));
    this.#goal = {
      allowed: objectives.map(({ allowed }) => allowed),
      widthRatio,
      shortS,
      longS: Math.max(longS, Math.min(budgetS * MOST_OF_BUDGET, Math.max(...patient))),
    };
  }

  async toItsEnd(): Promise<CapacityEnd> {
    for (;;) {
      const planned = this.#next();
      if (typeof planned === "string") return planned;
      const made = await makeTrial(this.request, this.search.objectives, planned, this.context);
      if (this.context.signal.aborted) return "interrupted";
      const { recoverS } = this.search;
      const recoveryS = await recover(this.request, { ...this.context, recoverS }, this.context);
      this.#keep(made, recoveryS);
      if (recoveryS === null) {
        return this.context.signal.aborted ? "interrupted" : "not-recovered";
      }
    }
  }

  #next(): { ratePerSec: number; plannedS: number } | CapacityEnd {
    const { trialS: [shortS], budgetS } = this.search;
    const start = Math.min(Math.max(this.context.peakPerSec, 1), MOST_PER_SEC);
    const step = nextStep(this.#goal, this.#counted, start);
    if (step.kind === "found") return "found";
    const planned = this.#belowDoubt(step);
    if (typeof planned === "string") return planned;
    if (this.#elapsedS + planned.plannedS > budgetS) return "budget";
    if (this.#isDisturbed()) return "disturbed";
    return planned.ratePerSec * shortS < FEWEST_REQUESTS ? "nothing-holds" : planned;
  }

  /** A disturbed trial is made again, but not for ever. */
  #isDisturbed(): boolean {
    const last = this.#trials.slice(-MOST_DISTURBED);
    return last.length === MOST_DISTURBED && this.#doubted.length === 0 &&
      last.every(({ counts }) => !counts);
  }

  /** Where the generator is the limit, the search goes up to it alone; the first doubt gets a second trial. */
  #belowDoubt(
    step: { readonly ratePerSec: number; readonly plannedS: number },
  ): { ratePerSec: number; plannedS: number } | CapacityEnd {
    const [last] = this.#doubted.slice(-1);
    const isFull = step.ratePerSec > MOST_PER_SEC;
    if (last === undefined && !isFull) return step;
    const doubted = Math.min(MOST_PER_SEC, ...this.#doubted);
    if (step.ratePerSec < doubted) return step;
    if (this.#doubted.length === 1 && !isFull) return { ...step, ratePerSec: doubted };
    const held = this.#counted.map(({ ratePerSec }) => ratePerSec).filter((rate) => rate < doubted);
    const highest = held.length === 0 ? doubted / 4 : Math.max(...held);
    return doubted / highest <= (1 + this.search.widthRatio) ** 2
      ? "generator"
      : { ratePerSec: Math.sqrt(highest * doubted), plannedS: this.search.trialS[0] };
  }

  #keep({ searched, shown, doubt }: MadeTrial, recoveryS: number | null): void {
    const trial = { ...shown, recoveryS };
    this.#trials.push(trial);
    if (doubt === null) this.#counted.push(searched);
    if (doubt === "generator") this.#doubted.push(trial.ratePerSec);
    const estimate = capacityOf(this.#goal, this.#counted);
    this.context.onProgress({
      kind: "trial",
      number: this.#trials.length,
      trial,
      low: estimate?.low ?? null,
      high: estimate?.high ?? null,
    });
  }

  get #elapsedS(): number {
    return (this.context.nowMs() - this.context.beganMs) / 1_000;
  }

  result(end: CapacityEnd): CapacityResult {
    const { request: { url, load, seed }, objectives, widthRatio, budgetS } = this.search;
    const { shortS, longS } = this.#goal;
    const capacity = this.#capacity(end);
    const binding = end === "generator" ? null : this.#binding();
    return {
      schema: "plateau.capacity/1",
      version: VERSION,
      url: withoutSecrets(url.href),
      within: objectives.map(({ text }) => text),
      load: { connections: load.connections, arrivals: load.arrivals, timeout: load.timeoutMs },
      widthRatio,
      trialS: [shortS, longS],
      budgetS,
      seed,
      elapsedS: this.#elapsedS,
      peakPerSec: this.context.peakPerSec,
      end,
      capacity,
      binding,
      breaking: capacity === null || capacity.bound === "generator"
        ? []
        : breakingOf(capacity.value, this.#trials),
      trials: this.#trials,
    };
  }

  #binding(): string | null {
    const estimate = capacityOf(this.#goal, this.#counted);
    if (estimate !== null) return this.search.objectives[estimate.binding].text;
    const [broken] = this.#trials.filter(({ outcome }) => outcome === "broken").slice(-1);
    return broken?.rules.find(({ beyond, requests, allowed }) => beyond > allowed * requests)
      ?.rule ?? null;
  }

  #capacity(end: CapacityEnd): CapacityResult["capacity"] {
    const held = this.#trials.filter(({ outcome }) => outcome === "held")
      .map(({ ratePerSec }) => ratePerSec);
    const estimate = capacityOf(this.#goal, this.#counted);
    if (estimate !== null && end !== "generator") {
      const { value, low, high } = estimate;
      return { value, low, high, bound: "target" };
    }
    if (held.length === 0) return null;
    const value = Math.max(...held);
    return { value, low: value, high: null, bound: end === "generator" ? "generator" : "target" };
  }
}

/** An overload at the end of the interval must reach the limit within a third of a long trial: waits grow by its share of the time. */
function patientS(limitMs: number, widthRatio: number): number {
  return 3 * limitMs / 1_000 / widthRatio;
}

/** A longer trial would leave no budget for others. */
const MOST_OF_BUDGET = 0.125;

const MULTIPLES = [0.8, 1, 1.1, 1.3];
/** Of the multiple: a trial so near stands for it. */
const NEAR_RATIO = 0.05;

function breakingOf(
  capacity: number,
  trials: readonly CapacityTrial[],
): CapacityResult["breaking"] {
  return MULTIPLES.flatMap((ofCapacity) => {
    const distance = ({ ratePerSec }: CapacityTrial): number =>
      Math.abs(Math.log(ratePerSec / (capacity * ofCapacity)));
    const [nearest] = trials.filter((trial) => trial.counts && distance(trial) <= NEAR_RATIO)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) return [];
    const { ratePerSec, p99, success, recoveryS } = nearest;
    return [{ ofCapacity, ratePerSec, p99, success, recoveryS }];
  });
}
