/**
 * Measures how often the interval of `plateau capacity` contains the true capacity of simulated servers, over a grid of
 * servers, rates, limits and percentiles, and what a search costs. With `--log FILE`, searches that are already in the
 * file are not repeated.
 */
import { join } from "node:path";
import * as z from "zod";
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atLeast, atMost, type Bar } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { OTHERS, QUEUES, type ServerKind, type Terms } from "./capacity/servers.ts";
import { capacityIn, simulateSearch } from "./capacity/simulation.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { keepTrial, readTrials } from "./trials.ts";

const SEEDS_A_ROUND = 20;
const SHORT_SEEDS = 5;

export const capacity: Bench = {
  about: "the search for a capacity on simulated servers",
  rounds: 10, // each round has its own fixed seeds
  run({ rounds, short, only = "", log }): Promise<Section[]> {
    using folder = temporaryFolder();
    const file = log ?? join(folder.path, "searches.jsonl");
    const seeds = short ? SHORT_SEEDS : rounds * SEEDS_A_ROUND;
    const cells = CELLS.filter(({ name }) => name.includes(only));
    for (const cell of cells) {
      for (const one of searchesOf(cell, seeds, keptOf(file, cell.name))) keepTrial(file, one);
      printError(textLines([`  ${cell.name}`]));
    }
    return Promise.resolve(sectionsOf(
      cells.map((cell) => ({ cell, searches: keptOf(file, cell.name) })),
    ));
  },
};

export interface Cell {
  readonly name: string;
  readonly kind: ServerKind;
  readonly terms: Terms;
  /**
   * Whether the cell belongs to the grid (every server of `QUEUES` with all of `GRID`); only its figures must meet
   * bars.
   */
  readonly isInGrid: boolean;
}

const GRID: readonly Terms[] = [
  { perSec: 10_000, limitS: 0.01, allowed: 0.01 },
  { perSec: 10_000, limitS: 0.01, allowed: 0.001 },
  { perSec: 10_000, limitS: 0.05, allowed: 0.01 },
  { perSec: 3_000, limitS: 0.05, allowed: 0.01 },
  { perSec: 1_000, limitS: 0.1, allowed: 0.01 },
  { perSec: 1_000, limitS: 0.2, allowed: 0.01 },
];

export const CELLS: readonly Cell[] = [
  ...QUEUES.flatMap((kind) => GRID.map((terms) => cellOf(kind, terms, true))),
  ...OTHERS.map((kind) => cellOf(kind, { ...GRID[0], ...kind.rule }, false)),
];

function cellOf(kind: ServerKind, terms: Terms, isInGrid: boolean): Cell {
  const { perSec, limitS, allowed } = terms;
  const rule = limitS === 0
    ? `success ≥ ${100 * (1 - allowed)} %`
    : `p${100 * (1 - allowed)} < ${1_000 * limitS} ms`;
  const name = `${kind.name}: ${perSec.toLocaleString("en")}/s, ${rule}`;
  return { name, kind, terms, isInGrid };
}

const perSec = z.number().describe("Requests per second");

const search = z.strictObject({
  name: z.string(),
  seed: z.int(),
  end: z.enum(["found", "budget", "unsustained", "generator"]),
  truth: perSec.nullable().describe("True capacity; null if the search found none"),
  value: perSec.nullable().describe("Found capacity, or the lower bound at which the search ended"),
  low: perSec.nullable(),
  high: perSec.nullable(),
  seconds: z.number(),
  trials: z.int(),
});

type Search = z.output<typeof search>;

function keptOf(file: string, name: string): Search[] {
  return readTrials(file, search).filter((one) => one.name === name);
}

