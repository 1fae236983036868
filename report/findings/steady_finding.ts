/** How each cell warms up, slows down, stays flat or never settles, in words. */
import type { Run } from "../../runner/result/result.ts";
import type { Warmup } from "../../runner/result/warmup.ts";
import type { Freezes } from "../../runner/stats/steady_state/freezes.ts";
import {
  LEAST_STEADY_INTERVALS,
  type SteadyLabel,
} from "../../runner/stats/steady_state/steady_state.ts";
import { freezesText, unsettledText, withinText } from "./over_time.ts";
import type { Finding } from "../blocks.ts";
import type { Spread } from "../writing/spread.ts";
import { formatCount, formatMs, formatNumber, formatTick } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { CellRuns } from "../cells/cells.ts";
import { cellSettling, type PartFigures, type Settling } from "../cells/steady.ts";

/** Of labels that as many runs have, which comes first. */
const ORDER = [
  "warm-up",
  "slowdown",
  "no-steady-state",
  "flat",
  "too-short",
] as const satisfies readonly SteadyLabel[];

/** What settled means of a percentile. */
export const SETTLED =
  "A percentile has settled when it stays within 5 % of its final value, or as close to it as during the run's last quarter (Kuffel and Walter).";

/** Every run of the cell is flat: there is nothing to know. */
export const FLAT = "steady.flat";

type Strays = Pick<Warmup, "withinRatio" | "withinMs">;
type UnsettledWarmup = Pick<Warmup, "unsettled" | "driftRatio" | "cyclePeriodS" | "freezes">;

interface Settled extends Settling {
  /** How far each run strays from its level. */
  readonly strays: readonly Strays[];
}

/** By label, what was seen in the runs that have it. */
interface SteadyEvidence {
  readonly "warm-up": Settled;
  readonly slowdown: Settled;
  /** The most frequent reason, by the first run that has it; null where freezes say all. */
  readonly "no-steady-state": UnsettledWarmup | null;
  readonly flat: readonly Strays[];
  /** `isSparse`: responses came in too few of many intervals. */
  readonly "too-short": { readonly intervalS: number; readonly isSparse: boolean };
}

interface GroupOf<Label extends SteadyLabel> {
  readonly label: Label;
  readonly runs: number;
  readonly evidence: SteadyEvidence[Label];
}

type LabelGroup = { [Label in SteadyLabel]: GroupOf<Label> }[SteadyLabel];

interface CellSteadiness {
  readonly cell: string;
  /** All runs. */
  readonly runs: number;
  /** The largest first. */
  readonly groups: readonly LabelGroup[];
  /** Runs in which the server froze, and the freezes of the one that was frozen longest; null: none. */
  readonly frozen: { readonly runs: number; readonly worst: Freezes } | null;
}

/**
 * One for each cell whose load is the same all the time; one for all where every run is too short:
 * `hono warms up: steady from 1.75 s on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before.`
 */
export function steadyFindings(cells: readonly CellRuns[]): Finding[] {
  const found = cells.map(cellSteadiness).filter(({ groups }) => groups.length > 0);
  const all = cells.flatMap(labelsOf);
  if (cells.length > 1 && all.length > 0 && all.every((label) => label === "too-short")) {
    const details = DETAILS["too-short"](tooShort(cells[0].runs[0].timeline));
    const text = `No run has enough intervals with responses to judge its warm-up: ${details}.`;
    return [{ code: "steady.too-short", text }];
  }
  return found.map((one) => ({ code: codeOf(one), text: steadyText(one) }));
}

/** By what most runs do; a cell is flat only where all of its runs are. */
function codeOf({ groups, frozen }: CellSteadiness): string {
  const isFlat = groups.every(({ label }) => label === "flat") && frozen === null;
  if (isFlat) return FLAT;
  const [most] = groups.filter(({ label }) => label !== "flat");
  return `steady.${most?.label ?? "frozen"}`;
}

function cellSteadiness(cell: CellRuns): CellSteadiness {
  const labels = labelsOf(cell);
  const groups = ORDER
    .map((label) => ({ label, runs: labels.filter((one) => one === label).length }))
    .filter(({ runs }) => runs > 0)
    .sort((a, b) => b.runs - a.runs)
    .map(({ label, runs }) => groupOf(cell, label, runs));
  return { cell: cell.label, runs: cell.runs.length, groups, frozen: frozenOf(cell) };
}

function labelsOf({ runs }: CellRuns): SteadyLabel[] {
  return runs.flatMap(({ warmup }) => warmup?.label ?? []);
}

function groupOf(cell: CellRuns, label: SteadyLabel, runs: number): LabelGroup {
  switch (label) {
    case "flat":
      return { label, runs, evidence: warmupsOf(cell, label) };
    case "too-short":
      return { label, runs, evidence: tooShort(cell.runs[0].timeline) };
    case "no-steady-state":
      return { label, runs, evidence: mostUnsettled(cell) };
    case "warm-up":
    case "slowdown":
      return { label, runs, evidence: settledOf(cell, label) };
  }
}

function settledOf(cell: CellRuns, label: SteadyLabel): Settled {
  const parts = cell.parts.filter(({ whole }) => whole.warmup?.label === label);
  return { ...cellSettling(parts), strays: warmupsOf(cell, label) };
}

