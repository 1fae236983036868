/**
 * Sides that took turns under load, slice by slice: their pairs of slices over time, what affected both sides, and the
 * two levels at which the ratio varies (among the slices of a round, and among rounds).
 */
import type { Run } from "../../runner/result/result.ts";
import type { Slices } from "../../runner/result/slices.ts";
import { pairedSeries, type SliceRatio } from "../../runner/stats/slices/slice_ratio.ts";
import { tQuantile } from "../../runner/stats/confidence/student_t.ts";
import { type Block, figure, type Finding, group, list, type Series, table } from "../blocks.ts";
import { axisOver, compact, type Xy, type XyPoint } from "../chart.ts";
import { disturbanceSentence, figureInProse, LEVELS_NOTE } from "../findings/judgements.ts";
import { comparisonOf, type FigureComparison, type GroupComparison } from "../judge/comparison.ts";
import { slicedBetween, spreadWithin } from "../judge/slices.ts";
import type { ComparedFigure } from "../judge/group.ts";
import type { CellPair } from "../cells/match.ts";
import { formatRatio, percentText, ratioText } from "../writing/ratios.ts";
import { sum } from "../writing/spread.ts";
import { formatCount, formatNumber, formatShare } from "../writing/units.ts";
import { capitalized, counted } from "../writing/words.ts";
import type { ReportContext } from "./subject.ts";
import * as column from "./tables/column.ts";
import { NONE, type Table, tableOf } from "./tables/table.ts";

/** Two cells whose targets took turns. */
interface SlicedCell {
  readonly name: string;
  readonly match: CellPair;
  readonly comparison: GroupComparison;
  readonly sides: readonly [base: Series, next: Series];
}

/** With more cells than this, the section would fill pages. */
const MOST_CELLS = 6;

export function slices({ scenarios }: ReportContext): Block[] {
  return slicedBlocks(
    scenarios.flatMap(({ name, compared: { againstBase, lookup } }) =>
      againstBase.map(({ base, next }): SlicedCell => ({
        name: `${name}, ${next.label} over ${base.label}`,
        match: { base, next },
        comparison: lookup(base, next),
        sides: [seriesOf(base), seriesOf(next)],
      }))
    ),
  );
}

function seriesOf({ label, color }: Series): Series {
  return { label, color };
}

/** Blocks about the cells that took turns slice by slice; empty if there are none. */
export function slicedBlocks(cells: readonly SlicedCell[]): Block[] {
  const sliced = cells.filter(({ match: { base, next } }) => slicedBetween(base, next) !== null);
  const isOne = sliced.length === 1;
  const forms = ["page", "markdown"] as const;
  return [
    ...sliced.slice(0, MOST_CELLS).map((cell, i) =>
      group(isOne ? "" : cell.name, figuresOf(cell, String(i + 1), i === 0 ? READING : ""))
    ),
    list(sliced.flatMap((cell) => findingsOf(cell, isOne ? "" : cell.name)), { forms }),
    table(levelsTable(sliced, isOne), { forms }),
  ];
}

const READING =
  "Each small dot is a pair of slices: the requests/s of the new side over those of the base, which were loaded one right after the other. A large dot is a round, with the 95 % interval that its slices give it: where these intervals lie apart, the ratio differs from round to round, and only more rounds make it more certain. The second chart shows the requests/s of each side: whatever moves both at once came from outside and does not affect the ratio. The columns at its foot are the share of the machine's cores that other programs used.";

/** One pair of slices, which belongs to a pair of processes. */
interface Place {
  /** Position in seconds on an axis on which the pairs of processes follow one another. */
  readonly atS: number;
  readonly process: number;
  readonly base: number;
  readonly next: number;
  /** Share of the machine's cores that other programs used meanwhile; null if unknown. */
  readonly others: number | null;
}

/** A pair of processes, one for each side, with the ratio of the sides. */
interface Process {
  readonly number: number;
  readonly fromS: number;
  readonly toS: number;
  readonly ratio: SliceRatio | null;
}

/** More dots than this would only look like a cloud. */
const MOST_PLACES = 360;

/** Two charts over time, of the ratio and of both sides; empty if there are too few pairs of slices. */
function figuresOf(cell: SlicedCell, number: string, reading: string): Block[] {
  const over = pairsOver(cell.match);
  if (over.places.length < 2) return [];
  const [base, next] = cell.sides;
  const title = `Requests/s of ${next.label} over ${base.label}`;
  const ratios = { title, chart: ratiosChart(cell, over) };
  const sides = { title: "Requests/s of each side", chart: sidesChart(cell, over) };
  return [
    figure([ratios], { id: `pairs-${number}`, forms: ["page"] }),
    figure([sides], { id: `sides-${number}`, forms: ["page"], legend: cell.sides, reading }),
  ];
}

interface PairsOver {
  readonly places: readonly Place[];
  readonly processes: readonly Process[];
  /**
   * Standard deviation of the log ratio of one pair of processes, as far as its slices explain it; null if there are
   * too few slices.
   */
  readonly stdev: number | null;
}

