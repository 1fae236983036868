/**
 * The conclusion of an experiment: the question of its title, a verdict with its sentence and one large figure, who wins
 * where, whether it can be relied on, and what to do next. Page, terminal, markdown and JSON show the same one.
 */
import { type Block, table, text } from "../../blocks.ts";
import type { Conclusion } from "../../../runner/result/conclusion.ts";
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
  type TrustEvidence,
  trustLine,
  worstFirst,
} from "../../findings/card_sentences.ts";
import { isValid, meaningOfRuns } from "../../findings/trust.ts";
import { claimBrief } from "../../findings/claim_sentences.ts";
import { type ClaimOutcome, isOfSettling, type JudgedClaim } from "../../judge/claims.ts";
import { comparisonOf } from "../../judge/comparison.ts";
import { decisiveFigure } from "../../judge/pairs.ts";
import { areTargetsMovedAlike } from "../../judge/slices.ts";
import {
  figureNameOf,
  type Judged,
  judgedTwice,
  placesOf,
  type Survival,
} from "../../judge/places.ts";
import { competing, shortfallOf } from "../../judge/shortfall.ts";
import { standingOf } from "../../judge/standing.ts";
import { percentText, timesText } from "../../writing/ratios.ts";
import { boundText, formatNumber, GLUE, intervalText } from "../../writing/units.ts";
import { allOf, counted, listed } from "../../writing/words.ts";
import { askedOf, lackedFigure, REQUESTS } from "./asked_figure.ts";
import {
  besideVerdict,
  fallsShort,
  figureText,
  rankedVerdict,
  type Verdict,
  verdictOf,
  type Winner,
  winnersOf,
  winnersTable,
} from "./card.ts";
import { compareScenarios, type ScenarioComparison } from "./compared_scenarios.ts";
import { type MatrixModel, matrixOf } from "../matrix.ts";
import { nextSteps } from "./next_steps.ts";
import { baseForest, placesForest } from "./small_forest.ts";

type Reliability = NonNullable<Conclusion["reliability"]>;

/** What a card shows, of an experiment or of two results compared with each other. */
export interface CardModel
  extends Pick<Conclusion, "sentence" | "figure" | "forest" | "claims" | "next"> {
  readonly code: CardCode;
  /** Facts that a reader must know beside the sentence. */
  readonly notes: readonly string[];
  /** The winner at each of several settings; otherwise empty. */
  readonly winners: readonly Winner[];
  /** Null if there are no runs. */
  readonly reliability: Omit<Reliability, "valid" | "runs"> | null;
}

export interface ConclusionModel extends CardModel {
  /** The question, where the experiment has one; otherwise its name. */
  readonly question: string;
  readonly reliability: Reliability | null;
  /** Null where there is only one cell. */
  readonly matrix: MatrixModel | null;
}

/** What the rest of the report has made of the same results. */
export interface OfReport {
  readonly compared: readonly ScenarioComparison[];
  /** The comparisons by the valid runs alone; null where they are not needed. */
  readonly again: readonly ScenarioComparison[] | null;
  readonly claims: readonly JudgedClaim[];
  /** Null where no percentile was ever far from where it ends. */
  readonly settling: { readonly brief: string } | null;
  /** Whether any run got a response. */
  readonly isMeasured: boolean;
}

