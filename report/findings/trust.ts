/** Says whether the figures can be trusted: first the verdict, then which runs are affected, why, and what to do. */
import type { TrustFinding } from "../../runner/result/findings.ts";
import { type Trust, TRUSTS } from "../../runner/result/generator.ts";
import { isUnanswered } from "../../runner/result/outcome.ts";
import type { Measurement, Run } from "../../runner/result/result.ts";
import { cellLabel } from "../cells/cell_label.ts";
import { isUnsteadyAlone } from "../judge/disturbed_runs.ts";
import { isRound } from "../judge/rounds.ts";
import { sum } from "../writing/spread.ts";
import { counted, listed } from "../writing/words.ts";
import { findingSentences } from "./sentences.ts";

/**
 * The noun for one load of a target. It is "round" if two servers that are already running take turns until there is a
 * verdict, and "run" otherwise. The user can ask for more runs, but does not choose the number of rounds.
 */
export function nounOfRuns(runs: readonly Pick<Run, "slices" | "startUp">[]): "run" | "round" {
  return runs.length > 0 && runs.every(isRound) ? "round" : "run";
}

export interface TrustModel {
  /** The level of the worst run. */
  readonly level: Trust;
  /** What the level means for the figures, without naming the level. */
  readonly text: string;
  /**
   * Reasons with advice. For a single run, all of its reasons; for several runs, each reason once, with the runs to
   * which it applies.
   */
  readonly reasons: readonly string[];
}

/**
 * What each level of trust means for the figures, and what to say if runs measured nothing, were aborted, or never
 * settled. What limited the rate is left to the bottleneck: it may be the offered load.
 */
const MEANINGS: Readonly<
  Record<Trust | "nothing-measured" | "aborted" | "never-settled", string>
> = {
  valid: "neither the generator nor the machine was the limit",
  suspect: "the generator or the machine may have distorted the figures",
  invalid: "the generator or the machine distorted the figures",
  "nothing-measured": "nothing was measured",
  aborted: "a rule of abortOn ended the load early",
  "never-settled":
    "rate or latency reached no steady state, so the figures describe only the time that was measured",
};

/** The parts of a run that determine its trust. */
type TrustBasis = Pick<Measurement, "generator" | "requests">;

export function isValid({ generator: { trust } }: Pick<Measurement, "generator">): boolean {
  return trust === "valid";
}

/**
 * The run's level of trust. A run without a response counts as invalid, although earlier versions recorded it as valid.
 */
function levelOf(run: TrustBasis): Trust {
  return isUnanswered(run) ? "invalid" : run.generator.trust;
}

interface Worst {
  readonly level: Trust;
  readonly meaning: string;
  /** Number of runs at this level to which `meaning` applies. */
  readonly doubted: number;
  /**
   * Number of other runs at this level, which have no fault except that they never settled; 0 if `meaning` applies to
   * them, too.
   */
  readonly unsettled: number;
}

/**
 * The lowest level of trust among the runs, and what it means.
 *
 * @param runs At least one.
 */
function worstOf(runs: readonly TrustBasis[]): Worst {
  const level = TRUSTS.findLast((level) => runs.some((run) => levelOf(run) === level)) ?? "valid";
  const own = runs.filter((run) => levelOf(run) === level);
  const limited = own.filter(({ generator: { findings } }) => !isUnsteadyAlone(findings));
  const [those, meaning] = own.every(isUnanswered)
    ? [own, "nothing-measured"] as const
    : own.every(({ generator: { findings } }) => findings.some(({ code }) => code === "aborted"))
    ? [own, "aborted"] as const
    : limited.length === 0
    ? [own, "never-settled"] as const
    : [limited, level] as const;
  return {
    ...{ level, meaning: MEANINGS[meaning], doubted: those.length },
    unsettled: own.length - those.length,
  };
}

/**
 * Says what a lack of trust means for the figures of runs if no run is valid. If most runs are invalid, or most never
 * settled, the text is about those runs; otherwise, it is about the worst of the runs that are not invalid.
 */
export function meaningOfRuns(runs: readonly TrustBasis[]): string {
  const invalid = runs.filter((run) => levelOf(run) === "invalid");
  const unsettled = runs.filter(({ generator: { findings } }) => isUnsteadyAlone(findings));
  const most = [invalid, unsettled].find((those) => 2 * those.length > runs.length);
  return worstOf(most ?? runs.filter((run) => !invalid.includes(run))).meaning;
}

export function trustOf(measurement: TrustBasis): TrustModel {
  const { level, meaning } = worstOf([measurement]);
  return { level, text: meaning, reasons: reasonsOf(measurement) };
}

/** Trust in several runs; null without runs. `text` has no full stop: `in 2 of 6 runs nothing was measured`. */
export function trustOfRuns(runs: readonly Run[]): TrustModel | null {
  if (runs.length === 0) return null;
  const { level, doubted, meaning, unsettled } = worstOf(runs);
  const suspect = level === "invalid" ? runs.filter((run) => levelOf(run) === "suspect").length : 0;
  const reasons = runs.length === 1 ? reasonsOf(runs[0]) : withReasons(
    doubtsOf(runs).map((doubt) => ({ said: doubtText(doubt), finding: doubt.finding })),
  );
  const all = counted(runs.length, nounOfRuns(runs));
  const text = level === "valid" ? `${meaning} in any of ${all}` : [
    `in ${doubted} of ${all} ${meaning}`,
    ...(unsettled > 0
      ? [`${unsettled} more ${unsettled === 1 ? "has" : "have"} no steady state`]
      : []),
    ...(suspect > 0 ? [`${suspect} more ${suspect === 1 ? "is" : "are"} suspect`] : []),
  ].join("; ");
  return {
    level,
    text: runs.length === 1 ? meaning : text,
    reasons: level === "valid" ? [] : reasons,
  };
}