function pairsOver({ base, next }: CellPair): PairsOver {
  const sliced = slicedBetween(base, next)?.("rate");
  const places: Place[] = [];
  const processes: Process[] = [];
  let offsetS = 0;
  sliced?.pairs.forEach(({ repetition, slices: ratio }, at) => {
    const [of, to] = [base, next].map(({ runs }) =>
      runs.find((run) => run.repetition === repetition)
    );
    if (!of?.slices || !to?.slices) return;
    const own = placesOf([of, to], [of.slices, to.slices]);
    const [first, last] = [own[0]?.atS ?? 0, own.at(-1)?.atS ?? 0];
    for (const place of own) {
      places.push({ ...place, process: at + 1, atS: offsetS + place.atS - first });
    }
    processes.push({ number: at + 1, fromS: offsetS, toS: offsetS + last - first, ratio });
    offsetS += (last - first) * (1 + GAP_RATIO);
  });
  const stdev = sliced === undefined ? null : spreadWithin(sliced);
  return { places: thinned(places), processes, stdev };
}

/** Gap on the axis between two pairs of processes, as a share of the length of one pair. */
const GAP_RATIO = 0.06;

function placesOf(
  [of]: readonly [Run, Run],
  [base, next]: readonly [Slices, Slices],
): Omit<Place, "process">[] {
  const series = pairedSeries(base.items, next.items, "rate");
  if (series === null) return [];
  const pairs = base.items.pair.filter((pair) => next.items.pair.includes(pair));
  const { cores } = of.generator.hostActivity;
  return pairs.map((pair, i) => {
    const [inBase, inNext] = [base, next].map(({ items }) => items.pair.indexOf(pair));
    const used = [base.items.othersCpuMs?.[inBase], next.items.othersCpuMs?.[inNext]];
    // A reading of CPU use covers a slice and half of each pause beside it.
    const seconds = sum([base, next], ({ sliceMs, pauseMs }) => (sliceMs + pauseMs) / 1_000);
    const isSeen = used.every((ms) => typeof ms === "number");
    return {
      atS: Math.min(base.items.startS[inBase], next.items.startS[inNext]),
      base: series.base.amounts[i] / series.base.of[i],
      next: series.next.amounts[i] / series.next.of[i],
      others: isSeen
        ? Math.min(1, sum(used, (ms) => ms ?? 0) / 1_000 / seconds / (cores ?? 1))
        : null,
    };
  });
}

/** Averages neighbouring pairs of slices of the same pair of processes, so that few enough remain to be drawn. */
function thinned(places: readonly Place[]): Place[] {
  const size = Math.ceil(places.length / MOST_PLACES);
  if (size === 1) return [...places];
  return [...Map.groupBy(places, ({ process }) => process).values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / size) }, (_, i): Place => {
      const part = own.slice(i * size, (i + 1) * size);
      const meanOf = (of: (place: Place) => number): number => sum(part, of) / part.length;
      return {
        process: part[0].process,
        atS: meanOf(({ atS }) => atS),
        base: meanOf(({ base }) => base),
        next: meanOf(({ next }) => next),
        others: part.some(({ others }) => others === null)
          ? null
          : meanOf(({ others }) => others ?? 0),
      };
    })
  );
}

function ratiosChart(
  { name, comparison, sides: [base, next] }: SlicedCell,
  { places, processes, stdev }: PairsOver,
): Xy {
  const { ratio: overall } = comparisonOf(comparison, "rate");
  const dots = places.filter(({ base, next }) => base > 0 && next > 0).map((place): XyPoint => ({
    x: compact(place.atS),
    y: compact(place.next / place.base),
    lines: [`round ${place.process}: ${formatRatio(place.next / place.base, null)}`],
  }));
  const means = processes.flatMap(({ number, fromS, toS, ratio }): XyPoint[] => {
    if (ratio === null) return [];
    const value = Math.exp(ratio.logRatio);
    const reach = stdev === null ? null : tQuantile(0.95, Infinity) * stdev;
    const ends = reach === null
      ? null
      : { low: compact(value * Math.exp(-reach)), high: compact(value * Math.exp(reach)) };
    const text = `round ${number}: ${formatRatio(value, ends)}`;
    return [{
      ...{ x: compact((fromS + toS) / 2), y: compact(value), ...ends, fill: "ringed" },
      lines: [text, `${formatCount(ratio.pairs)} pairs of slices`],
    }];
  });
  const values = dots.map(({ y }) => y);
  const most = Math.max(LEAST_SHOWN, ...values.map((y) => Math.max(y, 1 / y)));
  const room = Math.min(most, MOST_SHOWN) ** 1.05;
  return {
    kind: "xy",
    alt: `${name}: requests/s of ${next.label} over ${base.label} in ${
      counted(places.length, "pair")
    } of slices`,
    size: "medium",
    x: timeAxis(places),
    y: {
      ...{ unit: "×", scale: "log", min: compact(1 / room), max: compact(room) },
      title: "requests/s",
    },
    references: [
      { kind: "horizontal", at: 1, color: "muted" },
      ...overall === null ? [] : [{ kind: "horizontal", at: overall, color: next.color } as const],
    ],
    series: [
      {
        ...{ label: "pairs of slices", color: base.color, draw: "dots", isFaint: true },
        points: dots.filter(({ y }) => y <= room && y >= 1 / room),
      },
      { label: "rounds", color: next.color, draw: "dots", points: means },
    ],
  };
}

