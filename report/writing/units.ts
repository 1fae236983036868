/**
 * Numbers as readable text. A column or figure gets one unit, chosen by its typical value (as Criterion's
 * `ValueFormatter` does), and each number gets as many digits as a measurement supports. Pure.
 */
import { median } from "./spread.ts";

/** A no-break space, put between a number and its unit. On a terminal it becomes a plain space. */
export const GLUE = "\u00a0";

/**
 * A unit in which values are displayed. Its size is in the base unit of such values: ms for times, bytes for sizes, 1
 * for plain numbers.
 */
export interface DisplayUnit {
  readonly name: string;
  readonly size: number;
  /** Largest useful number of decimals: times are measured in whole µs, sizes in bytes. */
  readonly decimals: number;
}

const TIME_UNITS: readonly DisplayUnit[] = [
  { name: "s", size: 1_000, decimals: 3 },
  { name: "ms", size: 1, decimals: 3 },
  { name: "µs", size: 0.001, decimals: 1 },
];

/** Decimal (SI) units, as used for disks and network cards. */
const SIZE_UNITS: readonly DisplayUnit[] = [
  { name: "GB", size: 1e9, decimals: 3 },
  { name: "MB", size: 1e6, decimals: 3 },
  { name: "kB", size: 1e3, decimals: 3 },
  { name: "B", size: 1, decimals: 1 },
];

/** The unit that turns a share, 0–1, into per cent. */
export const PERCENT: DisplayUnit = { name: "%", size: 0.01, decimals: 2 };
/** Like `PERCENT`, with enough decimals for shares far below 1 %. */
export const FINE_PERCENT: DisplayUnit = { ...PERCENT, decimals: 4 };

/** Milliseconds are used for values down to this many ms, because 0.2 ms is as readable as 200 µs. */
const SMALLEST_TIME = 0.1;

/** The unit that suits the median of the values of a column or figure. @param valuesMs Times in ms. */
export function timeUnit(valuesMs: readonly number[]): DisplayUnit {
  const typicalMs = typicalOf(valuesMs);
  return TIME_UNITS.find(({ name, size }) =>
    typicalMs >= size * (name === "s" ? 1 : SMALLEST_TIME)
  ) ?? TIME_UNITS[typicalMs === 0 ? 1 : 2];
}

/** The unit that suits the median of the values of a column or figure. @param valuesBytes Sizes in bytes. */
export function sizeUnit(valuesBytes: readonly number[]): DisplayUnit {
  const typicalBytes = typicalOf(valuesBytes);
  return SIZE_UNITS.find(({ size }) => typicalBytes >= size) ?? SIZE_UNITS[3];
}

/** The median of the values above 0; 0 if there are none. */
function typicalOf(values: readonly number[]): number {
  return median(values.filter((value) => value > 0));
}

/**
 * A number with at least three significant digits, but without decimals from 100 on: 0.0123, 1.23, 12.3, 1,234. It has
 * at most `mostDecimals` decimals, even if that leaves fewer significant digits.
 */
export function formatNumber(value: number, mostDecimals = 6): string {
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(2 - exponent, 0), mostDecimals);
  return grouped(value.toFixed(decimals));
}

export function formatCount(count: number): string {
  return grouped(String(Math.round(count)));
}

/** Converts a value from base units, and formats it without the unit's name. */
export function formatIn(value: number, { size, decimals }: DisplayUnit): string {
  return formatNumber(value / size, decimals);
}

/** Converts a value from base units, and formats it with the unit's name. */
export function formatQuantity(value: number, unit: DisplayUnit): string {
  return `${formatIn(value, unit)}${GLUE}${unit.name}`;
}

/** Formats a time in the unit that suits it. @param ms The time in ms. */
export function formatMs(ms: number): string {
  return formatQuantity(ms, timeUnit([ms]));
}

/** `≥ 1.75 s` if the true value may be larger than the text says, otherwise the text alone. */
export function boundText(text: string, isAtLeast: boolean): string {
  return isAtLeast ? `≥ ${text}` : text;
}

/** `at most 9` if the true value may be smaller than the text says, otherwise the text alone. */
export function atMostText(text: string, isAtMost: boolean): string {
  return isAtMost ? `at most ${text}` : text;
}

