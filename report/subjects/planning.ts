/**
 * The changes that comparisons of an experiment can detect on this machine, estimated from runs in which each target
 * was compared with itself.
 */
import {
  type Allocation,
  allocationFor,
  type PlannedCosts,
  type RunNoise,
  runNoiseOf,
} from "../../runner/stats/comparison/allocation.ts";
import {
  falseAlarmRatio,
  pairNoiseOf,
  pairsToSee,
  smallestChangeSeen,
} from "../../runner/stats/comparison/planning.ts";
import { pairingOf } from "../judge/ratio_of.ts";
import {
  blockOfIntervals,
  type PooledFigure,
  type RunBlock,
} from "../../runner/stats/confidence/pool.ts";
import { valueAtPercentile } from "../../runner/stats/histogram/histogram.ts";
import { type ComparedFigure, decisiveFor, groupOf } from "../judge/group.ts";
import type { ResultSide } from "../judge/differences.ts";
import { percentText } from "../writing/ratios.ts";
import { figureInProse, figureKey } from "../findings/judgements.ts";
import { formatCount, formatDuration } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";
import { isOpenLoop } from "../judge/pairs.ts";
import { type CellRuns, groupRuns } from "../cells/cells.ts";
import type { RunParts } from "../cells/counted_part.ts";
import { mean } from "../writing/spread.ts";
import { cellsOf, matchCells, nameOf } from "../cells/match.ts";
import { type Block, table, text } from "../blocks.ts";
import * as column from "./tables/column.ts";
import { tableOf } from "./tables/table.ts";

const RUNS = [3, 5, 7, 10, 15, 20, 30] as const;
/** Changes to detect, each as a ratio minus one. */
const CHANGES = [0.01, 0.02, 0.05, 0.1] as const;
const DEALS = 1_000;
/** Any fixed seed will do. */
const SEED = 20;

/** The part of a plan that the report shows. A file of format `plateau.plan/1` has the whole plan. */
export interface PlanModel {
  readonly name: string;
  /** Number of measured blocks. A block has one run of each side of every cell. */
  readonly blocks: number;
  /** Seconds that a block takes, with all cells and both sides of each. */
  readonly blockS: number;
  readonly marginRatio: number;
  /**
   * For each cell and figure, the standard deviation of the log ratio of two neighbouring runs; `stdevs` is keyed by
   * figure.
   */
  readonly cells: readonly {
    readonly name: string;
    readonly stdevs: Readonly<Record<string, number>>;
  }[];
  /** The plan for each deciding figure. */
  readonly figures: readonly FigurePlan[];
  /** Duration of a measured run in seconds: its counted part, and everything else, such as its start and warm-up. */
  readonly runS: { readonly counted: number; readonly else: number };
  /** The user's options about sessions; null if none were given. */
  readonly sessions: PlannedCosts["sessions"] | null;
  /** Of 1,000 random assignments of the runs to the two sides, the share that raised at least one alarm. */
  readonly falseAlarmRatio: number;
}

interface FigurePlan {
  /** `rate`, `p99` or `cpuPerRequest`. */
  readonly key: string;
  /** The figure's name in words. */
  readonly name: string;
  /**
   * For each number of runs per side, the smallest change that this number detects in every cell, as a ratio minus one.
   */
  readonly seen: readonly { readonly runs: number; readonly change: number }[];
  /**
   * For each change, the number of runs per side that detects it in every cell, and how long they take; null if even
   * 1,000 runs are too few.
   */
  readonly needed: readonly {
    readonly change: number;
    /** The plan's margin, or half of the change if the plan's margin would hide the change. */
    readonly marginRatio: number;
    readonly runs: number | null;
    readonly seconds: number | null;
  }[];
  /**
   * Standard deviations of the logarithm of the figure in the noisiest cell, of a whole run and of one second within a
   * run; null for CPU time, and if runs are too short to distinguish the two.
   */
  readonly levels: { readonly run: number; readonly second: number } | null;
  /**
   * For each change, the length of a run and the numbers of runs and sessions that detect the change in the noisiest
   * cell in the least time. `seconds` is the time for all cells. Empty if `levels` is null.
   */
  readonly cheapest: readonly {
    readonly change: number;
    /** Null if even 1,000 repetitions are too few. */
    readonly allocation: Omit<Allocation, "totalS"> & { readonly seconds: number } | null;
  }[];
}