/** The axis reaches at least to the first and at most to the second of these ratios, in either direction. */
const LEAST_SHOWN = 1.1;
const MOST_SHOWN = 3;

function timeAxis(places: readonly Place[]): Xy["x"] {
  return {
    ...axisOver("s", [places.at(-1)?.atS], { room: 1.01 }),
    title: new Set(places.map(({ process }) => process)).size === 1
      ? ""
      : "rounds, one after another",
  };
}

function sidesChart({ name, sides: [base, next] }: SlicedCell, { places }: PairsOver): Xy {
  // Leaves a gap where one pair of processes ends and the next begins.
  const spaced = places.flatMap((place, i): (Place | number)[] =>
    i > 0 && places[i - 1].process !== place.process ? [places[i - 1].atS, place] : [place]
  );
  const valuesOf = (of: (place: Place) => number | null): (number | null)[] =>
    spaced.map((place) => {
      const value = typeof place === "number" ? null : of(place);
      return value === null ? null : compact(value);
    });
  const others = valuesOf(({ others }) => others);
  const at = spaced.map((place) => typeof place === "number" ? place : place.atS);
  const step = at.length < 2 ? 1 : at[at.length - 1] - at[at.length - 2];
  return {
    kind: "xy",
    alt: `${name}: requests/s of both sides over time`,
    size: "small",
    x: timeAxis(places),
    y: { ...axisOver("", places.flatMap(({ base, next }) => [base, next])), title: "requests/s" },
    at: [...at, at[at.length - 1] + step].map(compact),
    places: spaced.map((place) =>
      typeof place === "number"
        ? ""
        : `${formatNumber(place.atS)} s, round ${place.process}${
          place.others === null ? "" : `, other programs ${formatShare(place.others)} of the cores`
        }`
    ),
    series: [
      ...others.every((value) => value === null)
        ? []
        : [{ label: "other programs", color: "muted", draw: "foot", values: others } as const],
      { ...base, draw: "line", values: valuesOf((place) => place.base) },
      { ...next, draw: "line", values: valuesOf((place) => place.next) },
    ],
  };
}

// The figures whose two levels of variation are shown.

const LEVELS = ["rate", "mean", 50, 99, "cpuPerRequest"] as const;

interface LevelRow {
  readonly cell: string;
  readonly one: FigureComparison;
}

function levelsTable(cells: readonly SlicedCell[], isOne: boolean): Table {
  const rows = cells.flatMap(({ name, comparison }) =>
    LEVELS.map((figure): LevelRow => ({ cell: name, one: comparisonOf(comparison, figure) }))
  ).filter(({ one }) => one.ratio !== null && one.sliced !== null);
  const percent = (label: string, of: "stdev" | "withinStdev" | "betweenStdev") => ({
    label,
    cell: ({ one }: LevelRow) => {
      const value = one.sliced?.levels?.[of] ?? null;
      return value === null ? NONE : { text: percentText(value), value };
    },
  });
  const caption = "How much the ratio of both sides varies";
  return tableOf({ caption, notes: [LEVELS_NOTE] }, rows, [
    ...isOne ? [] : [column.name<LevelRow>("Cell", ({ cell }) => cell)],
    (isOne ? column.name : column.text)<LevelRow>("Figure", ({ one }) => rowName(one.figure)),
    column.text("Ratio", ({ one }) => ratioText(one)),
    column.number("Rounds", ({ one }) => one.sliced?.levels?.processes ?? 1, "count"),
    column.number(
      "Pairs of slices in each",
      ({ one }) => one.sliced?.pairsOfSlices || null,
      "count",
    ),
    column.text(
      "Independent after",
      ({ one: { sliced } }) => sliced?.blockPairs ? counted(sliced.blockPairs, "pair") : NONE.text,
    ),
    percent("Spread", "stdev"),
    percent("By slices", "withinStdev"),
    percent("Between rounds", "betweenStdev"),
    column.text("Limited by", ({ one }) => LIMITS[one.sliced?.levels?.limitedBy ?? "unknown"]),
  ]);
}

/** What to measure more of to narrow the interval of a ratio. */
const LIMITS = { slices: "slices", processes: "rounds", unknown: "" } as const;

function rowName(figure: ComparedFigure): string {
  const name = figureInProse(figure);
  return typeof figure === "number" ? name : capitalized(name);
}

/** A finding if one of the sides uses so much CPU time while it rests that it may disturb the other side. */
function findingsOf({ comparison: { decisive, figures } }: SlicedCell, name: string): Finding[] {
  return figures.filter(({ figure }) => decisive.includes(figure))
    .flatMap(({ sliced }) => sliced?.disturbance ?? []).slice(0, 1)
    .map((one) => ({ code: "disturbed", text: `${disturbanceSentence(name, one)}.` }));
}
