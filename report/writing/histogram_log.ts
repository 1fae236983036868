/**
 * Writes intervals as a histogram log of HdrHistogram's format 1.3, as its HistogramLogWriter does. Each comment is one
 * line. The parts of a tag are percent-encoded (RFC 3986 §2.1), because a comma, a space or a line break would end the
 * tag. Pure.
 */
import { decodeInterval, encodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

/** Plain text, or the name and the value of a factor. */
export type TagPart = string | readonly [name: string, value: string];

/** Consecutive intervals that have the same tag. */
export interface LoggedSeries {
  /** The parts of the tag; empty in a log that has a single series. */
  readonly tag: readonly TagPart[];
  /** Comment lines before the intervals of this series. */
  readonly comments: readonly string[];
  /** Start of the first interval in milliseconds after the base time. */
  readonly startMs: number;
  /**
   * The end of each interval in seconds after `startMs`, and its histogram in microseconds as base64, as in the
   * results; "" if it is empty.
   */
  readonly intervals: readonly { readonly endS: number; readonly histogram: string }[];
}

interface LoggedRuns {
  /** The base time in milliseconds since the epoch. */
  readonly startMs: number;
  /** Comment lines about the whole log. */
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
  const name = tag.map((part) => [part].flat().map(encoded).join("=")).join("/");
  const [about, field] = name === "" ? ["", ""] : [`${name}: `, `Tag=${name},`];
  return [
    ...comments.map((text) => commentLine(about + text)),
    ...intervals.map((interval, i) => {
      // Both ends are rounded in the same way, so each interval starts exactly where the previous
      // one ends.
      const [from, to] = [intervals[i - 1]?.endS ?? 0, interval.endS].map((s) =>
        Math.round(s * 1_000)
      );
      // The largest value is the upper end of the histogram's last bucket, as any reader of the
      // histogram will compute it.
      const held = decodeInterval(interval);
      const numbers = [startMs + from, to - from, held.maxUs].map(thousandths);
      // Encoded again unless it is plain base64, because decoding tolerates other characters, such
      // as line breaks, which would break the log.
      const isPlain = /^[A-Za-z\d+/]+={0,2}$/.test(interval.histogram);
      return field + [...numbers, isPlain ? interval.histogram : encodeHistogram(held)].join(",");
    }),
  ];
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** Converts milliseconds to seconds, or microseconds to milliseconds, with the three decimals that the format has. */
function thousandths(value: number): string {
  return (value / 1_000).toFixed(3);
}
