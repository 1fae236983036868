/** What the targets used: CPU, memory, and what they did with it. */
import type { Run } from "../../runner/result.ts";
import type { Cell } from "../cells.ts";
import { cpuSecondsOf, meanCoresOf, peakCoresOf, peakMemoryBytesOf } from "../resources.ts";
import { median } from "../spread.ts";
import { type Table, type TableCell, tableOf } from "../table.ts";
import { sizeUnit, timeUnit } from "../units.ts";
import { NONE, numberCell, targetColumn } from "./columns.ts";

/** Null when no target was ours to watch. */
export function resourcesTable(scenario: string, cells: readonly Cell[]): Table | null {
  const watched = cells.filter(({ runs }) => runs.some(isWatched));
  if (watched.length === 0) return null;
  const memory = sizeUnit(watched.flatMap(({ runs }) => runs.map(peakMemoryBytesOf)));
  const startUp = timeUnit(watched.flatMap(({ runs }) => runs.map((run) => run.startUp ?? 0)));
  return tableOf({ caption: `Resources of the targets of ${scenario}`, notes: NOTES }, watched, [
    targetColumn,
    { label: "CPU, mean", unit: "cores", cell: middle(meanCoresOf) },
    { label: "CPU, peak", unit: "cores", cell: middle(peakCoresOf) },
    { label: "Requests per CPU second", cell: middle(requestsPerCpuSecond) },
    {
      label: "Memory, peak",
      unit: memory.name,
      cell: ({ runs }) => numberCell(median(runs.filter(isWatched).map(peakMemoryBytesOf)), memory),
    },
    { label: "Start-up", unit: startUp.name, cell: (cell) => startUpCell(cell) },
  ]);

  function startUpCell({ runs }: Cell): TableCell {
    const times = runs.flatMap((run) => run.startUp ?? []);
    return times.length === 0 ? NONE : numberCell(median(times), startUp);
  }
}

const NOTES = [
  "Of the target's whole process tree; medians over the runs. Start-up is from the start of the " +
  "process to its first right answer.",
];

function isWatched({ resources }: Run): boolean {
  return resources.length > 0;
}

function middle(of: (run: Run) => number): (cell: Cell) => TableCell {
  return ({ runs }) => numberCell(median(runs.filter(isWatched).map(of)));
}

function requestsPerCpuSecond(run: Run): number {
  const seconds = cpuSecondsOf(run);
  return seconds > 0 ? run.requests.completed / seconds : 0;
}
