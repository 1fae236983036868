/** Whether the figures can be believed, in sentences: first the verdict, then which runs, why, and what to do. */
import type { TrustFinding } from "../../runner/result/findings.ts";
import { type Trust, TRUSTS } from "../../runner/result/generator.ts";
import type { Measurement, Run } from "../../runner/result/result.ts";
import { isUnsteadyAlone } from "../judge/disturbed.ts";
import { cellLabel } from "../cells/cell_label.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import { sum } from "../writing/spread.ts";
import { counted, listed } from "../writing/words.ts";
import { findingSentence } from "./sentences.ts";

export interface TrustModel {
  /** Of the worst run. */
  readonly level: Trust;
  /** The meaning of the level, which it does not repeat. */
  readonly text: string;
  /** Why, with advice: of one run each reason, of many a line for the cells that are to be doubted alike. */
  readonly reasons: readonly string[];
}

/** What doubt means for the figures: besides a level that nothing was measured, or that nothing else is doubted. */
type TrustMeaning = Trust | "nothing-measured" | "never-settled";

const MEANINGS: Readonly<Record<TrustMeaning, string>> = {
  valid: "neither the generator nor the machine was the limit",
  suspect: "the generator or the machine may have been the limit, not the target",
  invalid: "the generator or the machine was the limit, not the target",
  "nothing-measured": "nothing was measured",
  "never-settled": "the run never settled, so its figures are those of a moment",
};

/** The parts of a run that decide its trust. */
type TrustBasis = Pick<Measurement, "generator" | "requests">;

export function trustOf(measurement: TrustBasis): TrustModel {
  const verdict = trustVerdict([measurement]);
  return { level: verdict.level, text: verdictText(verdict), reasons: reasonsOf(measurement) };
}

/** Sentences, the worst first. */
export function trustSentences(
  { generator: { findings } }: Pick<Measurement, "generator">,
): string[] {
  return findings.map(findingSentence);
}

/** Without a response, that stands above them already. */
function reasonsOf({ generator: { findings } }: TrustBasis): string[] {
  return findings.filter(({ code }) => code !== "no-response").map(findingSentence);
}

/** How much some runs are to be doubted. */
interface TrustVerdict {
  /** Of the worst run. */
  readonly level: Trust;
  readonly meaning: TrustMeaning;
  /** Runs of this level. */
  readonly doubted: number;
  /** All runs. */
  readonly runs: number;
}

/** @param runs At least one. */
function trustVerdict(runs: readonly TrustBasis[]): TrustVerdict {
  const level = TRUSTS.findLast((level) => runs.some((run) => levelOf(run) === level)) ?? "valid";
  const doubted = runs.filter((run) => levelOf(run) === level);
  const meaning = meaningOf(level, doubted);
  return { level, meaning, doubted: doubted.length, runs: runs.length };
}

function meaningOf(level: Trust, runs: readonly TrustBasis[]): TrustMeaning {
  if (runs.every(isUnanswered)) return "nothing-measured";
  const isUnsettled = runs.every(({ generator: { findings } }) => isUnsteadyAlone(findings));
  return isUnsettled ? "never-settled" : level;
}

/** `in 2 of 6 runs nothing was measured`; without a full stop. */
function verdictText({ level, meaning, doubted, runs }: TrustVerdict): string {
  const text = MEANINGS[meaning];
  if (runs === 1) return text;
  const all = counted(runs, "run");
  return level === "valid" ? `${text} in any of ${all}` : `in ${doubted} of ${all} ${text}`;
}

/** What doubt means for the figures of runs, the worst of them. */
export function meaningOfRuns(runs: readonly TrustBasis[]): string {
  return MEANINGS[trustVerdict(runs).meaning];
}

export function isValid({ generator: { trust } }: Pick<Measurement, "generator">): boolean {
  return trust === "valid";
}

