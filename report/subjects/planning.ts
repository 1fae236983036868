/** What comparisons of an experiment can see on this machine, from runs in which each target was compared with itself. */
import {
  falseAlarmRatio,
  pairNoiseOf,
  pairsToSee,
  smallestChangeSeen,
} from "../../runner/stats/comparison/planning.ts";
import { pairingOf } from "../judge/ratio_of.ts";
import { decisiveFor, groupOf } from "../judge/group.ts";
import type { ResultSide } from "../judge/differences.ts";
import { percentText } from "../writing/ratios.ts";
import { figureInProse, figureKey } from "../findings/judgements.ts";
import { formatCount, formatDuration } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";
import { isOpenLoop } from "../judge/pairs.ts";
import { groupRuns } from "../cells/cells.ts";
import { cellsOf, matchCells, nameOf } from "../cells/match.ts";
import { type Block, table, text } from "../blocks.ts";
import { tableOf, textCell } from "./tables/table.ts";

const RUNS = [3, 5, 7, 10, 15, 20, 30] as const;
/** As ratios less one. */
const CHANGES = [0.01, 0.02, 0.05, 0.1] as const;
const DEALS = 1_000;
/** Any fixed one. */
const SEED = 20;

/** A file of `plateau.plan/1` has all of it. */
export interface PlanModel {
  readonly name: string;
  /** Blocks that were measured. */
  readonly blocks: number;
  /** Seconds that a block of all cells takes, both sides of each. */
  readonly blockS: number;
  readonly marginRatio: number;
  /** Standard deviation of the logarithm of the ratio of two runs next to each other, by the key of the figure. */
  readonly cells: readonly {
    readonly name: string;
    readonly stdevs: Readonly<Record<string, number>>;
  }[];
  /** One for each figure that decides. */
  readonly figures: readonly FigurePlan[];
  /** Of 1,000 random deals of the sides, the share that raised any alarm. */
  readonly falseAlarmRatio: number;
}

interface FigurePlan {
  /** `rate`, `p99` or `cpuPerRequest`. */
  readonly key: string;
  /** In words. */
  readonly name: string;
  /** The smallest change that so many runs a side see in every cell, as a ratio less one. */
  readonly seen: readonly { readonly runs: number; readonly change: number }[];
  /** How many runs a side a change needs in every cell, and how long these take; null where 1,000 are too few. */
  readonly needed: readonly {
    readonly change: number;
    /** Half of the change where the margin would hide it. */
    readonly marginRatio: number;
    readonly runs: number | null;
    readonly seconds: number | null;
  }[];
}

interface PlanFacts {
  readonly name: string;
  readonly base: ResultSide;
  readonly head: ResultSide;
  readonly marginRatio: number;
  /** Seconds that all blocks took. */
  readonly tookS: number;
}

/** Null where no cell has two pairs of runs. */
export function planModel({ name, base, head, marginRatio, tookS }: PlanFacts): PlanModel | null {
  const { pairs } = matchCells(cellsOf(groupRuns(base)), cellsOf(groupRuns(head)));
  const sides = pairs.map(({ base, next }) => [groupOf(base), groupOf(next)] as const);
  const isOpen = isOpenLoop(pairs.map(({ next }) => next));
  const byFigure = decisiveFor(sides.flat()).flatMap((figure) => {
    const ratios = sides.flatMap(([base, next]) => {
      const [to, of] = [base, next].map(({ estimates }) => estimates.get(figure));
      const pairing = of && to ? pairingOf(of, to) : null;
      return pairing === null ? [] : [pairing.logRatios];
    });
    return ratios.length < pairs.length || figure === "rate" && isOpen ? [] : [{ figure, ratios }];
  });
  const blocks = Math.min(...byFigure.flatMap(({ ratios }) => ratios.map(({ length }) => length)));
  if (pairs.length === 0 || !Number.isFinite(blocks)) return null;
  const blockS = tookS / blocks;
  const noises = byFigure.map(({ figure, ratios }) => ({ figure, ...pairNoiseOf(ratios) }));
  const tests = pairs.length * byFigure.length;
  const figures = noises.map(({ figure, stdevs, borrowed }): FigurePlan => {
    const family = { tests, cells: pairs.length, borrowed, marginRatio };
    const stdev = Math.max(...stdevs);
    return {
      key: figureKey(figure),
      name: figureInProse(figure),
      seen: RUNS.map((runs) => ({ runs, change: smallestChangeSeen(runs, stdev, family) })),
      needed: CHANGES.map((change) => {
        const margin = change > marginRatio ? marginRatio : change / 2;
        const runs = pairsToSee(change, stdev, { ...family, marginRatio: margin });
        return { change, marginRatio: margin, runs, seconds: runs === null ? null : runs * blockS };
      }),
    };
  });
  const ratios = byFigure.map(({ ratios }) => ratios);
  return {
    ...{ name, blocks, blockS, marginRatio, figures },
    cells: pairs.map(({ next }, i) => ({
      name: nameOf(next),
      stdevs: Object.fromEntries(
        noises.map(({ figure, stdevs }) => [figureKey(figure), stdevs[i]]),
      ),
    })),
    falseAlarmRatio: falseAlarmRatio(ratios, { marginRatio, seed: SEED, deals: DEALS }),
  };
}

