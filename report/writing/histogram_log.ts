/**
 * Intervals → a histogram log, version 1.3 of HdrHistogram's format, as its HistogramLogWriter writes it. A comment is one
 * line, and the parts of a tag are percent-encoded (RFC 3986 §2.1): a comma, a space or a line break would end it. Pure.
 */
import { decodeInterval, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import type { SparseHistogram } from "../../runner/stats/histogram/histogram.ts";
import { harmless, withoutCommands } from "./control.ts";
import type { Written } from "./written.ts";

/** A text, or the name and the value of a factor. */
export type TagPart = string | readonly [name: string, value: string];

/** Intervals of one tag, one after the other. */
export interface LoggedSeries {
  /** Empty in a log of a single series. */
  readonly tag: readonly TagPart[];
  /** Lines about this series, before its intervals. */
  readonly comments: readonly string[];
  /** Start of its first interval, since the base time. */
  readonly startMs: number;
  /**
   * Each with its end, in seconds after `startMs`, and its histogram as in the results: microseconds, base64; "" if it
   * is empty.
   */
  readonly intervals: readonly { readonly endS: number; readonly histogram: string }[];
}

interface LoggedRuns {
  /** The base time, milliseconds since the epoch. */
  readonly startMs: number;
  /** About the whole log. */
  readonly comments: readonly string[];
  readonly series: readonly LoggedSeries[];
}

const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"';

export function histogramLogOf({ startMs, comments, series }: LoggedRuns): Written<"hlog"> {
  const start = `${thousandths(startMs)} (seconds since epoch)`;
  const lines = [
    commentLine("Histogram log format version 1.3"),
    commentLine(`StartTime: ${start}, ${new Date(startMs).toUTCString()}`),
    commentLine(`BaseTime: ${start}`),
    ...comments.map(commentLine),
    LEGEND,
    ...series.flatMap(seriesLines),
  ];
  return lines.map((line) => `${line}\n`).join("") as Written<"hlog">;
}

function commentLine(text: string): string {
  return `#[${withoutCommands(harmless(text))}]`;
}

function seriesLines({ tag, comments, startMs, intervals }: LoggedSeries): string[] {
  const name = tag.map(encodedPart).join("/");
  const [about, field] = name === "" ? ["", ""] : [`${name}: `, `Tag=${name},`];
  return [
    ...comments.map((text) => commentLine(about + text)),
    ...intervals.map((interval, i) => {
      // The start of each is the end of the one before, also when both are rounded.
      const [from, to] = [intervals[i - 1]?.endS ?? 0, interval.endS].map((s) =>
        Math.round(s * 1_000)
      );
      // Its largest value is that of the histogram as any reader has it: the upper end of its last bucket.
      const held = decodeInterval(interval);
      const numbers = [startMs + from, to - from, held.maxUs].map(thousandths);
      return field + [...numbers, base64Of(interval.histogram, held)].join(",");
    }),
  ];
}

function encodedPart(part: TagPart): string {
  const texts = typeof part === "string" ? [part] : part;
  return texts.map((text) => encodeURIComponent(text.toWellFormed())).join("=");
}

/** Decoding passes over what is not base64, such as a line break. */
function base64Of(text: string, held: SparseHistogram): string {
  return /^[A-Za-z\d+/]+={0,2}$/.test(text) ? text : encodeHistogram(held);
}

/** Seconds of milliseconds, and milliseconds of microseconds, with the three decimals of the format. */
function thousandths(value: number): string {
  return (value / 1_000).toFixed(3);
}
