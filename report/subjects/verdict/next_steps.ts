/** What the reader should do next, the most pressing first; nothing where nothing is left to do. */
import type { Advice } from "../../../runner/result/findings.ts";
import type { Run } from "../../../runner/result/result.ts";
import { adviceSentence } from "../../findings/sentences.ts";
import { competing, isOpen, shortfallOf } from "../../judge/shortfall.ts";
import { tooManyRunsText } from "../../findings/judgements.ts";
import { counted, listedAll, uncapitalized, unique } from "../../writing/words.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import type { Place } from "./places.ts";
import { isValid } from "../../findings/trust.ts";

export type NextStepCode =
  | "mend-runs"
  | "add-runs"
  | "longer-runs"
  | "lower-rate"
  | "check-targets"
  | "more-runs-of-groups"
  | "equal-settings";

export interface NextStep {
  readonly code: NextStepCode;
  /** With a full stop. */
  readonly text: string;
}

/** What the advice has to fit. */
export interface Situation {
  readonly runs: readonly Run[];
  readonly places: readonly Place[];
  readonly scenarios: readonly ScenarioComparison[];
  readonly isCompared: boolean;
  /** Whether runs of the plan are still to come: then no more are asked for. */
  readonly isRunning: boolean;
  /** Of the machine of the generator. */
  readonly cores: number;
}

/** Fewer runs of a kind show nothing of how often the other comes. */
const RUNS_FOR_GROUPS = 14;
/** What an experiment is repeated by default. */
const USUAL_RUNS = 5;

export function nextSteps(situation: Situation): NextStep[] {
  const { runs, isRunning } = situation;
  const steps = [...mendStep(situation), ...checkStep(situation.scenarios)];
  if (isRunning || !runs.some(isValid)) return steps;
  return [...steps, ...longerStep(situation), ...runsStep(situation), ...planSteps(situation)];
}

/** Of targets that do not respond, or respond wrongly: their figures say nothing. */
function checkStep(scenarios: readonly ScenarioComparison[]): NextStep[] {
  const wrong = scenarios.flatMap(({ cells }) =>
    cells.filter((cell) => {
      const short = shortfallOf(cell);
      return short !== null && short.kind !== "slow" && short.kind !== "dropped" &&
        (!isOpen(cell) || short.kind === "silent");
    })
  );
  if (wrong.length === 0) return [];
  const names = listedAll(unique(wrong.map(({ target }) => target)), 60);
  return [{ code: "check-targets", text: `Check the responses of ${names}.` }];
}

/** For targets whose figures are nobody's, as their runs never settled. */
function longerStep({ places, runs, cores }: Situation): NextStep[] {
  const targets = unique(
    places.flatMap(({ why, unsettled, first, peers }) =>
      why === "unsteady" && unsettled.length === 0 ? [first.name, ...peers] : unsettled
    ),
  );
  if (targets.length === 0 || commonAdvice(runs, { isComparison: true, cores }) === "longer-run") {
    return [];
  }
  return [{
    code: "longer-runs",
    text: `Make runs longer: most runs of ${listedAll(targets, 60)} never settle.`,
  }];
}

export function mendStep(
  { runs, places, cores }: Pick<Situation, "runs" | "places" | "cores">,
): NextStep[] {
  const doubted = runs.filter((run) => !isValid(run));
  if (doubted.length === 0) return [];
  const most = commonAdvice(runs, { isComparison: places.length > 0, cores });
  const text = most === null ? "Repeat them." : OF_SEVERAL[most] ?? adviceSentence([most]);
  return [{
    code: "mend-runs",
    text: `${counted(doubted.length, "run")} not valid: ${uncapitalized(text)}`,
  }];
}

/** Advice that is of one run elsewhere. */
const OF_SEVERAL: Readonly<Partial<Record<Advice, string>>> = {
  "repeat-run": "Repeat them.",
  "longer-run": "Make runs longer.",
};

/** What nobody can do whose machine has no core to spare. */
const NEEDS_CORES: readonly Advice[] = ["more-generator-cores", "separate-cores", "more-workers"];
const FEW_CORES = 2;

interface Fitting {
  /** How to compare helps nobody who compares nothing. */
  readonly isComparison: boolean;
  readonly cores: number;
}

/** The advice that most of the runs have that are not valid, of what can be done here. */
function commonAdvice(runs: readonly Run[], { isComparison, cores }: Fitting): Advice | null {
  const fits = (advice: Advice): boolean =>
    (isComparison || advice !== "compare-differences") &&
    (cores > FEW_CORES || !NEEDS_CORES.includes(advice));
  const first = runs.filter((run) => !isValid(run)).flatMap(({ generator: { findings } }) =>
    findings.flatMap(({ advice }) => advice).find(fits) ?? []
  );
  const [most] = [...Map.groupBy(first, (advice) => advice)]
    .toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? null;
}

/** How many runs would decide, one number for all places; or that more would not. */
function runsStep({ places }: Situation): NextStep[] {
  const open = places.filter(({ code }) => code === "undecided" || code === "likely");
  const needed = open.flatMap(({ decision }) => decision?.runsNeeded ?? []);
  const most = Math.max(USUAL_RUNS, ...needed);
  const has = (why: Place["why"]): boolean => open.some((place) => place.why === why);
  if (has("groups") && most <= RUNS_FOR_GROUPS) {
    return [{
      code: "more-runs-of-groups",
      text: `Use repeat: ${RUNS_FOR_GROUPS} to see how often each group of runs comes.`,
    }];
  }
  if (needed.length === 0) {
    if (has("one-run")) {
      return [{
        code: "add-runs",
        text: `Use repeat: ${USUAL_RUNS}, as one run says nothing about the next.`,
      }];
    }
    return !has("few-runs") ? [] : [{
      code: "add-runs",
      text: open.some(isNoisy)
        ? "Make runs longer or the machine quieter: runs differ by more than targets do."
        : "Add runs: the difference is so near the margin that many are needed.",
    }];
  }
  const where = needed.length < places.length && needed.length === 1
    ? ` ${open.find(({ decision }) => decision?.runsNeeded)?.name ?? ""}`
    : "";
  return [{
    code: "add-runs",
    text: tooManyRunsText(most) ??
      `Use repeat: ${most} to decide${where} with about 80 % probability.`,
  }];
}

/** Whether the interval is so wide that what is found lies far within it. */
function isNoisy({ decision }: Place): boolean {
  const interval = decision?.interval ?? null;
  return interval !== null && interval.high > NOISY_RATIO * interval.low;
}

const NOISY_RATIO = 1.2;

function planSteps({ places, scenarios, isCompared }: Situation): NextStep[] {
  const isIncomparable = isCompared &&
    scenarios.some(({ summary, cells }) =>
      summary.verdict.code === "undecided" &&
      summary.verdict.evidence.standing === "apart" && competing(cells).length > 1
    );
  const isOverloaded = places.some(({ code, short }) =>
    code === "none" && short.some(({ kind }) => kind === "slow" || kind === "dropped")
  );
  return [
    ...(isOverloaded
      ? [{ code: "lower-rate", text: "Lower the rate until a target keeps up with it." } as const]
      : []),
    ...(isIncomparable
      ? [
        {
          code: "equal-settings",
          text: "Give the targets equal values of a factor, so that they can be compared.",
        } as const,
      ]
      : []),
  ];
}
