/**
 * Compares Plateau's search for a capacity with MLRsearch, on the same simulated servers and under the same rules: how
 * often each one's interval contains the true capacity, on which side it misses, and how long the search takes.
 * MLRsearch's loss ratio is the share of requests that break the rule's time limit.
 */
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { TargetError } from "../base/errors.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { type Cell, CELLS } from "./capacity.ts";
import { capacityIn, simulateSearch } from "./capacity/simulation.ts";
import { MlrSearch } from "./mlrsearch/peer.ts";
import { MLR_GOALS, simulateMlrSearch } from "./mlrsearch/simulated.ts";
import { pythonWith } from "./stage/python.ts";

const SEEDS_A_ROUND = 20;
const SHORT_SEEDS = 2;
/**
 * Whether both searches are tried on a cell, which is one server under one rule. They are tried on M/M/1 under every
 * rule, and on the other servers named here under one rule each.
 */
const isCompared = ({ name }: Cell): boolean =>
  name.startsWith("M/M/1:") ||
  /^(?:M\/D\/1|D\/M\/1|M\/M\/8|5 % slower.*|trials.*|M\/M\/16|token bucket|lognormal.*): 10,000\/s, (?:p99 < 10 ms|success.*)$/
    .test(name);

/** The result of one search by either method. */
interface Searched {
  readonly low: number | null;
  readonly high: number | null;
  readonly truth: number;
  readonly seconds: number;
}

export const mlrsearch: Bench = {
  about: "the search for a capacity beside MLRsearch, on simulated servers",
  rounds: 1,
  async run({ rounds, short, only = "" }): Promise<Section[]> {
    const python = pythonWith("MLRsearch");
    if (python === null) {
      throw new TargetError("Cannot measure: no python3 of PATH has the package MLRsearch", [
        "pip install -r bench/mlrsearch/requirements.txt",
      ]);
    }
    const seeds = Array.from({ length: short ? SHORT_SEEDS : rounds * SEEDS_A_ROUND }, (_, i) => i);
    await using peer = new MlrSearch(python);
    const found: { what: string; searches: readonly Searched[] }[] = [];
    for (const { name, kind, terms } of CELLS.filter(isCompared)) {
      if (!name.includes(only)) continue;
      printError(textLines([`  ${name}`]));
      const truthAt = capacityIn(kind, terms);
      const plateau = seeds.map((seed) => {
        const { end, estimate, seconds } = simulateSearch({ kind, terms, capacity: 0 }, seed);
        const isFound = end === "found" && estimate !== null;
        const [low, high] = isFound ? [estimate.low, estimate.high] : [null, null];
        return { low, high, seconds, truth: truthAt(seconds) };
      });
      found.push({ what: `${name}: Plateau`, searches: plateau });
      for (const [goalName, goal] of Object.entries(MLR_GOALS)) {
        const searches: Searched[] = [];
        for (const seed of seeds) {
          const one = await simulateMlrSearch(peer, { kind, terms, goal }, seed);
          searches.push({ ...one, truth: truthAt(one.seconds) });
        }
        found.push({ what: `${name}: MLRsearch, ${goalName}`, searches });
      }
    }
    return sectionsOf(found);
  },
};

interface Interval extends Searched {
  readonly low: number;
  readonly high: number;
}

function isInterval(one: Searched): one is Interval {
  return one.low !== null && one.high !== null;
}

function sectionsOf(found: readonly { what: string; searches: readonly Searched[] }[]): Section[] {
  const rows = (samples: (searches: readonly Searched[]) => number[]): Row[] =>
    found.map(({ what, searches }) => ({ what, samples: samples(searches) }));
  const shareOf = (is: (one: Interval) => boolean) => (searches: readonly Searched[]): number[] => {
    const intervals = searches.filter(isInterval);
    return intervals.length === 0 ? [] : [100 * intervals.filter(is).length / intervals.length];
  };
  return [
    {
      caption: "Searches that end with an interval",
      unit: "%",
      rows: rows((searches) => [100 * searches.filter(isInterval).length / searches.length]),
    },
    {
      caption: "Intervals that hold the capacity",
      unit: "%",
      rows: rows(shareOf(({ low, high, truth }) => low <= truth && truth <= high)),
    },
    {
      caption: "Intervals that are wholly above it",
      unit: "%",
      rows: rows(shareOf(({ low, truth }) => low > truth)),
    },
    {
      caption: "How far the middle of the interval is from the capacity",
      unit: "%",
      rows: rows((searches) =>
        searches.filter(isInterval).map(({ low, high, truth }) =>
          100 * (Math.sqrt(low * high) / truth - 1)
        )
      ),
    },
    {
      caption: "Time of a search, as the server sees it",
      unit: "s",
      rows: rows((searches) => [medianOf(searches.map(({ seconds }) => seconds))]),
    },
  ];
}