/** Null without runs. */
export function trustOfRuns(runs: readonly Run[]): TrustModel | null {
  if (runs.length === 0) return null;
  const verdict = trustVerdict(runs);
  const [first] = runs;
  const reasons = runs.length === 1 ? reasonsOf(first) : doubtsOf(runs).map(reasonOf);
  return {
    level: verdict.level,
    text: verdictText(verdict),
    reasons: verdict.level === "valid" ? [] : reasons,
  };
}

/** `BASE is suspect: …`, of the runs of one side; none where they are valid. */
export function doubtSentences(name: string, trust: TrustModel | null): string[] {
  return trust === null || trust.level === "valid"
    ? []
    : [`${name} is ${trust.level}: ${trust.text}`];
}

/** Why runs of results beside each other are not valid: what is doubted in each for the same reasons is said once. */
export function doubtsOfSides(
  sides: readonly { readonly name: string; readonly runs: readonly Run[] }[],
): string[] {
  const all = sides.flatMap(({ name, runs }) => doubtsOf(runs).map((cells) => ({ name, cells })));
  const groups = [...Map.groupBy(all, ({ cells: [{ level, kinds }] }) => level + kinds).values()];
  const rankOf = ([{ cells: [{ level }] }]: typeof all): number => TRUSTS.indexOf(level);
  return groups.sort((a, b) => rankOf(b) - rankOf(a)).map((group) => {
    const [{ name, cells }] = group;
    if (group.length === 1) return `${name}: ${reasonOf(cells)}`;
    const [{ place, level, findings }] = cells;
    const runs = group.map(({ name, cells }) =>
      `${counted(sum(cells, (cell) => cell.runs), "run")} of ${name}`
    );
    const sentences = findings.map(findingSentence).join(" ");
    return `${listed(runs, "and")} are ${level}, such as ${place} of ${name}: ${sentences}`;
  });
}

/** Cells that are to be doubted for the same reasons, the worst first. */
function doubtsOf(runs: readonly Run[]): Doubt[][] {
  const doubted = TRUSTS.filter((level) => level !== "valid").toReversed()
    .flatMap((level) => runs.filter((run) => levelOf(run) === level));
  const cells = [...Map.groupBy(doubted, (run) => levelOf(run) + cellOf(run)).values()].map(
    doubtOf,
  );
  return [...Map.groupBy(cells, ({ level, kinds }) => level + kinds).values()];
}

/** Results of earlier versions call a run without a response valid. */
function levelOf(run: TrustBasis): Trust {
  return isUnanswered(run) ? "invalid" : run.generator.trust;
}

function cellOf(run: Run): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

/** The runs of a cell that are to be doubted as much. */
interface Doubt {
  /** `static, express, run 2`: the first of them. */
  readonly place: string;
  readonly level: Trust;
  readonly runs: number;
  /** Of that run. */
  readonly findings: readonly TrustFinding[];
  /** Its findings but for their figures: what cells that are doubted alike share. */
  readonly kinds: string;
}

function doubtOf(runs: readonly Run[]): Doubt {
  const [first] = runs;
  const place = `${cellOf(first)}, run ${first.repetition}`;
  return {
    place,
    level: levelOf(first),
    runs: runs.length,
    findings: first.generator.findings,
    kinds: JSON.stringify(first.generator.findings.map(kindOf)),
  };
}

/** A sentence of an old file has nothing else to be known by. */
function kindOf(finding: TrustFinding): unknown[] {
  const { code, severity, advice } = finding;
  return [code, severity, advice, code === "text" ? finding.evidence.cause : null];
}

/** `static, express, run 2 and 1 more are invalid: …`; of several cells one stands for all. */
function reasonOf(cells: readonly Doubt[]): string {
  const runs = sum(cells, (cell) => cell.runs);
  const [{ place, level, findings }] = cells;
  const sentences = findings.map(findingSentence).join(" ");
  if (cells.length > 1) {
    return `${runs} runs in ${cells.length} cells are ${level}, such as ${place}: ${sentences}`;
  }
  return `${place} ${runs === 1 ? "is" : `and ${runs - 1} more are`} ${level}: ${sentences}`;
}
