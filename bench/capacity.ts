/** How often the interval of `plateau capacity` holds the capacity of simulated servers, and what it costs. */
import { atLeast, atMostTimes, type Bar } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { type ServerModel, SERVERS } from "./capacity/servers.ts";
import {
  bisectionWithOracle,
  type SimulatedSearch,
  simulateSearch,
  trueCapacity,
} from "./capacity/simulation.ts";

const SEEDS_A_ROUND = 100;
const SHORT_SEEDS = 20;

export const capacity: Bench = {
  about: "the search for a capacity on simulated servers",
  rounds: 5, // each has fixed seeds of its own
  run({ rounds, short, only = "" }): Promise<Section[]> {
    const seeds = short ? SHORT_SEEDS : rounds * SEEDS_A_ROUND;
    const servers = SERVERS.filter(({ name }) => name.includes(only));
    const simulated = servers.map((server) => simulate(server, seeds));
    const section = (caption: string, unit: string, of: (one: Simulated) => Row): Section => ({
      caption,
      unit,
      baseline: "oracle",
      rows: simulated.map(of),
    });
    return Promise.resolve([
      section("The interval holds the capacity", "% of seeds", coveredRow),
      section("The interval is within 2 % of its value, in 10 minutes", "% of seeds", foundRow),
      section("Time of a search", "s, mean", (one) => costRow(one, "seconds")),
      section("Trials of a search", "mean", (one) => costRow(one, "trials")),
    ]);
  },
};

interface Simulated {
  readonly server: ServerModel;
  readonly capacity: (atS: number) => number;
  readonly searches: readonly SimulatedSearch[];
}

function simulate(server: ServerModel, seeds: number): Simulated {
  const searches = Array.from({ length: seeds }, (_, seed) => simulateSearch(server, seed));
  return { server, capacity: trueCapacity(server), searches };
}

function coveredRow({ server, capacity, searches }: Simulated): Row {
  const covered = searches.filter(({ estimate, seconds }) => {
    const known = capacity(seconds);
    return estimate !== null && estimate.low <= known && known <= estimate.high;
  });
  return { what: server.name, samples: [percentOf(covered, searches)], bar: LEAST };
}

function foundRow({ server, searches }: Simulated): Row {
  const found = searches.filter(({ isFound }) => isFound);
  return { what: server.name, samples: [percentOf(found, searches)], ...barOf(server, LEAST) };
}

const LEAST = atLeast(95);
const MOST = atMostTimes(1.3);

function barOf({ isHeavyTailed }: ServerModel, bar: Bar): Pick<Row, "bar"> {
  return isHeavyTailed ? {} : { bar };
}

function percentOf(some: readonly unknown[], all: readonly unknown[]): number {
  return 100 * some.length / all.length;
}

function costRow(
  { server, capacity, searches }: Simulated,
  of: "seconds" | "trials",
): Row {
  const mean = searches.reduce((sum, search) => sum + search[of], 0) / searches.length;
  const baseline = bisectionWithOracle(server, capacity(0))[of];
  return { what: server.name, samples: [mean], baseline, ...barOf(server, MOST) };
}
