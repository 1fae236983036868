/**
 * The verdict of one scenario as data: who is fastest, by what ratio, and how sure that is; `verdict_sentences.ts`
 * words it. It claims no more than the runs show: one run is "in one run", and a difference without a verdict has
 * no winner.
 */
import { takenPerSec } from "../cells/capacity.ts";
import type { CellRuns } from "../cells/cells.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "./comparison.ts";
import { decisiveFigure, isOpenLoop, type Lookup } from "./pairs.ts";
import { competing, type Shortfall, shortfallOf } from "./shortfall.ts";
import { isAhead, type Standing, standingOf } from "./standing.ts";
import { undecidedText } from "./words.ts";
import { formatTick } from "../writing/units.ts";

/** note: who is fastest, or that nobody is; warning: the runs do not decide it. */
type VerdictSeverity = "note" | "warning";

interface Leader {
  readonly target: string;
}

/** What decides: of requests at a pace of their own all targets get as many, so their p99 does. */
interface DecidedLeader extends Leader {
  readonly by: "rate" | "p99";
}

/** Why nobody is fastest: where the first, who seems so, stands against each other that it is not ahead of. */
export interface Undecided {
  /** The first seems ahead, or is as fast; the others stand to it alike. */
  readonly targets: readonly string[];
  readonly standing: Exclude<Standing, "ahead">;
  /** In words, from the comparison with the next: `a is likely faster than b, not proven: 3 runs`. */
  readonly text: string;
}

/** At every value of these factors. */
interface AtEverySetting {
  readonly factors: readonly string[];
}

/** One target at the settings where it is fastest and slowest: `connections 50`. */
interface Span extends Leader {
  readonly fastest: string;
  readonly slowest: string;
}

/** By code, what was seen; targets by their labels. */
export interface VerdictEvidence {
  readonly "no-right-response": Readonly<Record<never, never>>;
  /** No two targets responded right at equal settings. */
  readonly incomparable: Readonly<Record<never, never>>;
  readonly alone: Leader & {
    /** Requests/s: the mean of its runs, or what they found that it can take. */
    readonly rate: number;
    readonly isAtLeast: boolean;
    /** The rules of a search for its capacity: `p99 < 50ms`; null without one. */
    readonly within: readonly string[] | null;
  };
  /** Nobody is ahead of all others for certain. */
  readonly undecided: Undecided;
  /** Others fail, or complete less than is offered. */
  readonly "only-keeps-up": Leader & {
    /** The rate or setting: `2,000/s`; "" where there is but one. */
    readonly at: string;
    /** Whether requests come at a pace of their own. */
    readonly isOffered: boolean;
    readonly others: readonly Shortfall[];
  };
  /** All complete less than is offered; the leader serves most, for certain where it is ahead of all others. */
  readonly "none-keeps-up": Leader & {
    readonly offered: number;
    readonly rate: number;
    readonly isAhead: boolean;
  };
  readonly fastest: DecidedLeader;
  readonly "fastest-in-one-run": Leader;
  readonly "fastest-in-few-runs": Leader;
  /** Targets lead at some settings only; without an interval anywhere nothing is said of other runs. */
  readonly "depends-on-factors": AtEverySetting & { readonly hasInterval: boolean };
  /** `equivalent`: at each; otherwise nobody is ahead for certain at any. */
  readonly "undecided-at-every-setting": AtEverySetting & {
    readonly targets: readonly string[];
    readonly isEquivalent: boolean;
  };
  readonly "fastest-at-every-setting": AtEverySetting & DecidedLeader;
  readonly "fastest-in-few-runs-at-every-setting": AtEverySetting & Leader;
  readonly span: Span;
  readonly "inconclusive-span": Span;
  readonly "span-in-few-runs": Span;
  /** One target, equivalent where it is fastest and slowest. */
  readonly "same-at-every-setting": AtEverySetting & Leader;
}

export type VerdictCode = keyof VerdictEvidence;

export interface VerdictOf<Code extends VerdictCode> {
  readonly code: Code;
  readonly severity: VerdictSeverity;
  readonly evidence: VerdictEvidence[Code];
}

export type ScenarioVerdict = { [Code in VerdictCode]: VerdictOf<Code> }[VerdictCode];

const SEVERITIES: Readonly<Record<VerdictCode, VerdictSeverity>> = {
  "no-right-response": "warning",
  incomparable: "warning",
  alone: "note",
  undecided: "note",
  "only-keeps-up": "note",
  "none-keeps-up": "warning",
  fastest: "note",
  "fastest-in-one-run": "warning",
  "fastest-in-few-runs": "warning",
  "depends-on-factors": "note",
  "undecided-at-every-setting": "note",
  "fastest-at-every-setting": "note",
  "fastest-in-few-runs-at-every-setting": "warning",
  span: "note",
  "inconclusive-span": "warning",
  "span-in-few-runs": "warning",
  "same-at-every-setting": "note",
};

export function verdictOf<Code extends VerdictCode>(
  code: Code,
  evidence: VerdictEvidence[Code],
): VerdictOf<Code> {
  return { code, severity: SEVERITIES[code], evidence };
}

