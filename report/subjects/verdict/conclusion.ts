/**
 * The conclusion of an experiment: the question of its title, a verdict with its sentence and one large figure, who wins
 * where, whether it can be relied on, and what to do next. Page, terminal, markdown and JSON show the same one.
 */
import type { ClaimOutcome, JudgedClaim } from "../../judge/claims.ts";
import {
  type CardCode,
  noteSentence,
  type Survival,
  trustLine,
} from "../../findings/card_sentences.ts";
import type { Trust } from "../../../runner/result/generator.ts";
import { competing, shortfallOf } from "../../judge/shortfall.ts";
import { settingLabel } from "../../cells/cell_label.ts";
import { takenPerSec } from "../../figures/capacity.ts";
import { type CellRuns, type Grouped, groupRuns, repeatedOf } from "../../cells/cells.ts";
import { numericFactors, phraseOf, positionOf, textAt } from "../../cells/factors.ts";
import { type MeasuredRuns, titleOf } from "../../cells/measured.ts";
import { choiceIn } from "../../cells/recast.ts";
import { isValid, meaningOfRuns } from "../../findings/trust.ts";
import { boundText, formatInterval, formatNumber, GLUE } from "../../writing/units.ts";
import { allOf, counted, listed } from "../../writing/words.ts";
import type { SettlingModel } from "../charts/settling.ts";
import { askedOf, REQUESTS } from "./asked_figure.ts";
import {
  besideVerdict,
  type HeadlineFigure,
  rankedVerdict,
  shareOf,
  type Verdict,
  verdictOf,
  type Winner,
  winnersOf,
} from "./card.ts";
import { compareScenarios, type ScenarioComparison } from "./compared_scenarios.ts";
import { type MatrixModel, matrixOf } from "./matrix.ts";
import { type NextStep, nextSteps } from "./next_steps.ts";
import {
  peakNotes,
  priceNotes,
  refusedNotes,
  settlingNotes,
  shortNotes,
  stepNotes,
  unsettledNotes,
} from "./notes.ts";
import { figureNameOf, type Judged, judgedTwice, type Place, placesOf } from "./places.ts";
import { baseForest, type ConclusionForest, placesForest } from "./small_forest.ts";

/** What a card shows, of an experiment or of two results held against each other. */
export interface CardModel {
  readonly code: CardCode;
  /** With a full stop; "" where no run got a response. */
  readonly sentence: string;
  /** What a reader must know beside it, a sentence each. */
  readonly notes: readonly string[];
  /** Null where there is nothing to show. */
  readonly figure: HeadlineFigure | null;
  /** What is compared with what at one setting, or with a base; null where nothing is. */
  readonly forest: ConclusionForest | null;
  /** Who wins at each of several settings; none elsewhere. */
  readonly winners: readonly Winner[];
  /** Null without runs. */
  readonly reliability: Reliability | null;
  /** Null without claims. */
  readonly claims: Readonly<Record<ClaimOutcome, number>> | null;
  /** The most pressing first. */
  readonly next: readonly NextStep[];
}

export interface Reliability {
  readonly survival: Survival;
  /** Green: rely on it; amber: the verdict stands, but not all of its runs; red: it does not stand. */
  readonly light: "green" | "amber" | "red";
  /** Of the worst run. */
  readonly level: Trust;
  /** With a full stop. */
  readonly sentence: string;
}

export interface ConclusionModel extends CardModel {
  /** The question, where the experiment has one; otherwise its name. */
  readonly question: string;
  readonly reliability: Reliability & { readonly valid: number; readonly runs: number } | null;
  /** Null where there is only one cell. */
  readonly matrix: MatrixModel | null;
}

/** What the rest of the report has made of the same results. */
export interface OfReport {
  readonly compared: readonly ScenarioComparison[];
  readonly claims: readonly JudgedClaim[];
  /** Null where no percentile was ever far from where it ends. */
  readonly settling: SettlingModel | null;
  /** Whether any run got a response. */
  readonly isMeasured: boolean;
}