export interface Concluded {
  readonly card: ConclusionModel;
  /** Verdict of each scenario by its name, if there are several; none if no run is valid. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export function conclude(results: MeasuredRuns, report: OfReport): Concluded {
  const { compared, claims, isMeasured } = report;
  const { runs, machine } = results;
  const lacked = lackedFigure(results);
  const isCompared = lacked === null && !choiceIn(results).isNone;
  const runsAlone = { ...results, runs: runs.filter(isValid) };
  const again = report.again && askedPlans(runsAlone, report.again);
  const asked = askedPlans(results, compared, again);
  const judged = judgedBoth(results, asked, again, isCompared);
  const areInTurns = judged.survival === "in-turns";
  const isTrusted = judged.survival !== "none-valid";
  const own = lacked === null
    ? verdictIn(asked, judged, isCompared)
    : verdictOf("no-figure", lacked);
  const verdict = isTrusted ? own : verdictOf("nothing-valid", {
    side: "",
    meaning: meaningOfRuns(runs),
  });
  const card = {
    question: titleOf(results),
    ...verdict,
    sentence: isMeasured ? verdict.sentence : "",
    notes: isTrusted
      ? notesOf(results, asked, { ...judged, ...report, code: verdict.code })
      : [...untrustedNotes(own.figure), ...refusedNotes(results)],
    ...isTrusted && isCompared ? besideIt(asked, judged) : { forest: null, winners: [] },
    reliability: reliabilityOf(results, judged),
    claims: claims.length === 0 ? null : claimCounts(claims),
    next: runs.length === 0 ? [] : nextSteps({
      runs,
      places: judged.places,
      plans: compared,
      isCompared,
      isTrusted,
      experiment: results.experiment,
      redis: results.redis ?? null,
      isRunning: results.state === "running",
      cores: machine?.allowedCores ?? machine?.cores ?? Infinity,
    }),
    matrix: matrixOf(asked, (cell) => areInTurns || cell.runs.some(isValid)),
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
 * The scenarios as the question asks of them.
 *
 * @param compared By requests/s.
 * @param again The same by the valid runs alone; null where they are not needed.
 */
function askedPlans(
  results: MeasuredRuns,
  compared: readonly ScenarioComparison[],
  again: readonly ScenarioComparison[] | null = null,
): readonly ScenarioComparison[] {
  const choice = choiceIn(results);
  const grouped = groupRuns(results);
  const across = acrossScenarios(grouped, choice);
  const asked = across.map((one) => askedOf(one, results));
  const isUsual = across === grouped && asked.every(({ unit }) => unit === REQUESTS);
  const { level } = repeatedOf(results);
  return isUsual ? compared : compareScenarios(asked, { level, choice, again });
}

interface JudgedBeside extends Judged {
  /** What the places hold others against; null where the question is who is ahead. */
  readonly base: string | null;
}

/** Judged by all runs, and by the valid ones alone. @param again By these; null where they are not needed. */
function judgedBoth(
  results: MeasuredRuns,
  asked: readonly ScenarioComparison[],
  again: readonly ScenarioComparison[] | null,
  isCompared: boolean,
): JudgedBeside {
  const { base: named } = choiceIn(results);
  const valid = results.runs.filter(isValid);
  const areAll = valid.length === results.runs.length;
  const base = isCompared && named !== null && placesOf(asked, named).length > 0 ? named : null;
  const places = isCompared ? placesOf(asked, base) : [];
  if (!areAll && places.length > 0 && areTargetsMovedAlike(results.runs)) {
    return { places, survival: "in-turns", lost: [], base };
  }
  if (valid.length === 0) return { ...judgedTwice(places, []), survival: "none-valid", base };
  const validPlaces = areAll ? null : isCompared ? placesOf(again ?? [], base) : [];
  return { ...judgedTwice(places, validPlaces), base };
}

function verdictIn(
  asked: readonly ScenarioComparison[],
  { places, base }: JudgedBeside,
  isCompared: boolean,
): Verdict {
  if (places.length === 0) return loneVerdict(asked, isCompared);
  return base === null ? rankedVerdict(places) : besideVerdict(places, base);
}

/** Where nothing is compared: what the best cell serves. */
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
    interval: interval === null ? "" : intervalText(interval),
    label: [`${figureNameOf("rate", cell, unit)} of ${cell.label}`, where].filter(Boolean).join(
      " ",
    ),
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit,
    certainty: interval === null ? "open" : "decided",
  });
}

/** One target at several values: `5.0× what it serves at 1 connection`; "" if the rate is not the question. */
function overSlowest({ pairs, cells, lookup }: ScenarioComparison, fastest: CellRuns): string {
  const [pair] = pairs;
  if (pairs.length !== 1 || pair.next !== fastest || decisiveFigure(cells) !== "rate") return "";
  const slowest = settingIn(pair.base, cells);
  const comparison = lookup(pair.base, fastest);
  const rate = comparisonOf(comparison, "rate");
  switch (standingOf(rate)) {
    case "ahead":
      return `${timesText(rate.ratio ?? 1)} as much as at ${slowest}`;
    case "equivalent":
      return `within ${percentText(comparison.marginRatio)} of what it is at ${slowest}`;
    default:
      return `not certainly more than at ${slowest}`;
  }
}

/** `80 connections`; of several factors `connections 80 · delay 10ms`; "" where none varies. */
function settingIn(cell: CellRuns, cells: readonly CellRuns[]): string {
  if (cells.length === 1) return "";
  const { parameters } = cell.runs[0];
  const [factor] = numericFactors(cells);
  return factor !== undefined && Object.keys(parameters).length === 1
    ? phraseOf(factor, textAt(factor, positionOf(cell, factor)))
    : settingLabel(parameters);
}

/** A forest of one setting, or beside a base; the winners of several. */
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
  // An experiment about settling times holds published ones beside its own.
  const holdsPublished = [experiment?.published ?? []].flat()
    .some(({ figure }) => figure === "stable");
  const ofSettling = claims.filter(({ claim }) => isOfSettling(claim));
  return [
    // One whose claims are of nothing else so much asks for these first.
    ...(2 * ofSettling.length > claims.length ? ofSettling.map(claimBrief) : []),
    ...(base === null ? priceNotes(places, plans) : []),
    ...(base === null && code !== "falls-short" ? shortNotes(places, plans) : []),
    ...invalidNotes(places),
    ...unsettledNotes(places),
    ...(choiceIn(results).isNone ? peakNotes(results) : []),
    ...refusedNotes(results),
    // Whether a status is right is what the experiment expects of it.
    ...unlikeNotes(targetPairsOf(plans).flatMap(sizeDifferences)),
    ...(holdsPublished && settling !== null ? [settling.brief] : []),
  ];
}

