/** A single measurement in the forms of `bench`, and what it says, as tests read it. */
import type { GateOutcome } from "../../report/findings/threshold_sentences.ts";
import { renderBlocksMarkdown } from "../../report/render/markdown.ts";
import { renderBlocks } from "../../report/render/terminal/blocks.ts";
import { measurementBlocks } from "../../report/subjects/measurement.ts";
import type { TerminalOptions } from "../../report/writing/terminal.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { within } from "./said.ts";

export function renderMeasurement(
  measurement: Measurement,
  options: TerminalOptions,
  gates: readonly GateOutcome[] = [],
): string {
  return renderBlocks(measurementBlocks(measurement, gates), options);
}

export function renderMeasurementMarkdown(
  measurement: Measurement,
  gates: readonly GateOutcome[] = [],
): string {
  return renderBlocksMarkdown(measurementBlocks(measurement, gates));
}

interface Measured {
  /** Beside each label of its facts and tables the text, with the unit of its column. */
  readonly texts: Readonly<Record<string, string>>;
  /** Labels of what too few requests support. */
  readonly weak: readonly string[];
  readonly notes: readonly string[];
}

export function measured(measurement: Measurement): Measured {
  const blocks = within(measurementBlocks(measurement));
  const rows = blocks.flatMap((block) =>
    block.kind !== "table"
      ? []
      : block.table.rows.map((row) => ({ row, column: block.table.columns[row.length - 1] }))
  );
  return {
    texts: Object.fromEntries([
      ...rows.map((
        { row, column: { unit } },
      ) => [row[0].text, `${row.at(-1)?.text} ${unit}`.trim()]),
      ...blocks.flatMap((block) => block.kind === "facts" ? block.facts : [])
        .map(({ label, text }) => [label, text.replaceAll("\u00a0", " ")]),
    ]),
    weak: rows.filter(({ row }) => row.at(-1)?.weak).map(({ row }) => row[0].text),
    notes: blocks.flatMap((block) =>
      block.kind === "text" && block.code === "note" ? block.text : []
    )
      .filter(Boolean),
  };
}
