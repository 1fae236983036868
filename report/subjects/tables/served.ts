/** Who served the responses, and of which class they were: a row for each instance, class or use of a cache of a cell. */
import {
  CACHE_USES,
  type ServedGroup,
  STATUS_CLASSES,
} from "../../../runner/result/distribution.ts";
import type { Distribution, Run } from "../../../runner/result/result.ts";
import { supportsPercentile } from "../../../runner/stats/quantile.ts";
import { sum } from "../../writing/spread.ts";
import { type DisplayUnit, timeUnit } from "../../writing/units.ts";
import { table } from "../../blocks.ts";
import type { CellRuns } from "../../cells/cells.ts";
import { WEAK_NOTE } from "../../figures/pool.ts";
import type { ScenarioContext, Subject } from "../subject.ts";
import {
  cellColumn,
  type ColumnOf,
  countCell,
  NONE,
  numberCell,
  rangeCell,
  shareCell,
  type Table,
  type TableCell,
  tableOf,
  textCell,
} from "./table.ts";
import { timesIn } from "../../figures/figures.ts";
import { histogramRange } from "../../figures/range.ts";

/** A group of responses in one run: what it is, how long it took. */
interface GroupOfRun {
  readonly name: string;
  readonly times: Distribution;
  readonly histogram: string | undefined;
}

interface GroupRow {
  readonly cell: CellRuns;
  readonly name: string;
  readonly count: number;
  /** Of all responses of the cell that are in such a group. */
  readonly share: number;
  readonly groups: readonly GroupOfRun[];
}

/** By class of status, by instance, by cache, and the virtual users' sessions; none of what no response says. */
export const served: Subject<ScenarioContext> = {
  id: "served",
  title: "Kinds of responses",
  depth: "everything",
  build: ({ cells, roomy }) => {
    // Of runs in which every request got a response of 2xx there is one class.
    const hasClasses = cells.some(({ runs }) =>
      runs.some(({ statusLatency }) => statusLatency !== undefined)
    );
    return KINDS.filter(({ caption }) => hasClasses || caption !== STATUSES)
      .map(({ groupsOf, ...kind }) =>
        table(groupTable(kind, cells.flatMap((cell) => rowsOf(cell, groupsOf))), {
          isCaptioned: true,
          forms: ["page", "markdown", ...roomy],
        })
      );
  },
};

const WHOLE_RUNS = "The figures are of whole runs; nothing is discarded here.";
const STATUS_NOTE =
  `Latency of the completed responses by class of status, without requests that timed out. ${WHOLE_RUNS}`;
const INSTANCE_NOTE =
  "The balancer names the instance in the header x-instance. Instances that join later have the higher " +
  `numbers. ${WHOLE_RUNS}`;
const CACHE_NOTE =
  `A response says by its header x-cache whether a cache had it; stale ones were served from it, too. ${WHOLE_RUNS}`;
const SESSION_NOTE =
  `The length of a session is the time from the arrival of a virtual user to the end of the last step. ${WHOLE_RUNS}`;

const STATUSES = "Latency by class of status";

const KINDS: readonly (GroupTableText & {
  readonly groupsOf: (run: Run) => readonly GroupOfRun[];
})[] = [
  { caption: STATUSES, name: "Class", note: STATUS_NOTE, groupsOf: classesOf },
  {
    caption: "Instances",
    name: "Instance",
    note: INSTANCE_NOTE,
    groupsOf: ({ instances = [] }) =>
      instances.map(({ instance, latency, histogram }) => ({
        name: String(instance),
        times: latency,
        histogram,
      })),
  },
  {
    caption: "Cache",
    name: "x-cache",
    note: CACHE_NOTE,
    groupsOf: ({ cache = {} }) => named(CACHE_USES, cache),
  },
  {
    caption: "Sessions",
    name: "Of",
    note: SESSION_NOTE,
    groupsOf: ({ sessions, histograms }) =>
      sessions === null || sessions.length.count === 0
        ? []
        : [{ name: "session", times: sessions.length, histogram: histograms?.sessionLength }],
  },
];

/** Also of a run with responses of 2xx alone, where another one has others. */
function classesOf(run: Run): GroupOfRun[] {
  return STATUS_CLASSES.flatMap((name) => {
    const kept = timesIn(run, name);
    return kept === null ? [] : [{ name, ...kept }];
  });
}

function named<Name extends string>(
  names: readonly Name[],
  groups: Partial<Record<Name, ServedGroup>>,
): GroupOfRun[] {
  return names.flatMap((name) => {
    const group = groups[name];
    return group === undefined ? [] : [{ name, times: group.latency, histogram: group.histogram }];
  });
}

function rowsOf(cell: CellRuns, groupsOf: (run: Run) => readonly GroupOfRun[]): GroupRow[] {
  const byName = Map.groupBy(cell.runs.flatMap(groupsOf), ({ name }) => name);
  const countOf = (groups: readonly GroupOfRun[]): number =>
    sum(groups, ({ times }) => times.count);
  const all = countOf([...byName.values()].flat());
  return [...byName].map(([name, groups]) => {
    const count = countOf(groups);
    return { cell, name, count, share: all === 0 ? 0 : count / all, groups };
  });
}

interface GroupTableText {
  readonly caption: string;
  /** Head of the column of groups. */
  readonly name: string;
  readonly note: string;
}

function groupTable(
  { caption, name, note }: GroupTableText,
  rows: readonly GroupRow[],
): Table {
  const unit = timeUnit(rows.flatMap(({ groups }) => groups.map(({ times }) => times.mean)));
  const isWeak = rows.some(({ count }) => !supportsPercentile(count, 99));
  const notes = isWeak ? [note, WEAK_NOTE] : [note];
  return tableOf({ caption, notes }, rows, [
    cellColumn,
    { label: name, kind: "text", cell: (row) => textCell(row.name) },
    { label: "Count", cell: ({ count }) => countCell(count) },
    { label: "Share", unit: "%", cell: ({ share }) => shareCell(share) },
    timeColumn("Min", unit, (row) => extremeCell(row, "min", unit)),
    timeColumn("Mean", unit, (row) => pooledCell(row, "mean", unit)),
    ...([50, 95, 99] as const).map((percentile) =>
      timeColumn(`p${percentile}`, unit, (row) => pooledCell(row, percentile, unit))
    ),
    timeColumn("Max", unit, (row) => extremeCell(row, "max", unit)),
  ]);
}

function timeColumn(
  label: string,
  { name }: DisplayUnit,
  cell: ColumnOf<GroupRow>["cell"],
): ColumnOf<GroupRow> {
  return { label, unit: name, cell };
}

function extremeCell({ groups }: GroupRow, of: "min" | "max", unit: DisplayUnit): TableCell {
  const values = groups.filter(({ times }) => times.count > 0).map(({ times }) => times[of]);
  return values.length === 0 ? NONE : numberCell(Math[of](...values), unit);
}

/** Of all runs together, by their added histogram counts; of one run, as the results have it. */
function pooledCell(
  { cell: { level }, groups, count }: GroupRow,
  figure: "mean" | 50 | 95 | 99,
  unit: DisplayUnit,
): TableCell {
  if (count === 0) return NONE;
  const values = groups.filter(({ times }) => times.count > 0)
    .map(({ times }) => figure === "mean" ? times.mean : times.percentiles[figure]);
  const range = histogramRange(figure, groups, { values, level });
  const shown = range === null ? NONE : rangeCell(range, unit);
  const isWeak = figure !== "mean" && !supportsPercentile(count, figure);
  return isWeak ? { text: shown.text, value: shown.value, weak: true } : shown;
}
