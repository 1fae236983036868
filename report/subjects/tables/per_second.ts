/** autocannon's table: how requests and bytes of whole seconds spread, one row a run. */
import type { Run } from "../../../runner/result/result.ts";
import { group, table, text } from "../../blocks.ts";
import { type DisplayUnit, sizeUnit } from "../../writing/units.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import {
  type ColumnOf,
  numberCell,
  runColumns,
  type RunOfCell,
  runsOf,
  type Table,
  tableOf,
} from "./table.ts";

/** Percentiles of so few seconds are those seconds. */
const FEWEST_SECONDS = 4;

/** Nothing where no run has seconds enough. */
export const perSecond: Subject<ScenarioContext> = {
  id: "per-second",
  title: "Per second",
  depth: "everything",
  build: ({ cells }) => {
    const runs = runsOf(cells).filter(({ run }) => run.elapsedS >= FEWEST_SECONDS);
    if (runs.length === 0) return [];
    const unit = sizeUnit(runs.map(({ run }) => run.perSecond.bytes.p50));
    const tables = [
      spreadTable("Requests completed per second", runs, { of: ({ requests }) => requests }),
      spreadTable(`Received per second, ${unit.name}`, runs, { unit, of: ({ bytes }) => bytes }),
    ];
    return [
      group("", tables.map((one) => table(one, { isCaptioned: true })), { layout: "halves" }),
      text("per-second", READING, "note"),
    ];
  },
};

const READING =
  "Each whole second of a run counts its requests: in 2.5 % of the seconds there were no more than the figure under 2.5 %. The closer the figures, the steadier the run.";

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

interface Of {
  readonly unit?: DisplayUnit;
  readonly of: (perSecond: Run["perSecond"]) => PerSecondSpread;
}

/** All columns have one unit, so the caption has it for them. */
function spreadTable(caption: string, runs: readonly RunOfCell[], { unit, of }: Of): Table {
  return tableOf({ caption }, runs, [
    ...runColumns,
    ...STATISTICS.map(([label, key]): ColumnOf<RunOfCell> => ({
      label,
      cell: ({ run }) => numberCell(of(run.perSecond)[key], unit),
    })),
  ]);
}
