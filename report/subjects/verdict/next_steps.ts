/** What the reader should do next, with the most important step first; empty if nothing is left to do. */
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import type { Advice } from "../../../runner/result/findings.ts";
import type { Run } from "../../../runner/result/result.ts";
import { neverSettled, unsettledRuns } from "../../findings/card_sentences.ts";
import { tooManyRunsText } from "../../findings/judgements.ts";
import { adviceSentence } from "../../findings/sentences.ts";
import { isValid } from "../../findings/trust.ts";
import type { DecidedPlan, Place } from "../../judge/places.ts";
import { competing, isOpen, shortfallOf } from "../../judge/shortfall.ts";
import { wouldHoldInTurns } from "../../judge/slices.ts";
import { listedAll, unique } from "../../writing/words.ts";

export type NextStep = Conclusion["next"][number];

export function step(code: NextStep["code"], text: string): NextStep {
  return { code, text };
}

/** What advice depends on. */
interface Situation {
  readonly runs: readonly Run[];
  readonly places: readonly Place[];
  readonly plans: readonly DecidedPlan[];
  readonly isCompared: boolean;
  /** Whether the runs are trusted enough for a verdict, so that further runs might decide it. */
  readonly isTrusted: boolean;
  /** Whether more runs of the plan are still to come, so that no additional runs are advised. */
  readonly isRunning: boolean;
  /** Number of cores of the generator's machine. */
  readonly cores: number;
}

export function nextSteps(situation: Situation): NextStep[] {
  const { isRunning, isTrusted } = situation;
  const sides = [...Map.groupBy(situation.runs, ({ target }) => target).values()];
  const steps = [
    ...turnsStep(situation, sides),
    ...mendStep(situation),
    ...checkStep(situation),
  ];
  return isRunning || !isTrusted
    ? steps
    : [...steps, ...longerStep(situation), ...runsStep(situation), ...planSteps(situation)];
}

/**
 * Advises that the two sides take turns, which needs neither another machine nor an idle one, if disturbances keep
 * these sides from a verdict.
 */
export function turnsStep(
  { places, isTrusted }: Pick<Situation, "places" | "isTrusted">,
  sides: readonly (readonly Run[])[],
): NextStep[] {
  const isLost = !isTrusted || places.some(({ why }) => why === "doubted" || why === "lost");
  return places.length > 0 && isLost && wouldHoldInTurns(sides) ? [step("take-turns", TURNS)] : [];
}

const TURNS =
  "Load both sides in turns (`order: slices` in the experiment file, `plateau versus` or `plateau ab`): " +
  "whatever disturbs one then disturbs the other, so their ratio holds.";

export function mendStep(
  { runs, places, cores }: Pick<Situation, "runs" | "places" | "cores">,
): NextStep[] {
  const doubted = runs.filter((run) => !isValid(run)).length;
  if (doubted === 0) return [];
  const most = commonAdvice({ runs, places, cores });
  // Does not say how many runs, because the line about trust does.
  const text = most === null || most === "repeat-run"
    ? `Repeat the ${doubted === 1 ? "run that is" : "runs that are"} not valid.`
    : most === "longer-run"
    ? "Make runs longer."
    : adviceSentence([most]);
  return [step("mend-runs", text)];
}

/** Advice that is impossible on a machine without spare cores. */
const NEEDS_CORES: readonly Advice[] = ["more-generator-cores", "more-workers"];
const FEW_CORES = 2;

/**
 * The advice given most often for the runs that are not valid, considering only advice that can be followed on this
 * machine and in this experiment.
 */
function commonAdvice(
  { runs, places, cores }: Pick<Situation, "runs" | "places" | "cores">,
): Advice | null {
  const fits = (advice: Advice): boolean =>
    // Advice about comparing is useless if nothing is compared.
    (places.length > 0 || advice !== "compare-differences") &&
    (cores > FEW_CORES || !NEEDS_CORES.includes(advice));
  const first = runs.filter((run) => !isValid(run)).flatMap(({ generator: { findings } }) =>
    findings.flatMap(({ advice }) => advice).find(fits) ?? []
  );
  const [most] = [...Map.groupBy(first, (advice) => advice).values()]
    .toSorted((a, b) => b.length - a.length);
  return most?.[0] ?? null;
}