/**
 * The sentences of a run's findings, except `no-response`, for which the report already has a sentence above the
 * reasons.
 */
function reasonsOf({ generator: { findings } }: TrustBasis): string[] {
  return findingSentences(findings.filter(({ code }) => code !== "no-response"));
}

/** Example: `BASE is suspect: …`. Empty if the side's runs are all valid or there are none. */
export function doubtSentences(name: string, trust: TrustModel | null): string[] {
  return trust === null || trust.level === "valid"
    ? []
    : [`${name} is ${trust.level}: ${trust.text}`];
}

/** A reason for doubt, and the runs to which it applies. The wording is taken from the first of these runs. */
interface Doubt {
  /** Example: `static, express, run 2`. */
  readonly place: string;
  readonly level: Trust;
  readonly runs: number;
  readonly cells: number;
  readonly noun: ReturnType<typeof nounOfRuns>;
  /** The reason, from the first of the runs; null if no reason is known. */
  readonly finding: TrustFinding | null;
  /** A key of the level and the finding without its figures, so that runs with the same reason have the same key. */
  readonly kind: string;
}

/**
 * The reasons to doubt the runs, each once. The worst reasons come first; of equally bad ones, those that apply to the
 * most runs come first.
 */
function doubtsOf(runs: readonly Run[]): Doubt[] {
  const doubted = runs.filter((run) => levelOf(run) !== "valid");
  const found = doubted.flatMap((run) => decisive(run).map((finding) => ({ run, finding })));
  const kinds = Map.groupBy(
    found,
    ({ run, finding }) => JSON.stringify([levelOf(run), kindOf(finding)]),
  );
  return worstFirst([...kinds].map(([kind, those]): Doubt => {
    const [{ run: first, finding }] = those;
    const own = [...new Set(those.map(({ run }) => run))];
    return {
      place: `${cellOf(first)}, ${nounOfRuns([first])} ${first.repetition}`,
      level: levelOf(first),
      runs: own.length,
      cells: new Set(own.map(cellOf)).size,
      noun: nounOfRuns(own),
      finding,
      kind,
    };
  }));
}

/**
 * The findings that determine a run's level. Results of earlier versions may have no finding at that level, in which
 * case all findings are returned, or no findings at all, in which case the list contains only null.
 */
function decisive(run: Run): readonly (TrustFinding | null)[] {
  const { findings } = run.generator;
  const own = findings.filter(({ severity }) => severity === levelOf(run));
  return own.length > 0 ? own : findings.length > 0 ? findings : [null];
}

/**
 * The properties by which findings of different runs are recognized as the same reason. A finding that an earlier
 * version stored as a sentence is identified only by its cause.
 */
function kindOf(finding: TrustFinding | null): readonly unknown[] {
  if (finding === null) return [];
  const { code, advice, evidence } = finding;
  return [code, advice, "cause" in evidence ? evidence.cause : null];
}

function cellOf(run: Run): string {
  return `${run.scenario}, ${cellLabel(run)}`;
}

function worstFirst<T extends Pick<Doubt, "level" | "runs">>(doubts: readonly T[]): T[] {
  const rankOf = ({ level }: T): number => TRUSTS.indexOf(level);
  return doubts.toSorted((a, b) => rankOf(b) - rankOf(a) || b.runs - a.runs);
}

/** Adds its reason and advice to what is said of each doubt. */
function withReasons(
  doubts: readonly { readonly said: string; readonly finding: TrustFinding | null }[],
): string[] {
  const sentences = findingSentences(doubts.flatMap(({ finding }) => finding ?? [])).values();
  return doubts.map(({ said, finding }) =>
    finding === null ? said : `${said}: ${sentences.next().value}`
  );
}

/**
 * Example: `static, express, run 2 and 1 more are invalid`. If several cells are affected, one of them is named as an
 * example.
 */
function doubtText({ place, level, runs, cells, noun }: Doubt): string {
  return cells > 1
    ? `${runs} ${noun}s in ${cells} cells are ${level}, such as ${place}`
    : `${place} ${runs === 1 ? "is" : `and ${runs - 1} more are`} ${level}`;
}

/** Why runs are not valid, for results shown side by side. A reason that occurs on both sides is stated once. */
export function doubtsOfSides(
  sides: readonly { readonly name: string; readonly runs: readonly Run[] }[],
): string[] {
  const all = sides.flatMap(({ name, runs }) => doubtsOf(runs).map((doubt) => ({ name, doubt })));
  const groups = [...Map.groupBy(all, ({ doubt: { kind } }) => kind).values()].map((those) => ({
    those,
    level: those[0].doubt.level,
    runs: sum(those, ({ doubt }) => doubt.runs),
  }));
  return withReasons(
    worstFirst(groups).map(({ those, level }) => {
      const [{ name, doubt }] = those;
      const { finding, place } = doubt;
      if (those.length === 1) return { said: `${name}: ${doubtText(doubt)}`, finding };
      const runs = those.map(({ name, doubt: { runs, noun } }) =>
        `${counted(runs, noun)} of ${name}`
      );
      return { said: `${listed(runs, "and")} are ${level}, such as ${place} of ${name}`, finding };
    }),
  );
}