/** Where responses are rare, most intervals are empty, and even the median rate is 0. */
function tooShort({ intervalS, points }: Run["timeline"]): SteadyEvidence["too-short"] {
  const active = points.filter(({ completed }) => completed > 0).length;
  const isSparse = active >= LEAST_STEADY_INTERVALS && 2 * active <= points.length;
  return { intervalS, isSparse };
}

/** What most of the runs without a steady state do instead, of equals the first; each run has its own figures. */
function mostUnsettled(cell: CellRuns): UnsettledWarmup | null {
  const byReason = Map.groupBy(
    warmupsOf(cell, "no-steady-state"),
    ({ unsettled }) => unsettled ?? null,
  );
  const [[most]] = [...byReason.values()].sort((a, b) => b.length - a.length);
  return most.unsettled === "freezes" ? null : most;
}

function frozenOf({ runs }: CellRuns): CellSteadiness["frozen"] {
  const frozen = runs.flatMap(({ warmup }) => warmup?.freezes ?? []);
  if (frozen.length === 0) return null;
  const [worst] = frozen.toSorted((a, b) => b.shareRatio - a.shareRatio);
  return { runs: frozen.length, worst };
}

function warmupsOf({ runs }: CellRuns, label: SteadyLabel): Warmup[] {
  return runs.flatMap(({ warmup }) => warmup?.label === label ? [warmup] : []);
}

function steadyText(found: CellSteadiness): string {
  return [...found.groups.map((group, i) => groupText(found, group, i === 0)), frozenText(found)]
    .flatMap((text) => text === "" ? [] : `${text}.`).join(" ");
}

/** `hono warms up in 2 of 3 runs: …` for the first, `1 run is flat` for the others. */
function groupText(found: CellSteadiness, group: LabelGroup, isFirst: boolean): string {
  const { label, runs } = group;
  const one = isFirst || runs === 1;
  const details = detailsText(label, group);
  const share = isFirst && runs < found.runs ? ` in ${runs} of ${counted(found.runs, "run")}` : "";
  const subject = isFirst ? found.cell : counted(runs, "run");
  const colon = label === "flat" ? "," : ":";
  return `${subject} ${VERBS[label][one ? 0 : 1]}${share}${details && `${colon} ${details}`}`;
}

/** Of one, and of several. */
const VERBS: Readonly<Record<SteadyLabel, readonly [string, string]>> = {
  "warm-up": ["warms up", "warm up"],
  slowdown: ["slows down", "slow down"],
  "no-steady-state": ["reaches no steady state", "reach no steady state"],
  flat: ["is flat from the start", "are flat from the start"],
  "too-short": [
    "has too few intervals with responses to judge its warm-up",
    "have too few intervals with responses to judge their warm-up",
  ],
};

const DETAILS: {
  readonly [Label in SteadyLabel]: (evidence: SteadyEvidence[Label]) => string;
} = {
  "warm-up": (settled) => settledText(settled, "warm-up"),
  slowdown: (settled) => settledText(settled, "slowdown"),
  "no-steady-state": (unsettled) => {
    const text = unsettled === null ? "" : unsettledText(unsettled);
    return `${text && `${text}; `}longer runs may`;
  },
  flat: withinText,
  "too-short": ({ intervalS, isSparse }) =>
    `that takes ${LEAST_STEADY_INTERVALS} of ${formatTick(intervalS)} s` +
    (isSparse ? ", and responses in more than half of all" : ""),
};

/** Ties the text to its own evidence: a union of all could not be called. */
function detailsText<Label extends SteadyLabel>(label: Label, group: GroupOf<Label>): string {
  return DETAILS[label](group.evidence);
}

/** `steady from 1.75 s (1.5–2) on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before`. */
function settledText(
  { seconds, requests, startUp, steady, strays }: Settled,
  label: SteadyLabel,
): string {
  if (!seconds || !requests) return "";
  const from = `steady from ${formatTick(seconds.median)} s${rangeText(seconds)} on, ` +
    `after ${formatCount(requests.median)} requests`;
  const within = withinText(strays);
  const settled = within === "" ? from : `${from}, ${within}`;
  return startUp && steady ? `${settled}; ${changeText(startUp, steady, label)}` : settled;
}

/** `In 2 of 3 runs the server sent no response for 2.0 s, 3 times, every 10 s`, of the run that was frozen longest. */
function frozenText({ runs, frozen }: CellSteadiness): string {
  if (frozen === null) return "";
  const head = runs === 1 ? "The" : `In ${frozen.runs} of ${counted(runs, "run")} the`;
  return `${head} server ${freezesText(frozen.worst)}`;
}

function rangeText({ min, max }: Spread): string {
  return min === max ? "" : ` (${formatTick(min)}–${formatTick(max)})`;
}

/** Of rate and p50 the one that got better by most after a warm-up, or worse after a slowdown. */
function changeText(startUp: PartFigures, steady: PartFigures, label: SteadyLabel): string {
  const byRate = Math.log(steady.rate / startUp.rate);
  const byP50 = Math.log(startUp.p50 / steady.p50);
  // Where nothing ended there is no latency to compare.
  const isSilent = startUp.count === 0 || steady.count === 0;
  if (isSilent || (label === "slowdown" ? byRate < byP50 : byRate > byP50)) {
    return `${formatNumber(steady.rate)} requests/s then, ${formatNumber(startUp.rate)} before`;
  }
  return `p50 ${formatMs(steady.p50)} then, ${formatMs(startUp.p50)} before`;
}
