/** What the reader should do next, the most pressing first. */
import type { Advice } from "../../../runner/result/findings.ts";
import type { Run } from "../../../runner/result/result.ts";
import { adviceSentence } from "../../findings/sentences.ts";
import { competing, isOpen, shortfallOf } from "../../judge/shortfall.ts";
import { tooManyRunsText } from "../../findings/judgements.ts";
import { counted, listedAll, uncapitalized, unique } from "../../writing/words.ts";
import { type CellRuns, unsteadyOf } from "../../cells/cells.ts";
import type { ScenarioComparison } from "./compared_scenarios.ts";
import { type Place, whereText } from "./places.ts";
import { isValid } from "../../findings/trust.ts";

export type NextStepCode =
  | "mend-runs"
  | "add-runs"
  | "longer-runs"
  | "lower-rate"
  | "check-targets"
  | "more-runs-of-groups"
  | "equal-settings"
  | "none";

export interface NextStep {
  readonly code: NextStepCode;
  /** With a full stop. */
  readonly text: string;
}

/** Fewer runs of a kind show nothing of how often the other comes. */
const RUNS_FOR_GROUPS = 14;
/** What an experiment is repeated by default. */
const USUAL_RUNS = 5;

/** The most pressing first; none without runs. */
export function nextSteps(
  runs: readonly Run[],
  places: readonly Place[],
  scenarios: readonly ScenarioComparison[],
): NextStep[] {
  if (runs.length === 0) return [];
  const has = (standing: Place["standing"]): boolean =>
    places.some((place) => place.standing === standing);
  const needed = runsNeeded(places);
  // One number is printed: the larger decides both.
  const isByGroups = has("groups") && Math.max(0, ...runsToDecideIn(places)) <= RUNS_FOR_GROUPS;
  const steps: NextStep[] = [
    ...mendStep(runs, places.length > 0),
    ...checkStep(scenarios),
    ...(commonAdvice(runs, places.length > 0) === "longer-run" ? [] : longerStep(places)),
    ...(isByGroups
      ? [
        {
          code: "more-runs-of-groups",
          text: `Set repeat: ${RUNS_FOR_GROUPS}, which shows how often each group of runs comes.`,
        } as const,
      ]
      : []),
    ...(needed === null || isByGroups ? [] : [needed]),
    ...(has("none-keeps-up")
      ? [{ code: "lower-rate", text: "Lower the rate until a target keeps up with it." } as const]
      : []),
    ...(scenarios.some(isIncomparable)
      ? [
        {
          code: "equal-settings",
          text: "Give the targets equal values of a factor: none can be compared.",
        } as const,
      ]
      : []),
  ];
  return steps.length > 0 ? steps : [{
    code: "none",
    text: places.length === 0
      ? "Nothing: every run is valid."
      : "Nothing: every run is valid, and nothing more is to be decided.",
  }];
}

/** Whether targets respond, but none at a setting that another has. */
function isIncomparable({ summary: { verdict }, cells }: ScenarioComparison): boolean {
  return verdict.code === "undecided" && verdict.evidence.standing === "apart" &&
    competing(cells).length > 1;
}

/** Of targets that do not respond, or respond wrongly: their figures say nothing. */
function checkStep(scenarios: readonly ScenarioComparison[]): NextStep[] {
  const wrong = scenarios.flatMap(({ cells }) =>
    cells.flatMap((cell) => {
      const short = shortfallOf(cell);
      return short === null || short.kind === "slow" || isOpen(cell) && short.kind !== "silent"
        ? []
        : [cell.target];
    })
  );
  if (wrong.length === 0) return [];
  return [{
    code: "check-targets",
    text: `Check the responses of ${listedAll(unique(wrong), 60)}.`,
  }];
}

/** For targets whose figures are nobody's, as their runs never settled. */
function longerStep(places: readonly Place[]): NextStep[] {
  const unsettled = places.flatMap(({ standing, contest: { ranked, unjudged } }) =>
    standing === "unsteady" ? [...ranked, ...unjudged].filter(isUnsettled) : unjudged
  );
  if (unsettled.length === 0) return [];
  const targets = unique(unsettled.map(({ target }) => target));
  return [{
    code: "longer-runs",
    text: `Make runs longer: most runs of ${listedAll(targets, 60)} never settle.`,
  }];
}

function isUnsettled({ runs }: CellRuns): boolean {
  return unsteadyOf(runs) !== null;
}

function mendStep(runs: readonly Run[], isComparison: boolean): NextStep[] {
  const doubted = runs.filter((run) => !isValid(run));
  if (doubted.length === 0) return [];
  const most = commonAdvice(runs, isComparison);
  const advice = most === null ? "Repeat them." : adviceSentence([most]);
  const text = most !== null && doubted.length > 1 ? OF_SEVERAL[most] ?? advice : advice;
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

/** The advice that most of the runs have that are not valid. How to compare helps nobody who compares nothing. */
function commonAdvice(runs: readonly Run[], isComparison: boolean): Advice | null {
  const counts = new Map<Advice, number>();
  for (const { generator: { findings } } of runs.filter((run) => !isValid(run))) {
    const [first] = findings.flatMap(({ advice }) => advice)
      .filter((advice) => isComparison || advice !== "compare-differences");
    if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

function runsNeeded(places: readonly Place[]): NextStep | null {
  const open = openPlaces(places);
  const single = places.some(({ standing }) => standing === "one-run");
  const counts = runsToDecideIn(places);
  if (counts.length === 0 && !single) {
    const isFew = open.some(({ standing }) => standing === "few-runs");
    return isFew
      ? {
        code: "add-runs",
        text: open.some(({ decision }) => isNoisy(decision))
          ? "Make runs longer, or the machine quieter: runs differ by more than targets do."
          : "Add runs: the difference is so near the margin that many are needed.",
      }
      : null;
  }
  const most = Math.max(USUAL_RUNS, ...counts);
  const tooMany = tooManyRunsText(most);
  if (tooMany !== null) return { code: "add-runs", text: tooMany };
  const where = decidedWhere(places);
  const text = counts.length === 0
    ? `Set repeat: ${USUAL_RUNS}, as one run says nothing about the next.`
    : where === ""
    ? `Set repeat: ${most}; that many runs of each would probably decide.`
    : `Set repeat: ${most}, which probably decides${where}.`;
  return { code: "add-runs", text };
}

/** Where more runs would decide; "" where they would everywhere, or nowhere. */
function decidedWhere(places: readonly Place[]): string {
  const those = openPlaces(places).filter(({ decision }) => decision?.runsNeeded);
  return those.length === 0 || those.length === places.length ? "" : whereText(those, places);
}

/** Whether the interval is so wide that what is found lies far within it. */
function isNoisy(decision: Place["decision"]): boolean {
  const { interval = null } = decision ?? {};
  return interval !== null && interval.high > NOISY_RATIO * interval.low;
}

const NOISY_RATIO = 1.2;

function openPlaces(places: readonly Place[]): Place[] {
  return places.filter(({ contest }) => contest.leader === null && !contest.isEquivalent);
}

function runsToDecideIn(places: readonly Place[]): number[] {
  return openPlaces(places).flatMap(({ decision }) => decision?.runsNeeded ?? []);
}