export function conclusionOf(results: MeasuredRuns, report: OfReport): ConclusionModel {
  const { compared, claims, isMeasured } = report;
  const { runs, machine } = results;
  const isTrusted = runs.some(isValid);
  const asked = askedComparison(results, compared);
  const judged = judgedBoth(results, asked);
  const verdict = verdictIn(results, asked, judged);
  return {
    question: titleOf(results),
    ...verdict,
    sentence: isMeasured ? verdict.sentence : "",
    notes: isTrusted ? notesOf(results, asked, { judged, ...report }) : refusedNotes(results),
    ...isTrusted && !choiceIn(results).isNone
      ? besideIt(asked, judged)
      : { forest: null, winners: [] },
    reliability: reliabilityOf(results, judged),
    claims: claims.length === 0 ? null : claimCounts(claims),
    next: runs.length === 0 ? [] : nextSteps({
      runs,
      places: judged.places,
      scenarios: compared,
      isCompared: !choiceIn(results).isNone,
      isRunning: results.state === "running",
      cores: machine?.allowedCores ?? machine?.cores ?? Infinity,
    }),
    matrix: matrixOf(compared, isTrusted),
  };
}

/** The scenarios as the question asks of them. */
interface AskedComparison {
  readonly compared: readonly ScenarioComparison[];
  /** Of a scenario by its name: `requests/s`, `purchases/s`. */
  readonly unitOf: (scenario: string) => string;
}

function askedComparison(
  results: MeasuredRuns,
  compared: readonly ScenarioComparison[] | null,
  runs: Grouped["runs"] = results.runs,
): AskedComparison {
  const { level } = repeatedOf(results);
  const asked = groupRuns({ ...results, runs }).map((one) => askedOf(one, results));
  const units = new Map(asked.map(({ name, unit }) => [name, unit]));
  const isUsual = asked.every(({ unit }) => unit === REQUESTS);
  return {
    compared: isUsual && compared !== null
      ? compared
      : compareScenarios(asked, { level, choice: choiceIn(results) }),
    unitOf: (scenario) => units.get(scenario) ?? REQUESTS,
  };
}

/** By all runs, and by the valid ones alone. */
function judgedBoth(results: MeasuredRuns, asked: AskedComparison): Judged {
  const { base, isNone } = choiceIn(results);
  if (isNone) return judgedTwice([], results.runs.every(isValid) ? null : []);
  const { compared, unitOf } = asked;
  const isBeside = base !== null && placesOf(compared, base, unitOf).length > 0;
  const placesIn = ({ compared, unitOf }: AskedComparison): Place[] =>
    placesOf(compared, isBeside ? base : null, unitOf);
  const runs = results.runs.filter(isValid);
  return judgedTwice(
    placesIn(asked),
    runs.length === results.runs.length
      ? null
      : runs.length === 0
      ? []
      : placesIn(askedComparison(results, null, runs)),
    isBeside ? base : null,
  );
}

function verdictIn(results: MeasuredRuns, asked: AskedComparison, judged: Judged): Verdict {
  const { runs } = results;
  if (!runs.some(isValid)) {
    return verdictOf("nothing-valid", {
      runs: runs.length,
      meaning: meaningOfRuns(runs),
      side: "",
    });
  }
  const { places, base } = judged;
  if (places.length === 0) return loneVerdict(asked, choiceIn(results).isNone ?? false);
  return base === null ? rankedVerdict(places) : besideVerdict(places, base);
}

/** Where nothing is compared: what the best cell serves. */
function loneVerdict({ compared, unitOf }: AskedComparison, isNone: boolean): Verdict {
  const cells = compared.flatMap(({ name, cells }) => cells.map((cell) => ({ name, cell })));
  const able = cells.filter(({ cell }) => competing([cell]).length > 0);
  const targets = new Set(cells.map(({ cell }) => cell.target)).size;
  if (able.length === 0) {
    const worst = cells.flatMap(({ cell }) => shortfallOf(cell) ?? [])
      .toSorted((a, b) => b.ratio - a.ratio)[0];
    return worst === undefined ? verdictOf("incomparable", {}) : verdictOf("falls-short", {
      ...{ keepers: [], worst, more: targets - 1 },
      share: { those: 1, of: 1, noun: "setting" },
      others: { likely: 0, equivalent: 0, undecided: 0, opposite: 0 },
    });
  }
  if (targets > 1 && !isNone && compared.length === 1) return verdictOf("incomparable", {});
  const best = able.toSorted((a, b) => takenPerSec(b.cell).value - takenPerSec(a.cell).value)[0];
  const { cell, name } = best;
  const unit = unitOf(name);
  const { value, isAtLeast, interval } = takenPerSec(cell);
  const text = boundText(formatNumber(value), isAtLeast);
  const figure = figureNameOf("rate", cell, unit);
  const setting = settingIn(cell, able.map((one) => one.cell));
  const where = [
    ...(setting === "" ? [] : [`at ${setting}`]),
    ...(compared.length > 1 ? [`in ${name}`] : []),
  ];
  const [search] = cell.runs.flatMap(({ capacity }) => capacity ?? []);
  return verdictOf("alone", {
    target: cell.target,
    value: isAtLeast ? `at least ${formatNumber(value)}` : text,
    figure: unit,
    where: where.join(" "),
    within: search?.within ?? [],
    of: targets,
  }, {
    text,
    interval: interval === null ? "" : formatInterval(interval),
    label: `${figure} of ${cell.label}${compared.length > 1 ? ` in ${name}` : ""}`,
    value,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    unit,
    certainty: interval === null ? "open" : "decided",
  });
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
  { compared, unitOf }: AskedComparison,
  { places, base }: Judged,
): Pick<CardModel, "forest" | "winners"> {
  if (base !== null) return { forest: placesForest(places), winners: [] };
  if (places.length > 1) return { forest: null, winners: winnersOf(places) };
  const [own] = compared.filter(({ contests }) => contests.length > 0);
  const [scenario] = own === undefined ? compared : [own];
  const isDoubted = places.some(({ why }) => why === "doubted" || why === "lost");
  return {
    forest: scenario === undefined || (own === undefined && compared.length > 1)
      ? null
      : baseForest(scenario, unitOf(scenario.name), isDoubted),
    winners: [],
  };
}

