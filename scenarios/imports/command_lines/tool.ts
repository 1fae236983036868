/**
 * Describes another load tool whose command lines `plateau bench --like` understands. Each of its options becomes flags
 * of `bench`, or a note that it has no counterpart. Each tool has one file, and one line in `registry.ts`.
 */
import { groupsOfThree } from "../../../base/limits.ts";
import { optionsOfPeer, type Peer } from "../../../base/load_options.ts";
import { basicAuthorization } from "../../../base/net/endpoint.ts";
import { durationText } from "../../../base/quantity.ts";
import { formPart } from "../../request/form_part.ts";
import type { UrlMeaning, UrlParts } from "./url.ts";

/** The name of a flag of `bench`, and its value if it takes one. */
type BenchFlag = readonly [name: string, text?: string];

/** What an option stands for in `bench`. */
export interface Meaning {
  readonly flags?: readonly BenchFlag[];
  /** How Plateau differs from the tool, if the option has no counterpart or means something else. */
  readonly note?: string;
  /**
   * A part of the tool's requests that Plateau can't send, such as `its Lua script`. If there is one, no load is run.
   */
  readonly refused?: string;
  /** The option's value, if it is a URL to load. */
  readonly operand?: string;
}

/** The `bench` command line to which another tool's command line is translated. */
export interface TranslatedLine {
  readonly operands: readonly string[];
  readonly flags: readonly BenchFlag[];
  readonly notes: readonly string[];
  /** Parts of the tool's requests that Plateau can't send. */
  readonly refused: readonly string[];
  /** The names of the options that the command line has. */
  readonly options: ReadonlySet<string>;
  /** Names of flags that are given to `bench` itself, and override the tool's. Their values are among the flags. */
  readonly own: readonly string[];
}

export interface ToolOption {
  /** Letters and long names, without hyphens. */
  readonly names: readonly string[];
  readonly takesValue: boolean;
  readonly mean: (text: string) => Meaning;
}

export interface Tool {
  /**
   * The syntax of options. getopt: -c10, -c 10, --connections=10. go: -c 10, -c=10, -name value, with one hyphen or
   * two.
   */
  readonly style: "getopt" | "go";
  readonly options: readonly ToolOption[];
  /** Rewrites the words of a command line where the tool deviates from `style`. */
  readonly words?: (words: readonly string[]) => readonly string[];
  /** The tool's defaults, by flags of `bench`. */
  readonly defaults: Readonly<Record<string, string>>;
  /** How the tool interprets its URL. */
  readonly url: (url: UrlParts, line: TranslatedLine) => UrlMeaning;
  /** Whether the tool sends only the last of several header fields with the same name. */
  readonly lastFieldCounts?: boolean;
  /** Header fields that the tool adds on its own, except for its User-Agent. */
  readonly fields?: (line: TranslatedLine) => Readonly<Record<string, string>>;
  /** What ends the load if both a time (-d) and a number of requests (-n) are given. */
  readonly endsBy: "-d" | "-n";
  /** Translates options whose meaning depends on other options. */
  readonly complete?: (line: TranslatedLine) => TranslatedLine;
  /**
   * How the tool would have measured differently, in sentences, such as which samples it would have left out or added.
   */
  readonly differences: (
    measured: Measured,
    options: ReadonlySet<string>,
  ) => readonly string[];
}

/** The parts of a measurement that `differences` needs. */
export interface Measured {
  readonly load: { readonly kind: string; readonly connections: number; readonly timeout: number };
  readonly elapsedS: number;
  readonly requests: {
    readonly completed: number;
    readonly failed: number;
    readonly unfinished: number;
  };
  readonly drain?: { readonly completed: number };
  readonly errors: { readonly timeout?: number };
  readonly status: Readonly<Record<string, number>>;
  readonly latency: { readonly count: number; readonly percentiles: { readonly "50": number } };
  readonly timeline: {
    readonly points: readonly { readonly endS: number; readonly completed: number }[];
  };
  /** The buckets of the latency histogram, each with its upper end and the number of latencies in it. */
  readonly buckets: readonly { readonly highMs: number; readonly count: number }[];
  /** Formats a time as in reports. */
  readonly timeText: (ms: number) => string;
}

/** A flag that stands for a rate per connection until the number of connections is known. */
export const RATE_OF_EACH = "rate of each connection";

/**
 * Used instead of `-H` for a field that replaces all earlier fields of the same name given by this flag and, if
 * `lastFieldCounts`, all those given by `-H`.
 */
export const LAST_FIELD = "-H alone";

/** Flags of `bench` that say when the load ends. */
export const ENDS = ["-d", "-n", "--phases"];

/** A flag that stands for text to be added to the query of the URL. */
export const QUERY = "query of the URL";

