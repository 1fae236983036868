/**
 * The names and units of all figures, and the parsers for the quantities and percentages that claims and thresholds
 * compare figures with. `report/figures/figures.ts` reads the figures from results. Pure.
 */
import { parseBytes, parseDurationMs, parseRatePerSec } from "../quantity.ts";
import { didYouMean } from "../suggest.ts";

/**
 * Units of figures in results: milliseconds, per second, a share from 0 to 1, cores in use, bytes, bytes per second, a
 * count.
 */
export const UNITS = [
  ...["ms", "perSec", "share", "cores", "bytes", "bytesPerSec"] as const,
  "count",
] as const;
export type FigureUnit = typeof UNITS[number];

/** The direction in which a change of a figure is an improvement. */
export type Better = "lower" | "higher";

/**
 * How a busy machine or a late generator can distort a figure: not at all; by failing requests; by making the target
 * look slower than it is; or in either direction.
 */
export type Contention = "none" | "fails" | "slows" | "moves";

/** Figures that are not a statistic of a distribution. */
const SINGLE = {
  rate: ["perSec", "higher", "slows"],
  success: ["share", "higher", "fails"],
  errors: ["share", "lower", "fails"],
  dropped: ["share", "lower", "none"],
  "2xx": ["share", "higher", "none"],
  "3xx": ["share", "lower", "none"],
  "4xx": ["share", "lower", "none"],
  "5xx": ["share", "lower", "none"],
  requests: ["count", "higher", "slows"],
  unfinished: ["count", "lower", "slows"],
  read: ["bytes", "higher", "slows"],
  elapsed: ["ms", "lower", "moves"],
  "machine.cpu": ["share", "lower", "moves"],
  startUp: ["ms", "lower", "slows"],
  cpu: ["cores", "lower", "moves"],
  perCpu: ["perSec", "higher", "moves"],
  memory: ["bytes", "lower", "moves"],
  bytes: ["bytesPerSec", "higher", "slows"],
  size: ["bytes", "lower", "none"],
  hitRatio: ["share", "higher", "none"],
  "redis.hitRatio": ["share", "higher", "none"],
  events: ["count", "higher", "slows"],
  eventsPerSec: ["perSec", "higher", "slows"],
  eventsPerCpu: ["perSec", "higher", "moves"],
  tokens: ["count", "higher", "slows"],
  tokensPerSec: ["perSec", "higher", "slows"],
  messages: ["count", "higher", "slows"],
  messagesPerSec: ["perSec", "higher", "slows"],
  "messages.failed": ["count", "lower", "fails"],
  "messages.dropped": ["count", "lower", "fails"],
  capacity: ["perSec", "higher", "slows"],
  "generator.cpu": ["cores", "lower", "none"],
  "over.10ms": ["count", "lower", "slows"],
  "over.100ms": ["count", "lower", "slows"],
  "over.1s": ["count", "lower", "slows"],
  imbalance: ["share", "lower", "moves"],
  "imbalance.mean": ["share", "lower", "moves"],
  "imbalance.p50": ["share", "lower", "moves"],
  "imbalance.p99": ["share", "lower", "moves"],
} as const satisfies Record<string, readonly [FigureUnit, Better, Contention]>;

/**
 * Distributions of message times. For streams: to the first message (ttfe), between messages (gap), to the first token
 * (ttft), per output token (tpot); for WebSockets: the latency of a message.
 */
export const MESSAGE_TIMES = ["ttfe", "gap", "ttft", "tpot", "message"] as const;
/** Distributions of message times that are also recorded for each interval of a run. */
export const INTERVAL_TIMES = ["ttfe", "gap", "ttft", "message"] as const;

export type IntervalTimes<Value> = Readonly<Record<typeof INTERVAL_TIMES[number], Value>>;

export function ofIntervalTimes<Value>(
  make: (of: typeof INTERVAL_TIMES[number]) => Value,
): IntervalTimes<Value> {
  const [ttfe, gap, ttft, message] = INTERVAL_TIMES.map(make);
  return { ttfe, gap, ttft, message };
}

/** Statistics of a distribution of times; a number is a percentile. */
const TIMES = ["min", "mean", "stdev", 50, 75, 90, 95, 99, 99.9, 99.99, "max"] as const;
const SECONDS = ["min", "mean", "stdev", 1, 2.5, 50, 97.5] as const;
const FLATTENED = [50, 75, 90, 99] as const;

/** The statistics of each distribution. Each statistic is a figure. */
const DISTRIBUTIONS = {
  latency: [...TIMES, 2.5, 10, 25, 97.5],
  rate: SECONDS,
  bytes: SECONDS,
  service: TIMES,
  firstByte: TIMES,
  connect: TIMES,
  session: TIMES,
  ttfe: TIMES,
  gap: TIMES,
  ttft: TIMES,
  tpot: TIMES,
  message: TIMES,
  "2xx": TIMES,
  "3xx": TIMES,
  "4xx": TIMES,
  "5xx": TIMES,
  initial: FLATTENED,
  stable: FLATTENED,
  final: FLATTENED,
  lag: [50, 99, "max"],
} as const;

export type Distribution = keyof typeof DISTRIBUTIONS;
export type StatisticOf<D extends Distribution> = typeof DISTRIBUTIONS[D][number];
type Label<S> = S extends number ? `p${S}` : S & string;
/**
 * A latency figure is named by its statistic alone, such as `p99`; any other also names its distribution, as in
 * `service.p99`. `initial`, `stable` or `final` alone means the median of that distribution.
 */