/** Targets that are held against each other; the values of a factor may be what makes responses differ. */
function targetPairsOf(plans: readonly ScenarioComparison[]): CellPair[] {
  return plans.flatMap(({ pairs, factor }) => factor === null ? pairs : [])
    .filter(({ base, next }) => base.target !== next.target);
}

/** What was measured all the same, where no run is valid. */
function untrustedNotes(figure: Verdict["figure"]): string[] {
  return figure === null || figure.interval === ""
    ? []
    : [`Measured by runs that are not valid: ${figureText(figure)}.`];
}

const LIGHTS: Readonly<Record<Survival, Reliability["light"]>> = {
  "all-valid": "green",
  uncompared: "amber",
  same: "amber",
  partly: "amber",
  fewer: "red",
  open: "red",
  changed: "red",
  "none-valid": "red",
  "in-turns": "amber",
};

/** How the verdict of these places depends on runs that are not valid. @param level Of the worst run. */
export function relianceOf(
  { places, lost, survival }: Judged,
  { level, ...counts }: Pick<Reliability, "level"> & Pick<TrustEvidence, "valid" | "levels">,
): Pick<Reliability, "survival" | "light" | "level" | "sentence"> {
  const sentence = trustLine(survival, { ...counts, lost: { those: lost, places } });
  return { survival, light: LIGHTS[survival], level, sentence };
}

function reliabilityOf({ runs }: MeasuredRuns, judged: Judged): Reliability | null {
  if (runs.length === 0) return null;
  const byLevel = Map.groupBy(runs, ({ generator: { trust } }) => trust);
  const valid = byLevel.get("valid")?.length ?? 0;
  const doubts = (["suspect", "invalid"] as const).flatMap((level) => {
    const count = byLevel.get(level)?.length ?? 0;
    return count === 0 ? [] : [{ level, count }];
  });
  return {
    ...relianceOf(judged, {
      level: doubts.at(-1)?.level ?? "valid",
      valid: valid === 0 ? doubtedText(doubts) : validText(valid, runs.length),
      levels: listed(doubts.map(({ level, count }) => `${count} ${level}`), "and"),
    }),
    valid,
    runs: runs.length,
  };
}

function validText(valid: number, runs: number): string {
  if (valid === runs) return `${allRuns(runs)} valid`;
  return `${valid} of ${counted(runs, "run")} ${valid === 1 ? "is" : "are"} valid`;
}

/** `5 runs are suspect and 19 invalid`, `All 10 runs are suspect`. */
function doubtedText(
  [first, second]: readonly { readonly level: string; readonly count: number }[],
): string {
  const { level, count } = first;
  return second === undefined
    ? `${allRuns(count)} ${level}`
    : `${counted(count, "run")} ${
      count === 1 ? "is" : "are"
    } ${level} and ${second.count} ${second.level}`;
}

function allRuns(runs: number): string {
  return runs === 1 ? "The run is" : `${allOf(runs, "run")} are`;
}

function claimCounts(judged: readonly JudgedClaim[]): Record<ClaimOutcome, number> {
  const count = (outcome: ClaimOutcome): number =>
    judged.filter((claim) => claim.outcome === outcome).length;
  return {
    reproduced: count("reproduced"),
    "not reproduced": count("not reproduced"),
    inconclusive: count("inconclusive"),
  };
}

/** The conclusion for scripts, with plain spaces. */
export function conclusionJson(conclusion: ConclusionModel): unknown {
  return JSON.parse(
    JSON.stringify(conclusion),
    (_, value: unknown) => typeof value === "string" ? value.replaceAll(GLUE, " ") : value,
  );
}

/** `13 reproduced · 11 not reproduced · 37 inconclusive`. */
export function claimCountsText(claims: NonNullable<CardModel["claims"]>): string {
  return (["reproduced", "not reproduced", "inconclusive"] as const)
    .filter((outcome) => claims[outcome] > 0)
    .map((outcome) => `${claims[outcome]}${GLUE}${outcome}`)
    .join(" · ");
}

/** The card where there is no page: the verdict first, what to do next last. */
export function cardBlocks(
  { sentence, notes, figure, winners, reliability, claims, next }: CardModel,
): Block[] {
  if (sentence === "") return [];
  const won = winnersTable(winners);
  const left = winners.length - (won?.rows.length ?? 0);
  return [
    text("verdict", sentence, "verdict"),
    ...notes.map((note) => text("note", note)),
    // The sentence has a figure without an interval, and the table that of each setting.
    ...won === null
      ? [text("figure", figure === null || figure.interval === "" ? "" : figureText(figure))]
      : [table({ ...won, notes: [] })],
    text("left", left > 0 ? `${counted(left, "more setting")}: see the tables.` : ""),
    text("reliability", reliability?.sentence ?? ""),
    text("claims", claims === null ? "" : `Claims: ${claimCountsText(claims)}`),
    ...next.map((step) => text("next", `Next: ${step.text}`)),
  ];
}
