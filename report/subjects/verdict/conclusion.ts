/**
 * The conclusion of an experiment: the question in its title, a verdict with its sentence and one large figure, who
 * wins where, whether that can be relied on, and what to do next. Page, terminal, markdown and JSON all show the same
 * conclusion.
 */
import { type Block, table, text } from "../../blocks.ts";
import type { Conclusion } from "../../../runner/result/conclusion.ts";
import type { Run } from "../../../runner/result/result.ts";
import { settingLabel } from "../../cells/cell_label.ts";
import { type CellRuns, groupRuns, repeatedOf } from "../../cells/cells.ts";
import { numericFactors, phraseOf, positionOf, textAt } from "../../cells/factors.ts";
import { type MeasuredRuns, titleOf } from "../../cells/measured.ts";
import type { CellPair } from "../../cells/match.ts";
import { sizeDifferences } from "../../judge/differences.ts";
import { acrossScenarios, choiceIn } from "../../cells/recast.ts";
import { takenPerSec } from "../../figures/capacity.ts";
import {
  invalidNotes,
  peakNotes,
  priceNotes,
  refusedNotes,
  shortNotes,
  unlikeNotes,
  unsettledNotes,
} from "../../findings/card_notes.ts";
import {
  type CardCode,
  ratiosOf,
  timesRange,
  type TrustEvidence,
  trustLine,
  worstFirst,
} from "../../findings/card_sentences.ts";
import { isValid, meaningOfRuns } from "../../findings/trust.ts";
import { claimBrief } from "../../findings/claim_sentences.ts";
import { isUndisturbed } from "../../judge/disturbed_runs.ts";
import { isOfSettling, type JudgedClaim } from "../../judge/claims.ts";
import { comparisonOf, standingOf } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";
import { areTargetsMovedAlike } from "../../judge/slices.ts";
import {
  figureNameOf,
  type Judged,
  judgedTwice,
  type Place,
  placesOf,
  type Survival,
} from "../../judge/places.ts";
import { competing, shortfallOf } from "../../judge/shortfall.ts";
import { percentText } from "../../writing/ratios.ts";
import { boundText, formatNumber, GLUE, intervalText } from "../../writing/units.ts";
import { sum } from "../../writing/spread.ts";
import { allOf, counted, listed } from "../../writing/words.ts";
import type { Settling } from "../subject.ts";
import { askedOf, lackedFigure, REQUESTS } from "./asked_figure.ts";
import {
  baseForest,
  besideVerdict,
  fallsShort,
  figureText,
  placesForest,
  rankedVerdict,
  type Verdict,
  verdictOf,
  type Winner,
  winnersOf,
  winnersTable,
} from "./card.ts";
import { type Again, compareScenarios, type ScenarioComparison } from "./compared_scenarios.ts";
import { type MatrixModel, matrixOf } from "../matrix.ts";
import { nextSteps } from "./next_steps.ts";

type Reliability = NonNullable<Conclusion["reliability"]>;

/** The content of a card, for an experiment or for a comparison of two results. */
export interface CardModel
  extends Pick<Conclusion, "sentence" | "figure" | "forest" | "claims" | "next"> {
  readonly code: CardCode;
  /** Facts that a reader must know besides the sentence. */
  readonly notes: readonly string[];
  /** The winner at each setting, if there are several settings; otherwise empty. */
  readonly winners: readonly Winner[];
  /** Null if there are no runs. */
  readonly reliability: Omit<Reliability, "valid" | "runs"> | null;
}

export interface ConclusionModel extends CardModel {
  /** The question that the experiment's title asks, or else the experiment's name. */
  readonly question: string;
  readonly reliability: Reliability | null;
  /** Null if there is only one cell. */
  readonly matrix: MatrixModel | null;
}

/** Parts of the report that are computed from the same results. */
interface OfReport {
  readonly compared: readonly ScenarioComparison[];
  /**
   * The comparisons repeated without disturbed runs; null if no run was disturbed, or if every disturbance affected all
   * targets alike.
   */
  readonly again: Again | null;
  readonly claims: readonly JudgedClaim[];
  /** Null if no percentile was ever far from its final value. */
  readonly settling: Pick<Settling, "brief"> | null;
  /** Whether any run got a response. */
  readonly isMeasured: boolean;
}