interface PlanFacts {
  readonly name: string;
  readonly base: ResultSide;
  readonly head: ResultSide;
  readonly marginRatio: number;
  /** Duration of all blocks, in seconds. */
  readonly tookS: number;
  readonly sessions?: PlannedCosts["sessions"];
}

/** The plan, derived from runs in which each target was compared with itself; null if no cell has two pairs of runs. */
export function planModel(
  { name, base, head, marginRatio, tookS, sessions }: PlanFacts,
): PlanModel | null {
  const { pairs } = matchCells(cellsOf(groupRuns(base)), cellsOf(groupRuns(head)));
  const sides = pairs.map(({ base, next }) => [groupOf(base), groupOf(next)] as const);
  const isOpen = isOpenLoop(pairs.map(({ next }) => next));
  const known = decisiveFor(sides.flat()).flatMap((figure) => {
    const ratios = sides.flatMap(([base, next]) => {
      const [to, of] = [base, next].map(({ estimates }) => estimates.get(figure));
      const pairing = of && to ? pairingOf(of, to) : null;
      return pairing === null ? [] : [pairing.logRatios];
    });
    return ratios.length < pairs.length || figure === "rate" && isOpen ? [] : [{ figure, ratios }];
  });
  const blocks = Math.min(...known.flatMap(({ ratios }) => ratios.map(({ length }) => length)));
  if (pairs.length === 0 || !Number.isFinite(blocks)) return null;
  const blockS = tookS / blocks;
  const noises = known.map(({ figure, ratios }) => ({ figure, ...pairNoiseOf(ratios) }));
  const tests = pairs.length * known.length;
  const counted = mean(pairs.flatMap(({ base, next }) => [base, next].map(countedS)));
  const runS = { counted, else: Math.max(LEAST_ELSE_S, blockS / 2 / pairs.length - counted) };
  const figures = noises.map(({ figure, stdevs, borrowed }): FigurePlan => {
    const family = { tests, cells: pairs.length, borrowed, marginRatio };
    const stdev = Math.max(...stdevs);
    const marginOf = (change: number): number => change > marginRatio ? marginRatio : change / 2;
    const noisiest = pairs[stdevs.indexOf(stdev)];
    const noise = noiseWithin([noisiest.base, noisiest.next], figure, stdev);
    const costs = {
      runS: runS.else,
      shortestS: shortestFor([noisiest.base, noisiest.next]),
      longestS: GUESSED_TIMES * countedS(noisiest.next),
      ...sessions && { sessions },
    };
    return {
      levels: noise && { run: Math.sqrt(noise.run), second: Math.sqrt(noise.second) },
      cheapest: noise === null ? [] : CHANGES.map((change) => {
        const margin = marginOf(change);
        const found = allocationFor(change, noise, costs, { ...family, marginRatio: margin });
        return { change, allocation: found && ofAllCells(found, pairs.length, sessions) };
      }),
      key: figureKey(figure),
      name: figureInProse(figure),
      seen: RUNS.map((runs) => ({ runs, change: smallestChangeSeen(runs, stdev, family) })),
      needed: CHANGES.map((change) => {
        const margin = marginOf(change);
        const runs = pairsToSee(change, stdev, { ...family, marginRatio: margin });
        return { change, marginRatio: margin, runs, seconds: runs === null ? null : runs * blockS };
      }),
    };
  });
  const ratios = known.map(({ ratios }) => ratios);
  return {
    ...{ name, blocks, blockS, marginRatio, runS, sessions: sessions ?? null, figures },
    cells: pairs.map(({ next }, i) => ({
      name: nameOf(next),
      stdevs: Object.fromEntries(
        noises.map(({ figure, stdevs }) => [figureKey(figure), stdevs[i]]),
      ),
    })),
    falseAlarmRatio: falseAlarmRatio(ratios, { marginRatio, seed: SEED, deals: DEALS }),
  };
}