function notesOf(
  results: MeasuredRuns,
  { compared }: AskedComparison,
  { judged: { places, base }, settling }: Pick<OfReport, "settling"> & {
    readonly judged: Judged;
  },
): string[] {
  const { isNone } = choiceIn(results);
  const others = new Set(places.flatMap(({ first, rival }) => [first.name, rival?.name ?? ""]));
  const more = others.size - 2 - (others.has("") ? 1 : 0);
  return [
    ...(base !== null && more > 0 ? [noteSentence("more-compared", { targets: more, base })] : []),
    ...(base === null ? [...priceNotes(places, compared), ...shortNotes(places, compared)] : []),
    ...unsettledNotes(places),
    ...(isNone ? peakNotes(results) : []),
    ...refusedNotes(results),
    ...settlingNotes(results, settling),
    ...stepNotes(compared),
  ];
}

export const LIGHTS: Readonly<Record<Survival, Reliability["light"]>> = {
  "all-valid": "green",
  uncompared: "amber",
  same: "amber",
  partly: "amber",
  fewer: "red",
  open: "red",
  changed: "red",
  "none-valid": "red",
};

function reliabilityOf(
  { runs }: MeasuredRuns,
  judged: Judged,
): ConclusionModel["reliability"] {
  if (runs.length === 0) return null;
  const valid = runs.filter(isValid).length;
  const invalid = runs.filter(({ generator }) => generator.trust === "invalid").length;
  const suspect = runs.length - valid - invalid;
  const survival = valid === 0 ? "none-valid" : judged.survival;
  const levels = [[suspect, "suspect"], [invalid, "invalid"]] as const;
  return {
    survival,
    light: LIGHTS[survival],
    valid,
    runs: runs.length,
    level: invalid > 0 ? "invalid" : suspect > 0 ? "suspect" : "valid",
    sentence: trustLine(survival, {
      valid: validText(valid, runs.length),
      lost: shareOf(judged.lost, judged.places),
      levels: listed(
        levels.filter(([count]) => count > 0).map(([count, level]) => `${count} ${level}`),
        "and",
      ),
    }),
  };
}

function validText(valid: number, runs: number): string {
  if (valid === 0) return runs === 1 ? "The run is not" : `None of ${counted(runs, "run")} is`;
  if (valid === runs) return runs === 1 ? "The run is" : `${allOf(runs, "run")} are`;
  return `${valid} of ${counted(runs, "run")} ${valid === 1 ? "is" : "are"}`;
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

/** For scripts: with plain spaces. */
export function conclusionJson(conclusion: ConclusionModel): unknown {
  return JSON.parse(
    JSON.stringify(conclusion),
    (_, value: unknown) => typeof value === "string" ? value.replaceAll(GLUE, " ") : value,
  );
}

/** `13 ✓ · 11 ✗ · 37 ?`. */
export function claimCountsText(claims: NonNullable<CardModel["claims"]>): string {
  const parts = [
    [claims.reproduced, "✓"],
    [claims["not reproduced"], "✗"],
    [claims.inconclusive, "?"],
  ] as const;
  return parts.filter(([count]) => count > 0).map(([count, mark]) => `${count}${GLUE}${mark}`)
    .join(" · ");
}
