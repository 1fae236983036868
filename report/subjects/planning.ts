/** What comparisons of an experiment can see on this machine, from runs in which each target was compared with itself. */
import {
  falseAlarmRatio,
  pairNoiseOf,
  pairsToSee,
  type PlannedFamily,
  smallestChangeSeen,
} from "../../runner/stats/comparison/planning.ts";
import { pairingOf } from "../judge/ratio_of.ts";
import { type ComparedFigure, decisiveFor, groupOf } from "../judge/group.ts";
import type { ResultSide } from "../judge/differences.ts";
import { percentText } from "../writing/ratios.ts";
import { figureInProse, figureKey } from "../findings/judgements.ts";
import { formatDuration } from "../writing/units.ts";
import { counted, listed } from "../writing/words.ts";
import { isOpenLoop } from "../judge/pairs.ts";
import { groupRuns } from "../cells/cells.ts";
import { cellsOf, matchCells, nameOf } from "../cells/match.ts";
import { type Table, tableOf, textCell } from "./tables/table.ts";

const RUNS = [3, 5, 7, 10, 15, 20, 30] as const;
/** As ratios less one. */
const CHANGES = [0.01, 0.02, 0.05, 0.1] as const;
const DEALS = 1_000;
/** Any fixed one. */
const SEED = 20;

export interface PlanModel {
  readonly name: string;
  /** Blocks that were measured. */
  readonly blocks: number;
  /** Seconds that a block of all cells takes, both sides of each. */
  readonly blockS: number;
  readonly marginRatio: number;
  readonly cells: readonly CellNoise[];
  /** One for each figure that decides. */
  readonly figures: readonly FigurePlan[];
  /** Of 1,000 random deals of the sides, the share that raised any alarm. */
  readonly falseAlarmRatio: number;
}

interface CellNoise {
  readonly name: string;
  /** Standard deviation of the logarithm of the ratio of two runs next to each other, by the key of the figure. */
  readonly stdevs: Readonly<Record<string, number>>;
}

interface FigurePlan {
  /** `rate`, `p99` or `cpuPerRequest`. */
  readonly key: string;
  /** In words. */
  readonly name: string;
  /** The smallest change that so many runs a side see in every cell, as a ratio less one. */
  readonly seen: readonly { readonly runs: number; readonly change: number }[];
  /** How many runs a side a change needs in every cell; null where 1,000 are too few. */
  readonly needed: readonly NeededRuns[];
}

interface NeededRuns {
  readonly change: number;
  /** Half of the change where the margin would hide it. */
  readonly marginRatio: number;
  readonly runs: number | null;
  /** Of all cells, both sides. */
  readonly seconds: number | null;
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
  const cells = pairs.map((match) => ({ name: nameOf(match.next), match }));
  const sides = pairs.flatMap(({ base, next }) => [groupOf(base), groupOf(next)]);
  const byFigure = decisiveFor(sides).map((figure) => ({
    figure,
    ratios: pairs.map(({ base, next }) => logRatiosOf(figure, groupOf(next), groupOf(base))),
  })).filter(({ figure, ratios }) =>
    ratios.every((one) => one !== null) &&
    !(figure === "rate" && isOpenLoop(pairs.map(({ next }) => next)))
  ).map(({ figure, ratios }) => ({ figure, ratios: ratios.filter((one) => one !== null) }));
  const blocks = Math.min(...byFigure.flatMap(({ ratios }) => ratios.map(({ length }) => length)));
  if (cells.length === 0 || !Number.isFinite(blocks)) return null;
  const blockS = tookS / blocks;
  const tests = cells.length * byFigure.length;
  const noises = byFigure.map(({ figure, ratios }) => ({ figure, noise: pairNoiseOf(ratios) }));
  return {
    ...{ name, blocks, blockS, marginRatio },
    cells: cells.map(({ name }, i) => ({
      name,
      stdevs: Object.fromEntries(
        noises.map(({ figure, noise }) => [figureKey(figure), noise.stdevs[i]]),
      ),
    })),
    figures: noises.map(({ figure, noise: { stdevs, borrowed } }) =>
      figurePlan(figure, Math.max(...stdevs), {
        family: { tests, cells: cells.length, borrowed, marginRatio },
        blockS,
      })
    ),
    falseAlarmRatio: falseAlarmRatio(
      byFigure.map(({ ratios }) => ratios),
      { marginRatio, seed: SEED, deals: DEALS },
    ),
  };
}