interface Concluded {
  readonly card: ConclusionModel;
  /**
   * The verdict of each scenario, keyed by the scenario's name. Empty if there is only one scenario, if no verdict can
   * be trusted, or if runs lack the figure that the experiment names.
   */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export function conclude(results: MeasuredRuns, report: OfReport): Concluded {
  const { compared, claims, isMeasured } = report;
  const { runs, machine } = results;
  const lacked = lackedFigure(results);
  const isCompared = lacked === null && !choiceIn(results).isNone;
  const again = report.again && askedAgain(report.again);
  const asked = askedPlans(results, compared, again);
  const judged = judgedBoth(results, asked, again, isCompared);
  const areInTurns = judged.survival === "in-turns";
  const isTrusted = judged.survival !== "none-valid";
  const own = lacked ? verdictOf("no-figure", lacked) : verdictIn(asked, judged, isCompared);
  const meaning = meaningOfRuns(runs);
  const verdict = isTrusted ? own : verdictOf("nothing-valid", { side: "", meaning });
  const card = {
    question: titleOf(results),
    ...verdict,
    sentence: isMeasured ? verdict.sentence : "",
    notes: isTrusted
      ? notesOf(results, asked, { ...judged, ...report, code: verdict.code })
      : [...untrustedNotes(own.figure), ...refusedNotes(results)],
    ...isTrusted && isCompared ? besideIt(asked, judged) : { forest: null, winners: [] },
    reliability: reliabilityOf(results, judged),
    claims: claims.length === 0 ? null : {
      ...{ reproduced: 0, "not reproduced": 0, inconclusive: 0 },
      ...Object.fromEntries(
        [...Map.groupBy(claims, ({ outcome }) => outcome)].map(([one, all]) => [one, all.length]),
      ),
    },
    next: runs.length === 0 ? [] : nextSteps({
      runs,
      places: judged.places,
      plans: compared,
      isCompared,
      isTrusted,
      isRunning: results.state === "running",
      cores: machine?.allowedCores ?? machine?.cores ?? Infinity,
    }),
    matrix: matrixOf(asked, (cell) => areInTurns || isTrusted && cell.runs.some(isUndisturbed)),
  };
  const several = isTrusted && lacked === null && asked.length > 1 ? asked : [];
  return {
    card,
    verdicts: new Map(several.map((plan) => {
      const places = judged.places.filter(({ scenario }) => scenario === plan.name);
      return [plan.name, verdictIn([plan], { ...judged, places }, isCompared)];
    })),
  };
}

/**
 * The comparisons of the scenarios by the figure that the question is about.
 *
 * @param compared The comparisons by requests/s.
 * @param again The comparisons repeated without disturbed runs; null if there are none.
 */
function askedPlans(
  results: MeasuredRuns,
  compared: readonly ScenarioComparison[],
  again: Again | null = null,
): readonly ScenarioComparison[] {
  const choice = choiceIn(results);
  const grouped = groupRuns(results);
  const across = acrossScenarios(grouped, choice);
  const asked = across.map((one) => askedOf(one, results));
  const isUsual = across === grouped && asked.every(({ unit }) => unit === REQUESTS);
  const { level } = repeatedOf(results);
  return isUsual ? compared : compareScenarios(asked, { level, choice, again });
}

/**
 * The comparisons repeated without disturbed runs, by the figure that the question is about. Runs of the leader that a
 * disturbance slowed (`withHeldBack`) are kept only if that figure is requests/s, because they prove nothing about
 * other figures.
 */
function askedAgain({ undisturbed, withHeldBack }: Again): Again {
  const asked = askedPlans(undisturbed.results, undisturbed.compared);
  return {
    undisturbed: { ...undisturbed, compared: asked },
    withHeldBack: asked === undisturbed.compared ? withHeldBack : null,
  };
}

interface JudgedBeside extends Judged {
  /** The base with which other targets are compared; null if the question is which target is ahead. */
  readonly base: string | null;
}

/**
 * The places judged by all runs, and again by the undisturbed runs alone. A run whose only fault is that it never
 * settled counts as undisturbed, because each comparison allows for that itself.
 *
 * @param again The comparisons repeated without disturbed runs; null if there are none.
 */
function judgedBoth(
  results: MeasuredRuns,
  asked: readonly ScenarioComparison[],
  again: Again | null,
  isCompared: boolean,
): JudgedBeside {
  const { base: named } = choiceIn(results);
  const areAll = results.runs.every(isUndisturbed);
  // The file may name a base by its value alone, such as 4 for `connections 4`; its place has the whole name.
  const [besideBase] = isCompared && named !== null ? placesOf(asked, named) : [];
  const base = besideBase?.peers[0] ?? null;
  const places = isCompared ? placesOf(asked, base) : [];
  if (!areAll && places.length > 0 && areTargetsMovedAlike(results)) {
    return { places, survival: "in-turns", lost: [], base };
  }
  if (!results.runs.some(isValid)) {
    return { ...judgedTwice(places, []), survival: "none-valid", base };
  }
  const placesAgain = areAll && (isCompared || results.runs.every(isValid))
    ? null
    : isCompared
    ? placesOf(again?.undisturbed.compared ?? [], base)
    : [];
  const withHeldBack = placesOf(again?.withHeldBack?.compared ?? [], base);
  return { ...judgedTwice(places, placesAgain, withHeldBack), base };
}

function verdictIn(
  asked: readonly ScenarioComparison[],
  { places, base }: JudgedBeside,
  isCompared: boolean,
): Verdict {
  if (places.length === 0) return loneVerdict(asked, isCompared);
  return base === null ? rankedVerdict(places) : besideVerdict(places, base);
}

/** The verdict if there is no comparison: the throughput of the best cell, or that the targets fall short. */
function loneVerdict(plans: readonly ScenarioComparison[], isCompared: boolean): Verdict {
  const cells = plans.flatMap(({ name, unit, cells }) =>
    cells.map((cell) => ({ name, unit, cell, taken: takenPerSec(cell) }))
  );
  const able = cells.filter(({ cell }) => competing([cell]).length > 0);
  const byTarget = [...Map.groupBy(cells, ({ cell }) => cell.target).values()];
  const targets = byTarget.length;
  const short = byTarget.flatMap((those) =>
    worstFirst(those.flatMap(({ cell }) => shortfallOf(cell) ?? [])).slice(0, 1)
  );
  if (able.length === 0 && short.length > 0) {
    return fallsShort({ keepers: [], short, those: [], places: [] });
  }
  if (able.length === 0 || (targets > 1 && isCompared && plans.length === 1)) {
    return verdictOf("incomparable", {});
  }
  const [{ name, unit, cell, taken }] = able.toSorted((a, b) => b.taken.value - a.taken.value);
  const { value, isAtLeast, interval } = taken;
  const where = plans.length > 1 ? `in ${name}` : "";
  const setting = settingIn(cell, able.map((one) => one.cell));
  const label = `${figureNameOf("rate", cell, unit)} of ${cell.label} ${where}`.trimEnd();
  return verdictOf("alone", {
    target: cell.target,
    value: `${isAtLeast ? "at least " : ""}${formatNumber(value)}`,
    figure: unit,
    where: [setting === "" ? "" : `at ${setting}`, where].filter(Boolean).join(" "),
    within: cell.runs.find(({ capacity }) => capacity)?.capacity?.within ?? [],
    over: targets === 1 && plans.length === 1 ? overSlowest(plans[0], cell) : "",
    of: targets,
  }, {
    text: boundText(formatNumber(value), isAtLeast),
    interval: interval === null || isAtLeast ? "" : intervalText(interval),
    ...{ label, value, unit },
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    certainty: interval === null ? "open" : "decided",
  });
}

/**
 * How the best value of a factor compares with the worst, for a single target: `5.0× as much as at 1 connection`; "" if
 * these two are not the only pair that is compared, or if the question is not about the rate.
 */
function overSlowest({ pairs, cells, lookup }: ScenarioComparison, fastest: CellRuns): string {
  const [pair] = pairs;
  if (pairs.length !== 1 || pair.next !== fastest || decisiveFigure(cells) !== "rate") return "";
  const slowest = settingIn(pair.base, cells);
  const comparison = lookup(pair.base, fastest);
  const rate = comparisonOf(comparison, "rate");
  switch (standingOf(rate)) {
    case "ahead":
      return `${timesRange(ratiosOf([{ decision: rate }]))} as much as at ${slowest}`;
    case "equivalent":
      return `within ${percentText(comparison.marginRatio)} of the rate at ${slowest}`;
    default:
      return `not certainly more than at ${slowest}`;
  }
}

/**
 * For example `80 connections` if a numeric factor is the only factor, otherwise for example `connections 80 · delay
 * 10ms`; "" if there is only one cell.
 */
function settingIn(cell: CellRuns, cells: readonly CellRuns[]): string {
  if (cells.length === 1) return "";
  const { parameters } = cell.runs[0];
  const [factor] = numericFactors(cells);
  return factor !== undefined && Object.keys(parameters).length === 1
    ? phraseOf(factor, textAt(factor, positionOf(cell, factor)))
    : settingLabel(parameters);
}

/**
 * What the card shows beside its sentence: the small forest chart if there is a base or a single setting, otherwise the
 * winner at each setting.
 */
function besideIt(
  plans: readonly ScenarioComparison[],
  { places, base }: JudgedBeside,
): Pick<CardModel, "forest" | "winners"> {
  if (base !== null) return { forest: placesForest(places), winners: [] };
  if (places.length > 1) return { forest: null, winners: winnersOf(places) };
  const contested = plans.find(({ contests }) => contests.length > 0);
  const plan = contested ?? (plans.length === 1 ? plans[0] : null);
  const isDoubted = places.some(({ why }) => why === "doubted" || why === "lost");
  const invalid = places.flatMap((place) => place.invalid);
  return {
    forest: plan && baseForest(plan, (target) => isDoubted || invalid.includes(target)),
    winners: [],
  };
}

function notesOf(
  results: MeasuredRuns,
  plans: readonly ScenarioComparison[],
  { places, base, settling, claims, code }:
    & JudgedBeside
    & Pick<OfReport, "settling" | "claims">
    & Pick<Verdict, "code">,
): string[] {
  const { experiment } = results;
  // Whether this is an experiment about settling times that compares published settling times with
  // its own.
  const holdsPublished = [experiment?.published ?? []].flat()
    .some(({ figure }) => figure === "stable");
  return [
    ...answersAmong(claims, places).map(claimBrief),
    ...(base === null ? priceNotes(places, plans) : []),
    ...(base === null && code !== "falls-short" ? shortNotes(places, plans) : []),
    ...invalidNotes(places),
    ...unsettledNotes(places),
    ...(choiceIn(results).isNone ? peakNotes(results) : []),
    ...refusedNotes(results),
    // Differences in status are not noted, because the experiment's expectations decide which
    // statuses are right.
    ...unlikeNotes(targetPairsOf(plans).flatMap(sizeDifferences)),
    ...(holdsPublished && settling !== null ? [settling.brief] : []),
  ];
}

/** The most claims that fit on a first screen. */
const MOST_CLAIMS = 4;

/**
 * The claims that answer the question of the experiment. If most claims are about settling, these are the claims about
 * settling. If most places are undecided, they are the claims that were decided. Otherwise there are none.
 */
function answersAmong(
  claims: readonly JudgedClaim[],
  places: readonly Place[],
): readonly JudgedClaim[] {
  const ofSettling = claims.filter(({ claim }) => isOfSettling(claim));
  if (2 * ofSettling.length > claims.length) return ofSettling;
  const open = places.filter(({ code }) => code === "undecided");
  return 2 * open.length > places.length
    ? claims.filter(({ outcome }) => outcome !== "inconclusive").slice(0, MOST_CLAIMS)
    : [];
}

/**
 * The compared pairs of different targets. Pairs that differ in a factor are left out, because the factor may be why
 * their responses differ.
 */
function targetPairsOf(plans: readonly ScenarioComparison[]): CellPair[] {
  return plans.flatMap(({ pairs, factor }) => factor === null ? pairs : [])
    .filter(({ base, next }) => base.target !== next.target);
}

/** A note with the figure that was measured although no run is valid. */
function untrustedNotes(figure: Verdict["figure"]): string[] {
  return figure === null || figure.interval === ""
    ? []
    : [`Measured by runs that are not valid: ${figureText(figure)}.`];
}

const LIGHTS: Readonly<Record<Survival, Reliability["light"]>> = {
  "all-valid": "green",
  uncompared: "amber",
  same: "amber",
  "held-back": "amber",
  partly: "amber",
  fewer: "red",
  open: "red",
  changed: "red",
  "none-valid": "red",
  "in-turns": "amber",
};

/**
 * How the verdict of these places depends on disturbed runs.
 * @param level The trust in the run that is trusted least.
 */
export function relianceOf(
  { places, lost, survival: without }: Judged,
  { runs, level, valid, levels }:
    & { readonly runs: readonly Run[] }
    & Pick<Reliability, "level">
    & Pick<TrustEvidence, "valid" | "levels">,
): Pick<Reliability, "survival" | "light" | "level" | "sentence"> {
  const survival = without === "all-valid" && !runs.every(isValid) ? "same" : without;
  const undisturbed = runs.filter(isUndisturbed);
  const unsettled = undisturbed.filter((run) => !isValid(run)).length;
  const sentence = trustLine(survival, {
    valid: runs.some(isValid) && unsettled > 0
      ? `${valid}, and ${unsettled} more only ${unsettled === 1 ? "lacks" : "lack"} a steady state`
      : valid,
    hasOthers: undisturbed.length < runs.length,
    levels,
    lost: { those: lost, places },
  });
  return { survival, light: LIGHTS[survival], level, sentence };
}

function reliabilityOf({ runs }: MeasuredRuns, judged: Judged): Reliability | null {
  if (runs.length === 0) return null;
  const byLevel = Map.groupBy(runs, ({ generator: { trust } }) => trust);
  const valid = byLevel.get("valid")?.length ?? 0;
  const doubts = (["suspect", "invalid"] as const)
    .map((level) => ({ level, count: byLevel.get(level)?.length ?? 0 }))
    .filter(({ count }) => count > 0);
  return {
    ...relianceOf(judged, {
      runs,
      level: doubts.at(-1)?.level ?? "valid",
      valid: levelsText(valid, doubts),
      levels: listed(doubts.map(({ level, count }) => `${count} ${level}`), "and"),
    }),
    valid,
    runs: runs.length,
  };
}

/** For example `3 of 5 runs are valid`, `5 runs are suspect and 19 invalid` or `All 10 runs are suspect`. */
function levelsText(valid: number, doubts: readonly { level: string; count: number }[]): string {
  const [first, second] = doubts;
  const runs = valid + sum(doubts, ({ count }) => count);
  const be = (count: number): string => count === 1 ? "is" : "are";
  const all = runs === 1 ? "The run is" : `${allOf(runs, "run")} are`;
  if (valid === runs) return `${all} valid`;
  if (valid > 0) return `${valid} of ${counted(runs, "run")} ${be(valid)} valid`;
  return second === undefined
    ? `${all} ${first.level}`
    : `${counted(first.count, "run")} ${
      be(first.count)
    } ${first.level} and ${second.count} ${second.level}`;
}

/** The conclusion for scripts, with non-breaking spaces replaced by plain ones. */
export function conclusionJson(conclusion: ConclusionModel): unknown {
  return JSON.parse(JSON.stringify(conclusion).replaceAll(GLUE, " "));
}

/** For example `13 reproduced · 11 not reproduced · 37 inconclusive`. */
export function claimCountsText(claims: NonNullable<CardModel["claims"]>): string {
  return (["reproduced", "not reproduced", "inconclusive"] as const)
    .filter((outcome) => claims[outcome] > 0)
    .map((outcome) => `${claims[outcome]}${GLUE}${outcome}`)
    .join(" · ");
}

/** The card in forms other than the page, with the verdict first and the next steps last. */
export function cardBlocks(
  { sentence, notes, figure, winners, reliability, claims, next }: CardModel,
): Block[] {
  if (sentence === "") return [];
  const won = winnersTable(winners);
  const left = winners.length - (won?.rows.length ?? 0);
  return [
    text("verdict", sentence, "verdict"),
    ...notes.map((note) => text("note", note)),
    // A figure without an interval is already in the sentence. If there is a table of winners, it
    // has the intervals at each setting.
    ...won === null
      ? [text("figure", figure === null || figure.interval === "" ? "" : figureText(figure))]
      : [table({ ...won, notes: [] })],
    text("left", left > 0 ? `${counted(left, "more setting")}: see the tables.` : ""),
    text("reliability", reliability?.sentence ?? ""),
    text("claims", claims === null ? "" : `Claims: ${claimCountsText(claims)}`),
    ...next.map((step) => text("next", `Next: ${step.text}`)),
  ];
}
