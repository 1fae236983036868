/**
 * What a request over TLS costs load generators, and how many handshakes a core of each makes when every request has a
 * connection of its own: the same nginx for all, which resumes no session.
 */
import { TargetError } from "../base/errors.ts";
import { formatCount } from "../report/writing/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { aboveBaseline, atMostTimes, type Bar } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { childrenCpuUs } from "./stage/children_cpu.ts";
import { startSecureNginx } from "./stage/nginx.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { type Command, isInstalled, PINNING, placed, start } from "./stage/programs.ts";

interface Task {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly keepAlive: boolean;
}

const NAMES = ["plateau epoll", "plateau tcp", "wrk"] as const;
type Name = typeof NAMES[number];

interface Cost {
  readonly cpuUs: number;
  readonly ratePerSec: number;
}

type Costs = Partial<Record<Name, readonly Cost[]>>;

export const tls: Bench = {
  about: "what a request over TLS costs load generators, and their handshakes per second",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    const there = NAMES.filter((name) => name !== "wrk" || isInstalled("wrk"));
    await using nginx = await startSecureNginx();
    const sections: Section[] = [];
    for (const [connections, keepAlive] of [[50, true], [1_000, true], [50, false]] as const) {
      const common = { url: nginx.url, connections, keepAlive };
      const costs = await interleaved(there, rounds, (name) => costOf(name, common, short));
      if (!keepAlive) sections.push(handshakeSection(costs, connections));
      sections.push(cpuSection(costs, common));
    }
    return sections;
  },
};

function commandOf(name: Name, { url, connections, seconds, keepAlive }: Task): Command {
  if (name === "wrk") {
    const close = keepAlive ? [] : ["-H", "Connection: close"];
    return ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, ...close, url];
  }
  const driver = name === "plateau epoll" ? "epoll" : "tcp";
  const flags = `-w 1 --insecure --driver ${driver} -c ${connections} -d ${seconds}s`.split(" ");
  return plateauCommand(url, [...flags, ...keepAlive ? [] : ["--no-keepalive"]]);
}

/** The difference of a long and a short run is free of start-up. */
async function costOf(name: Name, common: Omit<Task, "seconds">, short: boolean): Promise<Cost> {
  const [brief, long] = short ? [2, 3] : [2, 6]; // a thousand handshakes take a second
  const first = await runOnce(name, { ...common, seconds: brief });
  const second = await runOnce(name, { ...common, seconds: long });
  const requests = second.ratePerSec * long - first.ratePerSec * brief;
  return { cpuUs: (second.cpuUs - first.cpuUs) / requests, ratePerSec: second.ratePerSec };
}

async function runOnce(name: Name, task: Task): Promise<Cost> {
  const beforeUs = childrenCpuUs();
  const output = await start(placed("generator", commandOf(name, task))).output;
  const cpuUs = childrenCpuUs() - beforeUs;
  const ratePerSec = name === "wrk"
    ? Number(/Requests\/sec:\s*([\d.]+)/.exec(output)?.[1] ?? NaN)
    : parseMeasurement(output).rate;
  if (!(ratePerSec > 0)) {
    throw new TargetError(`Cannot measure: ${name} made no requests`, [output]);
  }
  return { cpuUs, ratePerSec };
}

function cpuSection(costs: Costs, { connections, keepAlive }: Omit<Task, "seconds">): Section {
  const what = keepAlive ? "a request over TLS" : "a connection with one request over TLS";
  return {
    caption: `CPU time of ${what}, ${formatCount(connections)} connections`,
    unit: "µs",
    ...rowsOf(costs, ({ cpuUs }) => cpuUs, keepAlive ? atMostTimes(1.15) : atMostTimes(1)),
  };
}

function handshakeSection(costs: Costs, connections: number): Section {
  return {
    caption: `Handshakes of one core, ${formatCount(connections)} connections`,
    unit: "1/s",
    ...rowsOf(costs, ({ ratePerSec }) => ratePerSec, aboveBaseline),
  };
}

function rowsOf(
  costs: Costs,
  figure: (cost: Cost) => number,
  bar: Bar,
): Pick<Section, "baseline" | "rows" | "notes"> {
  const known = costs.wrk?.map(figure);
  return {
    baseline: "wrk",
    rows: NAMES.filter((name) => costs[name]).map((name) => ({
      what: name,
      samples: costs[name]?.map(figure) ?? [],
      baseline: known && medianOf(known),
      bar: known && (name === "plateau epoll" ? bar : undefined),
    })),
    notes: [`${PINNING}. No generator checks the certificate.`],
  };
}