function logRatiosOf(
  figure: ComparedFigure,
  ...[next, base]: readonly ReturnType<typeof groupOf>[]
): readonly number[] | null {
  const [of, to] = [next.estimates.get(figure), base.estimates.get(figure)];
  return of && to ? pairingOf(of, to)?.logRatios ?? null : null;
}

function figurePlan(
  figure: ComparedFigure,
  stdev: number,
  { family, blockS }: { readonly family: PlannedFamily; readonly blockS: number },
): FigurePlan {
  return {
    key: figureKey(figure),
    name: figureInProse(figure),
    seen: RUNS.map((runs) => ({ runs, change: smallestChangeSeen(runs, stdev, family) })),
    needed: CHANGES.map((change) => {
      const marginRatio = change > family.marginRatio ? family.marginRatio : change / 2;
      const runs = pairsToSee(change, stdev, { ...family, marginRatio });
      return { change, marginRatio, runs, seconds: runs === null ? null : runs * blockS };
    }),
  };
}

/** `5 runs a side see a change of 6 % in requests/s, 9 % in p99 and 4 % in CPU/request.` */
export function planSentence({ figures, blocks }: PlanModel): string {
  const changes = figures.map(({ name, seen }) => {
    const [{ change }] = seen.filter(({ runs }) => runs >= blocks);
    return `${percentText(change)} in ${name}`;
  });
  const [{ runs }] = figures[0].seen.filter(({ runs }) => runs >= blocks);
  return `${counted(runs, "run")} a side see a change of ${
    listed(changes, "and")
  }, 80 times in 100.`;
}

/** How many runs, and how long, each change needs. */
export function neededTable({ figures, marginRatio }: PlanModel): Table {
  const rows = CHANGES.map((change, i) => ({ change, i }));
  const isHidden = CHANGES.some((change) => change <= marginRatio);
  return tableOf(
    {
      caption: "Runs a side that see a change in every cell, and how long they take",
      notes: isHidden
        ? [
          `A change within the margin of ${
            percentText(marginRatio)
          } counts as none: it needs --margin, of half of it here.`,
        ]
        : [],
    },
    rows,
    [
      { label: "Change", kind: "name", cell: ({ change }) => ({ text: percentText(change) }) },
      ...figures.map(({ name, needed }) => ({
        label: name,
        kind: "text" as const,
        cell: ({ i }: { readonly i: number }) => textCell(neededText(needed[i])),
      })),
    ],
  );
}

function neededText({ runs, seconds }: NeededRuns): string {
  return runs === null || seconds === null
    ? "more than 1,000"
    : `${counted(runs, "run")}, ${formatDuration(seconds)}`;
}

/** The smallest change by number of runs. */
export function seenTable({ figures }: PlanModel): Table {
  const rows = RUNS.map((runs, i) => ({ runs, i }));
  return tableOf({ caption: "Smallest change that is seen in every cell" }, rows, [
    { label: "Runs a side", kind: "name", cell: ({ runs }) => ({ text: String(runs) }) },
    ...figures.map(({ name, seen }) => ({
      label: name,
      kind: "text" as const,
      cell: ({ i }: { readonly i: number }) => textCell(percentText(seen[i].change)),
    })),
  ]);
}

/** Of each cell the noise between two runs next to each other. */
export function noiseTable({ cells, figures }: PlanModel): Table {
  return tableOf({ caption: "Noise between two runs of one program, next to each other" }, cells, [
    { label: "Cell", kind: "name", cell: ({ name }) => ({ text: name }) },
    ...figures.map(({ key, name }) => ({
      label: name,
      kind: "text" as const,
      cell: ({ stdevs }: CellNoise) => textCell(percentText(stdevs[key])),
    })),
  ]);
}

/** `Of 1,000 random deals of the two sides 12 raised an alarm (1.2 %; up to 5 % is right).` */
export function alarmSentence({ falseAlarmRatio }: PlanModel): string {
  const alarms = Math.round(falseAlarmRatio * DEALS);
  return `Of ${
    DEALS.toLocaleString("en-US")
  } random deals of the two sides ${alarms} raised an alarm; up to 50 is right.`;
}
