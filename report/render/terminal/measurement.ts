/** The output of `plateau bench`, in the order of wrk and oha. */
import type { Measurement } from "../../../runner/result/result.ts";
import type { GateOutcome } from "../../findings/gate_sentences.ts";
import { type MeasurementModel, measurementModel } from "../../subjects/measurement.ts";
import type { Fact } from "../../blocks.ts";
import { fitted, padEnd, padStart, widthOf } from "../../writing/columns.ts";
import {
  encoded,
  type TerminalOptions,
  type TextLine,
  writtenLines,
} from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { barOf } from "./latency.ts";
import { BLANK, HANGING, lineOf, paragraphLines, trimmed } from "./line.ts";
import { tableLines } from "./table.ts";
import { outcomeLines, TRUST_STYLES, trustLines } from "./verdicts.ts";

/** One measurement, with a line break at its end. */
export function renderMeasurement(
  measurement: Measurement,
  options: TerminalOptions,
  gates: readonly GateOutcome[] = [],
): Written<"terminal"> {
  const model = measurementModel(measurement);
  const lines = [
    lineOf(fitted(model.url, options.width), "bold"),
    // Before every figure: they are of nothing.
    ...(model.unanswered === ""
      ? []
      : paragraphLines(model.unanswered, options.width, { style: "red" })),
    ...paragraphLines(model.load, options.width),
    ...trustLines(model.trust, options),
    BLANK,
    ...factLines(model.facts, options),
    ...section("Latency histogram", histogramLines(model, options)),
    ...section("Latency percentiles", percentileLines(model, options)),
    ...section("Status codes", factLines(model.statuses, options)),
    ...section("Errors", factLines(model.errors, options)),
    ...agentSection(model, options),
    ...section("Thresholds", outcomeLines(gates, options)),
    ...model.notes.flatMap((note) => [BLANK, ...paragraphLines(note, options.width)]),
    BLANK,
    ...paragraphLines(model.recap, options.width, {
      ...HANGING,
      style: TRUST_STYLES[model.trust.level],
    }),
  ];
  return writtenLines(lines, options);
}

function section(heading: string, lines: readonly TextLine[]): TextLine[] {
  return lines.length === 0 ? [] : [BLANK, lineOf(heading, "cyan"), ...lines];
}

/** With more rows than these it would bury the rest. */
const MOST_AGENT_ROWS = 17;

/** Their differences, and the figures of each. */
function agentSection({ agents }: MeasurementModel, options: TerminalOptions): TextLine[] {
  if (agents === null) return [];
  const { findings, table } = agents;
  const rows = table.rows.length > MOST_AGENT_ROWS ? [] : tableLines(table, options);
  const lines = [
    ...findings.flatMap((text) => paragraphLines(text, options.width, HANGING)),
    ...rows,
  ];
  return section("Agents", lines);
}

function factLines(facts: readonly Fact[], { width }: TerminalOptions): TextLine[] {
  const texts = facts.map(({ text }) => text);
  const room = width - Math.max(0, ...texts.map(widthOf)) - 4;
  const labels = facts.map(({ label }) => fitted(label, Math.max(8, room)));
  const widest = Math.max(0, ...labels.map(widthOf));
  return texts.map((text, i) => lineOf(`  ${padEnd(labels[i], widest)}  ${text}`));
}

function percentileLines({ percentiles }: MeasurementModel, options: TerminalOptions): TextLine[] {
  const texts = percentiles.map(({ text, weak }) =>
    encoded(weak ? `(${text})` : `${text} `, options)
  );
  const widest = Math.max(...texts.map(widthOf));
  return percentiles.map(({ label, weak }, i) => {
    const text = padStart(texts[i], widest);
    return trimmed([
      { text: `  ${padEnd(label, 6)}  ` },
      { text, style: weak ? "dim" : undefined },
    ]);
  });
}

function histogramLines({ histogram }: MeasurementModel, options: TerminalOptions): TextLine[] {
  const bounds = Math.max(0, ...histogram.map(({ upTo }) => widthOf(upTo)));
  const most = Math.max(...histogram.map(({ share }) => share));
  const room = Math.max(8, Math.min(options.width - bounds - 16, 60));
  return histogram.map(({ upTo, share, text }) => {
    const bar = barOf(share / most * room, options);
    return trimmed([
      { text: `  ${padStart(upTo, bounds)}  ` },
      { text: padEnd(bar, room), style: "cyan" },
      { text: `  ${padStart(text, 8)}` },
    ]);
  });
}
