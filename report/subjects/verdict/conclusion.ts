/**
 * The conclusion of an experiment: the question of its title, a sentence that decides it, one large figure, a small
 * forest, whether it can be relied on, and what to do next. Page, terminal, markdown and JSON show the same one.
 */
import type { ClaimsModel } from "../../judge/claims/claims.ts";
import type { ClaimOutcome } from "../../judge/claims/finding.ts";
import { compareScenarios, type ScenarioComparison } from "./compared_scenarios.ts";
import { GLUE } from "../../writing/units.ts";
import { type Grouped, groupRuns, repeatedOf } from "../../cells/cells.ts";
import { choiceIn } from "../../cells/recast.ts";
import { type MeasuredRuns, titleOf } from "../../cells/measured.ts";
import type { SettlingModel } from "../charts/settling.ts";
import type { SweepModel } from "../sweeps/sweeps.ts";
import { type ConclusionForest, forestRows, type MatrixModel, matrixOf } from "./matrix.ts";
import { type Place, placesOf } from "./places.ts";
import { isValid } from "../../findings/trust.ts";
import { mostSentence, questionRows, sessionsText } from "./served.ts";
import { type NextStep, nextSteps } from "./next_steps.ts";
import {
  judgedBesides,
  judgedPlaces,
  type JudgedTwice,
  type ReliabilityModel,
  reliabilityOf,
  withMissing,
} from "./reliability.ts";
import { type Beside, besideBase, besideRows, othersBeside } from "./beside_base.ts";
import { besideFigure, type HeadlineFigure, headlineOf, questionFigure } from "./headline.ts";
import { refusedText } from "./short.ts";
import { conclusionSentence, questionsOf } from "./sentence.ts";

export interface ConclusionModel {
  /** The question, where the experiment has one; otherwise its name. */
  readonly question: string;
  /** With a full stop; "" where no run got a response. */
  readonly sentence: string;
  /** Null where there is nothing to show. */
  readonly figure: HeadlineFigure | null;
  /** What is compared with what; null where nothing is. */
  readonly forest: ConclusionForest | null;
  /** Null without runs. */
  readonly reliability: ReliabilityModel | null;
  /** Null without claims. */
  readonly claims: Readonly<Record<ClaimOutcome, number>> | null;
  /** The most pressing first; none without runs. */
  readonly next: readonly NextStep[];
  /** Null where there is only one cell. */
  readonly matrix: MatrixModel | null;
}

/** What the rest of the report has made of the same results. */
export interface OfReport {
  readonly compared: readonly ScenarioComparison[];
  readonly sweeps: readonly SweepModel[];
  readonly claims: ClaimsModel;
  /** Null where no percentile was ever far from where it ends. */
  readonly settling: SettlingModel | null;
  /** Whether any run got a response. */
  readonly isMeasured: boolean;
}

export function conclusionOf(
  results: MeasuredRuns,
  { compared, sweeps, claims, settling, isMeasured }: OfReport,
): ConclusionModel {
  const { level } = repeatedOf(results);
  const { base, isNone } = choiceIn(results);
  const places = isNone ? [] : placesOf(compared, level);
  const besides = besideBase(places, base);
  // Several questions, each with targets of its own, unless a base is named.
  const questions = besides === null ? questionsOf(places) : [];
  const sentence = !isMeasured
    ? ""
    : isNone
    ? mostSentence(compared, results.peakThroughput)
    : conclusionSentence(compared, { places, besides, sweeps });
  return {
    question: titleOf(results),
    sentence: sentence === ""
      ? ""
      : `${sentence}.${refusedText(results)}${settlingText(results, settling)}` +
        sessionsText(compared),
    figure: isMeasured
      ? besideFigure(besides) ?? questionFigure(questions) ?? headlineOf(places, compared)
      : null,
    forest: isNone ? null : forestRows(
      places,
      compared,
      besides === null ? questionRows(questions) : besideRows(besides),
    ),
    reliability: reliabilityOf(results.runs, judgedTwice(results, { places, besides, level })),
    claims: claims.judged.length === 0 ? null : claimCounts(claims),
    next: nextSteps(results.runs, places, compared),
    matrix: matrixOf(compared),
  };
}

/** Of an experiment about settling times, as it holds published ones beside its own; "" of others. */
function settlingText({ experiment }: MeasuredRuns, settling: SettlingModel | null): string {
  const isAbout = [experiment?.published ?? []].flat().some(({ figure }) => figure === "stable");
  return isAbout && settling !== null ? ` ${settling.brief}` : "";
}

interface JudgedOnce {
  readonly places: readonly Place[];
  readonly besides: readonly (readonly Beside[])[] | null;
  /** Of the intervals. */
  readonly level: number;
}

function judgedTwice(results: MeasuredRuns, { places, besides, level }: JudgedOnce): JudgedTwice {
  const judged = besides === null ? judgedPlaces(places) : judgedBesides(besides);
  const runs = results.runs.filter(isValid);
  if (runs.length === 0 || runs.length === results.runs.length) return { judged, again: null };
  const kept: Grouped = { ...results, runs };
  const choice = choiceIn(results);
  const again = placesOf(compareScenarios(groupRuns(kept), { level, choice }), level);
  if (besides === null || choice.base === null) return { judged, again: judgedPlaces(again) };
  const others = judgedBesides(othersBeside(again, choice.base));
  return { judged, again: withMissing(judged, others) };
}

function claimCounts({ judged }: ClaimsModel): Record<ClaimOutcome, number> {
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
export function claimCountsText(claims: NonNullable<ConclusionModel["claims"]>): string {
  const parts = [
    [claims.reproduced, "✓"],
    [claims["not reproduced"], "✗"],
    [claims.inconclusive, "?"],
  ] as const;
  return parts.filter(([count]) => count > 0).map(([count, mark]) => `${count}${GLUE}${mark}`)
    .join(" · ");
}
