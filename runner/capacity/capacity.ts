/**
 * The search for the capacity of a real server: first single requests to the unloaded server, then the peak throughput
 * in a closed loop, then trials until the interval of the capacity is narrow enough, the budget of time is spent, or
 * the search can't go on. The trials are kept, however the search ends.
 */
import { UserError } from "../../base/errors.ts";
import { optionsOf } from "../../base/load_options.ts";
import { VERSION } from "../../base/version.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { NO_MESSAGES } from "../../scenarios/claims/objective.ts";
import { MOST_PER_SEC } from "../../scenarios/load/load_shape.ts";
import type { BenchRequest } from "../measure/measure.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import type {
  CapacityEnd,
  CapacityResult,
  CapacityTrial,
  RunCapacity,
} from "../result/capacity.ts";
import { isUnanswered } from "../result/outcome.ts";
import type { Measurement } from "../result/result.ts";
import {
  type CapacityEstimate,
  capacityOf,
  lowerBoundOf,
  nextStep,
  type SearchedTrial,
  type SearchGoal,
  secondsToDecide,
  shortTrial,
  type TrialPlan,
} from "../stats/capacity/search.ts";
import { breakingOf, unseenAround } from "./breaking.ts";
import { GeneratorCeiling } from "./ceiling.ts";
import { DisturbedRates } from "./disturbed_rates.ts";
import { closedPeak, lookAt, recover } from "./closed_loop.ts";
import {
  type CapacityHooks,
  goalOf,
  lastResponsesS,
  type SearchHooks,
  type SearchSubject,
  type SearchTerms,
  unseenRatio,
} from "./search_terms.ts";
import { type MadeTrial, makeTrial, type TrialRequest } from "./trial.ts";

export interface CapacitySearch extends SearchTerms {
  readonly request: BenchRequest & { readonly load: TrialRequest["load"] };
}

/**
 * A trial with fewer requests than this decides nothing, so trials of a slow target are made longer, up to the length
 * of a long trial.
 */
const FEWEST_REQUESTS = 20;

/**
 * @returns The result, or, if the target does not respond to the single requests that come first, the measurement of
 * those requests.
 */
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
  const beganMs = hooks.beganMs ?? hooks.nowMs();
  const found = await searchCapacity(search, { request: trialRequest, earlier: null }, hooks);
  if ("unanswered" in found) return found;
  const { connections, arrivals } = request.load;
  return {
    schema: "plateau.capacity/1",
    version: VERSION,
    url: withoutSecrets(url.href),
    load: { connections, arrivals, ...optionsOf(request.load) },
    seed: request.seed,
    elapsedS: (hooks.nowMs() - beganMs) / 1_000,
    ...found,
  };
}

/**
 * @returns The result, or, if the target does not respond to the single requests that come first, the measurement of
 * those requests.
 */
export async function searchCapacity(
  terms: SearchTerms,
  { request, earlier }: SearchSubject,
  hooks: SearchHooks,
): Promise<RunCapacity | { readonly unanswered: Measurement }> {
  const beganMs = hooks.beganMs ?? hooks.nowMs();
  using budget = budgetOf(terms.budgetS * 1_000 - (hooks.nowMs() - beganMs));
  const within = AbortSignal.any([hooks.signal, budget.spent]);
  const rest = await lookAt(request, { ...hooks, signal: within });
  if (isUnanswered(rest)) return { unanswered: rest };
  checkMessages(terms, rest);
  const peakPerSec = await closedPeak(request, terms.trialS[0], { ...hooks, signal: within });
  const run = new SearchRun(terms, request, {
    ...hooks,
    ...{ beganMs, peakPerSec, earlier, within },
    restMs: rest.service.percentiles["50"],
  });
  const end = await run.toItsEnd();
  if (end === "found") await run.showBreaking();
  return run.result(end);
}

/**
 * Throws a UserError if a rule is about streamed messages but no response is a stream. The check needs a measurement,
 * because whether a gRPC call streams is known only once its types are loaded.
 */
