/** Ratios as readable text: with as many digits as their interval supports, and never as a tiny decimal number. */
import { formatNumber, formatTick, GLUE, isTooWide, TOO_WIDE } from "./units.ts";

/** `4.31× [4.20, 4.43]`, or without the interval if there is none; `≥ 4.20×` for a bound; `–` if there is no ratio. */
export function ratioText(figureRatio: FigureRatio): string {
  return joined(ratioParts(figureRatio));
}

/** A ratio and its interval as separate texts; the interval is "" if there is none. */
export interface RatioParts {
  readonly value: string;
  readonly interval: string;
}

export function ratioParts({ figure, ratio, interval, bound = null }: FigureRatio): RatioParts {
  if (ratio === null) return { value: "–", interval: "" };
  const less = figure === "rate" ? "fewer" : "shorter";
  if (bound === null) return partsOf(ratio, interval, less);
  // The end of the interval takes the place of the value, because two limits side by side would
  // leave open which one holds.
  const end = boundOf({ ratio, interval, bound });
  const isLeast = (bound === "least") !== isTurned(end);
  return { value: `${isLeast ? "≥" : "≤"} ${partsOf(end, null, less).value}`, interval: "" };
}

/** Whether the true ratio may be larger (`least`) or smaller (`most`) than the measured one; null: neither. */
export type RatioBound = "least" | "most" | null;

/**
 * What a reader may rely on: the ratio itself or, if it is only a bound and has an interval, the end of the interval on
 * that side.
 */
export function boundOf({ ratio, interval, bound }: KnownRatio): number {
  if (bound === null || interval === null) return ratio;
  return bound === "least" ? interval.low : interval.high;
}

/** The ratio with its two sides swapped. */
export function inverseOf({ ratio, interval, bound }: KnownRatio): KnownRatio {
  return {
    ratio: 1 / ratio,
    interval: interval && { low: 1 / interval.high, high: 1 / interval.low },
    bound: bound && (bound === "least" ? "most" : "least"),
  };
}

interface KnownRatio {
  readonly ratio: number;
  readonly interval: RatioEnds | null;
  readonly bound: RatioBound;
}

function joined({ value, interval }: RatioParts): string {
  return interval === "" ? value : `${value}${GLUE}${interval}`;
}

interface FigureRatio {
  /**
   * The compared figure, which determines the word after a ratio that is written as its inverse: `fewer` for a rate,
   * `shorter` for anything else.
   */
  readonly figure: string | number;
  readonly ratio: number | null;
  readonly interval: RatioEnds | null;
  /** Default null. */
  readonly bound?: RatioBound;
}

/** Ratios below this are written as their inverse: `12,000× shorter`, not `0.000083×`. */
const LEAST_READABLE = 0.01;

export function isTurned(ratio: number | null): boolean {
  return ratio !== null && ratio > 0 && ratio < LEAST_READABLE;
}

export function formatRatio(
  ratio: number,
  interval: RatioEnds | null,
): string {
  return joined(partsOf(ratio, interval, null));
}

/**
 * Returns the texts of a ratio and its interval. @param less The word after a ratio that is written as its inverse;
 * null to write such a ratio as a fraction, `1/12,000×`.
 */
function partsOf(
  ratio: number,
  interval: RatioEnds | null,
  less: "fewer" | "shorter" | null,
): RatioParts {
  if (!isTurned(ratio)) return partsWith(ratio, interval, ["", "×"]);
  const turned = interval && { low: 1 / interval.high, high: 1 / interval.low };
  if (less !== null) return partsWith(1 / ratio, turned, ["", `×${GLUE}${less}`]);
  return partsWith(1 / ratio, turned && { low: turned.high, high: turned.low }, ["1/", "×"]);
}

interface RatioEnds {
  readonly low: number;
  readonly high: number;
}

function partsWith(
  ratio: number,
  interval: RatioEnds | null,
  [before, after]: readonly [before: string, after: string],
): RatioParts {
  const isExact = interval?.low === interval?.high && (ratio === 0 || ratio === Infinity);
  if (interval === null || isExact) {
    return { value: `${before}${fixed(ratio, decimalsOf(ratio))}${after}`, interval: "" };
  }
  const ends = [interval.low, interval.high];
  const width = Math.abs(interval.high - interval.low);
  const most = isSame(interval) ? DECIMALS_OF_SAME : Infinity;
  // Enough decimals to make the two ends of the interval differ.
  const differing = width > 0 ? Math.min(4, Math.ceil(-Math.log10(width))) : 2;
  const decimals = Math.max(decimalsOf(ratio), Math.min(most, differing));
  const value = `${before}${fixed(ratio, decimals, width)}${after}`;
  if (isTooWide({ low: Math.min(...ends), high: Math.max(...ends) })) {
    return { value, interval: TOO_WIDE };
  }
  const [low, high] = ends.map((one) => before + fixed(one, decimals, width));
  const end = interval.high === Infinity ? ")" : "]";
  return { value, interval: `[${low},${GLUE}${high}${end}` };
}

/** If the whole interval is within this factor of 1, more decimals would not be informative. */
const SAME_RATIO = 1.005;
const DECIMALS_OF_SAME = 3;

export function isSame({ low, high }: RatioEnds): boolean {
  return low >= 1 / SAME_RATIO && high <= SAME_RATIO;
}

/** A change or margin in per cent with two significant digits: `2 %`, `0.5 %`, `12 %`. */
export function percentText(share: number): string {
  return `${Number((share * 100).toPrecision(2))}${GLUE}%`;
}

function decimalsOf(ratio: number): number {
  return ratio >= 0.1 ? 2 : 3;
}

/**
 * Formats a ratio. From 1,000 on, it is rounded to the second significant digit of the interval's width or, without an
 * interval, to three significant digits.
 */
function fixed(ratio: number, decimals: number, width = ratio / 10): string {
  if (ratio === 0 || ratio === Infinity) return ratio === 0 ? "0" : "∞";
  if (ratio >= 1_000) {
    const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, Math.min(width, ratio)))) - 1);
    return formatNumber(Math.round(ratio / step) * step);
  }
  if (ratio >= 10) return formatNumber(ratio);
  const text = ratio.toFixed(decimals);
  return Number(text) === 0 ? formatNumber(ratio) : text;
}

/** A ratio with two significant digits, or with two decimals if it is near 1: `2.9×`, `1.04×`, `0.50×`, `12,000×`. */
export function timesText(ratio: number): string {
  if (ratio >= 10) return `${formatTick(Number(ratio.toPrecision(2)))}×`;
  if (ratio >= 1.095) return `${ratio.toFixed(1)}×`;
  if (ratio >= 0.1) return `${ratio.toFixed(2)}×`;
  return `${ratio >= 0.001 ? ratio.toPrecision(2) : formatNumber(Number(ratio.toPrecision(2)))}×`;
}
