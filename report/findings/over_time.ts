/** How one run behaved over time, in a few words: the label of its steady state, or why it has none. */
import type { Warmup } from "../../runner/result/warmup.ts";
import type { Freezes } from "../../runner/stats/steady_state/freezes.ts";
import type { UnsettledReason } from "../../runner/stats/steady_state/steady_state.ts";
import { formatMs, formatTick, GLUE } from "../writing/units.ts";

const LABELS: Readonly<Record<Warmup["label"], string>> = {
  flat: "flat",
  "warm-up": "warm-up",
  slowdown: "slowdown",
  "no-steady-state": "no steady state",
  "too-short": "too short to say",
};

/** For example `warm-up, steady from 1.5 s on, within ± 2.1 %`. */
export function overTimeText(warmup: Warmup): string {
  const { label, steadyFromS } = warmup;
  const from = steadyFromS ? `steady from ${formatTick(steadyFromS)} s on` : "";
  return [LABELS[label], from, withinText([warmup]), unsettledText(warmup), otherFreezes(warmup)]
    .filter(Boolean).join(", ");
}

/** Why a run has no steady state. Results of older versions lack some of these facts. */
interface UnsettledRun {
  readonly unsettled?: UnsettledReason | null;
  /** Relative change from start to end of a straight line that was fitted to the run. */
  readonly driftRatio?: number;
  readonly cyclePeriodS?: number;
  readonly freezes?: Freezes;
}

/**
 * Why the run has no steady state, and all its freezes, such as `latency or rate changes in the last quarter; the
 * server sent no response for 2.0 s, once`; "" if the results have no reason.
 */
export function everyUnsettledText(run: UnsettledRun): string {
  return [unsettledText(run), otherFreezes(run)].filter(Boolean).join("; ");
}

/** The freezes of a run, if they are not already given as the reason why it is unsteady. */
function otherFreezes({ unsettled, freezes }: UnsettledRun): string {
  return freezes && unsettled !== "freezes" ? `the server ${freezesText(freezes)}` : "";
}

/**
 * The smallest half-width that is stated for a band, as a share of the band's level. Smaller half-widths are stated as
 * this one.
 */
const LEAST_SHOWN = 0.001;

/**
 * The band in which the runs stay, such as `within ± 2.1 %`, for the run that strays farthest. `(p50 ± 40 µs)` is added
 * if latency is so low that its variation comes from the machine. "" if the results do not give the band.
 */
export function withinText(
  warmups: readonly Pick<Warmup, "withinRatio" | "withinMs">[],
): string {
  const ratio = Math.max(...warmups.map(({ withinRatio }) => withinRatio ?? -1));
  const ms = Math.max(...warmups.map(({ withinMs }) => withinMs ?? -1));
  if (ratio < 0) return "";
  const within = `within ± ${twoDigits(100 * Math.max(LEAST_SHOWN, ratio))}${GLUE}%`;
  return ms < 0 ? within : `${within} (p50 ± ${formatMs(ms)})`;
}

/** For example `sent no response for 2.0 s, 3 times, every 10 s`. The length is that of the longest freeze. */
export function freezesText({ count, longestS, periodS }: Freezes): string {
  const times = count === 1 ? "once" : `${count} times`;
  const every = periodS === null ? "" : `, every ${twoDigits(periodS)} s`;
  const length = count === 1 || periodS !== null ? "for" : "for up to";
  return `sent no response ${length} ${longestS.toFixed(1)} s, ${times}${every}`;
}

const UNSETTLED: Readonly<Record<UnsettledReason, (run: UnsettledRun) => string>> = {
  freezes: ({ freezes }) => freezes ? `the server ${freezesText(freezes)}` : "",
  drift: ({ driftRatio }) =>
    driftRatio === undefined
      ? "latency or rate drifts"
      : `latency or rate drifts by ${twoDigits(100 * Math.abs(driftRatio))} % from start to end`,
  cycle: ({ cyclePeriodS }) =>
    cyclePeriodS === undefined
      ? "latency or rate swings"
      : `latency or rate swings every ${twoDigits(cyclePeriodS)} s`,
  levels: () => "latency or rate jumps between two levels",
  returns: () => "latency or rate leaves its level and comes back",
  wander: () => "latency or rate rises and falls without a pattern",
  late: () => "latency or rate changes in the last quarter",
};

/** For example `latency or rate drifts by 12 % from start to end`; "" if the results give no reason. */
export function unsettledText(run: UnsettledRun): string {
  return run.unsettled ? UNSETTLED[run.unsettled](run) : "";
}

function twoDigits(value: number): number {
  return Number(value.toPrecision(2));
}
