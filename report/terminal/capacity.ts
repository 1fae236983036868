/** The output of `plateau capacity`: its trials, and the capacity in the last line. */
import type { CapacityResult } from "../../runner/result/capacity.ts";
import { capacitySentence, trialsTable } from "../model/capacity.ts";
import { fitted } from "../writing/columns.ts";
import { type TerminalOptions, writtenLines } from "../writing/terminal.ts";
import type { Written } from "../writing/written.ts";
import { BLANK, lineOf } from "./line.ts";
import { tableLines } from "./table.ts";

/** The last line is never broken: scripts read it. */
export function renderCapacity(
  result: CapacityResult,
  options: TerminalOptions,
): Written<"terminal"> {
  return writtenLines([
    lineOf(fitted(result.url, options.width), "bold"),
    ...result.trials.length === 0 ? [] : [BLANK, ...tableLines(trialsTable(result), options)],
    BLANK,
    lineOf(capacitySentence(result), result.capacity === null ? "yellow" : "green"),
  ], options);
}
