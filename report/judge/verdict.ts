/**
 * What the comparisons of a scenario come to: one of a few codes, with what was seen. It claims no more than the runs
 * show: a difference without a verdict has no winner, and single runs have a likely one. `findings/judgements.ts` says it.
 */
import { takenPerSec } from "../figures/capacity.ts";
import { settingLabel } from "../cells/cell_label.ts";
import { type CellRuns, type Unsteady, unsteadyOf } from "../cells/cells.ts";
import { factorName, factorPaths } from "../cells/factors.ts";
import { formatTick } from "../writing/units.ts";
import { unique } from "../writing/words.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "./comparison.ts";
import { type Contest, type Decided, pairsOf, type Plan } from "./contests.ts";
import { type CellPair, decisiveFigure, isOpenLoop, type Lookup } from "./pairs.ts";
import { competing, type Shortfall, shortfallOf } from "./shortfall.ts";
import { isAhead, type Standing, standingOf } from "./standing.ts";

/** One target against another, by the figure that decides. */
export interface Lead {
  readonly target: string;
  readonly rival: string;
  /** The target over the rival. */
  readonly decision: FigureComparison;
  readonly marginRatio: number;
}

/** Where a verdict holds: at every value of these factors; none of one setting. */
interface AtSettings {
  readonly factors: readonly string[];
}

/** The target that completes the most; null where none responds correctly. */
type Most = {
  readonly target: string;
  readonly rate: number;
  /** For certain. */
  readonly isAhead: boolean;
} | null;

/** By code, what was seen; targets by their labels. */
export interface VerdictEvidence {
  /** One target is ahead of all others for certain. */
  readonly leads: AtSettings & {
    readonly target: string;
    /** Over the next target; of several settings the smallest. */
    readonly lead: Lead;
  };
  /** Which target is ahead depends on the setting, or is open at some. */
  readonly depends: AtSettings & { readonly settings: readonly SettingVerdict[] };
  /** The others are as fast as the first, within the margin. */
  readonly equivalent: AtSettings & {
    readonly targets: readonly string[];
    readonly marginRatio: number;
  };
  /** No target is ahead of all others for certain. */
  readonly undecided: AtSettings & {
    /** The target that seems ahead of all others; null without one. */
    readonly likely: string | null;
    /** The first, and those that it stands to alike. */
    readonly targets: readonly string[];
    /** Of the first against the nearest; `apart`: no two targets have a setting in common. */
    readonly standing: Exclude<Standing, "ahead" | "equivalent" | "unsteady"> | "apart";
    /** The first over the nearest; null of several settings, and without a rival. */
    readonly lead: Lead | null;
  };
  /** Most runs of a target never settle, so that no level of it can be compared. */
  readonly unsettled: {
    /** The first, and those that it stands to alike. */
    readonly targets: readonly string[];
    /** The first over the nearest. */
    readonly lead: Lead;
  };
  /** Targets fail too many requests, or complete fewer than are offered. */
  readonly "falls-short": {
    /** The only target that does what is required; null without one. */
    readonly able: string | null;
    /** The offered rate, or the setting: `2,000/s`; "" where there is but one. */
    readonly at: string;
    /** Whether requests come at a pace of their own. */
    readonly isOffered: boolean;
    readonly short: readonly Shortfall[];
    /** Where no target keeps up. */
    readonly most: Most;
  };
  /** There is no other target to compare with. */
  readonly alone: {
    readonly target: string;
    /** Requests/s: the mean of its runs, or what they found that it can take. */
    readonly rate: number;
    readonly isAtLeast: boolean;
    /** The rules of a search for its capacity: `p99 < 50ms`; null without one. */
    readonly within: readonly string[] | null;
    /** Where a number varies: its fastest setting over its slowest. */
    readonly span: (AtSettings & Lead) | null;
  };
  /** No run can be trusted. */
  readonly "nothing-valid": { readonly runs: number };
}

export type VerdictCode = keyof VerdictEvidence;