/** In seconds. If a run takes less than this besides its counted part, the difference is taken for a rounding error. */
const LEAST_ELSE_S = 0.01;
/**
 * A planned run may be at most this many times shorter or longer than the measured runs. Beyond that, its variance
 * would be a guess.
 */
const GUESSED_TIMES = 4;
const SHORTEST_S = 1;
/** Number of requests that a run needs for its p99. */
const LEAST_REQUESTS = 1_000;

/** Mean length of the cell's runs in seconds, without the discarded part. */
function countedS({ parts }: CellRuns): number {
  return mean(parts.map(({ blocks }) => blocks[0]?.seconds ?? 0));
}

/** Length in seconds of the shortest run that may be planned. */
function shortestFor(cells: readonly CellRuns[]): number {
  const guessedS = countedS(cells[0]) / GUESSED_TIMES;
  return Math.max(SHORTEST_S, guessedS, ...cells.map(({ rate }) => LEAST_REQUESTS / rate.mean));
}

/** The allocation with the duration for all cells together. Each session is set up only once for all of them. */
function ofAllCells(
  { totalS, ...allocation }: Allocation,
  cells: number,
  sessions: PlannedCosts["sessions"],
): NonNullable<FigurePlan["cheapest"][number]["allocation"]> {
  const setUpS = allocation.sessions * (sessions?.setUpS ?? 0);
  return { ...allocation, seconds: cells * (totalS - setUpS) + setUpS };
}

/**
 * Number of parts into which a run is split to show the variance per second. There are few parts, so that they are long
 * enough to be nearly independent of each other.
 */
const PARTS = 5;
const LEAST_PART_S = 0.5;
/** Number of requests that a part needs for its p99, so that ten lie beyond it. */
const LEAST_OF_PART = 1_000;

/**
 * The noise within and between runs; null for CPU time, which is not known for each interval, and if runs are too short
 * to be split.
 */
function noiseWithin(
  cells: readonly CellRuns[],
  figure: ComparedFigure,
  pairStdev: number,
): RunNoise | null {
  if (figure === "cpuPerRequest") return null;
  const parts = cells.flatMap((cell) => cell.parts.map(partsOf));
  const blocks = parts.flat();
  const partS = mean(blocks.map(({ seconds }) => seconds));
  const isShort = ({ latency }: RunBlock): boolean =>
    latency.count < (figure === "rate" ? 1 : LEAST_OF_PART);
  if (blocks.length === 0 || partS < LEAST_PART_S || blocks.some(isShort)) return null;
  return runNoiseOf(pairStdev ** 2, partS * PARTS, {
    partS,
    parts: parts.map((ofRun) => ofRun.map((block) => Math.log(valueOfPart(block, figure)))),
  });
}

function valueOfPart({ latency, completed, seconds }: RunBlock, figure: PooledFigure): number {
  if (figure === "rate") return completed / seconds;
  return figure === "mean" ? latency.sumUs / latency.count : valueAtPercentile(latency, figure);
}

/** Consecutive parts of equal length, taken from the part of the run that counts. */
function partsOf({ whole: { timeline: { points }, latency }, blocks }: RunParts): RunBlock[] {
  const fromS = (points.at(-1)?.endS ?? 0) - (blocks[0]?.seconds ?? 0);
  const counted = points.filter(({ endS }) => endS > fromS + 1e-6);
  const length = Math.floor(counted.length / PARTS);
  return Array.from({ length: length === 0 ? 0 : PARTS }, (_, i) => {
    const from = i * length;
    const startS = counted[from - 1]?.endS ?? fromS;
    return blockOfIntervals(counted.slice(from, from + length), latency.clock, startS);
  });
}

/**
 * For example `With 5 runs a side, a change of 6 % in requests/s, 9 % in p99 and 4 % in CPU/request is detected 80
 * times in 100.`
 */
export function planSentence({ figures, blocks }: PlanModel): string {
  const at = RUNS.findIndex((runs) => runs >= blocks);
  const changes = figures.map(({ name, seen }) =>
    `${percentText(seen.at(at)?.change ?? 0)} in ${name}`
  );
  const runs = counted(RUNS.at(at) ?? 0, "run");
  return `With ${runs} a side, a change of ${listed(changes, "and")} is detected 80 times in 100.`;
}

