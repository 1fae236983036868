/** What `plateau bench` prints: readers of wrk and oha find their way. */
import type { Measurement } from "../../runner/result.ts";
import type { GateOutcome } from "../gates.ts";
import type { Fact } from "../method.ts";
import { type MeasurementModel, measurementModel } from "../measurement.ts";
import { outcomeLines } from "./gates.ts";
import { barOf } from "./bars.ts";
import { tableLines } from "./table.ts";
import { trustLines, unansweredLines } from "./trust.ts";
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
    ...unansweredLines(model, options),
    ...wrapped(model.load, options.width),
    ...trustLines(model.trust, options),
    "",
    ...factLines(model.facts, options),
    ...section("Latency histogram", histogramLines(model, options), options),
    ...section("Latency percentiles", percentileLines(model, options), options),
    ...section("Status codes", factLines(model.statuses, options), options),
    ...section("Errors", factLines(model.errors, options), options),
    ...agentSection(model, options),
    ...section("Thresholds", outcomeLines(gates, options), options),
    ...model.notes.flatMap((note) => ["", ...wrapped(note, options.width)]),
  ];
  return encoded(lines.join("\n") + "\n", options);
}

function section(heading: string, lines: readonly string[], options: TerminalOptions): string[] {
  return lines.length === 0 ? [] : ["", styled(heading, "cyan", options), ...lines];
}

/** With more rows than these it would bury the rest. */
const MOST_AGENT_ROWS = 17;

/** What they differ by, and each one's figures. */
function agentSection({ agents }: MeasurementModel, options: TerminalOptions): string[] {
  if (agents === null) return [];
  const { findings, table } = agents;
  const rows = table.rows.length > MOST_AGENT_ROWS ? [] : tableLines(table, options);
  const lines = [
    ...findings.flatMap((text) => wrapped(harmless(text), options.width, "  ")),
    ...rows,
  ];
  return section("Agents", lines, options);
}

function factLines(facts: readonly Fact[], { width }: TerminalOptions): string[] {
  const texts = facts.map(({ text }) => harmless(text));
  const room = width - Math.max(0, ...texts.map(widthOf)) - 4;
  const labels = facts.map(({ label }) => fitted(harmless(label), Math.max(8, room)));
  const widest = Math.max(0, ...labels.map(widthOf));
  return texts.map((text, i) => `  ${padEnd(labels[i], widest)}  ${text}`);
}

function percentileLines({ percentiles }: MeasurementModel, options: TerminalOptions): string[] {
  const texts = percentiles.map(({ text, weak }) =>
    encoded(weak ? `(${text})` : `${text} `, options)
  );
  const widest = Math.max(...texts.map(widthOf));
  return percentiles.map(({ label, weak }, i) => {
    const text = padStart(texts[i], widest);
    return `  ${padEnd(label, 6)}  ${weak ? styled(text, "dim", options) : text}`.trimEnd();
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