function* searchesOf(
  { name, kind, terms }: Cell,
  seeds: number,
  kept: readonly Search[],
): Generator<Search> {
  const known = new Set(kept.map(({ seed }) => seed));
  const missing = Array.from({ length: seeds }, (_, seed) => seed).filter((seed) =>
    !known.has(seed)
  );
  // Computed at most once, and only when needed, because without a formula the true capacity takes
  // a very long simulation.
  let capacity: ((atS: number) => number) | null = null;
  const capacityAt = (atS: number): number => (capacity ??= capacityIn(kind, terms))(atS);
  for (const seed of missing) {
    const { end, estimate, atLeast, seconds, trials } = simulateSearch(
      { kind, terms, capacity: kind.generatorWithin === undefined ? 0 : capacityAt(0) },
      seed,
    );
    const isFound = end === "found";
    yield {
      ...{ name, seed, end, seconds, trials },
      truth: isFound || end === "generator" ? capacityAt(seconds) : null,
      value: isFound ? estimate?.value ?? null : atLeast,
      low: isFound ? estimate?.low ?? null : null,
      high: isFound ? estimate?.high ?? null : null,
    };
  }
}

interface Searched {
  readonly cell: Cell;
  readonly searches: readonly Search[];
}

const LEAST = { cell: 88, grid: 93 };
const MOST_BIAS = 1;

function sectionsOf(searched: readonly Searched[]): Section[] {
  const grid = searched.filter(({ cell }) => cell.isInGrid);
  const all: Searched = {
    cell: { ...grid[0]?.cell, name: "all of the grid" },
    searches: grid.flatMap(({ searches }) => searches),
  };
  const rows = (of: (searches: readonly Search[]) => number[], bar?: Bar, ofGrid = bar): Row[] => [
    ...searched.map(({ cell, searches }) => ({
      what: cell.name,
      samples: of(searches),
      ...cell.isInGrid && bar && { bar },
    })),
    ...grid.length > 1
      ? [{ what: all.cell.name, samples: of(all.searches), ...ofGrid && { bar: ofGrid } }]
      : [],
  ];
  return [
    {
      caption: "Searches that end with an interval, or with “at least” where the generator ends",
      unit: "% of searches",
      rows: rows((searches) => percentOf(searches.filter(isAnswer), searches)),
    },
    {
      caption: "Found intervals that hold the capacity",
      unit: "% of those found",
      rows: rows(
        (searches) => percentOf(foundOf(searches).filter(isHeld), foundOf(searches)),
        atLeast(LEAST.cell),
        atLeast(LEAST.grid),
      ),
    },
    {
      caption: "“At least” that is no more than the capacity",
      unit: "% of them",
      rows: rows((searches) => {
        const bounds = searches.filter(({ end }) => end === "generator");
        return percentOf(bounds.filter((one) => offOf(one) <= 0), bounds);
      }, atLeast(LEAST.grid)).filter(({ samples }) => samples.length > 0),
    },
    {
      caption: "How far the median of what was found is from the capacity",
      unit: "%",
      rows: rows((searches) => {
        const off = foundOf(searches).map((one) => 100 * offOf(one));
        return off.length === 0 ? [] : [Math.abs(medianOf(off))];
      }, atMost(MOST_BIAS)),
    },
    {
      caption: "Time of a search",
      unit: "s",
      rows: rows((searches) => searches.map(({ seconds }) => seconds)),
    },
    {
      caption: "Trials of a search, with the closed loop",
      unit: "trials",
      rows: rows((searches) => searches.map(({ trials }) => trials)),
    },
  ];
}

function isAnswer({ end }: Search): boolean {
  return end === "found" || end === "generator";
}

function foundOf(searches: readonly Search[]): Search[] {
  return searches.filter(({ end }) => end === "found");
}

/** The relative error of the capacity that was found, or of the lower bound on it; NaN if neither was found. */
function offOf({ value, truth }: Search): number {
  return value === null || truth === null ? NaN : value / truth - 1;
}

function isHeld({ low, high, truth }: Search): boolean {
  return low !== null && high !== null && truth !== null && low <= truth && truth <= high;
}

/** The size of `some` as a percentage of that of `all`, as a single sample; no sample if `all` is empty. */
function percentOf(some: readonly unknown[], all: readonly unknown[]): number[] {
  return all.length === 0 ? [] : [100 * some.length / all.length];
}
