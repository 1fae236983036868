/**
 * The searches for a capacity: what each search found, in words, and its trials as a table. For a scenario, also
 * latency against the achieved rate, and how each target breaks beyond its capacity. Pure.
 */
import type { CapacityResult, CapacityTrial, RunCapacity } from "../../runner/result/capacity.ts";
import { type Block, figure, type Finding, group, list, table } from "../blocks.ts";
import {
  type Advice,
  type Bottleneck,
  TARGET_FINDINGS,
  type TrustFinding,
} from "../../runner/result/findings.ts";
import { ERRORS } from "../../runner/result/outcome.ts";
import type { Progress } from "../../runner/result/progress.ts";
import {
  type DisplayUnit,
  formatCount,
  formatDuration,
  formatMs,
  formatNumber,
  formatShare,
  timeUnit,
} from "../writing/units.ts";
import { ADVICE, findingReason } from "../findings/sentences.ts";
import { counted, listed, uncapitalized } from "../writing/words.ts";
import { ERROR_WORDS } from "./tables/responses.ts";
import * as column from "./tables/column.ts";
import { type OfCell, type Table, tableOf, unitNamed } from "./tables/table.ts";
import { figureNamed, readQuantity } from "../../base/figures/figure.ts";
import {
  axisOver,
  compact,
  type Reference,
  type Xy,
  type XyPoint,
  type XySeries,
} from "../chart.ts";
import type { ReportContext } from "./subject.ts";

type TrialEvent = Extract<Progress, { kind: "trial" }>;

/** For example `[3] 9,816/s: held, p99 12.3 ms; the capacity is between 9,300/s and 9,990/s`. */
export function trialSentence(
  { number, trial, low, high }: Pick<TrialEvent, "number" | "trial" | "low" | "high">,
): string {
  const { ratePerSec, outcome, counts, p99, droppedRatio = 0, isSustained } = trial;
  const bounds = low === null || high === null
    ? ""
    : `; the capacity is between ${rateIn(low)} and ${rateIn(high)}`;
  const doubt = counts
    ? ""
    : ", not counted, because the generator or the machine may have caused this outcome";
  const [bad, unsent] = [failedRatio(trial), droppedRatio].map(formatShare);
  const kinds = failuresText(trial);
  const wrong = failedRatio(trial) > 0
    ? `, ${bad} of requests failed or wrong${kinds && ` (${kinds})`}`
    : "";
  const dropped = droppedRatio > 0 ? `, ${unsent} of requests never sent` : "";
  const after = isSustained ? " after an overload" : "";
  return `[${number}] ${rateIn(ratePerSec)} for ${
    formatDuration(trial.elapsedS)
  }${after}: ${outcome}, ` +
    `p99 ${formatMs(p99)}${wrong}${dropped}${doubt}${bounds}`;
}

/** Share of requests that failed or had a wrong response. Requests that were never sent count as neither. */
function failedRatio({ success, droppedRatio = 0 }: CapacityTrial): number {
  return Math.max(0, Number((1 - success - droppedRatio).toFixed(12)));
}

/**
 * For example `timed out 12, wrong responses 40`; "" if there were no failures, or if the result is from an earlier
 * version, which did not record the kinds of failures.
 */
function failuresText({ errors = {}, wrong = 0 }: CapacityTrial): string {
  const kinds = ERRORS.map((kind) =>
    [uncapitalized(ERROR_WORDS[kind]), errors[kind] ?? 0] as const
  );
  return [...kinds, ["wrong responses", wrong] as const].filter(([, count]) => count > 0)
    .map(([word, count]) => `${word} ${formatCount(count)}`).join(", ");
}

/**
 * For example `12,400/s [12,150, 12,650] with p99 < 50ms; p99 is 800 ms at 1.1 × the capacity; the target recovers in 2
 * s`.
 */
export function capacitySentence(result: RunCapacity): string {
  const { within, binding, capacity, trials, end } = result;
  const none = capacity === null ? uncountedText(trials) : "";
  // If only a lower bound of the capacity is known, nothing can be said about rates beyond the
  // capacity.
  const isOpen = capacity === null ? heldIn(trials) !== undefined : capacity.high === null;
  const isKnown = none === "" && end !== "nothing-holds" && end !== "unsustained" && !isOpen;
  return [
    `${foundText(result)} with ${listed(within, "and")}`,
    none,
    // With a single rule, it is obvious which one breaks first.
    isKnown && binding !== null && within.length > 1 && `${binding} breaks first`,
    ...isKnown ? [fullText(trials), beyondText(result), recoveryText(trials)] : [],
    END_TEXTS[end]?.(result),
  ].filter(Boolean).join("; ");
}

