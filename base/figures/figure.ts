/**
 * The figures of a measurement by name, with their units, and the quantities and percentages that rules compare
 * them with. Thresholds are made of these. Pure.
 */
import { parseBytes, parseDurationMs, parseRatePerSec } from "../quantity.ts";
import { didYouMean } from "../suggest.ts";

/** Units of figures, as the results have them: milliseconds, per second, 0–1, cores in use, bytes, bytes per second, a number. */
export const UNITS = [
  ...["ms", "perSec", "share", "cores", "bytes", "bytesPerSec"] as const,
  "count",
] as const;
export type FigureUnit = typeof UNITS[number];

/** Which way is good. */
export type Better = "lower" | "higher";

export interface Figure {
  readonly name: FigureName;
  readonly unit: FigureUnit;
  readonly better: Better;
}

/** Of every distribution of times. */
const TIMES = [
  "min",
  "mean",
  "stdev",
  "p50",
  "p75",
  "p90",
  "p95",
  "p99",
  "p99.9",
  "p99.99",
  "max",
] as const;
/** Of latency alone, whose histogram the results keep. */
const LATENCIES = ["p2.5", "p10", "p25", "p97.5"] as const;
/** Distributions other than latency, which needs no name before the dot. */
const DISTRIBUTIONS = [
  ...["service", "firstByte", "connect", "session"] as const,
  ...["2xx", "3xx", "4xx", "5xx"] as const,
] as const;
/** How much more the busiest instance had than the mean of all, and the slowest one's latency likewise. */
const IMBALANCES = ["imbalance", "imbalance.mean", "imbalance.p50", "imbalance.p99"] as const;
/** What each whole second of a run has one value of, and how these spread. */
const BY_SECOND = ["rate", "bytes"] as const;
const SPREADS = ["min", "mean", "stdev", "p1", "p2.5", "p50", "p97.5"] as const;
/** Percentiles that settle, other than the median, which needs no name behind the dot. */
const FLATTENING = ["initial", "stable", "final"] as const;
const FLATTENED = ["p75", "p90", "p99"] as const;
/** How many requests of a run took longer. */
const OVERS = ["over.10ms", "over.100ms", "over.1s"] as const;
const LAGS = ["lag.p50", "lag.p99", "lag.max"] as const;
const OTHERS = [
  "rate",
  "success",
  "errors",
  "dropped",
  "2xx",
  "3xx",
  "4xx",
  "5xx",
  "requests",
  "read",
  "machine.cpu",
  "startUp",
  "initial",
  "stable",
  "final",
  "cpu",
  "perCpu",
  "memory",
  "bytes",
  "size",
  "hitRatio",
  "redis.hitRatio",
  "capacity",
  "generator.cpu",
] as const;

type FigureName =
  | typeof TIMES[number]
  | typeof LATENCIES[number]
  | `${typeof BY_SECOND[number]}.${typeof SPREADS[number]}`
  | `${typeof DISTRIBUTIONS[number]}.${typeof TIMES[number]}`
  | `${typeof FLATTENING[number]}.${typeof FLATTENED[number]}`
  | typeof LAGS[number]
  | typeof OVERS[number]
  | typeof IMBALANCES[number]
  | typeof OTHERS[number];

export const FIGURE_NAMES: readonly FigureName[] = [
  ...OTHERS,
  ...TIMES,
  ...LATENCIES,
  ...BY_SECOND.flatMap((of) => SPREADS.map((spread) => `${of}.${spread}` as const)),
  ...DISTRIBUTIONS.flatMap((of) => TIMES.map((time) => `${of}.${time}` as const)),
  ...FLATTENING.flatMap((of) => FLATTENED.map((percentile) => `${of}.${percentile}` as const)),
  ...LAGS,
  ...OVERS,
  ...IMBALANCES,
];

/** Where a figure is no time. */
const OTHER_UNITS: Readonly<Partial<Record<FigureName, FigureUnit>>> = {
  rate: "perSec",
  capacity: "perSec",
  success: "share",
  errors: "share",
  dropped: "share",
  "2xx": "share",
  "3xx": "share",
  "4xx": "share",
  "5xx": "share",
  requests: "count",
  read: "bytes",
  "machine.cpu": "share",
  ...Object.fromEntries(OVERS.map((name) => [name, "count"])),
  cpu: "cores",
  perCpu: "perSec",
  memory: "bytes",
  bytes: "bytesPerSec",
  size: "bytes",
  hitRatio: "share",
  "redis.hitRatio": "share",
  "generator.cpu": "cores",
  ...Object.fromEntries(IMBALANCES.map((name) => [name, "share"])),
};

const BEST_HIGH: readonly FigureName[] = [
  ...["rate", "success", "2xx", "perCpu", "bytes", "hitRatio", "redis.hitRatio"] as const,
  ...["requests", "read", "capacity"] as const,
];

/** A value, or what is wrong with its text. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** The figure of a name; latency's own figures may have `latency.` before them. */
export function readFigure(text: string): Read<Figure> {
  const value = figureNamed(text);
  return value === null ? { problem: unknownFigure(text) } : { value };
}

