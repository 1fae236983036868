/** What a run does instead of being steady, in words that trust, page, terminal and markdown share. */
import type { Freezes } from "./freezes.ts";
import type { UnsettledReason } from "./steady_state.ts";

/** What the results of a run say of it; those of older versions say less. */
export interface UnsettledRun {
  readonly unsettled?: UnsettledReason | null;
  /** Of a straight line, from start to end. */
  readonly driftRatio?: number;
  readonly cyclePeriodS?: number;
  readonly freezes?: Freezes;
}

/** `the server answered nothing for 2.0 s, 3 times, every 10 s`; of several the longest. */
export function freezesText({ count, longestS, periodS }: Freezes): string {
  const times = count === 1 ? "once" : `${count} times`;
  const every = periodS === null ? "" : `, every ${Number(periodS.toPrecision(2))} s`;
  const length = count === 1 || periodS !== null ? "for" : "for up to";
  return `the server answered nothing ${length} ${longestS.toFixed(1)} s, ${times}${every}`;
}

/** `it drifts by 12 % from start to end`; "" where the results do not say why. */
export function unsettledText(run: UnsettledRun): string {
  const { unsettled, freezes, driftRatio, cyclePeriodS } = run;
  switch (unsettled) {
    case "freezes":
      return freezes === undefined ? "" : freezesText(freezes);
    case "drift":
      return driftRatio === undefined
        ? "it drifts"
        : `it drifts by ${percent(Math.abs(driftRatio))} from start to end`;
    case "cycle":
      return cyclePeriodS === undefined
        ? "it swings"
        : `it swings every ${Number(cyclePeriodS.toPrecision(2))} s`;
    case "levels":
      return "it jumps between two levels";
    case "returns":
      return "it leaves its level and comes back";
    case "wander":
      return "it wanders about its level";
    case "late":
      return "it changes in its last quarter";
    default:
      return "";
  }
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
