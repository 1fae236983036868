/**
 * What can be asked about a measurement, by name: figures with their units, and the quantities that
 * they are held against. Thresholds are made of these. Pure.
 */
import { parseDurationMs, parseRatePerSec } from "./quantity.ts";
import { didYouMean } from "./suggest.ts";

/** Units of figures, as the results have them: milliseconds, per second, 0–1, cores in use, bytes. */
export const UNITS = ["ms", "perSec", "share", "cores", "bytes"] as const;
export type Unit = typeof UNITS[number];

/** Which way is good. */
export type Better = "lower" | "higher";

export interface Figure {
  readonly name: FigureName;
  readonly unit: Unit;
  readonly better: Better;
}

/** Of every distribution of times. */
const TIMES = ["min", "mean", "p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max"] as const;
/** Distributions beside latency, which needs no name before the dot. */
const DISTRIBUTIONS = ["service", "firstByte", "connect"] as const;
const LAGS = ["lag.p50", "lag.p99", "lag.max"] as const;
const OTHERS = [
  "rate",
  "success",
  "errors",
  "dropped",
  "startUp",
  "cpu",
  "memory",
  "generator.cpu",
] as const;

export type FigureName =
  | typeof TIMES[number]
  | `${typeof DISTRIBUTIONS[number]}.${typeof TIMES[number]}`
  | typeof LAGS[number]
  | typeof OTHERS[number];

export const FIGURE_NAMES: readonly FigureName[] = [
  ...OTHERS,
  ...TIMES,
  ...DISTRIBUTIONS.flatMap((of) => TIMES.map((time) => `${of}.${time}` as const)),
  ...LAGS,
];

/** Where a figure is no time. */
const OTHER_UNITS: Readonly<Partial<Record<FigureName, Unit>>> = {
  rate: "perSec",
  success: "share",
  errors: "share",
  dropped: "share",
  cpu: "cores",
  memory: "bytes",
  "generator.cpu": "cores",
};

const BEST_HIGH: readonly FigureName[] = ["rate", "success"];

/** A value, or what is wrong with its text. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** The figure of a name; latency's own figures may have `latency.` before them. */
export function readFigure(text: string): Read<Figure> {
  const plain = text.replace(/^latency\.(?=\w)/, "");
  const name = FIGURE_NAMES.find((name) => name === plain);
  if (name === undefined) return { problem: strange(text, plain) };
  const unit = OTHER_UNITS[name] ?? "ms";
  return { value: { name, unit, better: BEST_HIGH.includes(name) ? "higher" : "lower" } };
}

function strange(text: string, plain: string): string {
  const fix = didYouMean(plain, FIGURE_NAMES) ??
    `the figures are ${[...OTHERS, ...TIMES].join(", ")}, the same of ${
      DISTRIBUTIONS.map((of) => `${of}.p99`).join(", ")
    }, and ${LAGS.join(", ")}`;
  return `Cannot find a figure "${text}": ${fix}`;
}

/** A quantity as people write it, in the unit that the results have. */
export function readQuantity(text: string, unit: Unit): Read<number> {
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

const QUANTITIES: Readonly<Record<Unit, Quantity>> = {
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
  bytes: {
    parse: parseBytes,
    what: "a size",
    example: "a number with B, kB, MB or GB, such as 200MB",
    suffix: "MB",
  },
};

const NUMBER = /^\d+(?:\.\d+)?$/;

function suffixed(text: string, unit: Unit): string | null {
  const { parse, suffix } = QUANTITIES[unit];
  const meant = `${text}${suffix}`;
  return NUMBER.test(text) && parse(meant) !== null ? meant : null;
}

/** `99.9%`; 0 needs no sign. */
export function parseShare(text: string): number | null {
  const [, digits] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? (text === "0" ? ["", "0"] : []);
  if (digits === undefined || Number(digits) > 100) return null;
  // Through its decimals, so that 99.9 % is the number that 0.999 is.
  return Number(`${digits}e-2`);
}

/** Decimal (SI) sizes, as reports write them. */
const BYTES_PER: Readonly<Record<string, number>> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 };

function parseBytes(text: string): number | null {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([kmg]?b)$/i.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * BYTES_PER[unit.toLowerCase()];
}
