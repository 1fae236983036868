/**
 * Measures what a request costs each load generator, and how many requests a generator can send with one core. Each has
 * one worker or thread on a core of its own, and the same number of connections to the same nginx on another core.
 */
import { join } from "node:path";
import { formatCount } from "../report/writing/units.ts";
import { aboveBaseline, atMostTimes, type Bar, belowBaseline } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { type ContenderName, contenders } from "./generators/contenders.ts";
import { type Costs, Generators, rowsOf } from "./stage/cost.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { compile, isInstalled, PINNING } from "./stage/programs.ts";

const FLOOR = new URL("generators/floor.c", import.meta.url);

type Bars = Partial<Record<ContenderName, Bar>>;

/** Bars for the CPU time relative to that of the bare C loop, `floor.c`, by the number of connections. */
const CPU_BARS: ReadonlyMap<number, Bars> = new Map([
  [50, { "plateau epoll": atMostTimes(1.06), "plateau tcp": atMostTimes(1.45) }],
  [1_000, { "plateau epoll": atMostTimes(1.2) }],
  [10_000, { "plateau epoll": atMostTimes(1.3) }],
]);
/** Bars for the CPU time relative to that of wrk, for any number of connections. */
const CPU_BARS_BESIDE_WRK: Bars = { "plateau epoll": belowBaseline };
const RATE_BARS: Bars = { "plateau epoll": aboveBaseline };

export const generators: Bench = {
  about: "what a request costs load generators, and how many one core of each makes",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const all = new Generators(contenders);
    using folder = temporaryFolder();
    const floor = join(folder.path, "floor");
    if (isInstalled(contenders.floor.program)) await compile(FLOOR, floor);
    await using nginx = await startNginx();
    const sections: Section[] = [];
    for (const [connections, bars] of CPU_BARS) {
      const costs = await all.costs({ url: `${nginx.origin}/`, connections, floor }, effort);
      sections.push(
        cpuSection(costs, connections, bars),
        wrkSection(costs, connections),
        rateSection(costs, connections, all.notes),
      );
    }
    return sections;
  },
};

function cpuSection(costs: Costs<ContenderName>, connections: number, bars: Bars): Section {
  return {
    caption: `CPU time of a request, ${formatCount(connections)} connections`,
    unit: "µs",
    baseline: "floor",
    rows: rowsOf(costs, "cpuUs", { baseline: "floor", bars }),
    notes: [`floor is generators/floor.c: what the kernel alone takes. ${PINNING}.`],
  };
}

function wrkSection(costs: Costs<ContenderName>, connections: number): Section {
  return {
    caption: `CPU time of a request beside wrk's, ${formatCount(connections)} connections`,
    unit: "µs",
    baseline: "wrk",
    rows: rowsOf(costs, "cpuUs", { baseline: "wrk", bars: CPU_BARS_BESIDE_WRK })
      .filter(({ bar }) => bar !== undefined),
  };
}

function rateSection(
  costs: Costs<ContenderName>,
  connections: number,
  notes: readonly string[],
): Section {
  return {
    caption: `Requests of one core, ${formatCount(connections)} connections`,
    unit: "1/s",
    baseline: "wrk",
    rows: rowsOf(costs, "ratePerSec", { baseline: "wrk", bars: RATE_BARS }),
    notes,
  };
}
