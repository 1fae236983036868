/**
 * What a request over HTTP/2 costs load generators, without TLS: the same nginx for both. h2load is nghttp2's; over
 * HTTP/1.1 Plateau shows what the protocol adds.
 */
import { TargetError } from "../base/errors.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { childrenCpuUs } from "./stage/children_cpu.ts";
import { startHttp2Nginx } from "./stage/nginx.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { type Command, isInstalled, PINNING, placed, start } from "./stage/programs.ts";

interface Task {
  readonly urls: { readonly http1: string; readonly http2: string };
  readonly connections: number;
  readonly streams: number;
  readonly seconds: number;
}

const NAMES = ["plateau over HTTP/2", "h2load", "plateau over HTTP/1.1"] as const;
type Name = typeof NAMES[number];

interface Cost {
  readonly cpuUs: number;
  readonly ratePerSec: number;
}

export const http2: Bench = {
  about: "what a request over HTTP/2 costs load generators",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    const there = NAMES.filter((name) => name !== "h2load" || isInstalled("h2load"));
    await using nginx = await startHttp2Nginx();
    const urls = { http1: nginx.origin, http2: nginx.url };
    const sections: Section[] = [];
    for (const [connections, streams] of [[50, 1], [10, 10], [1_000, 1]] as const) {
      const common = { urls, connections, streams };
      const costs = await interleaved(there, rounds, (name) => costOf(name, common, short));
      sections.push(sectionOf(costs, common));
    }
    return sections;
  },
};

function commandOf(name: Name, { urls, connections, streams, seconds }: Task): Command {
  if (name === "h2load") {
    return ["h2load", "-t1", `-c${connections}`, `-m${streams}`, `-D${seconds}`, urls.http2];
  }
  const load = ["-w", "1", "-c", `${connections}`, "--pipeline", `${streams}`, "-d", `${seconds}s`];
  return name === "plateau over HTTP/2"
    ? plateauCommand(urls.http2, ["--http2", ...load])
    : plateauCommand(urls.http1, load);
}

/** The difference of a long and a short run is free of start-up. */
async function costOf(name: Name, common: Omit<Task, "seconds">, short: boolean): Promise<Cost> {
  const [brief, long] = short ? [2, 3] : [2, 6];
  const first = await runOnce(name, { ...common, seconds: brief });
  const second = await runOnce(name, { ...common, seconds: long });
  const requests = second.ratePerSec * long - first.ratePerSec * brief;
  return { cpuUs: (second.cpuUs - first.cpuUs) / requests, ratePerSec: second.ratePerSec };
}

async function runOnce(name: Name, task: Task): Promise<Cost> {
  const beforeUs = childrenCpuUs();
  const output = await start(placed("generator", commandOf(name, task))).output;
  const cpuUs = childrenCpuUs() - beforeUs;
  const ratePerSec = name === "h2load"
    ? Number(/([\d.]+) req\/s/.exec(output)?.[1] ?? NaN)
    : parseMeasurement(output).rate;
  if (!(ratePerSec > 0)) {
    throw new TargetError(`Cannot measure: ${name} made no requests`, [output]);
  }
  return { cpuUs, ratePerSec };
}

function sectionOf(
  costs: Partial<Record<Name, readonly Cost[]>>,
  { connections, streams }: Omit<Task, "seconds">,
): Section {
  const known = costs.h2load?.map(({ cpuUs }) => cpuUs);
  return {
    caption: `CPU time of a request, ${connections} connections with ${streams} in flight on each`,
    unit: "µs",
    baseline: "h2load",
    rows: NAMES.filter((name) => costs[name]).map((name) => ({
      what: name,
      samples: costs[name]?.map(({ cpuUs }) => cpuUs) ?? [],
      baseline: known && medianOf(known),
      bar: known && (name === "plateau over HTTP/2" ? atMostTimes(1.5) : undefined),
    })),
    notes: [`${PINNING}.`],
  };
}
