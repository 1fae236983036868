/**
 * The figures of the current run that terminals and pages draw over time. They describe its requests, or its messages.
 */
import type { Progress } from "../../runner/result/progress.ts";
import { EMPTY, valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { formatMs, formatNumber } from "../writing/units.ts";

export type Live = Extract<Progress, { kind: "live" }>;

export interface LiveFigure {
  readonly label: string;
  /** Null if there was no response or message in the interval, and so no latency. */
  readonly of: (interval: Live) => number | null;
  readonly text: (value: number) => string;
}

/** A rate, a typical time, and a time in the tail. */
type LiveFigures = readonly [LiveFigure, LiveFigure, LiveFigure];

export function liveFigures({ messages }: Live): LiveFigures {
  return messages?.lead ? OF_MESSAGES[messages.lead] : OF_REQUESTS;
}

const OF_REQUESTS: LiveFigures = [
  rate("Requests", ({ ratePerSec }) => ratePerSec),
  time("p50", ({ latency, p50Ms }) => latency.count === 0 ? null : p50Ms),
  time("p99", ({ latency, p99Ms }) => latency.count === 0 ? null : p99Ms),
];
const MESSAGES = rate("Messages", ({ messages }) => messages?.perSec ?? 0);
const OF_MESSAGES: Readonly<Record<"message" | "gap", LiveFigures>> = {
  message: [
    MESSAGES,
    time("p50", (interval) => percentileMs(interval, "message", 50)),
    time("p99", (interval) => percentileMs(interval, "message", 99)),
  ],
  gap: [
    MESSAGES,
    time("first p99", (interval) => percentileMs(interval, "ttfe", 99)),
    time("gap p99", (interval) => percentileMs(interval, "gap", 99)),
  ],
};

function rate(unit: string, of: (interval: Live) => number): LiveFigure {
  return { label: `${unit}/s`, of, text: (value) => formatNumber(value) };
}

function time(label: string, of: LiveFigure["of"]): LiveFigure {
  return { label, of, text: formatMs };
}

function percentileMs(
  { messages }: Live,
  of: keyof typeof OF_MESSAGES | "ttfe",
  p: number,
): number | null {
  const times = messages?.[of].all ?? EMPTY;
  return times.count === 0 ? null : valueAtPercentile(times, p) / 1_000;
}
