/** What runtimes reported of themselves, in a sentence for each cell: pauses, and the slowest requests that met them. */
import type { Counters } from "../../runner/result/runtime/counters.ts";
import { sum } from "../writing/spread.ts";
import { formatMs, formatShare } from "../writing/units.ts";
import { counted } from "../writing/words.ts";
import type { Finding } from "../blocks.ts";
import type { CellRuns } from "../cells/cells.ts";

/** None where no run was observed. */
export function runtimeFindings(cells: readonly CellRuns[]): Finding[] {
  return cells.flatMap(({ label, runs }) => {
    const observed = runs.filter(({ counters }) => counters !== undefined);
    if (observed.length === 0) return [];
    const all = observed.flatMap(({ counters }) => counters ?? []);
    const elapsedMs = 1_000 * sum(observed, ({ elapsedS }) => elapsedS);
    return [{
      code: "runtime",
      text: `Runtime of ${label}: ${pausesText(all, elapsedMs)}; ${slowestText(all)}.`,
    }];
  });
}

/** Of several processes the shares are added: each stops alone. */
function pausesText(all: readonly Counters[], elapsedMs: number): string {
  const processes = all.flatMap(({ processes }) => processes);
  const count = sum(processes, ({ collections }) => collections);
  const stoppedMs = sum(processes, (each) => each.stoppedMs);
  const longestMs = Math.max(0, ...processes.map((each) => each.longestMs));
  const delays = processes.flatMap(({ delay }) => delay ?? []);
  const delay = delays.length === 0
    ? ""
    : `, its event loop was late by ${
      formatMs(sum(delays, ({ mean }) => mean) / delays.length)
    } on average and ${formatMs(Math.max(...delays.map(({ max }) => max)))} at most`;
  const stopped = count === 0
    ? "no collection"
    : `${counted(count, "collection")} stopped it for ${
      formatShare(stoppedMs / elapsedMs)
    } of the time, the longest took ${formatMs(longestMs)}`;
  return stopped + delay;
}

function slowestText(all: readonly Counters[]): string {
  const requests = sum(all, ({ slowest }) => slowest.requests);
  if (requests === 0) return "no request was slow";
  const met = (of: "collections" | "stalls", what: string): string => {
    const overlapping = sum(all, ({ slowest }) => slowest[of].overlapping);
    const expected = sum(all, ({ slowest }) => slowest[of].expected);
    const byChance = formatShare(expected / requests);
    return `${formatShare(overlapping / requests)} overlap ${what} (${byChance} by chance)`;
  };
  // Stalls of a halted machine or a crowded core are none of the program's.
  const hasStalls = all.some(({ slowest: { stalls } }) => stalls.expected > 0);
  return [
    `of its ${counted(requests, "slowest request")} ${met("collections", "a collection")}`,
    ...hasStalls ? [met("stalls", "a blocked event loop")] : [],
  ].join(", ");
}
