/**
 * What a request costs each load generator, and how many a core of it makes: one worker or thread on a core
 * of its own, as many connections for all, the same nginx on another core. Each runs for a short and for
 * a long time; the difference of the two is free of start-up.
 */
import { join } from "node:path";
import { formatCount } from "../report/writing/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { TargetError } from "../base/errors.ts";
import { aboveBaseline, atMostTimes, type Bar, belowBaseline } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { type ContenderName, contenders, type Task } from "./generators/contenders.ts";
import { interleaved } from "./rounds.ts";
import { childrenCpuUs } from "./stage/children_cpu.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { compile, isInstalled, PINNING, placed, start } from "./stage/programs.ts";

interface Cost {
  readonly cpuUs: number;
  readonly ratePerSec: number;
}

/** Of those that are installed, one a round. */
type Costs = Partial<Record<ContenderName, readonly Cost[]>>;

const FLOOR = new URL("generators/floor.c", import.meta.url);
const isContender = (name: string): name is ContenderName => name in contenders;
const NAMES = Object.keys(contenders).filter(isContender);

type Bars = Partial<Record<ContenderName, Bar>>;

/** Beside the floor, by the number of connections. */
const CPU_BARS: ReadonlyMap<number, Bars> = new Map([
  [50, { "plateau epoll": atMostTimes(1.06), "plateau tcp": atMostTimes(1.45) }],
  [1_000, { "plateau epoll": atMostTimes(1.2) }],
  [10_000, { "plateau epoll": atMostTimes(1.3) }],
]);
/** Beside wrk, at any number. */
const CPU_BARS_BESIDE_WRK: Bars = { "plateau epoll": belowBaseline };
const RATE_BARS: Bars = { "plateau epoll": aboveBaseline };

export const generators: Bench = {
  about: "what a request costs load generators, and how many one core of each makes",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    const there = NAMES.filter((name) => isInstalled(contenders[name].program));
    const missing = NAMES.filter((name) => !there.includes(name));
    const notes = missing.length > 0 ? [`Not installed: ${missing.join(", ")}.`] : [];
    using folder = temporaryFolder();
    const floor = join(folder.path, "floor");
    if (there.includes("floor")) await compile(FLOOR, floor);
    await using nginx = await startNginx();
    const sections: Section[] = [];
    for (const [connections, bars] of CPU_BARS) {
      const common = { url: `${nginx.origin}/`, connections, floor };
      const costs = await interleaved(there, rounds, (name) => costOf(name, common, short));
      sections.push(
        cpuSection(costs, connections, bars),
        wrkSection(costs, connections),
        rateSection(costs, connections, notes),
      );
    }
    return sections;
  },
};

async function costOf(
  name: ContenderName,
  common: Omit<Task, "seconds">,
  short: boolean,
): Promise<Cost> {
  const [brief, long] = short ? [1, 2] : [2, 6];
  const first = await runOnce(name, { ...common, seconds: brief });
  const second = await runOnce(name, { ...common, seconds: long });
  const requests = second.ratePerSec * long - first.ratePerSec * brief;
  return { cpuUs: (second.cpuUs - first.cpuUs) / requests, ratePerSec: second.ratePerSec };
}

/** `cpuUs` is that of the whole run. */
async function runOnce(name: ContenderName, task: Task): Promise<Cost> {
  const { command, ratePerSec } = contenders[name];
  const beforeUs = childrenCpuUs();
  const output = await start(placed("generator", command(task))).output;
  const cpuUs = childrenCpuUs() - beforeUs;
  const rate = ratePerSec(output);
  if (!(rate > 0)) throw new TargetError(`Cannot measure: ${name} made no requests`, [output]);
  return { cpuUs, ratePerSec: rate };
}

function cpuSection(costs: Costs, connections: number, bars: Bars): Section {
  return {
    caption: `CPU time of a request, ${formatCount(connections)} connections`,
    unit: "µs",
    baseline: "floor",
    rows: rowsOf(costs, ({ cpuUs }) => cpuUs, { baseline: "floor", bars }),
    notes: [`floor is generators/floor.c: what the kernel alone takes. ${PINNING}.`],
  };
}

function wrkSection(costs: Costs, connections: number): Section {
  const bars = CPU_BARS_BESIDE_WRK;
  return {
    caption: `CPU time of a request beside wrk's, ${formatCount(connections)} connections`,
    unit: "µs",
    baseline: "wrk",
    rows: rowsOf(costs, ({ cpuUs }) => cpuUs, { baseline: "wrk", bars })
      .filter(({ bar }) => bar !== undefined),
  };
}

function rateSection(costs: Costs, connections: number, notes: readonly string[]): Section {
  const bars = RATE_BARS;
  return {
    caption: `Requests of one core, ${formatCount(connections)} connections`,
    unit: "1/s",
    baseline: "wrk",
    rows: rowsOf(costs, ({ ratePerSec }) => ratePerSec, { baseline: "wrk", bars }),
    notes,
  };
}

function rowsOf(
  costs: Costs,
  figure: (cost: Cost) => number,
  { baseline, bars }: { baseline: ContenderName; bars: Bars },
): Section["rows"] {
  const known = costs[baseline]?.map(figure);
  return NAMES.filter((name) => costs[name]).map((name) => ({
    what: name,
    samples: costs[name]?.map(figure) ?? [],
    baseline: known && medianOf(known),
    bar: known && bars[name],
  }));
}
