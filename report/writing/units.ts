/**
 * Numbers as people read them. A column or figure gets one unit, chosen by its typical value (as Criterion's
 * `ValueFormatter` does), and each number as many digits as a measurement supports. Pure.
 */
import { median } from "./spread.ts";

/** Put between a number and its unit, so that a line never breaks there; terminals get a plain space. */
export const GLUE = "\u00a0";

/** A unit and its size in the base unit of the results: ms, bytes, or 1. */
export interface DisplayUnit {
  readonly name: string;
  readonly size: number;
  /** The most decimals that make sense: times are measured in whole µs, sizes in bytes. */
  readonly decimals: number;
}

const TIME_UNITS: readonly DisplayUnit[] = [
  { name: "s", size: 1_000, decimals: 3 },
  { name: "ms", size: 1, decimals: 3 },
  { name: "µs", size: 0.001, decimals: 1 },
];

/** Decimal (SI) sizes, as disks and network cards count. */
const SIZE_UNITS: readonly DisplayUnit[] = [
  { name: "GB", size: 1e9, decimals: 3 },
  { name: "MB", size: 1e6, decimals: 3 },
  { name: "kB", size: 1e3, decimals: 3 },
  { name: "B", size: 1, decimals: 1 },
];

/** Shares, 0–1, in per cent. */
export const PERCENT: DisplayUnit = { name: "%", size: 0.01, decimals: 2 };
/** Shares, 0–1, in per cent, with digits for shares far below 1 %. */
export const FINE_PERCENT: DisplayUnit = { ...PERCENT, decimals: 4 };

/** 0.2 ms is as readable as 200 µs, so a larger unit is used down to a tenth of it. */
const SMALLEST_TIME = 0.1;

/** The unit for a column or figure of times, in ms. */
export function timeUnit(valuesMs: readonly number[]): DisplayUnit {
  const typicalMs = typicalOf(valuesMs);
  return TIME_UNITS.find(({ name, size }) =>
    typicalMs >= size * (name === "s" ? 1 : SMALLEST_TIME)
  ) ?? TIME_UNITS[typicalMs === 0 ? 1 : 2];
}

/** The unit for a column or figure of sizes, in bytes. */
export function sizeUnit(valuesBytes: readonly number[]): DisplayUnit {
  const typicalBytes = typicalOf(valuesBytes);
  return SIZE_UNITS.find(({ size }) => typicalBytes >= size) ?? SIZE_UNITS[3];
}

/** The median of the values above 0; 0 if there are none. */
function typicalOf(values: readonly number[]): number {
  return median(values.filter((value) => value > 0));
}

/** A number with at least three significant digits, without decimals from 100 on: 0.0123, 1.23, 12.3, 1,234. */
export function formatNumber(value: number, mostDecimals = 6): string {
  if (value === 0) return "0";
  const exponent = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(2 - exponent, 0), mostDecimals);
  return grouped(value.toFixed(decimals));
}

export function formatCount(count: number): string {
  return grouped(String(Math.round(count)));
}

/** A number of base units, converted to `unit`, without the unit's name. */
export function formatIn(value: number, { size, decimals }: DisplayUnit): string {
  return formatNumber(value / size, decimals);
}

/** A number of base units, converted to `unit`, with the unit's name. */
export function formatQuantity(value: number, unit: DisplayUnit): string {
  return `${formatIn(value, unit)}${GLUE}${unit.name}`;
}

/** A time in ms, in the unit that suits this value. */
export function formatMs(ms: number): string {
  return formatQuantity(ms, timeUnit([ms]));
}

/** `≥ 1.75 s` for values that may be larger, because of lower bounds. */
export function boundText(text: string, isAtLeast: boolean): string {
  return isAtLeast ? `≥ ${text}` : text;
}

/** `at most 9` for a value that may be lower. */
export function atMostText(text: string, isAtMost: boolean): string {
  return isAtMost ? `at most ${text}` : text;
}

/** A share, 0–1, in per cent: 0 %, 0.02 %, 12.3 %; never rounded to 0 or 100 % if it is neither. */
export function formatShare(share: number): string {
  return `${formatPercent(share)}${GLUE}%`;
}

/** A share, 0–1, in per cent without the sign, for columns that have it in their head. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.0001) return "< 0.01";
  if (share < 1 && share > 0.9999) return "> 99.99";
  const percent = share * 100;
  if (share === 0 || share === 1) return String(percent);
  return percent.toFixed(percent < 10 || percent > 99.9 ? 2 : 1);
}

/** Seconds as people say them: 32.1 ms, 0.5 s, 54 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) return formatMs(seconds * 1_000);
  if (seconds < 10) return `${Number(seconds.toFixed(1))}${GLUE}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${GLUE}s`;
  if (whole < 3_600) return pair(whole, 60, ["min", "s"]);
  return pair(Math.round(whole / 60), 60, ["h", "min"]);
}

/** Seconds exactly as given: 0.25 s, 12.5 s, 3 min 5 s. */
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

/** An ISO moment in UTC as `2031-05-04 10:18 UTC`. */
export function formatMoment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** A round number on an axis, without superfluous digits. */
export function formatTick(value: number): string {
  return grouped(String(Number(value.toPrecision(6))));
}

/** Shown in place of a meaninglessly wide interval, as from two very different runs. */
export const TOO_WIDE = "[too few runs]";
const WIDEST_RATIO = 1_000;

/** Whether the ends are so far apart that the interval says nothing. An open interval is meant to be open: false. */
export function isTooWide({ low, high }: { readonly low: number; readonly high: number }): boolean {
  return low > 0 && high < Infinity && high / low > WIDEST_RATIO;
}

/** `[1,200, 1,270]` or `[1,200, ∞)` in `unit`, with as many decimals as the ends need to differ. */
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

/** The interval as text; "" if both ends look the same, because `[180, 180]` says nothing. */
export function intervalText(
  interval: { readonly low: number; readonly high: number },
  unit?: DisplayUnit,
): string {
  const text = formatInterval(interval, unit);
  return /^\[(.+),\s\1\]$/.test(text) ? "" : text;
}

/** Unit of counts and rates. */
const PLAIN: DisplayUnit = { name: "", size: 1, decimals: 6 };

/** Groups the digits before the decimal point in threes. */
function grouped(digits: string): string {
  const [whole, decimals] = digits.split(".");
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return decimals ? `${groups}.${decimals}` : groups;
}

/** A number written by `formatCount` or `formatNumber`, as plain digits; other text unchanged. */
export function withoutGroups(text: string): string {
  return /^\d{1,3}(?:,\d{3})*(?:\.\d+)?$/.test(text) ? text.replaceAll(",", "") : text;
}