/** Used instead of `-H` for a field that is sent only if there is no other of the same name. */
export const FALLBACK_FIELD = "-H unless given";

/** An option whose value becomes the value of a flag of `bench`. */
export function valueOption(
  names: string,
  flag: string,
  read: (text: string) => string = (text) => text,
): ToolOption {
  return option(names, true, (text) => ({ flags: [[flag, read(text)]] }));
}

/** A switch that stands for a switch of `bench`, or for a flag with a fixed value. */
export function toggle(names: string, ...flag: BenchFlag): ToolOption {
  return option(names, false, () => ({ flags: [flag] }));
}

/** The tool's options that have a counterpart among the options of a load (`base/load_options.ts`). */
export function sharedOptions(tool: Peer): ToolOption[] {
  return optionsOfPeer(tool).map(({ names, flags }) => {
    const [flag] = flags.split(/[ ,]/);
    if (!flags.includes("<")) return toggle(names, flag);
    return valueOption(names, flag, flags.endsWith("<D>") ? seconds : undefined);
  });
}

/** An option that does not affect the load by itself. */
export function ignored(names: string, takesValue: "value" | "switch"): ToolOption {
  return option(names, takesValue === "value", () => ({}));
}

/**
 * An option without a counterpart.
 * @param what What Plateau runs without, such as `a warm-up`.
 */
export function unsupported(
  names: string,
  takesValue: "value" | "switch",
  what: string,
): ToolOption {
  return option(names, takesValue === "value", () => ({ note: `Plateau runs without ${what}` }));
}

/**
 * An option that changes the requests in a way that Plateau can't reproduce.
 * @param what The part of the requests that can't be sent, such as `its Lua script`.
 */
export function refusedOption(
  names: string,
  takesValue: "value" | "switch",
  what: string,
): ToolOption {
  return option(names, takesValue === "value", () => ({ refused: what }));
}

/** @param names Names, separated by spaces. */
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

/**
 * Converts a time to one with a unit of `bench`. A plain number is in seconds, and times such as 1m30s are added up.
 * Any other text stays unchanged.
 */
export function seconds(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text)) return `${text}s`;
  if (/^\d+(\.\d+)?(us|ms|s|m|h)$/.test(text)) return text;
  const parts = [...text.toLowerCase().matchAll(/\s*(\d+(?:\.\d+)?)\s*([a-zµ]+)/gy)];
  const isWhole = parts.map(([whole]) => whole).join("").length === text.length;
  const ms = parts.reduce((sum, [, digits, unit]) => sum + Number(digits) * MS_PER[unit], 0);
  return isWhole && ms > 0 ? durationText(ms) : text;
}

/** Writes out a number that may end in k, M or G. Any other text stays unchanged. */
export function plainNumber(text: string): string {
  const [, digits, suffix] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  const factor = { "": 1, k: 1e3, m: 1e6, g: 1e9 }[suffix.toLowerCase()] ?? 1;
  return String(Number(digits) * factor);
}

/** Converts a number to a rate per second. */
export function perSecond(text: string): string {
  return `${plainNumber(text)}/s`;
}

export function lowerCase(text: string): string {
  return text.toLowerCase();
}

/** Converts a user and password to a header field (RFC 7617). */
export function userOption(text: string, flag = "-H"): Meaning {
  return { flags: [[flag, `authorization: ${basicAuthorization(text)}`]] };
}

/** The address of a proxy. If it has no scheme, it is an HTTP proxy. */
export function proxyAddress(text: string): string {
  return text.includes("://") ? text : `http://${text}`;
}

/** A body that the tool sends as it is. One that begins with @ is refused, because in `bench` it would name a file. */
export function literalBody(text: string): Meaning {
  return text.startsWith("@")
    ? { refused: "its body, because a body that begins with @ names a file in Plateau" }
    : { flags: [["-b", text]] };
}

/** The value of the last flag of this name. */
export function lastOf({ flags }: TranslatedLine, name: string): string | undefined {
  return flags.findLast(([flag]) => flag === name)?.[1];
}

export function hasHttp2({ flags }: TranslatedLine): boolean {
  return flags.some(([name]) => name === "--http2");
}

/** Whether the URL is https. */
export function isSecure({ operands }: TranslatedLine): boolean {
  return operands.some((url) => /^https:/i.test(url));
}

export function withNote(line: TranslatedLine, note: string): TranslatedLine {
  return { ...line, notes: [...line.notes, note] };
}

/** Removes all flags of the given names. */
export function without(line: TranslatedLine, ...names: readonly string[]): TranslatedLine {
  return { ...line, flags: line.flags.filter(([name]) => !names.includes(name)) };
}

export function withFlags(line: TranslatedLine, ...flags: readonly BenchFlag[]): TranslatedLine {
  return { ...line, flags: [...line.flags, ...flags] };
}