/** The plan as blocks of the report, with the verdict first. */
export function planBlocks(plan: PlanModel): Block[] {
  const { name, cells, figures, blocks, blockS, marginRatio } = plan;
  const hidden = `A change within the margin of ${percentText(marginRatio)} counts as no change; ` +
    "to see a change of a given size, set --margin to half of that size.";
  const alarms = Math.round(plan.falseAlarmRatio * DEALS);
  return [
    text("plan", planSentence(plan), "verdict"),
    byFigure(
      "Runs a side that detect a change in every cell, and how long they take",
      "Change",
      figures,
      CHANGES.map((change, i) => [percentText(change), ({ needed }) => neededText(needed[i])]),
    ),
    ...leastTimeBlocks(plan),
    text("margin", CHANGES.some((change) => change <= marginRatio) ? hidden : ""),
    byFigure(
      "Smallest change that is detected in every cell",
      "Runs a side",
      figures,
      RUNS.map((runs, i) => [String(runs), ({ seen }) => percentText(seen[i].change)]),
    ),
    byFigure(
      "Noise between two runs of one program, made one after the other",
      "Cell",
      figures,
      cells.map(({ name, stdevs }) => [name, ({ key }) => percentText(stdevs[key])]),
    ),
    text(
      "alarms",
      `Of ${
        formatCount(DEALS)
      } random swaps of the two sides, ${alarms} raised a false alarm; up to 50 are normal.`,
    ),
    text(
      "measured",
      `${name}: ${counted(cells.length, "cell")}, each compared with itself in ` +
        `${counted(blocks, "block")} of ${formatDuration(blockS)}`,
    ),
  ];
}

function leastTimeBlocks({ figures, runS, sessions }: PlanModel): Block[] {
  const known = figures.filter(({ cheapest }) => cheapest.length > 0);
  if (known.length === 0) return [];
  const ofSessions = sessions
    ? `Sessions differ by ${percentText(sessions.stdev)} and take ${
      formatDuration(sessions.setUpS)
    } to set up, as given.`
    : "Only one session was measured, so how much sessions differ on other days or machines is unknown " +
      "(give --session-noise and --session-setup to plan how many sessions are needed).";
  return [
    byFigure(
      `The quickest way to find a change: ${
        sessions ? "sessions, and runs of each side in a session" : "runs of each side"
      }, the counted part of each run, and the time for all`,
      "Change",
      known,
      CHANGES.map((change, i) => [
        percentText(change),
        ({ cheapest }) => leastTimeText(cheapest[i].allocation, sessions !== null),
      ]),
    ),
    text(
      "costs",
      `Of each run, ${formatDuration(runS.counted)} count, and ${
        formatDuration(runS.else)
      } go to start, warm-up and the rest. ${ofSessions}`,
    ),
  ];
}

function leastTimeText(
  allocation: FigurePlan["cheapest"][number]["allocation"],
  hasSessions: boolean,
): string {
  if (allocation === null) return "more than 1,000";
  const { runS, runs, sessions, seconds } = allocation;
  const ofSessions = hasSessions ? `${counted(sessions, "session")} of ` : "";
  const eachS = formatDuration(Math.ceil(runS * 10) / 10);
  return `${ofSessions}${counted(runs, "run")} of ${eachS}, ${formatDuration(seconds)}`;
}

function neededText({ runs, seconds }: FigurePlan["needed"][number]): string {
  return runs === null || seconds === null
    ? "more than 1,000"
    : `${counted(runs, "run")}, ${formatDuration(seconds)}`;
}

/** A table with a column for each figure. @param rows For each row, its name, and the text for a figure. */
function byFigure(
  caption: string,
  head: string,
  figures: readonly FigurePlan[],
  rows: readonly (readonly [name: string, of: (figure: FigurePlan) => string])[],
): Block {
  return table(
    tableOf({ caption }, rows, [
      column.name(head, ([name]) => name),
      ...figures.map((figure) =>
        column.text<typeof rows[number]>(figure.name, ([, of]) => of(figure))
      ),
    ]),
    { isCaptioned: true },
  );
}
