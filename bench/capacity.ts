/** How often the interval of `plateau capacity` holds the capacity of simulated servers, and what it costs. */
import { atLeast, atMostTimes } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { type ServerModel, SERVERS } from "./capacity/servers.ts";
import {
  bisectionWithOracle,
  type SimulatedSearch,
  simulateSearch,
  trueCapacity,
} from "./capacity/simulation.ts";

const SEEDS = { all: 500, short: 20 };

export const capacity: Bench = {
  about: "the search for a capacity on simulated servers",
  rounds: 1, // the seeds are fixed
  run({ short }): Promise<Section[]> {
    const simulated = SERVERS.map((server) => simulate(server, short ? SEEDS.short : SEEDS.all));
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

function coveredRow({ server: { name }, capacity, searches }: Simulated): Row {
  const covered = searches.filter(({ estimate, seconds }) => {
    const known = capacity(seconds);
    return estimate !== null && estimate.low <= known && known <= estimate.high;
  });
  return { what: name, samples: [percentOf(covered, searches)], bar: atLeast(95) };
}

function foundRow({ server: { name }, searches }: Simulated): Row {
  const found = searches.filter(({ isFound }) => isFound);
  return { what: name, samples: [percentOf(found, searches)], bar: atLeast(95) };
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
  return { what: server.name, samples: [mean], baseline, bar: atMostTimes(1.3) };
}
