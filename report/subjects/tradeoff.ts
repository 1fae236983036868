/** How much p99 each target pays for its requests/s, and the cells that no other cell beats in both. */
import { type Block, type Figure, figure, group } from "../blocks.ts";
import { rightCells } from "../judge/pairs.ts";
import type { ReportContext } from "./subject.ts";
import { boundText, formatMs, formatNumber, timeUnit } from "../writing/units.ts";
import { COLORS } from "../cells/colors.ts";
import { counted, listed } from "../writing/words.ts";
import type { CellRuns } from "../cells/cells.ts";
import type { Ends } from "../figures/range.ts";
import { numericFactors } from "../cells/factors.ts";
import { meanCoresOf } from "../figures/resources.ts";
import { type Axis, axisOver, compact, type Xy, type XyPoint, type XySeries } from "../chart.ts";

/**
 * Requests/s against p99, as a chart for each scenario. A scenario has none if fewer than two of its cells have
 * figures, or if all of them serve the same rate.
 */
export function tradeoff({ scenarios }: ReportContext): Block[] {
  const figures = scenarios.flatMap(({ name, cells }, i) =>
    tradeoffOf(name, rightCells(cells), String(i + 1))
  ).map((one, i) => ({ ...one, reading: i === 0 ? READING : "" }));
  return [group("", figures, { layout: "panels" })];
}

const READING =
  "Each dot is a cell: further right serves more, further down responds sooner. Its cross holds both 95 % confidence intervals over the runs; a larger dot used more CPU. The stepped line is the Pareto front: no other cell has both more requests/s and a lower p99 than a cell on this line.";

/** Requests/s whose ratio is below this count as equal. So an open loop at a single rate has no trade-off to show. */
const ONE_RATE = 1.01;

/**
 * Requests/s against p99; empty if there are fewer than two cells, or if all serve the same rate.
 * @param right Cells with correct responses.
 */
function tradeoffOf(scenario: string, right: readonly CellRuns[], id: string): Figure[] {
  const cells = right.filter((cell) => p99Of(cell) > 0 && cell.rate.mean > 0);
  const rates = cells.map(({ rate }) => rate.mean);
  if (cells.length < 2 || Math.max(...rates) < ONE_RATE * Math.min(...rates)) return [];
  const unit = timeUnit(cells.map(p99Of));
  const mostCores = Math.max(...cells.map(coresOf));
  const front = frontOf(cells);
  const pointOf = (cell: CellRuns): XyPoint => {
    const [rate, p99] = [cell.interval("rate"), cell.interval(99)].map(drawnInterval);
    return {
      x: compact(cell.rate.mean),
      y: compact(p99Of(cell) / unit.size),
      ...rate && { left: compact(rate.low), right: compact(rate.high) },
      ...p99 && { low: compact(p99.low / unit.size), high: compact(p99.high / unit.size) },
      ...mostCores > 0 && { size: compact(coresOf(cell) / mostCores) },
      ...!front.includes(cell) && { fill: "pale" },
      lines: linesOf(cell),
    };
  };
  const isLine = numericFactors(cells).length > 0;
  const series = [...Map.groupBy(cells, ({ label, target }) => isLine ? target : label)]
    .map(([label, those]): XySeries => ({
      label,
      color: isLine ? those[0].color % COLORS : those[0].color,
      draw: isLine ? "line" : "dots",
      points: those.map(pointOf).map((point, i) =>
        isLine ? { ...point, lines: [those[i].label, ...point.lines] } : point
      ),
    }));
  const points = cells.map(pointOf);
  // `room` keeps the outermost dots off the edge. Beyond a ratio of `logFrom` between values, the
  // axis is logarithmic.
  const about = { logFrom: 8, room: 1.15 };
  const x = axisOver("", points.flatMap(({ x, left, right }) => [x, left, right]), about);
  const y = axisOver(unit.name, points.flatMap(({ y, low, high }) => [y, low, high]), about);
  const chart: Xy = {
    kind: "xy",
    alt: `Requests per second against p99 of ${scenario}: ${counted(cells.length, "dot")}`,
    size: "large",
    x: { ...x, title: "requests/s" },
    y: { ...y, title: "p99" },
    isNamed: true,
    ...isLine && { limit: { axis: "y", label: "p99 under" } },
    series: [frontSeries(front.map(pointOf), x, y), ...series],
  };
  return [figure([{ title: scenario, chart }], {
    id,
    findings: [{ code: "front", text: findingOf(cells, front) }],
    forms: ["page"],
  })];
}

