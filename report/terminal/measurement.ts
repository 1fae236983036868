/** What `plateau bench` prints: readers of wrk and oha find their way. */
import type { Measurement } from "../../runner/result.ts";
import type { GateOutcome } from "../gates.ts";
import type { Fact } from "../method.ts";
import { type MeasurementModel, measurementModel } from "../measurement.ts";
import { outcomeLines } from "./gates.ts";
import { trustLines } from "./trust.ts";
import {
  encoded,
  fitted,
  harmless,
  padEnd,
  padStart,
  styled,
  type TerminalOptions,
  widthOf,
  wrapped,
} from "./text.ts";

/** One measurement, with a line break at its end. */
export function renderMeasurement(
  measurement: Measurement,
  options: TerminalOptions,
  gates: readonly GateOutcome[] = [],
): string {
  const model = measurementModel(measurement);
  const lines = [
    styled(fitted(harmless(model.url), options.width), "bold", options),
    ...wrapped(model.load, options.width),
    ...trustLines(model.trust, options),
    "",
    ...factLines(model.facts, options),
    ...section("Latency histogram", histogramLines(model, options), options),
    ...section("Latency percentiles", percentileLines(model, options), options),
    ...section("Status codes", factLines(model.statuses, options), options),
    ...section("Errors", factLines(model.errors, options), options),
    ...section("Thresholds", outcomeLines(gates, options), options),
    ...model.notes.flatMap((note) => ["", ...wrapped(note, options.width)]),
  ];
  return encoded(lines.join("\n") + "\n", options);
}

function section(heading: string, lines: readonly string[], options: TerminalOptions): string[] {
  return lines.length === 0 ? [] : ["", styled(heading, "cyan", options), ...lines];
}

function factLines(facts: readonly Fact[], { width }: TerminalOptions): string[] {
  const texts = Math.max(0, ...facts.map(({ text }) => widthOf(text)));
  const labels = facts.map(({ label }) => fitted(harmless(label), Math.max(8, width - texts - 4)));
  const widest = Math.max(0, ...labels.map(widthOf));
  return facts.map(({ text }, i) => `  ${padEnd(labels[i], widest)}  ${text}`);
}

function percentileLines({ percentiles }: MeasurementModel, options: TerminalOptions): string[] {
  const widest = Math.max(...percentiles.map(({ text }) => widthOf(text)));
  return percentiles.map(({ label, text, weak }) => {
    const padded = padStart(text, widest);
    return `  ${padEnd(label, 6)}  ${weak ? styled(`(${padded})`, "dim", options) : ` ${padded}`}`;
  });
}

function histogramLines({ histogram }: MeasurementModel, options: TerminalOptions): string[] {
  const bounds = Math.max(0, ...histogram.map(({ upTo }) => widthOf(upTo)));
  const most = Math.max(...histogram.map(({ share }) => share));
  const room = Math.max(8, Math.min(options.width - bounds - 16, 60));
  return histogram.map(({ upTo, share, text }) => {
    const bar = barOf(share / most * room, options);
    return `  ${padStart(upTo, bounds)}  ${styled(padEnd(bar, room), "cyan", options)}  ${
      padStart(text, 8)
    }`
      .trimEnd();
  });
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A bar of `columns` columns, to an eighth where the terminal has the signs. */
function barOf(columns: number, { unicode }: TerminalOptions): string {
  if (!unicode) return "#".repeat(Math.round(columns));
  const whole = Math.floor(columns);
  return "█".repeat(whole) + EIGHTHS[Math.floor((columns - whole) * 8)];
}
