/** Tests how often the conclusion that one target "likely" leads is wrong, with fixed seeds. */
import type { Row, Section } from "../bench.ts";
import type { Machine } from "./experiment.ts";
import { atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { concludeCells, type SimulatedLead } from "./verdicts.ts";

export const LEADS: readonly (() => Section)[] = [likelyLeads];

const CASES = 500;

const MACHINES: readonly [name: string, machine: Machine][] = [
  ["2 % between runs", { run: 0.02 }],
  ["5 % between repetitions", { block: 0.05, run: 0.01 }],
  ["waves of 5 % in time, AR(0.8)", { waves: 0.05, run: 0.01 }],
  ["stalls, 2 % of the time on average", { stall: 0.02, run: 0.01 }],
];

/**
 * The most wrong conclusions, in percent. A 95 % interval may miss the truth in up to 7 % of cases, because `coverages`
 * in promises.ts accepts a coverage from 93 %.
 */
const MOST_LIKELY = 7;

const isLikely = ({ standing }: SimulatedLead): boolean => standing === "likely-ahead";

function shareOf<T>(one: () => T, is: (value: T) => boolean): number {
  return Array.from({ length: CASES }, one).filter(is).length / CASES;
}

/**
 * Measures how often a lead is called likely: first if all cells are alike, then if the second is 5 % slower than the
 * first and the others are far behind.
 */
function likelyLeads(): Section {
  const alike = MACHINES.flatMap(([name, machine]) =>
    [2, 4, 9].flatMap((cells) =>
      [5, 10].map((repetitions) => {
        const random = new Random(100 * cells + repetitions);
        const found = shareOf(
          () => concludeCells(random, { cells, repetitions, machine }),
          isLikely,
        );
        return row(
          `${cells} alike, ${name}, ${repetitions} repetitions`,
          found,
          atMost(MOST_LIKELY),
        );
      })
    )
  );
  const planted = [5, 10].flatMap((repetitions): Row[] => {
    const random = new Random(repetitions);
    const leads = Array.from({ length: CASES }, () =>
      concludeCells(random, {
        ...{ cells: 4, repetitions, machine: { run: 0.02 } },
        slower: [1, 1.05, 1.5, 2],
      }));
    const likely = leads.filter(isLikely);
    const wrong = likely.filter(({ first }) => first !== 0).length / Math.max(1, likely.length);
    const certain = leads.filter(({ standing }) => standing === "ahead").length;
    const name = `5 % ahead of 3, ${repetitions} repetitions`;
    return [
      row(`${name}: called ahead for certain`, certain / CASES),
      row(`${name}: called likely ahead`, likely.length / CASES),
      row(`${name}: of those called likely ahead another is the faster`, wrong, atMost(5)),
    ];
  });
  return {
    caption: `A lead called likely, by rate, ${CASES} experiments a line`,
    unit: "%",
    rows: [...alike, ...planted],
    notes: ["The first by rate is picked after the fact, as a conclusion does."],
  };
}
