/**
 * Tables of distributions: latencies, with a row for each cell (all its runs pooled), and the requests and bytes of each
 * whole second, with a row for each run.
 */
import type { Run } from "../../../runner/result/result.ts";
import { PERCENTILES } from "../../../runner/stats/quantile.ts";
import { type Block, group, table, text } from "../../blocks.ts";
import { boundsNote, lowerBoundsText } from "../../figures/lower_bounds.ts";
import { sum } from "../../writing/spread.ts";
import { sizeUnit, timeUnit } from "../../writing/units.ts";
import type { ScenarioContext } from "../subject.ts";
import * as column from "./column.ts";
import {
  type ColumnOf,
  type Format,
  type Measured,
  type OfCell,
  type RunOfCell,
  runsOf,
  tableOf,
} from "./table.ts";

export function percentiles({ name, cells, roomy }: ScenarioContext): Block[] {
  const latencies = cells.map(({ latency }) => latency);
  const unit = timeUnit(latencies.flatMap(({ percentiles }) => percentiles));
  const caption = `Latency of ${name}`;
  const rows = cells.map((cell) => ({ cell }));
  const meanOf = ({ cell: { latency, interval } }: OfCell): Measured | null =>
    column.meanIn(latency, interval("mean"));
  // These percentiles have no intervals, because they are only read beside their neighbours.
  const plain = (p: number): ColumnOf<OfCell> =>
    column.number(`p${p}`, ({ cell }) => column.percentileIn(cell.latency, p), unit);
  const runs = cells.flatMap((cell) => cell.runs);
  const bounds = lowerBoundsText(sum(latencies, ({ censored }) => censored), runs);
  const notes = [
    "p99 is the time that 99 of 100 requests did not exceed.",
    ...cells.some(({ runs }) => runs.length > 1) ? [POOLED] : [],
    ...bounds === "" ? [] : [`${bounds} ${MINIMUM}`],
  ];
  return [
    table(tableOf({ caption, notes }, rows, [
      column.cell,
      column.number("Mean", meanOf, unit),
      column.number("Stdev", ({ cell: { latency } }) => latency.count ? latency.stdev : null, unit),
      column.number("Min", ({ cell: { latency } }) => latency.fastest || null, unit),
      // autocannon and oha show these percentiles below the median.
      ...[2.5, 10, 25].map(plain),
      ...PERCENTILES.map((p) => column.percentile(p, unit))
        .toSpliced(PERCENTILES.indexOf(99), 0, plain(97.5)),
      column.max(unit),
      column.number("Requests", ({ cell }) => cell.latency.count, "count"),
    ])),
    // In a terminal, the table begins with the median to save room.
    table(
      tableOf({ caption }, latencies.some(({ count }) => count > 0) ? rows : [], [
        column.cell,
        ...PERCENTILES.map(plain),
      ]),
      { forms: roomy },
    ),
    { ...text("lower-bounds", boundsNote(latencies, runs)), forms: ["markdown", ...roomy] },
  ];
}

const POOLED =
  "The runs of a row are pooled by adding their histograms; no percentile is an average of percentiles.";
const MINIMUM =
  "Mean and stdev count lower bounds as values; the minimum is that of the completed requests.";

/** With fewer seconds than this, percentiles would merely be the values of single seconds. */
const FEWEST_SECONDS = 4;

/**
 * The spread of requests and bytes over whole seconds, as in autocannon's table; empty if no run has enough seconds.
 */
export function perSecond({ cells }: ScenarioContext): Block[] {
  const runs = runsOf(cells).filter(({ run }) => run.elapsedS >= FEWEST_SECONDS);
  if (runs.length === 0) return [];
  const unit = sizeUnit(runs.map(({ run }) => run.perSecond.bytes.p50));
  // All columns have the same unit, which the caption names.
  const spread = (caption: string, of: keyof Run["perSecond"], format: Format) =>
    table(
      tableOf({ caption }, runs, [
        ...column.runs,
        ...STATISTICS.map(([label, key]): ColumnOf<RunOfCell> => ({
          ...column.number(label, ({ run }) => run.perSecond[of][key], format),
          unit: "",
        })),
      ]),
      { isCaptioned: true },
    );
  return [
    group("", [
      spread("Requests completed per second", "requests", "number"),
      spread(`Received per second, ${unit.name}`, "bytes", unit),
    ], { layout: "halves" }),
    text("per-second", READING, "note"),
  ];
}

const STATISTICS = [
  ["1 %", "p1"],
  ["2.5 %", "p2_5"],
  ["50 %", "p50"],
  ["97.5 %", "p97_5"],
  ["Mean", "mean"],
  ["Stdev", "stdev"],
  ["Min", "min"],
] as const;

const READING =
  "The requests of each whole second of a run are counted: 2.5 % of the seconds had no more requests than the figure under 2.5 %. The closer the figures, the steadier the run.";
