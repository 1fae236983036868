/** The output of `plateau capacity`: its trials, and the capacity in the last line. */
import type { CapacityResult } from "../../../runner/result/capacity.ts";
import { capacitySentence, trialsTable } from "../../subjects/capacity.ts";
import { fitted } from "../../writing/columns.ts";
import { type TerminalOptions, writtenLines } from "../../writing/terminal.ts";
import type { Written } from "../../writing/written.ts";
import { BLANK, HANGING, lineOf, paragraphLines } from "./line.ts";
import { tableLines } from "./table.ts";

interface CapacityOptions extends TerminalOptions {
  /** Where nobody looks, the last line is the capacity, however long: scripts read it. */
  readonly isTerminal: boolean;
}

export function renderCapacity(
  result: CapacityResult,
  options: CapacityOptions,
): Written<"terminal"> {
  const width = options.isTerminal ? options.width : Infinity;
  const style = result.capacity === null ? "yellow" : "green";
  return writtenLines([
    lineOf(fitted(result.url, options.width), "bold"),
    ...result.trials.length === 0
      ? []
      : [BLANK, ...tableLines(trialsTable(result.trials), options)],
    BLANK,
    ...paragraphLines(capacitySentence(result), width, { ...HANGING, style }),
  ], options);
}
