/**
 * Zod schemas for quantities as people write them. Each schema turns text into a number of one fixed unit. Inside the
 * program, a time is in milliseconds or microseconds, and its name says which.
 */
import * as z from "zod";
import { quotedOpenly } from "./secrets.ts";

const DURATION = /^(\d+(?:\.\d+)?)(us|µs|ms|s|m|h)$/;
/** Milliseconds in each unit, as a factor and a power of ten. */
const MS_PER = {
  us: [1, -3],
  "µs": [1, -3],
  ms: [1, 0],
  s: [1, 3],
  m: [60, 3],
  h: [3_600, 3],
} as const;

/** A whole number written in digits, whose value `schema` then checks. */
export function integerText<Schema extends z.ZodType<number, number>>(
  schema: Schema,
): z.ZodPipe<z.ZodPipe<z.ZodString, z.ZodTransform<number, string>>, Schema> {
  return z.string().regex(/^-?\d+$/, {
    error: ({ input }) => `Cannot read ${quotedOpenly(input)} as a whole number`,
    abort: true,
  }).transform(Number).pipe(schema);
}

/** Milliseconds in `text` ("250ms", "1.5s", "2m"), or null when it is not a duration. */
export function parseDurationMs(text: string): number | null {
  const match = DURATION.exec(text.trim());
  if (!match) return null;
  const [times, power] = MS_PER[match[2] as keyof typeof MS_PER];
  // Shifts the decimal exponent in text, so that 4.1m is exactly the same number as 246s.
  return times * Number(`${match[1]}e${power}`);
}

/** A duration as people write it, in one unit: `500us`, `250ms`, `1.5s`. */
export function durationText(ms: number): string {
  if (ms === 0) return "0s";
  if (ms < 1) return `${Number((ms * 1_000).toPrecision(12))}us`;
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}

const RATE = /^(\d+(?:\.\d+)?)\/(s|m|h)$/;
const SECONDS_PER = { s: 1, m: 60, h: 3_600 } as const;
/**
 * The most characters in the number of a rate that a person would write. A longer number is the result of a division.
 */
const MOST_SIGNS = 12;

/** Events per second in `text` ("1000/s", "30/m"), or null when it is not a rate. */
export function parseRatePerSec(text: string): number | null {
  const match = RATE.exec(text.trim());
  if (!match) return null;
  return Number(match[1]) / SECONDS_PER[match[2] as keyof typeof SECONDS_PER];
}

/** A rate as people write it, `1000/s` or `100/m`: per second, minute or hour, whichever first gives a short number. */
export function rateText(perSec: number): string {
  const written = Object.entries(SECONDS_PER).map(([unit, seconds]) => ({
    unit,
    number: Number((perSec * seconds).toPrecision(12)),
  }));
  const exact = written.find(({ unit, number }) =>
    String(number).length <= MOST_SIGNS && parseRatePerSec(`${number}/${unit}`) === perSec
  );
  return exact === undefined ? `${perSec}/s` : `${exact.number}/${exact.unit}`;
}

/** A duration such as `250ms`, `10s`, `1.5m`; becomes milliseconds. */
export const durationMs = z.string({
  error: ({ input }) => unlessMissing(input, notADuration(input)),
})
  .transform((text, context) => {
    const ms = parseDurationMs(text);
    if (ms !== null) return ms;
    context.addIssue(notADuration(text));
    return z.NEVER;
  }).describe("A duration: a number with us, ms, s, m or h, such as 250ms or 10s");

/** A duration from `least` to `most`, which are written as durations, too. */
export function between(least: string, most: string): typeof durationMs {
  return durationMs.refine(...withinLimits(least, most));
}

/** Like `between`, but for a number of milliseconds, as programs exchange durations. */
export function msBetween(least: string, most: string): z.ZodNumber {
  return z.number().refine(...withinLimits(least, most));
}

function withinLimits(
  least: string,
  most: string,
): [isWithin: (ms: number) => boolean, wrong: { error: string }] {
  const [leastMs, mostMs] = [least, most].map((limit) => parseDurationMs(limit) ?? NaN);
  return [
    (ms) => ms >= leastMs && ms <= mostMs,
    { error: `Cannot use this duration: it must be from ${least} to ${most}` },
  ];
}

/** A rate such as `1000/s` or `30/m`; becomes events per second. */
export const ratePerSec = rateWhere((perSec) => perSec > 0, "a number above 0");

/** A rate that may also be zero: `0/s`. */
export const ratePerSecOrNone = rateWhere(() => true, "a number");

function rateWhere(
  isAllowed: (perSec: number) => boolean,
  allowed: string,
): z.ZodPipe<z.ZodString, z.ZodTransform<number, string>> {
  return z.string({ error: ({ input }) => unlessMissing(input, notARate(input, allowed)) })
    .transform((text, context) => {
      const perSec = parseRatePerSec(text);
      if (perSec !== null && isAllowed(perSec)) return perSec;
      context.addIssue(notARate(text, allowed));
      return z.NEVER;
    }).describe("A rate: a number per s, m or h, such as 1000/s");
}

/**
 * The message that a value is not a duration. A number without a unit is most often meant in seconds, so the message
 * suggests those.
 */
function notADuration(input: unknown): string {
  const fix = isNumeric(input)
    ? `write ${input}s`
    : "write a number with us, ms, s, m or h, such as 250ms or 10s";
  return `Cannot read ${quotedOpenly(input)} as a duration: ${fix}`;
}

function notARate(input: unknown, allowed: string): string {
  const isShare = /% of capacity$/.test(String(input).trim());
  const fix = isShare
    ? "add capacity: { within: RULE } next to this key, or write a number per s"
    : isNumeric(input)
    ? `write ${input}/s`
    : `write ${allowed} per s, m or h, such as 1000/s`;
  return `Cannot read ${quotedOpenly(input)} as a rate: ${fix}`;
}

/** Returns `message`; undefined for a missing value, so that the message for missing values is the same everywhere. */
function unlessMissing(input: unknown, message: string): string | undefined {
  return input === undefined ? undefined : message;
}

function isNumeric(input: unknown): boolean {
  return /^(?!0+$)\d+(\.\d+)?$/.test(String(input).trim());
}

/** Bytes in each unit: the decimal (SI) units, which reports use, and the binary ones. */
const BYTES_PER: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
};

/** A size such as `16kB` or `1MiB`; becomes bytes. */
export const bytes = z.string({
  error: ({ input }) => unlessMissing(input, notASize(input)),
}).transform((text, context) => {
  const size = parseBytes(text);
  if (size !== null && Number.isInteger(size) && size > 0) return size;
  context.addIssue(notASize(text));
  return z.NEVER;
}).describe("A size: a number with B, kB, MB, GB, KiB, MiB or GiB, such as 16kB");

function notASize(given: unknown): string {
  return `Cannot read ${
    quotedOpenly(String(given))
  } as a size: write a number with its unit, such as 16kB or 1MiB`;
}

/** Bytes in `text` ("512MB"), or null when it is not a size. */
export function parseBytes(text: string): number | null {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(b|[kmg]i?b)$/i.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * BYTES_PER[unit.toLowerCase()];
}