function foundText({ capacity, trials, end }: RunCapacity): string {
  if (capacity === null) {
    const tried = trials.filter(({ counts }) => counts).map(({ ratePerSec }) => ratePerSec);
    const isLeftOpen = end === "interrupted" || end === "unsustained" || heldIn(trials);
    if (tried.length === 0 || isLeftOpen) return "No capacity known";
    return `Even ${rateIn(Math.min(...tried))} is more than the target can take`;
  }
  const { value, low, high, bound } = capacity;
  if (bound === "generator") return `At least ${rateIn(value)} (generator)`;
  return high === null
    ? `At least ${rateIn(value)}`
    : `${rateIn(value)} [${rateNumber(low)}, ${rateNumber(high)}]`;
}

/** Of the trials that kept the rules, the one with the highest rate. */
function heldIn(trials: readonly CapacityTrial[]): CapacityTrial | undefined {
  return trials.filter(({ outcome }) => outcome === "held")
    .toSorted((a, b) => b.ratePerSec - a.ratePerSec)[0];
}

/**
 * For example `the only trial did not count: the generator did not keep up: requests were sent up to 5 ms late …`; ""
 * if a trial counted, or if there were no trials.
 */
function uncountedText(trials: readonly CapacityTrial[]): string {
  const last = trials[trials.length - 1];
  if (last === undefined || trials.some(({ counts }) => counts)) return "";
  const [why] = doubtsOf(last);
  const reason = why === undefined ? "" : `: ${uncapitalized(findingReason(why).split(". ")[0])}`;
  if (trials.length === 1) return `the only trial did not count${reason}`;
  const none = `none of the ${trials.length} trials counted`;
  return reason === "" ? none : `${none}; the last one${reason}`;
}

/**
 * The trial's findings about the generator or the machine, as opposed to the target. They may explain why the trial
 * broke the rules.
 */
function doubtsOf({ findings }: CapacityTrial): TrustFinding[] {
  return findings.filter(({ code }) => !TARGET_FINDINGS.includes(code));
}

/**
 * Advice that makes sense for a run, but not for a search, which chooses rates and lengths and repeats trials by
 * itself.
 */
const OF_A_RUN = new Set<Advice>(
  ["lower-rate", "longer-run", "repeat-run", "inspect-timeline", "compare-differences"],
);

/** Says how more trials could be made to count: the advice given most often for trials that did not count. */
function nextText(trials: readonly CapacityTrial[]): string {
  const first = trials.filter(({ counts }) => !counts).flatMap((trial) =>
    doubtsOf(trial).flatMap(({ advice }) => advice).find((one) => !OF_A_RUN.has(one)) ?? []
  );
  const [most] = [...Map.groupBy(first, (advice) => advice).values()]
    .toSorted((a, b) => b.length - a.length);
  return `next: ${most === undefined ? "search again on a quieter machine" : ADVICE[most[0]]}`;
}

function beyondText({ breaking }: RunCapacity): string {
  const beyond = breaking.find(({ ofCapacity }) => ofCapacity > 1);
  if (beyond === undefined) return "";
  const wrong = beyond.success < 1 ? `, success ${formatShare(beyond.success)},` : "";
  return `p99 is ${formatMs(beyond.p99)}${wrong} at ${beyond.ofCapacity} × the capacity`;
}

const FULL: Readonly<Partial<Record<Bottleneck["kind"], string>>> = {
  core: "beyond the capacity, one core is full",
  cores: "beyond the capacity, all cores are full",
  kernel: "beyond the capacity, the target's core is full with the kernel's work",
  redis: "beyond the capacity, Redis is full",
  "cpu-limit": "beyond the capacity, the target is at its CPU limit",
  connections: "beyond the capacity, all connections are busy",
  "open-files": "beyond the capacity, the target is at its limit of open files",
  waiting: "beyond the capacity, the target is not busy, and requests wait",
};