/** @param ranked From the fastest. */
export function rankedVerdict(
  { ranked, cells }: { ranked: readonly CellRuns[]; cells: readonly CellRuns[] },
  lookup: Lookup,
): ScenarioVerdict {
  const [first, second] = ranked;
  if (!first) return verdictOf("no-right-response", {});
  const target = first.label;
  const short = shortfallsOf(cells);
  if (competing(ranked).length === 0) return noneKeepsUp(ranked, lookup);
  if (!second && short.length > 0) {
    return verdictOf("only-keeps-up", {
      target: first.target,
      ...offeredTo(cells),
      others: short,
    });
  }
  if (!second) {
    return verdictOf("alone", { target, ...aloneEvidence(first) });
  }
  return leadVerdict(ranked, lookup);
}

function aloneEvidence(cell: CellRuns): Omit<VerdictEvidence["alone"], "target"> {
  const { value, isAtLeast } = takenPerSec(cell);
  const [search] = cell.runs.flatMap(({ capacity }) => capacity ?? []);
  return { rate: value, isAtLeast, within: search?.within ?? null };
}

/** Those of targets that compete nowhere among these cells, by their names where each has one cell. */
function shortfallsOf(cells: readonly CellRuns[]): Shortfall[] {
  const able = new Set(competing(cells).map(({ target }) => target));
  const isOneEach = new Set(cells.map(({ target }) => target)).size === cells.length;
  return cells.filter(({ target }) => !able.has(target)).flatMap((cell) => {
    const short = shortfallOf(cell);
    return short === null ? [] : [isOneEach ? { ...short, label: cell.target } : short];
  });
}

/** What is offered to each. */
function offeredTo(cells: readonly CellRuns[]): { at: string; isOffered: boolean } {
  const rates = cells.flatMap(({ runs }) =>
    runs.map(({ load, sessions }) => load.kind === "rate" && sessions === null ? load.rate : 0)
  );
  const isOneRate = rates[0] > 0 && rates.every((rate) => rate === rates[0]);
  return { at: isOneRate ? `${formatTick(rates[0])}/s` : "", isOffered: isOpenLoop(cells) };
}

function noneKeepsUp(ranked: readonly CellRuns[], lookup: Lookup): ScenarioVerdict {
  const [first, ...others] = ranked;
  return verdictOf("none-keeps-up", {
    target: first.label,
    offered: shortfallOf(first)?.offeredPerSec ?? 0,
    rate: first.rate.mean,
    isAhead: others.length > 0 && others.every((other) => {
      const comparison = lookup(other, first);
      return isAhead(comparisonOf(comparison, "rate"), comparison);
    }),
  });
}

/** Who is ahead of all others; or where the first stands against the nearest that it is not ahead of. */
function leadVerdict(ranked: readonly CellRuns[], lookup: Lookup): ScenarioVerdict {
  const [first, ...others] = ranked;
  const target = first.label;
  const figure = decisiveFigure(ranked);
  const { rivals, decisions } = rivalsOf(ranked, lookup);
  if (rivals.length > 0) return verdictOf("undecided", undecidedOf(first, rivals));
  if (decisions.every(({ interval }) => interval !== null)) {
    return verdictOf("fastest", { target, by: figure === 99 ? "p99" : figure });
  }
  const isOneEach = [first, ...others].every(({ runs }) => runs.length === 1);
  return verdictOf(isOneEach ? "fastest-in-one-run" : "fastest-in-few-runs", { target });
}

export interface Rival {
  readonly cell: CellRuns;
  /** The first over it. */
  readonly comparison: GroupComparison;
  readonly decision: FigureComparison;
}

/** Those that the first is not ahead of; and how it stands to each other. @param ranked From the fastest. */
export function rivalsOf(
  ranked: readonly CellRuns[],
  lookup: Lookup,
): { readonly rivals: readonly Rival[]; readonly decisions: readonly FigureComparison[] } {
  const [first, ...others] = ranked;
  const figure = decisiveFigure(ranked);
  const all = others.map((cell): Rival => {
    const comparison = lookup(cell, first);
    return { cell, comparison, decision: comparisonOf(comparison, figure) };
  });
  return {
    rivals: all.filter(({ decision, comparison }) => !isAhead(decision, comparison)),
    decisions: all.map(({ decision }) => decision),
  };
}

/** Against the nearest, and all others that stand alike. */
function undecidedOf(first: CellRuns, rivals: readonly Rival[]): Undecided {
  const [{ comparison, decision }] = rivals;
  const standing = standingOf(decision);
  const alike = rivals.filter((rival) => isSaidAlike(rival, rivals[0]));
  const targets = [first.label, ...alike.map(({ cell }) => cell.label)];
  return {
    targets,
    standing: standing === "ahead" ? "unknown" : standing,
    text: undecidedText(targets, decision, comparison),
  };
}

/** Whether one sentence is true of both. */
function isSaidAlike({ decision: one }: Rival, { decision: other }: Rival): boolean {
  return standingOf(one) === standingOf(other) && one.runs === other.runs &&
    one.reason === other.reason;
}