/**
 * Formats a share, 0–1, in per cent: 0 %, 0.02 %, 12.3 %. Never rounds to 0 or 100 % unless the share is exactly that.
 */
export function formatShare(share: number): string {
  return `${formatPercent(share)}${GLUE}%`;
}

/** Formats a share, 0–1, in per cent without the % sign, for columns that have it in their heading. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.0001) return "< 0.01";
  if (share < 1 && share > 0.9999) return "> 99.99";
  const percent = share * 100;
  if (share === 0 || share === 1) return String(percent);
  return percent.toFixed(percent < 10 || percent > 99.9 ? 2 : 1);
}

/** Formats seconds as people say them: 32.1 ms, 0.5 s, 54 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) return formatMs(seconds * 1_000);
  if (seconds < 10) return `${Number(seconds.toFixed(1))}${GLUE}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${GLUE}s`;
  if (whole < 3_600) return pair(whole, 60, ["min", "s"]);
  return pair(Math.round(whole / 60), 60, ["h", "min"]);
}

/** Formats seconds with their fraction, rounded to six significant digits: 0.25 s, 12.5 s, 3 min 5 s. */
export function formatExactly(seconds: number): string {
  return Number.isInteger(seconds)
    ? formatDuration(seconds)
    : `${Number(seconds.toPrecision(6))}${GLUE}s`;
}

function pair(total: number, base: number, [large, small]: readonly [string, string]): string {
  const rest = total % base;
  const head = `${Math.floor(total / base)}${GLUE}${large}`;
  return rest ? `${head} ${rest}${GLUE}${small}` : head;
}

/** Formats an ISO 8601 time in UTC as `2031-05-04 10:18 UTC`. */
export function formatMoment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** Formats a round number for an axis, without superfluous digits. */
export function formatTick(value: number): string {
  return grouped(String(Number(value.toPrecision(6))));
}

/** Shown in place of an interval that is too wide to mean anything, as after two very different runs. */
export const TOO_WIDE = "[too wide]";
const WIDEST_RATIO = 1_000;

/**
 * Whether the interval is so wide that it says nothing; false if an end is 0 or infinite, because such an interval
 * leaves that end open on purpose.
 */
export function isTooWide({ low, high }: { readonly low: number; readonly high: number }): boolean {
  return low > 0 && high < Infinity && high / low > WIDEST_RATIO;
}

/**
 * Formats an interval as `[1,200, 1,270]` or `[1,200, ∞)`, converted to the unit, with as many decimals as are needed
 * to make the ends differ.
 */
export function formatInterval(
  { low, high }: { readonly low: number; readonly high: number },
  { size, decimals: most }: DisplayUnit = PLAIN,
): string {
  if (isTooWide({ low, high })) return TOO_WIDE;
  const differing = high > low ? Math.ceil(-Math.log10((high - low) / size)) : 0;
  const [from, to] = [low / size, high / size].map((end) => {
    const significant = end > 0 ? 2 - Math.floor(Math.log10(end)) : 0;
    return grouped(end.toFixed(Math.min(most, Math.max(0, significant, differing))));
  });
  return `[${from},${GLUE}${high === Infinity ? "∞)" : `${to}]`}`;
}

/** Formats an interval; returns "" if both ends would look the same, because `[180, 180]` says nothing. */
export function intervalText(
  interval: { readonly low: number; readonly high: number },
  unit?: DisplayUnit,
): string {
  const text = formatInterval(interval, unit);
  return /^\[(.+),\s\1\]$/.test(text) ? "" : text;
}

/** Unit of counts and rates. */
const PLAIN: DisplayUnit = { name: "", size: 1, decimals: 6 };

/** Separates groups of three digits before the decimal point by commas. */
function grouped(digits: string): string {
  const [whole, decimals] = digits.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return decimals ? `${groups}.${decimals}` : groups;
}

/** Turns a number written by `formatCount` or `formatNumber` into plain digits; returns any other text unchanged. */
export function withoutGroups(text: string): string {
  return /^\d{1,3}(?:,\d{3})*(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}