/** The bottleneck at the lowest rate that broke the rules; "" if unknown. */
function fullText(trials: readonly CapacityTrial[]): string {
  const [first] = trials.filter(({ outcome, counts }) => outcome === "broken" && counts)
    .sort((a, b) => a.ratePerSec - b.ratePerSec);
  return first?.bottleneck === undefined ? "" : FULL[first.bottleneck.kind] ?? "";
}

/** The longest recovery observed after a trial that broke the rules. */
function recoveryText(trials: readonly CapacityTrial[]): string {
  const seconds = trials.filter(({ outcome }) => outcome === "broken")
    .map(({ recoveryS }) => recoveryS ?? Infinity);
  if (seconds.length === 0) return "";
  const longest = Math.max(...seconds);
  if (longest === Infinity) return "after at least one trial, the target did not recover";
  return longest < 0.1
    ? "the target recovers at once"
    : `the target recovers in ${formatDuration(longest)}`;
}

/** Why a search ended without a capacity, or without a certain one. */
const END_TEXTS: Readonly<Partial<Record<RunCapacity["end"], (result: RunCapacity) => string>>> = {
  budget: budgetText,
  disturbed: ({ trials }) =>
    `inconclusive: the machine disturbed so many trials that the search ended early; ${
      nextText(trials)
    }`,
  unsustained: unsustainedText,
  "not-recovered": () => "the target did not recover from the last trial",
  interrupted: () => "interrupted",
};

function budgetText(
  { trials, trialS: [shortS, longS], budgetS, widthRatio, wouldTakeS, capacity }: RunCapacity,
): string {
  const open = `inconclusive when the budget of ${formatDuration(budgetS)} ended`;
  if (trials.length > 0 && trials.every(({ counts }) => !counts)) {
    return `${open}; ${nextText(trials)}`;
  }
  const held = heldIn(trials);
  if (capacity === null && held !== undefined) {
    return `${open}: ${rateIn(held.ratePerSec)} held for ${formatDuration(held.elapsedS)}, ` +
      "which is too short to show that it can be sustained; " +
      `next: use longer trials (--trial ${shortS}s,${2 * Math.ceil(longS)}s) and a larger budget`;
  }
  const ended = `inconclusive: the budget ended before the interval was within ± ${
    formatNumber(widthRatio * 100)
  } %`;
  if (wouldTakeS === undefined) return ended;
  return `${ended}; a budget of about ${Math.ceil(wouldTakeS / 60)}m would probably decide`;
}

/** Which rate held in shorter trials but could not be sustained, and how to find a rate that can. */
function unsustainedText({ trials, trialS: [shortS, longS] }: RunCapacity): string {
  const fell = trials.find(({ isSustained, outcome }) => isSustained && outcome === "broken");
  if (fell === undefined) return "inconclusive: a sustained trial broke the rules";
  const longer = `--trial ${shortS}s,${2 * Math.ceil(fell.plannedS)}s`;
  return `inconclusive: ${rateIn(fell.ratePerSec)} held in trials of ${formatDuration(longS)}, ` +
    `but not for ${formatDuration(fell.plannedS)} after an overload; ` +
    `longer trials (${longer}) would show a rate that can be sustained`;
}

/** Blocks about a search. The last line states the capacity. */
export function capacityBlocks(result: CapacityResult): Block[] {
  const outcome = result.capacity === null ? "open" : "good";
  return [group(result.url, [
    table(trialsTable(result.trials)),
    group("Capacity", [list([{ code: "capacity", text: capacitySentence(result), outcome }])]),
  ])];
}

/** A table of trials in the order in which they were made. */
export function trialsTable(trials: readonly CapacityTrial[], caption = "Trials"): Table {
  const unit = timeUnit(trials.map(({ p99 }) => p99));
  const rows = trials.map((trial, i) => ({ ...trial, number: i + 1 }));
  return tableOf({ caption }, rows, [
    column.number("Trial", ({ number }) => number, "count"),
    column.number("Rate", ({ ratePerSec }) => ratePerSec, PER_SEC),
    column.number("Lasted", ({ elapsedS }) => elapsedS, unitNamed("s")),
    column.number("Completed", ({ completedPerSec }) => completedPerSec, PER_SEC),
    column.number("p50", ({ p50 }) => p50, unit),
    column.number("p99", ({ p99 }) => p99, unit),
    column.errors("Failed or wrong", failedRatio, "share"),
    column.rare(column.errors("Never sent", ({ droppedRatio }) => droppedRatio, "share")),
    column.text("What went wrong", failuresText),
    column.text("Outcome", trialWord),
  ]);
}