export interface VerdictOf<Code extends VerdictCode> {
  readonly code: Code;
  readonly evidence: VerdictEvidence[Code];
}

export type Verdict = { [Code in VerdictCode]: VerdictOf<Code> }[VerdictCode];

export interface SettingVerdict extends Pick<Contest, "label" | "factors"> {
  readonly verdict: Verdict;
}

/** What is said of a cell beside the verdict. */
export type Remark =
  | { readonly kind: "short"; readonly short: Shortfall }
  | {
    readonly kind: "errors";
    readonly label: string;
    /** Of its requests, 0–1. */
    readonly ratio: number;
    /** Whether some were never sent. */
    readonly isDropped: boolean;
    readonly isRanked: boolean;
  }
  | {
    readonly kind: "unsettled";
    readonly label: string;
    readonly perSec: { readonly value: number; readonly isAtLeast: boolean };
    readonly unsteady: Unsteady;
  };

/** What competes at one setting. */
type Setting = Pick<Contest, "ranked" | "cells" | "label" | "factors">;

export interface ScenarioSummary {
  readonly verdict: Verdict;
  readonly remarks: readonly Remark[];
  /** Each other target against the fastest; where settings vary the next at each. */
  readonly pairs: readonly NamedPair[];
}

export interface NamedPair extends Record<"base" | "next", string> {
  readonly comparison: GroupComparison;
}

/** More settings have no place below a verdict: then the first and the last. */
const MOST_PAIRS = 8;

/** @param contests Those of the plan as they were decided. */
export function summaryOf(
  plan: Plan,
  contests: readonly Decided[],
  lookup: Lookup,
): ScenarioSummary {
  const { kind, cells } = plan;
  const [{ ranked, unjudged } = plan] = contests;
  const isOver = kind === "settings";
  const pairs = isOver
    ? nextPairs(contests)
    : kind === "setting"
    ? pairsOf({ ranked, unjudged })
    : plan.pairs;
  const verdict = verdictIn(plan, contests, lookup);
  const unranked = isOver
    ? contests.flatMap((one) => one.unjudged)
    : kind === "setting"
    ? unjudged
    : [];
  return {
    verdict,
    remarks: remarksOf(cells, unranked, verdict),
    pairs: pairs.map(({ base, next }) => ({
      base: base.label,
      next: next.label,
      comparison: lookup(base, next),
    })),
  };
}

/** The fastest and the next at each setting. */
function nextPairs(contests: readonly Decided[]): CellPair[] {
  const pairs = contests.filter(({ decision }) => decision !== null)
    .map(({ ranked: [next, base] }) => ({ base, next }));
  return pairs.length <= MOST_PAIRS ? pairs : [pairs[0], pairs[pairs.length - 1]];
}

function verdictIn(
  { kind, ranked, cells }: Plan,
  contests: readonly Decided[],
  lookup: Lookup,
): Verdict {
  switch (kind) {
    case "apart":
      return undecided({ standing: "apart", targets: [] });
    case "span":
      return spanVerdict(ranked, cells, lookup);
    case "setting":
      return settingVerdict(contests[0] ?? { ranked, cells, label: "", factors: [] }, lookup);
    case "settings":
      return verdictOver(
        contests.map((one) => ({ ...one, verdict: settingVerdict(one, lookup) })),
      );
  }
}

