/** autocannon's table: how requests and bytes of whole seconds spread, one row a run. */
import type { Run } from "../../../runner/result/result.ts";
import type { CellRuns } from "../runs/cells.ts";
import {
  type ColumnOf,
  NONE,
  numberCell,
  runColumns,
  type RunOfCell,
  runsOf,
  type Table,
  tableOf,
} from "./table.ts";
import { type DisplayUnit, sizeUnit } from "../numbers/units.ts";

type PerSecondSpread = Run["perSecond"]["requests"];

const STATISTICS: readonly (readonly [string, keyof PerSecondSpread])[] = [
  ["1 %", "p1"],
  ["2.5 %", "p2_5"],
  ["50 %", "p50"],
  ["97.5 %", "p97_5"],
  ["Mean", "mean"],
  ["Stdev", "stdev"],
  ["Min", "min"],
];

export function requestsPerSecondTable(cells: readonly CellRuns[]): Table {
  return spreadTable("Requests completed per second", cells, {
    of: ({ requests }) => requests,
  });
}

export function bytesPerSecondTable(cells: readonly CellRuns[]): Table {
  const unit = sizeUnit(runsOf(cells).map(({ run }) => run.perSecond.bytes.p50));
  return spreadTable(`Received per second, ${unit.name}`, cells, {
    unit,
    of: ({ bytes }) => bytes,
  });
}

interface Of {
  readonly unit?: DisplayUnit;
  readonly of: (perSecond: Run["perSecond"]) => PerSecondSpread;
}

/** All columns have one unit, so the caption has it for them. */
function spreadTable(caption: string, cells: readonly CellRuns[], { unit, of }: Of): Table {
  return tableOf({ caption }, runsOf(cells), [
    ...runColumns,
    ...STATISTICS.map(([label, key]): ColumnOf<RunOfCell> => ({
      label,
      // Of a shorter run there is no whole second.
      cell: ({ run }) => run.elapsedS < 1 ? NONE : numberCell(of(run.perSecond)[key], unit),
    })),
  ]);
}