const PER_SEC = unitNamed("/s");

function trialWord({ outcome, counts }: CapacityTrial): string {
  return counts ? outcome : `${outcome}, not counted`;
}

export function rateIn(perSec: number): string {
  return `${rateNumber(perSec)}/s`;
}

function rateNumber(perSec: number): string {
  return perSec < 100 ? formatNumber(perSec) : formatCount(perSec);
}

// The searches of a scenario.

interface SearchedCell extends OfCell {
  readonly searches: readonly RunCapacity[];
  readonly trials: readonly CapacityTrial[];
  /** The search whose capacity is the median of the cell's runs. */
  readonly middle: RunCapacity;
}

/** The searches of each scenario as charts and tables; empty if no load searched for a capacity. */
export function capacity({ scenarios }: ReportContext): Block[] {
  return scenarios.map(({ name, cells }, i) =>
    group(name, searchBlocks(name, cells.flatMap(searchedCell)), { id: String(i + 1) })
  );
}

function searchBlocks(scenario: string, searched: readonly SearchedCell[]): Block[] {
  if (searched.length === 0) return [];
  return [
    list(searched.map(findingOf)),
    figure([{ chart: latencyChart(scenario, searched) }], {
      legend: searched.map(({ cell: { label, color } }) => ({ label, color })),
      reading: READING,
    }),
    table(breakingTable(searched), { isCaptioned: true }),
    ...searched.map(({ cell: { label }, trials }) =>
      table(trialsTable(trials, `Trials of ${label}`), { fold: `Trials of ${label}` })
    ),
  ];
}

const READING =
  "Each dot is a trial at one rate: p99 strong, p50 pale. Filled: every rule held; hollow: a rule broke; a cross: the trial does not count, because the generator or the machine may have caused its outcome. The dashed line across is a rule's limit. The dashed upright line is the capacity, the bar at its foot is its 95 % interval. A trial that breaks a rule ends early, so its p99 could have grown further. A cliff: just beyond the capacity, p99 is at least 4 times what it is at the capacity, or fewer than 90 % of the requests succeed; else a slope. Latency is on a logarithmic axis.";

function searchedCell(cell: SearchedCell["cell"]): SearchedCell[] {
  const searches = cell.runs.flatMap(({ capacity }) => capacity ?? [])
    .filter(({ trials }) => trials.length > 0);
  if (searches.length === 0) return [];
  const valueOf = ({ capacity }: RunCapacity): number => capacity?.value ?? 0;
  const middle = searches.toSorted((a, b) => valueOf(a) - valueOf(b))[(searches.length - 1) >> 1];
  return [{ cell, searches, trials: searches.flatMap(({ trials }) => trials), middle }];
}

function findingOf({ cell: { label }, searches, middle }: SearchedCell): Finding {
  const of = searches.length === 1
    ? ""
    : ` (of ${formatCount(searches.length)} runs, the one with the median capacity)`;
  return { code: "capacity", text: `${label}${of}: ${capacitySentence(middle)}.` };
}

function latencyChart(scenario: string, searched: readonly SearchedCell[]): Xy {
  const trials = searched.flatMap((one) => one.trials);
  const limits = [...new Set(searched.flatMap(({ middle }) => middle.within.flatMap(limitMs)))];
  const times = [...trials.map(({ p99 }) => p99), ...limits];
  const unit = timeUnit(times);
  const latencies = [...trials.map(({ p50 }) => p50), ...times].filter((ms) => ms > 0);
  const rates = [
    ...trials.map(({ completedPerSec }) => completedPerSec),
    ...searched.flatMap(({ middle: { capacity } }) => [capacity?.value, capacity?.high]),
  ];
  return {
    kind: "xy",
    size: "large",
    alt: `p50 and p99 of ${scenario} over the requests per second that were achieved, from ${
      counted(trials.length, "trial")
    }. The tables below have their values.`,
    x: { ...axisOver("", rates, { room: 1.06 }), title: "achieved requests/s" },
    y: axisOver(unit.name, latencies.map((ms) => ms / unit.size), { logFrom: 0, room: 1.3 }),
    references: [
      ...limits.map((ms): Reference => ({
        kind: "horizontal",
        at: compact(ms / unit.size),
        color: "alarm",
      })),
      ...searched.flatMap(kneeOf),
    ],
    series: [
      ...searched.map((one) => latencySeries(one, "p99", unit)),
      ...searched.map((one): XySeries => ({ ...latencySeries(one, "p50", unit), isFaint: true })),
    ],
  };
}

