/** A profile as a table: its functions by their own time. */
import type { FrameTime } from "../../../base/profile/frame_times.ts";
import { counted } from "../numbers/words.ts";
import { shareCell, type Table, tableOf, textCell } from "../tables/table.ts";

/** Of the rest none matters. */
const MOST_ROWS = 20;

/** @param times The longest own time first. */
export function frameTable(label: string, times: readonly FrameTime[]): Table {
  const wholeMs = times.reduce((sum, { ownMs }) => sum + ownMs, 0);
  const rows = times.slice(0, MOST_ROWS);
  const left = times.length - rows.length;
  const notes = left > 0 ? [`${counted(left, "function")} with less own time not shown.`] : [];
  return tableOf({ caption: `Functions of ${label} by their own time`, notes }, rows, [
    { label: "Function", kind: "name", cell: ({ frame }) => textCell(frame.name) },
    {
      label: "Module and line",
      kind: "text",
      cell: ({ frame: { module, line } }) => textCell(line > 0 ? `${module}:${line}` : module),
    },
    { label: "Own time", unit: "%", cell: ({ ownMs }) => shareCell(ownMs / wholeMs) },
    { label: "Total time", unit: "%", cell: ({ totalMs }) => shareCell(totalMs / wholeMs) },
  ]);
}
