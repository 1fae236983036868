/**
 * Tests whether comparisons see the changes that `plateau plan` promises: compares the promised change with the change
 * that simulated comparisons actually find.
 */
import { pairingOf } from "../../report/judge/ratio_of.ts";
import { DEFAULT_MARGIN_RATIO } from "../../report/judge/comparison.ts";
import { pairNoiseOf, smallestChangeSeen } from "../../runner/stats/comparison/planning.ts";
import type { NoiseOf, Row, Section } from "../bench.ts";
import { estimatesOf, type Machine, simulateCells } from "./experiment.ts";
import { Random } from "./random.ts";
import { compareMany } from "./verdicts.ts";

const BLOCKS = 5;
const PLANS = 60;
const CASES = 250;
const STEPS = [0.8, 0.9, 1, 1.1, 1.2, 1.5, 2] as const;
const POWER = 0.8;

const MACHINES: readonly (readonly [name: string, machine: Machine])[] = [
  ["2 % between runs", { run: 0.02 }],
  ["5 %", { run: 0.05 }],
  ["2 %, drift of 20 %", { run: 0.02, drift: 0.2 }],
];
/**
 * A machine that is harder for comparisons, because a step in the middle of a pair looks like a change of the program.
 * The five blocks of a plan show too few of its steps.
 */
const STEPPING = ["2 %, steps of 10 %", { run: 0.02, levels: 0.1 }] as const;

interface Case {
  readonly machine: Machine;
  readonly cells: number;
  readonly runs: number;
}

/** The change that `plateau plan` promises to see with this number of runs, as the median over simulated plans. */
function promised({ machine, cells, runs }: Case): number {
  const random = new Random(71);
  const plans = Array.from({ length: PLANS }, () => {
    const sides = estimatesOf(
      simulateCells(random, {
        ...{ cells: 2 * cells, repetitions: BLOCKS, machine, recorded: 1, inPairs: true },
      }),
      ["rate"],
    );
    const noise = pairNoiseOf(Array.from({ length: cells }, (_, i) => {
      const [[base], [next]] = [sides[2 * i], sides[2 * i + 1]];
      return base && next ? pairingOf(next, base)?.logRatios ?? [] : [];
    }));
    const family = {
      ...{ tests: cells, cells, marginRatio: DEFAULT_MARGIN_RATIO },
      borrowed: noise.borrowed,
    };
    // This is the change for a cell of median noise; `plateau plan` itself states the change for
    // the noisiest cell.
    return smallestChangeSeen(runs, medianOf(noise.stdevs), family);
  });
  return medianOf(plans);
}

/** The change that 80 % of simulated comparisons find, interpolated between steps around the promised change. */
function found({ machine, cells, runs }: Case, change: number): number {
  const powers = STEPS.map((step) => {
    const random = new Random(73);
    const many = { pairs: cells, repetitions: runs, machine, inPairs: true, isPaired: true };
    const seen = Array.from({ length: CASES }, () => {
      const [[rate]] = compareMany(random, {
        ...many,
        slower: 1 + step * change,
        figures: ["rate"],
      });
      return rate.verdict === "worse";
    });
    return seen.filter(Boolean).length / CASES;
  });
  const over = powers.findIndex((power) => power >= POWER);
  if (over === -1) return Infinity;
  if (over === 0) return 0;
  const [below, above] = [powers[over - 1], powers[over]];
  const part = (POWER - below) / (above - below);
  return change * (STEPS[over - 1] + part * (STEPS[over] - STEPS[over - 1]));
}

function handedIn(noise: NoiseOf): Machine {
  const next = noise(1);
  return { noise: () => 0.02 * next() };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/**
 * @param noise The noise of the runs in the order of time, as the user supplies it; absent: that of each of MACHINES.
 */
export function plannedChanges(noise?: NoiseOf): Section {
  const machines: typeof MACHINES = noise === undefined
    ? [...MACHINES, STEPPING]
    : [["2 %, handed in", handedIn(noise)]];
  const rows = machines.flatMap(([name, machine]) =>
    [1, 6].flatMap((cells) =>
      [5, 10].map((runs): Row => {
        const change = promised({ machine, cells, runs });
        const seen = found({ machine, cells, runs }, change);
        const text = `${(100 * change).toFixed(1)} % promised`;
        return {
          what: `${name}; ${cells === 1 ? "1 cell" : `${cells} cells`}, ${runs} runs: ${text}`,
          samples: [seen / change],
          ...name !== STEPPING[0] && {
            bar: { text: "0.8 to 1.2", holds: (ratio: number) => ratio > 0.8 && ratio < 1.2 },
          },
        };
      })
    )
  );
  return {
    caption:
      `The change that ${CASES} comparisons a step see in 80 %, over the promise of plateau plan`,
    unit: "×",
    rows,
    notes: [`Promised by the median of ${PLANS} plans of ${BLOCKS} blocks each.`],
  };
}
