/** What it took to connect, and how much came back: oha's details, one row a cell. */
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, formatCount, sizeUnit, timeUnit } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { mergeTls, type TlsUse } from "../../../runner/result/tls.ts";
import { table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { WEAK_NOTE } from "../../figures/pool.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import {
  cellColumn,
  type ColumnOf,
  countCell,
  NONE,
  rangeCell,
  type Table,
  type TableCell,
  tableOf,
} from "./table.ts";
import { type FigureRange, FIGURES, rangeOf } from "../../figures/figures.ts";
import type { FigureName } from "../../../base/figures/figure.ts";

interface ConnectionRow {
  readonly cell: CellRuns;
  readonly opened: number;
  /** The same as in thresholds, claims and published tables; null where no run has the figure. */
  readonly of: (figure: FigureName) => FigureRange | null;
}

export const connections: Subject<ScenarioContext> = {
  id: "connections",
  title: "Connections and responses",
  depth: "everything",
  build: (context) => {
    const whole = connectionsTable(context);
    return whole === null ? [] : [table(whole, { forms: ["page", "markdown"] })];
  },
};

/** Null where nothing was connected to, and nothing responded. */
function connectionsTable({ name: scenario, cells }: ScenarioContext): Table | null {
  const rows = cells.map(rowOf);
  const columns = [...connectColumns(rows), ...sizeColumns(rows)];
  if (columns.length === 0) return null;
  const caption = `Connections and responses of ${scenario}`;
  const isOld = cells.some(({ runs }) => runs.length > 1 && runs.some(hasNoHistogram));
  const isWeak = rows.some((row) => columns.some(({ cell }) => cell(row).weak));
  return tableOf(
    {
      caption,
      notes: [NOTE, ...isOld ? [OLD_NOTE] : [], ...isWeak ? [WEAK_NOTE] : [], ...tlsNotes(cells)],
    },
    rows,
    [cellColumn, ...columns],
  );
}

/** `openssl 3.0.19; TLSv1.3, TLS_AES_256_GCM_SHA384, http/1.1: 50 full handshakes`. */
export function tlsText({ by, handshakes }: TlsUse): string {
  const agreed = handshakes.map(({ version, cipher, alpn, full, resumed }) => {
    const resumedText = resumed === 0 ? "" : `, ${formatCount(resumed)} resumed`;
    const what = [version, cipher, alpn ?? "no ALPN"].join(", ");
    return `${what}: ${counted(full, "full handshake")}${resumedText}`;
  });
  return [by, ...agreed].join("; ");
}

/** How TLS was done, for each cell whose runs had any. */
function tlsNotes(cells: readonly CellRuns[]): string[] {
  return cells.flatMap(({ label, runs }) => {
    const use = mergeTls(runs.map(({ tls }) => tls));
    return use === null ? [] : [`TLS of ${label}: ${tlsText(use)}.`];
  });
}

const NOTE =
  "Connecting is name look-up and dial; its figures are those of the connections of all runs together. The size of a response is everything that was received, with status line and headers, " +
  "over the completed responses.";

const OLD_NOTE =
  "Some of these runs were saved without a histogram of connecting: percentiles are then those of the middle " +
  "run, with the lowest and the highest run's in brackets, and the mean is that of the runs' means.";

function hasNoHistogram({ connect, histograms }: CellRuns["runs"][number]): boolean {
  return connect.count > 0 && histograms?.connect === undefined;
}

function rowOf(cell: CellRuns): ConnectionRow {
  return {
    cell,
    opened: sum(cell.runs, ({ connect }) => connect.count),
    of: (figure) => {
      const range = rangeOf(figure, cell);
      return "none" in range ? null : range;
    },
  };
}

function connectColumns(rows: readonly ConnectionRow[]): ColumnOf<ConnectionRow>[] {
  const times = rows.flatMap(({ of }) => of("connect.mean")?.value ?? []);
  if (times.length === 0) return [];
  const unit = timeUnit(times);
  return [
    { label: "Connections opened", cell: ({ opened }) => countCell(opened) },
    column("Connect, mean", "connect.mean", unit),
    column("Min", "connect.min", unit),
    column("p50", "connect.p50", unit),
    weakened("connect.p99", column("p99", "connect.p99", unit)),
    column("Max", "connect.max", unit),
  ];
}

function sizeColumns(rows: readonly ConnectionRow[]): ColumnOf<ConnectionRow>[] {
  const valuesOf = (figure: FigureName): number[] =>
    rows.flatMap(({ of }) => of(figure)?.value ?? []);
  const sizes = valuesOf("size");
  if (sizes.length === 0) return [];
  const perSecond = sizeUnit(valuesOf("bytes"));
  return [
    column("Size per response", "size", sizeUnit(sizes)),
    column("Received", "bytes", { ...perSecond, name: `${perSecond.name}/s` }),
  ];
}

function column(
  label: string,
  figure: FigureName,
  unit: DisplayUnit,
): ColumnOf<ConnectionRow> {
  return {
    label,
    unit: unit.name,
    cell: ({ of }): TableCell => {
      const range = of(figure);
      return range === null ? NONE : rangeCell(range, unit);
    },
  };
}

/** Weak and without an interval where too few connections were opened. */
function weakened(
  figure: FigureName,
  { cell, ...column }: ColumnOf<ConnectionRow>,
): ColumnOf<ConnectionRow> {
  return {
    ...column,
    cell: (row) => {
      const { below: _, ...plain } = cell(row);
      const isWeak = row.opened > 0 && !FIGURES[figure].supported(row.opened);
      return isWeak ? { ...plain, weak: true } : cell(row);
    },
  };
}
