/**
 * Another load tool whose command line `plateau bench --like` understands: each of its options becomes
 * flags of `bench`, or a note that it has no counterpart. One file a member, one line in `registry.ts`.
 */
import type { Measurement } from "../../runner/result/result.ts";
import { durationText } from "../../base/quantity.ts";

/** A flag of `bench`, with its value if it has one. */
export type Flag = readonly [name: string, text?: string];

/** What an option comes to. */
export interface Meaning {
  readonly flags?: readonly Flag[];
  /** What can't be taken over, or means something else here. */
  readonly note?: string;
  /** A URL. */
  readonly operand?: string;
}

/** A command line, as one of `bench`. */
export interface Line {
  readonly operands: readonly string[];
  readonly flags: readonly Flag[];
  readonly notes: readonly string[];
  /** Names of the tool's options that were there. */
  readonly options: ReadonlySet<string>;
}

export interface ToolOption {
  /** Letters and long names, without hyphens. */
  readonly names: readonly string[];
  /** Whether a value follows. */
  readonly takesValue: boolean;
  readonly mean: (text: string) => Meaning;
}

export interface Tool {
  /** getopt: -c10, -c 10, --connections=10. go: -c 10, -c=10, -name value, with one hyphen. */
  readonly style: "getopt" | "go";
  readonly options: readonly ToolOption[];
  /** What it reads differently from its style: its words, as ones of that. */
  readonly words?: (words: readonly string[]) => readonly string[];
  /** What it does where its command line does not say, as flags of `bench` with their values. */
  readonly defaults: Readonly<Record<string, string>>;
  /** Header fields that it sends of itself, but for its User-Agent. */
  readonly fields?: (line: Line) => Readonly<Record<string, string>>;
  /** What counts where both a time and a number of requests are given. */
  readonly endsBy: "-d" | "-n";
  /** What else its options mean together. */
  readonly complete?: (line: Line) => Line;
  /** What it would have left out of this measurement, or put in, as sentences. */
  readonly differences: (
    measurement: Measurement,
    options: ReadonlySet<string>,
  ) => readonly string[];
}

/** Stands for a rate of each connection until it is known how many there are. */
export const RATE_OF_EACH = "rate of each connection";

/** An option whose value a flag of `bench` takes. */
export function value(
  names: string,
  flag: string,
  read: (text: string) => string = (text) => text,
): ToolOption {
  return option(names, true, (text) => ({ flags: [[flag, read(text)]] }));
}

/** A switch that is a switch of `bench`, or a flag with a fixed value. */
export function toggle(names: string, ...flag: Flag): ToolOption {
  return option(names, false, () => ({ flags: [flag] }));
}

/** An option that changes nothing of the load. */
export function idle(names: string, takesValue: "value" | "switch"): ToolOption {
  return option(names, takesValue === "value", () => ({}));
}

/** An option that has no counterpart. @param what Such as `its Lua script`. */
export function lost(names: string, takesValue: "value" | "switch", what: string): ToolOption {
  return option(names, takesValue === "value", () => ({ note: `without ${what}` }));
}

/** @param names Separated by blanks. */
export function option(
  names: string,
  takesValue: boolean,
  mean: ToolOption["mean"],
): ToolOption {
  return { names: names.split(" "), takesValue, mean };
}

const MS_PER: Readonly<Record<string, number>> = {
  ...{ ns: 1e-6, us: 0.001, "µs": 0.001, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 },
  ...{ sec: 1_000, secs: 1_000, min: 60_000, mins: 60_000, hr: 3_600_000, hour: 3_600_000 },
};

/** A number is seconds; parts with units, as in 1m30s, are added up. Anything else stays as it is. */
export function seconds(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return `${text}s`;
  if (/^\d+(\.\d+)?(us|ms|s|m|h)$/.test(text)) return text;
  const parts = [...text.toLowerCase().matchAll(/\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)/gy)];
  const isWhole = parts.map(([whole]) => whole).join("").length === text.length;
  const ms = parts.reduce((sum, [, digits, unit]) => sum + Number(digits) * MS_PER[unit], 0);
  return isWhole && ms > 0 ? durationText(ms) : text;
}

/** Numbers may end with k, M or G. */
export function plainNumber(text: string): string {
  const [, digits, suffix] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const factor = { "": 1, k: 1e3, m: 1e6, g: 1e9 }[suffix.toLowerCase()] ?? 1;
  return String(Number(digits) * factor);
}

/** A rate in requests per second. */
export function perSecond(text: string): string {
  return `${plainNumber(text)}/s`;
}

export function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** User and password, as a header field of `bench` (RFC 7617). */
export function basicAuthorization(text: string): Meaning {
  const credentials = new TextEncoder().encode(text).toBase64();
  return { flags: [["-H", `authorization: Basic ${credentials}`]] };
}

/** A body, which must not be taken for the name of a file. */
export function literalBody(text: string): Meaning {
  return text.startsWith("@")
    ? { note: "without its body, as one that begins with @ would be the name of a file here" }
    : { flags: [["-b", text]] };
}

/** Text of the last flag of this name. */
export function lastOf({ flags }: Line, name: string): string | undefined {
  return flags.findLast(([flag]) => flag === name)?.[1];
}

/** The line without flags of these names. */
export function without(line: Line, ...names: readonly string[]): Line {
  return { ...line, flags: line.flags.filter(([name]) => !names.includes(name)) };
}

export function withFlags(line: Line, ...flags: readonly Flag[]): Line {
  return { ...line, flags: [...line.flags, ...flags] };
}
