/** How each cell warms up, slows down, stays flat or never settles, in words. */
import type { Run } from "../../../runner/result/result.ts";
import {
  LEAST_STEADY_INTERVALS,
  type SteadyLabel,
} from "../../../runner/stats/steady_state/steady_state.ts";
import { freezesText, unsettledText, withinText } from "../numbers/over_time.ts";
import type { Spread } from "../numbers/spread.ts";
import { formatCount, formatMs, formatNumber, formatTick } from "../numbers/units.ts";
import { counted } from "../numbers/words.ts";
import type { CellRuns } from "../runs/cells.ts";
import { cellSettling, type PartFigures } from "../runs/steady.ts";

/** Of labels that as many runs have, which comes first. */
const ORDER = [
  "warm-up",
  "slowdown",
  "no-steady-state",
  "flat",
  "too-short",
] as const satisfies readonly SteadyLabel[];

export interface SteadyFinding {
  /** `hono warms up: steady from 1.75 s on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before.` */
  readonly text: string;
  /** Whether every run is flat: nothing to know. */
  readonly isFlat: boolean;
}

interface LabelGroup {
  readonly label: SteadyLabel;
  readonly runs: number;
}

/** One for each cell whose load is the same all the time; one for all where every run is too short. */
export function steadyFindings(cells: readonly CellRuns[]): SteadyFinding[] {
  const all = cells.flatMap(labelsOf);
  if (cells.length > 1 && all.length > 0 && all.every((label) => label === "too-short")) {
    const details = detailsText(cells[0], "too-short");
    const text = `No run has enough intervals with responses to judge its warm-up: ${details}.`;
    return [{ text, isFlat: false }];
  }
  return cells.flatMap((cell) => {
    const labels = labelsOf(cell);
    const groups = ORDER
      .map((label) => ({ label, runs: labels.filter((one) => one === label).length }))
      .filter(({ runs }) => runs > 0)
      .sort((a, b) => b.runs - a.runs);
    if (groups.length === 0) return [];
    const frozen = frozenText(cell);
    return [{
      text: [...groups.map((group, i) => groupText(cell, group, i === 0)), frozen]
        .flatMap((text) => text === "" ? [] : `${text}.`).join(" "),
      isFlat: groups.length === 1 && groups[0].label === "flat" && frozen === "",
    }];
  });
}

function labelsOf({ runs }: CellRuns): SteadyLabel[] {
  return runs.flatMap(({ warmup }) => warmup?.label ?? []);
}

/** `hono warms up in 2 of 3 runs: …` for the first, `1 run is flat` for the others. */
function groupText(cell: CellRuns, { label, runs }: LabelGroup, isFirst: boolean): string {
  const one = isFirst || runs === 1;
  const details = detailsText(cell, label);
  const share = isFirst && runs < cell.runs.length
    ? ` in ${runs} of ${counted(cell.runs.length, "run")}`
    : "";
  const subject = isFirst ? cell.label : counted(runs, "run");
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

function detailsText(cell: CellRuns, label: SteadyLabel): string {
  switch (label) {
    case "flat":
      return withinText(warmupsOf(cell, label));
    case "too-short":
      return tooShortText(cell.runs[0].timeline);
    case "no-steady-state":
      return `${whyText(cell)}longer runs may`;
    default:
      return settledText(cell, label);
  }
}

/** Where responses are rare, most intervals are empty, and even the median rate is 0. */
function tooShortText({ intervalS, points }: Run["timeline"]): string {
  const active = points.filter(({ completed }) => completed > 0).length;
  const isSparse = active >= LEAST_STEADY_INTERVALS && 2 * active <= points.length;
  const text = `that takes ${LEAST_STEADY_INTERVALS} of ${formatTick(intervalS)} s`;
  return isSparse ? `${text}, and responses in more than half of all` : text;
}

/** `steady from 1.75 s (1.5–2) on, after 14,200 requests; p50 0.82 ms then, 1.31 ms before`. */
function settledText(cell: CellRuns, label: SteadyLabel): string {
  const { seconds, requests, startUp, steady } = cellSettling(
    cell.parts.filter(({ whole }) => whole.warmup?.label === label),
  );
  if (!seconds || !requests) return "";
  const from = `steady from ${formatTick(seconds.median)} s${rangeText(seconds)} on, ` +
    `after ${formatCount(requests.median)} requests`;
  const within = withinText(warmupsOf(cell, label));
  const settled = within === "" ? from : `${from}, ${within}`;
  return startUp && steady ? `${settled}; ${changeText(startUp, steady, label)}` : settled;
}

function warmupsOf({ runs }: CellRuns, label: SteadyLabel): NonNullable<Run["warmup"]>[] {
  return runs.flatMap(({ warmup }) => warmup?.label === label ? [warmup] : []);
}

/** What most of the runs without a steady state do instead, of equals the first; each run has its own figures. */
function whyText(cell: CellRuns): string {
  const byReason = Map.groupBy(
    warmupsOf(cell, "no-steady-state"),
    ({ unsettled }) => unsettled ?? null,
  );
  const [most] = [...byReason.values()].sort((a, b) => b.length - a.length);
  const text = most[0].unsettled === "freezes" ? "" : unsettledText(most[0]);
  return text && `${text}; `;
}

/** `In 2 of 3 runs the server sent no response for 2.0 s, 3 times, every 10 s`, of the run that was frozen longest. */
function frozenText({ runs }: CellRuns): string {
  const frozen = runs.flatMap(({ warmup }) => warmup?.freezes ?? []);
  if (frozen.length === 0) return "";
  const [worst] = frozen.toSorted((a, b) => b.shareRatio - a.shareRatio);
  const text = freezesText(worst);
  return runs.length === 1
    ? `${text[0].toUpperCase()}${text.slice(1)}`
    : `In ${frozen.length} of ${counted(runs.length, "run")} ${text}`;
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