/** The same; null for what is no figure. */
export function figureNamed(text: string): Figure | null {
  const plain = plainName(text);
  const name = FIGURE_NAMES.find((name) => name === plain);
  if (name === undefined) return null;
  const of = BY_SECOND.find((of) => name.startsWith(`${of}.`)) ?? name;
  const isHigh = BEST_HIGH.includes(of) && !name.endsWith(".stdev");
  const unit = OTHER_UNITS[of] ?? "ms";
  return { name, unit, better: isHigh ? "higher" : "lower" };
}

function plainName(text: string): string {
  return text.replace(/^latency\.(?=\w)/, "");
}

function unknownFigure(text: string): string {
  const fix = didYouMean(plainName(text), FIGURE_NAMES) ??
    `the figures are ${[...OTHERS, ...TIMES, ...LATENCIES].join(", ")}, the same of ${
      DISTRIBUTIONS.map((of) => `${of}.p99`).join(", ")
    }, of each second ${BY_SECOND.map((of) => `${of}.p2.5`).join(", ")}, ${LAGS.join(", ")}, and ${
      IMBALANCES.join(", ")
    }`;
  return `Cannot find a figure "${text}": ${fix}`;
}

/** A quantity as people write it, in the unit that the results have. */
export function readQuantity(text: string, unit: FigureUnit): Read<number> {
  const { parse, what, example } = QUANTITIES[unit];
  const value = parse(text.replaceAll(/\s/g, ""));
  if (value !== null) return { value };
  const meant = suffixed(text.trim(), unit);
  return { problem: `Cannot read "${text.trim()}" as ${what}: write ${meant ?? example}` };
}

interface Quantity {
  readonly parse: (text: string) => number | null;
  readonly what: string;
  readonly example: string;
  /** What is most often meant behind a number without a unit; "" where none is needed. */
  readonly suffix: string;
}

const QUANTITIES: Readonly<Record<FigureUnit, Quantity>> = {
  ms: {
    parse: parseDurationMs,
    what: "a duration",
    example: "a number with us, ms, s, m or h, such as 50ms",
    suffix: "ms",
  },
  perSec: {
    parse: parseRatePerSec,
    what: "a rate",
    example: "a number per s, m or h, such as 1000/s",
    suffix: "/s",
  },
  share: {
    parse: parseShare,
    what: "a share",
    example: "a percentage from 0% to 100%, such as 99.9%",
    suffix: "%",
  },
  cores: {
    parse: (text) => NUMBER.test(text) ? Number(text) : null,
    what: "a number of cores",
    example: "a number, such as 0.9",
    suffix: "",
  },
  count: {
    parse: (text) => /^\d+$/.test(text) ? Number(text) : null,
    what: "a number",
    example: "a whole number, such as 5",
    suffix: "",
  },
  bytes: {
    parse: parseBytes,
    what: "a size",
    example: "a number with B, kB, MB or GB, such as 200MB",
    suffix: "MB",
  },
  bytesPerSec: {
    parse: (text) => text.endsWith("/s") ? parseBytes(text.slice(0, -"/s".length)) : null,
    what: "a size per second",
    example: "a number with B, kB, MB or GB per s, such as 10MB/s",
    suffix: "MB/s",
  },
};

const NUMBER = /^\d+(?:\.\d+)?$/;

function suffixed(text: string, unit: FigureUnit): string | null {
  const { parse, suffix } = QUANTITIES[unit];
  const meant = `${text}${suffix}`;
  if (!NUMBER.test(text) || parse(meant) === null) return null;
  return unit === "share" ? percentageOf(text) : meant;
}

/** What a number without a sign may mean; up to 1 it may be a fraction, too. */
function percentageOf(digits: string): string {
  const isFraction = Number(digits) > 0 && Number(digits) <= 1;
  return isFraction ? `${Number(`${digits}e2`)}% or ${digits}%` : `${digits}%`;
}

/** `99.9%`; 0 needs no sign. */
function parseShare(text: string): number | null {
  const [, digits] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? (text === "0" ? ["", "0"] : []);
  if (digits === undefined || Number(digits) > 100) return null;
  // Through its decimals, so that 99.9 % is the number that 0.999 is.
  return Number(`${digits}e-2`);
}

/** How messages call it, and what may be written. */
interface Percentage {
  /** Such as "a margin". */
  readonly what: string;
  readonly example: string;
  /** Whether 0% would say nothing. */
  readonly aboveZero: boolean;
}

/** The share that a percentage is, at most 1; a space may stand before its sign. */
export function readPercentage(
  text: string,
  { what, example, aboveZero }: Percentage,
): Read<number> {
  const shareOf = (written: string): number | null => {
    const share = parseShare(written);
    return share === 0 && aboveZero ? null : share;
  };
  const plain = text.trim().replace(/(?<!\s)\s+%$/, "%");
  const value = shareOf(plain);
  if (value !== null) return { value };
  const limits = aboveZero ? "above 0%" : "from 0% to 100%";
  const meant = shareOf(`${plain}%`) === null
    ? `a percentage ${limits}, such as ${example}`
    : percentageOf(plain);
  return { problem: `Cannot read ${JSON.stringify(text)} as ${what}: write ${meant}` };
}