function checkMessages({ objectives }: SearchTerms, rest: Measurement): void {
  if (rest.streams !== undefined || objectives.every(({ messages }) => messages === null)) return;
  const fix = 'write rules about requests, such as "p99 < 50ms"';
  throw new UserError([{ place: "capacity", message: NO_MESSAGES, fix }]);
}

/** Aborts when the budget is spent, so that the search stops waiting for responses and for recoveries. */
function budgetOf(leftMs: number): Disposable & { readonly spent: AbortSignal } {
  const spent = new AbortController();
  const timer = setTimeout(() => spent.abort(), Math.max(0, leftMs));
  return { spent: spent.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

interface SearchContext extends SearchHooks, Pick<SearchSubject, "earlier"> {
  readonly beganMs: number;
  /** Aborted when the user interrupts, or the budget is spent. */
  readonly within: AbortSignal;
  readonly peakPerSec: number;
  readonly restMs: number;
}

class SearchRun {
  readonly #goal: SearchGoal;
  readonly #counted: SearchedTrial[] = [];
  readonly #trials: CapacityTrial[] = [];
  readonly #ceiling = new GeneratorCeiling();
  readonly #disturbed = new DisturbedRates();

  #request: TrialRequest;

  constructor(
    private readonly search: SearchTerms,
    request: TrialRequest,
    private readonly context: SearchContext,
  ) {
    this.#request = request;
    this.#goal = goalOf(search, context.peakPerSec);
  }

  async toItsEnd(): Promise<CapacityEnd> {
    for (;;) {
      const planned = this.#next();
      if (typeof planned === "string") return planned;
      const end = await this.#try(planned, (made) => this.#count(made));
      if (end !== null) return end;
    }
  }

  /**
   * Makes trials near the multiples of the capacity (see `unseenAround`) that no trial has shown yet. These trials show
   * how the target breaks, and are not part of any estimate.
   */
  async showBreaking(): Promise<void> {
    const estimate = this.#estimate();
    if (estimate === null) return;
    for (const ratePerSec of unseenAround(estimate.value, this.#trials)) {
      const plan = shortTrial(this.#goal, ratePerSec);
      if (!this.#fits(plan.plannedS) || ratePerSec > MOST_PER_SEC) return;
      if (await this.#try(plan, () => {}) !== null) return;
    }
  }

  /** Makes one trial and records it with its recovery; returns why the search can't go on after it, or null. */
  async #try(
    planned: TrialPlan,
    count: (made: MadeTrial) => void,
  ): Promise<CapacityEnd | null> {
    const terms = { ...planned, servedPerSec: this.#disturbed.servedPerSec };
    const { within, signal } = this.context;
    const hooks = { ...this.context, signal: within };
    const made = await makeTrial(this.#request, this.search.objectives, terms, hooks);
    if (within.aborted) return this.#givenUp(); // the trial is incomplete
    const recoveryS = await this.#recovery();
    count(made);
    this.#keep({ ...made.shown, recoveryS });
    if (signal.aborted) return "interrupted";
    if (recoveryS !== null || await this.#isStartedAnew()) return null;
    return within.aborted ? this.#givenUp() : "not-recovered";
  }

  #givenUp(): CapacityEnd {
    return this.context.signal.aborted ? "interrupted" : "budget";
  }

  /** Whether a trial and the wait for its last responses end within the budget. */
  #fits(plannedS: number): boolean {
    const { restMs } = this.context;
    const { timeout: timeoutMs } = this.#request.load;
    const waitS = lastResponsesS(this.search, { timeoutMs, restMs });
    return this.#elapsedS + plannedS + waitS <= this.search.budgetS;
  }

  /** Seconds until the target has recovered; null if it does not recover in time, or if its process ends. */
  #recovery(): Promise<number | null> {
    const { within, ended } = this.context;
    const ends = ended === undefined ? within : AbortSignal.any([within, ended()]);
    const { recoverS } = this.search;
    return recover(this.#request, { ...this.context, recoverS }, { ...this.context, signal: ends });
  }

  async #isStartedAnew(): Promise<boolean> {
    const place = await this.context.restart?.() ?? null;
    if (place === null) return false;
    this.#request = { ...this.#request, ...place };
    return true;
  }

  #next(): TrialPlan | CapacityEnd {
    const { widthRatio } = this.search;
    const step = nextStep(this.#goal, this.#counted, this.context.earlier);
    if (step.kind === "unsustained") return step.kind;
    if (step.kind === "found") return unseenRatio(this.#goal) === 0 ? "found" : "budget";
    const believed = this.#ceiling.below(step, this.#goal, this.#counted);
    if (typeof believed === "string") return believed;
    const planned = this.#disturbed.steered(believed, {
      held: this.#counted.map(({ ratePerSec }) => ratePerSec),
      ...{ widthRatio, shortTrial: (ratePerSec) => shortTrial(this.#goal, ratePerSec) },
    });
    const neededS = FEWEST_REQUESTS / planned.ratePerSec;
    const plannedS = Math.max(planned.plannedS, neededS);
    if (neededS > this.#goal.longS && this.#isBelowAll(planned.ratePerSec)) {
      // Trials say nothing about the target if none of them is valid.
      return this.#counted.length === 0 ? "disturbed" : "nothing-holds";
    }
    if (!this.#fits(plannedS)) return "budget";
    return this.#disturbed.isHopeless ? "disturbed" : { ...planned, plannedS };
  }

  #estimate(): CapacityEstimate | null {
    const found = capacityOf(this.#goal, this.#counted);
    return found && { ...found, low: found.low / (1 + unseenRatio(this.#goal)) };
  }

  /** Whether the rate is below every rate tried so far; false if none was tried. */
  #isBelowAll(ratePerSec: number): boolean {
    return this.#trials.length > 0 && this.#trials.every((trial) => ratePerSec < trial.ratePerSec);
  }

  #count({ searched, doubt }: MadeTrial): void {
    if (doubt === null) this.#counted.push(searched);
    if (doubt === "generator") this.#ceiling.doubt(searched.ratePerSec);
    this.#disturbed.add(searched, doubt);
  }

  #keep(trial: CapacityTrial): void {
    this.#trials.push(trial);
    const estimate = this.#estimate();
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

  result(end: CapacityEnd): RunCapacity {
    const { objectives, widthRatio, budgetS } = this.search;
    const { shortS, longS } = this.#goal;
    const capacity = this.#capacity(end);
    const moreS = end === "budget" ? secondsToDecide(this.#goal, this.#counted) : null;
    return {
      within: objectives.map(({ text }) => text),
      widthRatio,
      trialS: [shortS, longS],
      budgetS,
      peakPerSec: this.context.peakPerSec,
      end,
      ...moreS !== null && { wouldTakeS: this.#elapsedS + moreS },
      capacity,
      binding: end === "generator" ? null : this.#binding(),
      // If the capacity is only a lower bound, multiples of it say nothing.
      breaking: capacity === null || capacity.high === null
        ? []
        : breakingOf(capacity.value, this.#trials),
      trials: this.#trials,
    };
  }

  #binding(): string | null {
    const estimate = this.#estimate();
    if (estimate !== null) return this.search.objectives[estimate.binding].text;
    const [broken] = this.#trials.filter(({ outcome }) => outcome === "broken").slice(-1);
    return broken?.rules.find(({ beyond, requests, allowed }) => beyond > allowed * requests)
      ?.rule ?? null;
  }

  #capacity(end: CapacityEnd): RunCapacity["capacity"] {
    // The rate that held in short trials did not hold in a sustained one.
    if (end === "unsustained") return null;
    const estimate = this.#estimate();
    if (estimate !== null && end !== "generator") {
      const { value, low, high } = estimate;
      return { value, low, high, bound: "target" };
    }
    const value = lowerBoundOf(this.#goal, this.#counted);
    if (value === null) return null;
    const bound = end === "generator" ? "generator" : "target";
    return { value, low: value, high: null, bound };
  }
}
