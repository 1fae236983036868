/**
 * Measures what a request over HTTP/2 without TLS costs load generators, all against the same nginx. h2load is
 * nghttp2's generator. Plateau is also measured over HTTP/1.1, which shows what HTTP/2 adds.
 */
import { atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { type Costs, type Generator, Generators, rateOfH2load, rowsOf } from "./stage/cost.ts";
import { startHttp2Nginx } from "./stage/nginx.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { PINNING } from "./stage/programs.ts";

interface Task {
  readonly urls: { readonly http1: string; readonly http2: string };
  readonly connections: number;
  readonly streams: number;
}

const GENERATORS = {
  "plateau over HTTP/2": plateau("http2", ["--http2"]),
  h2load: {
    program: "h2load",
    command: ({ urls, connections, streams }, seconds) => [
      ...["h2load", "-t1", `-c${connections}`, `-m${streams}`, `-D${seconds}`],
      urls.http2,
    ],
    ratePerSec: rateOfH2load,
  },
  "plateau over HTTP/1.1": plateau("http1", []),
} satisfies Record<string, Generator<Task>>;
type Name = keyof typeof GENERATORS;

function plateau(protocol: keyof Task["urls"], flags: readonly string[]): Generator<Task> {
  return {
    program: Deno.execPath(),
    command: ({ urls, connections, streams }, seconds) =>
      plateauCommand(urls[protocol], [
        ...flags,
        ...["-w", "1", "-c", `${connections}`, "--pipeline", `${streams}`, "-d", `${seconds}s`],
      ]),
    ratePerSec: (output) => parseMeasurement(output).rate,
  };
}

export const http2: Bench = {
  about: "what a request over HTTP/2 costs load generators",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const all = new Generators<Name, Task>(GENERATORS);
    await using nginx = await startHttp2Nginx();
    const urls = { http1: nginx.origin, http2: nginx.url };
    const sections: Section[] = [];
    for (const [connections, streams] of [[50, 1], [10, 10], [1_000, 1]] as const) {
      const task = { urls, connections, streams };
      sections.push(sectionOf(await all.costs(task, effort), task));
    }
    return sections;
  },
};

function sectionOf(costs: Costs<Name>, { connections, streams }: Task): Section {
  return {
    caption: `CPU time of a request, ${connections} connections with ${streams} in flight on each`,
    unit: "µs",
    baseline: "h2load",
    rows: rowsOf(costs, "cpuUs", {
      baseline: "h2load",
      bars: { "plateau over HTTP/2": atMostTimes(1.5) },
    }),
    notes: [`${PINNING}.`],
  };
}