/** The stepped line through the front. At each rate, it shows the lowest p99 with which any cell serves that rate. */
function frontSeries(front: readonly XyPoint[], x: Axis, y: Axis): XySeries {
  const corners = front.flatMap((point, i) => [
    [i === 0 ? x.min : front[i - 1].x, point.y],
    [point.x, point.y],
  ]);
  const points = [...corners, [front[front.length - 1].x, y.max]]
    .map(([x, y]) => ({ x, y, lines: [] }));
  return { label: "", color: "muted", draw: "path", points };
}

/** Cells that no other cell beats in both figures, in ascending order of requests/s. */
function frontOf(cells: readonly CellRuns[]): CellRuns[] {
  const isBeaten = (cell: CellRuns): boolean =>
    cells.some((other) =>
      other.rate.mean >= cell.rate.mean && p99Of(other) <= p99Of(cell) &&
      (other.rate.mean > cell.rate.mean || p99Of(other) < p99Of(cell))
    );
  return cells.filter((cell) => !isBeaten(cell)).sort((a, b) => a.rate.mean - b.rate.mean);
}

const MOST_NAMES = 4;

function findingOf(cells: readonly CellRuns[], front: readonly CellRuns[]): string {
  const names = front.length > MOST_NAMES
    ? counted(front.length, "cell")
    : listed(front.map(({ label }) => label), "and");
  if (front.length === 1) {
    const others = cells.filter((cell) => !front.includes(cell));
    const pairs = others.flatMap((other) =>
      (["rate", 99] as const).map((figure) => [front[0].interval(figure), other.interval(figure)])
    );
    return `${names} has the most requests/s and the lowest p99 of ${
      counted(cells.length, "cell")
    }${doubtOf(pairs)}.`;
  }
  return `No other cell has both more requests/s and a lower p99 than ${names}.`;
}

/** Says why the intervals leave the order of the cells in these pairs open; "" if they do not. */
function doubtOf(pairs: readonly (readonly (Ends | null)[])[]): string {
  const overlaps = pairs.some(([own, other]) =>
    own && other && own.low <= other.high && other.low <= own.high
  );
  if (!overlaps && pairs.every((pair) => !pair.includes(null))) return "";
  return `, but ${
    overlaps ? "intervals overlap" : "not all of them have intervals"
  }: the verdict says what is proven`;
}

function linesOf(cell: CellRuns): string[] {
  const { value, isAtLeast } = cell.latency.percentile(99);
  const cores = coresOf(cell);
  return [
    `${formatNumber(cell.rate.mean)} requests/s`,
    `p99 ${boundText(formatMs(value), isAtLeast)}`,
    ...(cores > 0 ? [`${formatNumber(cores)} cores`] : []),
  ];
}

/** The interval, or null if its ends can't be drawn. */
function drawnInterval(ends: ReturnType<CellRuns["interval"]>): typeof ends {
  return ends !== null && ends.low > 0 && ends.high < Infinity ? ends : null;
}

function p99Of({ latency }: CellRuns): number {
  return latency.percentile(99).value;
}

/** Mean number of cores that the target used; 0 if no run was observed. */
function coresOf({ runs }: CellRuns): number {
  const watched = runs.filter(({ resources }) => resources.length > 0);
  return watched.reduce((sum, run) => sum + meanCoresOf(run), 0) / Math.max(1, watched.length);
}
