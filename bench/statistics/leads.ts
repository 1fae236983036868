/** What a conclusion says of who leads, and at what price, with fixed seeds: how often "likely" and "uses more CPU" are wrong. */
import { DEFAULT_MARGIN_RATIO } from "../../report/judge/comparison.ts";
import { NOTABLE_CHANGE } from "../../report/judge/standing.ts";
import { surelyMore } from "../../report/subjects/verdict/places.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import type { Row, Section } from "../bench.ts";
import type { Machine } from "./experiment.ts";
import { atLeast, atMost, row } from "./percent.ts";
import { Random } from "./random.ts";
import { concludeCells, type SimulatedLead } from "./verdicts.ts";

export const LEADS: readonly (() => Section)[] = [likelyLeads, cpuLeads];

const CASES = 500;

const MACHINES: readonly [name: string, machine: Machine][] = [
  ["2 % between runs", { run: 0.02 }],
  ["5 % between repetitions", { block: 0.05, run: 0.01 }],
  ["waves of 5 % in time, AR(0.8)", { waves: 0.05, run: 0.01 }],
  ["stalls, 2 % of the time on average", { stall: 0.02, run: 0.01 }],
];

/** What a 95 % interval leaves out that covers the truth in 93 to 97 %, which is what `coverages` holds it to. */
const MOST_LIKELY = 7;

const isLikely = ({ standing }: SimulatedLead): boolean => standing === "likely-ahead";

function shareOf<T>(one: () => T, is: (value: T) => boolean): number {
  return Array.from({ length: CASES }, one).filter(is).length / CASES;
}

/** All cells alike; then one of them 5 % slower than the first, and the others far behind. */
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

interface Watched {
  readonly repetitions: number;
  readonly machine: Pick<Machine, "run" | "block" | "slowShare">;
  /** Cores of the leader, where the next uses one. */
  readonly cores: number;
  readonly leads: number;
}

/** How many times as many cores a conclusion says; null where nothing. */
function saidMore(random: Random, { repetitions, machine, cores, leads }: Watched): number | null {
  const { run = 0, block = 0, slowShare = 0 } = machine;
  const numbers = Array.from({ length: repetitions }, (_, i) => i + 1);
  const shared = numbers.map(() => block * random.normal());
  const estimate = (used: number): Estimate | null => {
    const values = shared.map((effect) => {
      const busier = random.uniform() < slowShare ? Math.log(1.25) : 0;
      return used * Math.exp(effect + busier + run * random.normal());
    });
    return estimateOfMean(values, { session: "one", repetitions: numbers });
  };
  const [of, to] = [cores, 1].map(estimate);
  const options = { level: 0.95, leads, marginRatio: DEFAULT_MARGIN_RATIO };
  const ratio = of && to && surelyMore({ of, to }, options);
  return ratio !== null && ratio >= 1 + NOTABLE_CHANGE ? ratio : null;
}

const WATCHED: readonly [name: string, machine: Watched["machine"]][] = [
  ["2 % between runs", { run: 0.02 }],
  ["10 % between runs", { run: 0.1 }],
  ["5 % between repetitions", { block: 0.05, run: 0.02 }],
  ["20 % of the runs use 1.25 times as much", { slowShare: 0.2, run: 0.02 }],
];

/** Leads of one experiment, any of which may be said to use more. */
const MOST_LEADS = 5;

function cpuLeads(): Section {
  const rows = WATCHED.flatMap(([name, machine]) =>
    [5, 10].flatMap((repetitions): Row[] => {
      const random = new Random(repetitions);
      const said = (cores: number, leads: number): number =>
        shareOf(
          () =>
            Array.from(
              { length: leads },
              () => saidMore(random, { repetitions, machine, cores, leads }),
            ),
          (ratios) => ratios.some((ratio) => ratio !== null),
        );
      const of = `${name}, ${repetitions} repetitions`;
      return [
        row(`alike, one lead: ${of}`, said(1, 1), atMost(5)),
        row(`alike, any of ${MOST_LEADS} leads: ${of}`, said(1, MOST_LEADS), atMost(5)),
        row(
          `1.5 times as much, one lead: ${of}`,
          said(1.5, 1),
          machine.run === 0.02 && machine.slowShare === undefined ? atLeast(95) : undefined,
        ),
      ];
    })
  );
  return {
    caption: `A lead said to use more CPU, ${CASES} experiments a line`,
    unit: "%",
    rows,
    notes: ["Said from 1.1 times as much, where that is certain."],
  };
}