type NameOf<D extends Distribution, S> = D extends "latency" ? Label<S>
  : D extends "initial" | "stable" | "final" ? S extends 50 ? D : `${D}.${Label<S>}`
  : `${D}.${Label<S>}`;
export type FigureOf<D extends Distribution> = { [K in D]: NameOf<K, StatisticOf<K>> }[D];
export type FigureName = keyof typeof SINGLE | FigureOf<Distribution>;

export interface Figure {
  readonly name: FigureName;
  readonly unit: FigureUnit;
  readonly better: Better;
  readonly contention: Contention;
  /** Null if the figure is not a statistic of a distribution. */
  readonly distribution: Distribution | null;
  /** The statistic of the distribution, null if there is no distribution; a number is a percentile. */
  readonly statistic: StatisticOf<Distribution> | null;
}

export const NAMED_FIGURES = Object.fromEntries(
  [...singleFigures(), ...statistics()].map((figure) => [figure.name, figure]),
) as Readonly<Record<FigureName, Figure>>;

function singleFigures(): Figure[] {
  return Object.entries(SINGLE).map(([name, [unit, better, contention]]) => ({
    ...{ name: name as FigureName, unit, better, contention },
    ...{ distribution: null, statistic: null },
  }));
}

function statistics(): Figure[] {
  const distributions = Object.keys(DISTRIBUTIONS) as Distribution[];
  return distributions.flatMap((distribution) => {
    const [unit, better] = distribution === "rate" || distribution === "bytes"
      ? SINGLE[distribution]
      : ["ms", "lower"] as const;
    return DISTRIBUTIONS[distribution].map((statistic) => ({
      name: nameOf(distribution, statistic),
      unit,
      better: statistic === "stdev" ? "lower" : better,
      contention: contentionOf(distribution, statistic),
      distribution,
      statistic,
    }));
  });
}

/** Contention distorts every distribution except the generator's lag, which is itself the evidence of contention. */
function contentionOf(distribution: Distribution, statistic: string | number): Contention {
  if (distribution === "lag") return "none";
  return distribution === "stable" || statistic === "stdev" ? "moves" : "slows";
}

function nameOf(distribution: Distribution, statistic: StatisticOf<Distribution>): FigureName {
  const label = typeof statistic === "number" ? `p${statistic}` : statistic;
  const isShort = DISTRIBUTIONS[distribution] === FLATTENED && statistic === 50;
  return (isShort
    ? distribution
    : distribution === "latency"
    ? label
    : `${distribution}.${label}`) as FigureName;
}

export const FIGURE_NAMES = Object.keys(NAMED_FIGURES) as readonly FigureName[];

/** The value that was read from a text, or what is wrong with the text. */
export type Read<T> = { readonly value: T } | { readonly problem: string };

/** The figure with this name, or a problem that suggests names. Names of latency figures may begin with `latency.`. */
export function readFigure(text: string): Read<Figure> {
  const value = figureNamed(text);
  if (value !== null) return { value };
  const families = Object.keys(DISTRIBUTIONS).slice(1).map((of) => `${of}.*`).join(", ");
  const fix = didYouMean(plainName(text), FIGURE_NAMES) ??
    `the figures are ${
      [...Object.keys(SINGLE), ...DISTRIBUTIONS.latency.map((of) => nameOf("latency", of))]
        .join(", ")
    }, and the statistics of other distributions, ${families}`;
  return { problem: `Cannot find the figure "${text}": ${fix}` };
}

/** The figure with this name; null if there is none. */
export function figureNamed(text: string): Figure | null {
  const name = plainName(text);
  return Object.hasOwn(NAMED_FIGURES, name) ? NAMED_FIGURES[name as FigureName] : null;
}

function plainName(text: string): string {
  return text.replace(/^latency\.(?=\w)/, "");
}

const OF_MESSAGES = new RegExp(
  String.raw`\b(p\d+(?:\.\d+)?|min|mean|stdev|max) ?\( ?(${MESSAGE_TIMES.join("|")}) ?\)`,
  "g",
);

/**
 * Rewrites figures of message times in a rule: `p99(ttfe)` becomes `ttfe.p99`. Any other word in parentheses selects
 * cells, so a scenario called `gap` needs quotes: `p99("gap")`.
 */
export function withNamedTimes(rule: string): string {
  return rule.replaceAll(OF_MESSAGES, "$2.$1");
}

/** A quantity as people write it, converted to the unit of the results. */
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
  /** The unit that an error suggests for a number without one; "" if none is needed. */
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

/**
 * The percentages that a number without a percent sign may stand for. A number up to 1 may also be meant as a fraction.
 */
function percentageOf(digits: string): string {
  const isFraction = Number(digits) > 0 && Number(digits) <= 1;
  return isFraction ? `${Number(`${digits}e2`)}% or ${digits}%` : `${digits}%`;
}

/** The share that a percentage such as `99.9%` stands for; null if it is not valid. 0 needs no percent sign. */
function parseShare(text: string): number | null {
  const [, digits] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? (text === "0" ? ["", "0"] : []);
  if (digits === undefined || Number(digits) > 100) return null;
  // Divides by 100 in decimal notation, so that 99.9% becomes exactly 0.999.
  return Number(`${digits}e-2`);
}

/** How error messages name a percentage, and whether 0% is allowed. */
interface Percentage {
  /** Noun for the percentage, such as "a margin". */
  readonly what: string;
  readonly example: string;
  /** Whether 0% is refused, because it would be meaningless. */
  readonly aboveZero: boolean;
}

/** The share that a percentage stands for, at most 1; a space is allowed before the percent sign. */
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