/** `5 runs a side see a change of 6 % in requests/s, 9 % in p99 and 4 % in CPU/request, 80 times in 100.` */
export function planSentence({ figures, blocks }: PlanModel): string {
  const at = RUNS.findIndex((runs) => runs >= blocks);
  const changes = figures.map(({ name, seen }) =>
    `${percentText(seen.at(at)?.change ?? 0)} in ${name}`
  );
  const runs = counted(RUNS.at(at) ?? 0, "run");
  return `${runs} a side see a change of ${listed(changes, "and")}, 80 times in 100.`;
}

/** Verdict first. */
export function planBlocks(plan: PlanModel): Block[] {
  const { name, cells, figures, blocks, blockS, marginRatio } = plan;
  const names = figures.map(({ name }) => name);
  const hidden = `A change within the margin of ${percentText(marginRatio)} counts as none: ` +
    "it needs --margin, of half of it here.";
  const alarms = Math.round(plan.falseAlarmRatio * DEALS);
  return [
    text("plan", planSentence(plan), "verdict"),
    textTable(
      "Runs a side that see a change in every cell, and how long they take",
      ["Change", ...names],
      CHANGES.map((change, i) => [
        percentText(change),
        ...figures.map(({ needed }) => neededText(needed[i])),
      ]),
    ),
    text("margin", CHANGES.some((change) => change <= marginRatio) ? hidden : ""),
    textTable(
      "Smallest change that is seen in every cell",
      ["Runs a side", ...names],
      RUNS.map((runs, i) => [
        String(runs),
        ...figures.map(({ seen }) => percentText(seen[i].change)),
      ]),
    ),
    textTable(
      "Noise between two runs of one program, next to each other",
      ["Cell", ...names],
      cells.map(({ name, stdevs }) => [
        name,
        ...figures.map(({ key }) => percentText(stdevs[key])),
      ]),
    ),
    text(
      "alarms",
      `Of ${formatCount(DEALS)} random deals of the two sides ${alarms} raised an alarm; ` +
        "up to 50 is right.",
    ),
    text(
      "measured",
      `${name}: ${counted(cells.length, "cell")}, each compared with itself in ` +
        `${counted(blocks, "block")} of ${formatDuration(blockS)}`,
    ),
  ];
}

function neededText({ runs, seconds }: FigurePlan["needed"][number]): string {
  return runs === null || seconds === null
    ? "more than 1,000"
    : `${counted(runs, "run")}, ${formatDuration(seconds)}`;
}

function textTable(caption: string, heads: readonly string[], rows: readonly string[][]): Block {
  const columns = heads.map((label, i) => ({
    label,
    kind: i === 0 ? "name" as const : "text" as const,
    cell: (row: readonly string[]) => textCell(row[i]),
  }));
  return table(tableOf({ caption }, rows, columns), { isCaptioned: true });
}