/** Who is ahead where all get the same load. */
function settingVerdict(contest: Setting, lookup: Lookup): Verdict {
  const { ranked, cells, factors } = contest;
  const [first, ...others] = ranked;
  const short = shortfallsOf(cells);
  const fallsShort = (able: string | null, most: Most = null): Verdict => ({
    code: "falls-short",
    evidence: { able, at: offeredAt(contest), isOffered: isOpenLoop(cells), short, most },
  });
  if (first === undefined) return fallsShort(null);
  // What the factors are, the label of the setting says.
  const nameOf = ({ target, label }: CellRuns): string => factors.length > 0 ? target : label;
  const by = { figure: decisiveFigure(ranked), lookup };
  const leads = others.map((other) => leadOf([first, other], nameOf, by));
  const rivals = leads.filter((lead) => !isAhead(lead.decision, lead));
  const isFirst = others.length > 0 && rivals.length === 0;
  if (competing(ranked).length === 0) {
    return fallsShort(null, {
      target: nameOf(first),
      rate: first.rate.mean,
      isAhead: isFirst,
    });
  }
  if (others.length === 0) {
    return short.length > 0 ? fallsShort(first.target) : {
      code: "alone",
      evidence: { ...servedBy(first), target: nameOf(first), span: null },
    };
  }
  if (!isFirst) return openVerdict(leads, rivals);
  const [nearest] = leads;
  const { target } = nearest;
  if (leads.every(({ decision: { interval } }) => interval !== null)) {
    return { code: "leads", evidence: { factors: [], target, lead: nearest } };
  }
  return undecided({
    likely: target,
    targets: [target, ...leads.map(({ rival }) => rival)],
    standing: ranked.every(({ runs }) => runs.length === 1) ? "one-run" : "few-runs",
    lead: nearest,
  });
}

/** @param rivals Those of the leads that the first is not ahead of, at least one. */
function openVerdict(leads: readonly Lead[], rivals: readonly Lead[]): Verdict {
  const [nearest] = rivals;
  const { decision, marginRatio, target } = nearest;
  const standing = standingOf(decision);
  const alike = rivals.filter((rival) => isSaidAlike(rival.decision, decision));
  const targets = [target, ...alike.map(({ rival }) => rival)];
  if (standing === "equivalent") {
    return { code: "equivalent", evidence: { factors: [], targets, marginRatio } };
  }
  if (standing === "unsteady") {
    return { code: "unsettled", evidence: { targets, lead: nearest } };
  }
  const isLikely = leads.every(({ decision }) =>
    ["ahead", "likely-ahead"].includes(standingOf(decision))
  );
  return undecided({
    likely: isLikely ? target : null,
    targets,
    standing: standing === "ahead" ? "unknown" : standing,
    lead: nearest,
  });
}

type Undecided = VerdictEvidence["undecided"];

function undecided(
  evidence: Partial<Undecided> & Pick<Undecided, "standing" | "targets">,
): Verdict {
  return { code: "undecided", evidence: { factors: [], likely: null, lead: null, ...evidence } };
}

function leadOf(
  [first, other]: readonly [CellRuns, CellRuns],
  nameOf: (cell: CellRuns) => string,
  { figure, lookup }: { readonly figure: "rate" | 99; readonly lookup: Lookup },
): Lead {
  const comparison = lookup(other, first);
  return {
    target: nameOf(first),
    rival: nameOf(other),
    decision: comparisonOf(comparison, figure),
    marginRatio: comparison.marginRatio,
  };
}

/** Whether one sentence is true of both. */
function isSaidAlike(one: FigureComparison, other: FigureComparison): boolean {
  return standingOf(one) === standingOf(other) && one.runs === other.runs &&
    one.reason === other.reason;
}