/** A step for targets that do not respond, or that respond wrongly, so that their figures mean nothing. */
function checkStep({ plans }: Situation): NextStep[] {
  const wrong = plans.flatMap(({ cells }) => cells).filter((cell) => {
    const kind = shortfallOf(cell)?.kind ?? "slow";
    return kind === "silent" || (kind !== "slow" && kind !== "dropped" && !isOpen(cell));
  });
  const names = listedAll(unique(wrong.map(({ target }) => target)), 60);
  return names === "" ? [] : [step("check-targets", `Check the responses of ${names}.`)];
}

/**
 * Advises longer runs if runs never settled, so that their target is not ranked or a comparison is undecided. Empty if
 * the advice for runs that are not valid says so already.
 */
function longerStep({ places, runs, cores }: Situation): NextStep[] {
  const isSaid = commonAdvice({ runs, places, cores }) === "longer-run";
  const isLost = neverSettled(places).length > 0 ||
    places.some((place) => unsettledRuns(place) !== null);
  return isLost && !isSaid ? [step("longer-runs", "Make runs longer.")] : [];
}

/** With fewer runs than this, it is unclear how often each of two groups of runs occurs. */
const RUNS_FOR_GROUPS = 14;
/** Default number of repetitions of an experiment. */
const USUAL_RUNS = 5;
/** If an interval's high end is more than this many times its low end, runs differ more than targets do. */
const NOISY_RATIO = 1.2;

/** Says how many runs would decide, as one number for all places, or that more runs would not help. */
function runsStep({ places, runs }: Situation): NextStep[] {
  const open = places.filter(({ code }) => code === "undecided" || code === "likely");
  const has = (why: Place["why"]): boolean =>
    open.some((place) => place.why === why && unsettledRuns(place) === null);
  const needing = open.filter(({ decision }) => decision !== null && decision.runsNeeded !== null);
  const most = Math.max(USUAL_RUNS, ...needing.map(({ decision }) => decision?.runsNeeded ?? 0));
  const addRuns = (text: string): NextStep[] => [step("add-runs", text)];
  if (has("groups") && most <= RUNS_FOR_GROUPS) {
    const text = `Use \`repeat: ${RUNS_FOR_GROUPS}\` to see how often each group of runs occurs.`;
    return [step("more-runs-of-groups", text)];
  }
  if (needing.length > 0) {
    const where = places.length > 1 && needing.length === 1 ? ` ${needing[0].name}` : "";
    return addRuns(
      tooManyRunsText(most) ??
        `Use \`repeat: ${most}\` to decide${where} with about 80 % probability.`,
    );
  }
  // If runs were repeated and a target still has figures from only one, its other runs served
  // nothing, so more runs would not help.
  const isRepeated = runs.some(({ repetition }) => repetition >= USUAL_RUNS);
  if (has("one-run") && !isRepeated) return addRuns(`Use \`repeat: ${USUAL_RUNS}\`.`);
  if (!has("few-runs")) return [];
  const isNoisy = open.some(({ decision }) =>
    decision !== null && decision.interval !== null &&
    decision.interval.high > NOISY_RATIO * decision.interval.low
  );
  return addRuns(
    isNoisy
      ? "Make runs longer or the machine quieter: runs differ more than targets do."
      : "Add runs: the difference is so close to the margin that many are needed.",
  );
}

function planSteps({ places, plans, isCompared }: Situation): NextStep[] {
  const isOverloaded = places.some(({ code, short }) =>
    code === "none" && short.some(({ kind }) => kind === "slow" || kind === "dropped")
  );
  const isApart = isCompared &&
    plans.some(({ contests, cells }) =>
      contests.length === 0 && new Set(competing(cells).map(({ target }) => target)).size > 1
    );
  const apart = "Give the targets the same values of a factor, so that they can be compared.";
  return [
    ...isOverloaded ? [step("lower-rate", "Lower the rate until a target keeps up with it.")] : [],
    ...isApart ? [step("equal-settings", apart)] : [],
  ];
}