/**
 * One sentence that lists all parts which are not empty; no sentence if all are empty.
 * @param how The beginning of the sentence, such as `wrk's latencies would not have included`.
 */
export function differenceSentence(how: string, ...parts: readonly string[]): string[] {
  const there = parts.filter((part) => part !== "");
  if (there.length === 0) return [];
  const last = there.slice(-1);
  const list = there.length > 1 ? [there.slice(0, -1).join(", "), ...last].join(" and ") : last[0];
  return [`${how} ${list}`];
}

/** Such as "3 requests that timed out"; "" if the count is 0. */
function counted(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${groupsOfThree(count)} ${count === 1 ? one : many}`;
}

export const timedOut = ({ errors }: Measured): string =>
  counted(errors.timeout ?? 0, "request that timed out", "requests that timed out");
export const failedElse = ({ requests, errors }: Measured): string => {
  const count = requests.failed - (errors.timeout ?? 0);
  return counted(
    count,
    "request that failed otherwise than by a time-out",
    "requests that failed otherwise than by a time-out",
  );
};
/**
 * How many requests were in flight at the end. Includes those that completed while Plateau waited for them, but not
 * those that failed.
 */
export const inFlight = ({ requests, drain }: Measured): string => {
  const count = requests.unfinished + (drain?.completed ?? 0);
  return counted(count, "request in flight at the end", "requests in flight at the end");
};

/** The number of responses in the first `seconds` seconds of the run; 0 if the run was no longer than that. */
export function responsesBefore({ timeline, elapsedS }: Measured, seconds: number): number {
  if (elapsedS <= seconds) return 0;
  return timeline.points.filter(({ endS }) => endS <= seconds)
    .reduce((sum, { completed }) => sum + completed, 0);
}

export function redirected(tool: string, { status }: Measured): string[] {
  const count = ["301", "302", "303", "307", "308"]
    .reduce((sum, code) => sum + (status[code] ?? 0), 0);
  return differenceSentence(
    `${tool} would have followed`,
    counted(
      count,
      "redirect, timing its two requests as one",
      "redirects, timing the two requests of each as one",
    ),
  );
}

/** A note that the tool reports times in whole milliseconds, with Plateau's median if that is below 1 ms. */
export function wholeMilliseconds(tool: string, { latency, timeText }: Measured): string {
  const median = latency.percentiles["50"];
  const here = latency.count > 0 && median < 1 ? `; the median here is ${timeText(median)}` : "";
  return `${tool} reports times in whole milliseconds${here}`;
}

/**
 * How many samples a correction for coordinated omission adds, as in HdrHistogram's `recordValueWithExpectedInterval`.
 * The correction expects a request on each connection every `stepMs`. For a response that took longer, it adds samples
 * that are shorter by one step, two steps and so on.
 */
export function addedSamples({ buckets, load }: Measured, stepMs: number): number {
  if (!(stepMs > 0)) return 0;
  return buckets.filter(({ highMs }) => highMs < load.timeout).reduce(
    (sum, { highMs, count }) => sum + count * Math.max(0, Math.floor(highMs / stepMs) - 1),
    0,
  );
}

export function added(tool: string, count: number): string[] {
  const samples = counted(count, "sample that was not measured", "samples that were not measured");
  return differenceSentence(`${tool} would have added about`, samples)
    .map((sentence) => `${sentence}, to correct for requests that waited`);
}

// Multipart forms, as curl and oha understand them.

/** Translates a form part. Refuses one that curl would change before it sends it. */
export function formMeaning(text: string): Meaning {
  return isChanged(text.slice(text.indexOf("=") + 1)) ? refusal(text) : taken(text);
}

/** Translates a form part in which no character is special to the tool. */
export function literalPart(text: string): Meaning {
  return /^[^=]*=[@<]|;/.test(text) ? refusal(text) : taken(text);
}

/**
 * Whether curl would send a text other than the one given: it removes quotes and outer spaces, and stops at `;`
 * (tool_formparse.c).
 */
function isChanged(value: string): boolean {
  if (value.startsWith("@")) return value.includes('"');
  return value.startsWith('"') || value.includes(";") || value !== value.trim();
}

function taken(text: string): Meaning {
  return formPart.safeParse(text).success ? { flags: [["--form", text]] } : refusal(text);
}

function refusal(text: string): Meaning {
  return { refused: `the part ${text} of its form` };
}

/** A form is sent with POST unless another method is given. */
export function withForm(line: TranslatedLine): TranslatedLine {
  const isPosted = lastOf(line, "--form") !== undefined && lastOf(line, "-m") === undefined;
  return isPosted ? withFlags(line, ["-m", "post"]) : line;
}