function servedBy(cell: CellRuns): Omit<VerdictEvidence["alone"], "target" | "span"> {
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

/** The rate that is offered to each, or else the setting. */
function offeredAt({ cells, label, factors }: Setting): string {
  const rates = cells.flatMap(({ runs }) =>
    runs.map(({ load, sessions }) => load.kind === "rate" && sessions === null ? load.rate : 0)
  );
  const isOneRate = rates[0] > 0 && rates.every((rate) => rate === rates[0]);
  return isOneRate && factors.length <= 1 ? `${formatTick(rates[0])}/s` : label;
}

/** Who is ahead where factors vary: at all settings, or at which. */
function verdictOver(settings: readonly DecidedSetting[]): Verdict {
  const factors = unique(settings.flatMap((one) => one.factors.map(({ name }) => name)));
  const leaders = unique(settings.flatMap((one) => leaderIn(one.verdict) ?? []));
  const alone = settings.find(({ verdict: { code }, ranked }) =>
    code === "falls-short" && competing(ranked).length > 0
  );
  if (leaders.length === 1 && alone !== undefined) return alone.verdict;
  if (leaders.length === 0) return openOver(settings, factors);
  if (leaders.length > 1 || settings.some((one) => leaderIn(one.verdict) === null)) {
    return { code: "depends", evidence: { factors, settings } };
  }
  const [target] = leaders;
  const leads = settings.flatMap(({ verdict: { code, evidence } }) =>
    code === "leads" ? [evidence.lead] : []
  ).toSorted((a, b) => sizeOf(a) - sizeOf(b));
  return leads.length > 0
    ? { code: "leads", evidence: { factors, target, lead: leads[0] } }
    : undecided({ factors, likely: target, targets: [target], standing: "few-runs" });
}

interface DecidedSetting extends SettingVerdict, Pick<Contest, "ranked"> {}

/** The target that a verdict of one setting names as ahead, be it of single runs; null without one. */
export function leaderIn({ code, evidence }: Verdict): string | null {
  switch (code) {
    case "leads":
    case "alone":
      return evidence.target;
    case "falls-short":
      return evidence.able ?? (evidence.most?.isAhead ? evidence.most.target : null);
    case "undecided":
      return evidence.lead?.decision.interval === null ? evidence.likely : null;
    default:
      return null;
  }
}

/** Nobody is ahead for certain at any of them. */
function openOver(settings: readonly DecidedSetting[], factors: readonly string[]): Verdict {
  const targets = unique(settings.flatMap(({ ranked }) => ranked.map(({ target }) => target)));
  const [{ verdict: { code, evidence } }] = settings;
  if (code === "equivalent" && settings.every(({ verdict }) => verdict.code === code)) {
    return { code, evidence: { ...evidence, factors, targets } };
  }
  return undecided({ factors, targets, standing: "unknown" });
}

function sizeOf({ decision: { ratio } }: Lead): number {
  return Math.abs(Math.log(ratio ?? 1));
}

/** Of one target: its fastest setting over its slowest. @param ranked From the fastest, at least two. */
function spanVerdict(
  ranked: readonly CellRuns[],
  cells: readonly CellRuns[],
  lookup: Lookup,
): Verdict {
  const [first, last] = [ranked[0], ranked[ranked.length - 1]];
  const factors = factorPaths(cells).map((path) => factorName(cells, path));
  const nameOf = ({ runs: [{ parameters }] }: CellRuns): string => settingLabel(parameters);
  const lead = leadOf([first, last], nameOf, { figure: decisiveFigure(ranked), lookup });
  const { target } = first;
  return { code: "alone", evidence: { ...servedBy(first), target, span: { ...lead, factors } } };
}

/** What is to be said of cells with errors or a backlog, and of those not judged; without those that the verdict names. */
function remarksOf(
  cells: readonly CellRuns[],
  unjudged: readonly CellRuns[],
  { code, evidence }: Verdict,
): Remark[] {
  const named = code === "falls-short" ? evidence.short.map(({ label }) => label) : [];
  const faults = cells.filter(({ label, target }) =>
    ![label, target].some((one) => named.includes(one))
  )
    .flatMap((cell): Remark[] => {
      const { label, errorRatio: ratio, runs } = cell;
      const short = shortfallOf(cell);
      if (short?.kind === "silent" || short?.kind === "slow") return [{ kind: "short", short }];
      if (ratio === 0) return [];
      const isDropped = runs.some(({ requests }) => requests.dropped > 0);
      return [{ kind: "errors", label, ratio, isDropped, isRanked: short === null }];
    });
  const unsettled = unjudged.flatMap((cell): Remark[] => {
    const unsteady = unsteadyOf(cell.runs);
    const { label } = cell;
    return unsteady ? [{ kind: "unsettled", label, perSec: takenPerSec(cell), unsteady }] : [];
  });
  return [...faults, ...unsettled];
}