/** The limit in ms that a rule sets on a percentile of latency; empty for other rules. */
function limitMs(rule: string): number[] {
  const [name, text = ""] = rule.split(/<=?/);
  const figure = figureNamed(name.trim());
  const isPercentile = figure?.distribution === "latency" && typeof figure.statistic === "number";
  const limit = readQuantity(text, "ms");
  return isPercentile && "value" in limit ? [limit.value] : [];
}

function latencySeries(
  { cell: { label, color }, trials }: SearchedCell,
  percentile: "p50" | "p99",
  unit: DisplayUnit,
): XySeries {
  const points = trials.filter((trial) => trial[percentile] > 0)
    .toSorted((a, b) => a.completedPerSec - b.completedPerSec)
    .map((trial): XyPoint => ({
      x: compact(trial.completedPerSec),
      y: compact(trial[percentile] / unit.size),
      lines: [
        `${percentile} ${formatMs(trial[percentile])} at ${rateIn(trial.completedPerSec)} of ${
          rateIn(trial.ratePerSec)
        } due, ${trialWord(trial)}`,
      ],
      ...trial.outcome === "broken" && { fill: "hollow" },
      ...!trial.counts && { mark: "cross" },
    }));
  return { label, color, draw: "dots", points };
}

/**
 * The capacity as a reference line, with a bar for its interval. If the capacity is only a lower bound, the interval
 * has no upper end, so the bar ends at the capacity itself.
 */
function kneeOf({ cell: { label, color }, middle: { capacity } }: SearchedCell): Reference[] {
  if (capacity === null) return [];
  const { value, low, high } = capacity;
  const [at, from, to] = [value, low, high ?? value].map(compact);
  return [{ kind: "vertical", label, color, at, low: from, high: to }];
}

/**
 * A target falls off a cliff if, beyond the capacity, its p99 is at least `ofP99` times its p99 at the capacity, or
 * less than the share `success` of the requests succeeds.
 */
const CLIFF = { ofP99: 4, success: 0.9 };

/** `cliff` or `slope`; "" unless there are trials both at the capacity and beyond it. */
export function breakingWord(breaking: RunCapacity["breaking"]): "cliff" | "slope" | "" {
  const at = breaking.find(({ ofCapacity }) => ofCapacity === 1);
  const beyond = breaking.find(({ ofCapacity }) => ofCapacity > 1);
  if (at === undefined || beyond === undefined) return "";
  const isCliff = beyond.p99 >= CLIFF.ofP99 * at.p99 || beyond.success < CLIFF.success;
  return isCliff ? "cliff" : "slope";
}

/** Latency at and beyond the capacity of each cell; without rows if no trial was beyond a capacity. */
function breakingTable(searched: readonly SearchedCell[]): Table {
  const all = searched.flatMap(({ cell, middle: { breaking } }) =>
    breaking.map((at) => ({ ...at, cell, word: breakingWord(breaking) }))
  );
  const rows = all.some(({ ofCapacity }) => ofCapacity > 1) ? all : [];
  return tableOf({ caption: "How it breaks" }, rows, [
    column.cell,
    column.number("Of capacity", ({ ofCapacity }) => ofCapacity),
    column.number("Rate", ({ ratePerSec }) => ratePerSec, PER_SEC),
    column.number("p99", ({ p99 }) => p99, timeUnit(rows.map(({ p99 }) => p99))),
    { label: "Success", cell: ({ success }) => ({ text: formatShare(success), value: success }) },
    column.text(
      "Recovers in",
      ({ recoveryS }) => recoveryS === null ? "not seen" : `${formatNumber(recoveryS)} s`,
    ),
    column.text("Breaks as", ({ word }) => word),
  ]);
}
