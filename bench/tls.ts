/**
 * Measures what a request over TLS costs load generators, and how many handshakes each completes on one core if every
 * request has its own connection. All use the same nginx, which does not resume sessions.
 */
import { formatCount } from "../report/writing/units.ts";
import { aboveBaseline, atMostTimes, type Bar } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import {
  type Cost,
  type Costs,
  type Generator,
  Generators,
  rateOfWrk,
  rowsOf,
} from "./stage/cost.ts";
import { startSecureNginx } from "./stage/nginx.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { PINNING } from "./stage/programs.ts";

interface Task {
  readonly url: string;
  readonly connections: number;
  readonly keepAlive: boolean;
}

const GENERATORS = {
  "plateau epoll": plateau("epoll"),
  "plateau tcp": plateau("tcp"),
  wrk: {
    program: "wrk",
    command: ({ url, connections, keepAlive }, seconds) => {
      const close = keepAlive ? [] : ["-H", "Connection: close"];
      return ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, ...close, url];
    },
    ratePerSec: rateOfWrk,
  },
} satisfies Record<string, Generator<Task>>;
type Name = keyof typeof GENERATORS;

function plateau(driver: "epoll" | "tcp"): Generator<Task> {
  return {
    program: Deno.execPath(),
    command: ({ url, connections, keepAlive }, seconds) => {
      const flags = `-w 1 --insecure --driver ${driver} -c ${connections} -d ${seconds}s`;
      return plateauCommand(url, [...flags.split(" "), ...keepAlive ? [] : ["--no-keepalive"]]);
    },
    ratePerSec: (output) => parseMeasurement(output).rate,
  };
}

export const tls: Bench = {
  about: "what a request over TLS costs load generators, and their handshakes per second",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const all = new Generators<Name, Task>(GENERATORS);
    await using nginx = await startSecureNginx();
    const sections: Section[] = [];
    for (const [connections, keepAlive] of [[50, true], [1_000, true], [50, false]] as const) {
      const task = { url: nginx.url, connections, keepAlive };
      const costs = await all.costs(task, effort);
      if (!keepAlive) sections.push(handshakeSection(costs, connections));
      sections.push(cpuSection(costs, task));
    }
    return sections;
  },
};

function cpuSection(costs: Costs<Name>, { connections, keepAlive }: Task): Section {
  const what = keepAlive ? "a request over TLS" : "a connection with one request over TLS";
  return {
    caption: `CPU time of ${what}, ${formatCount(connections)} connections`,
    unit: "µs",
    ...besideWrk(costs, "cpuUs", keepAlive ? atMostTimes(1.15) : atMostTimes(1)),
  };
}

function handshakeSection(costs: Costs<Name>, connections: number): Section {
  return {
    caption: `Handshakes of one core, ${formatCount(connections)} connections`,
    unit: "1/s",
    ...besideWrk(costs, "ratePerSec", aboveBaseline),
  };
}

function besideWrk(
  costs: Costs<Name>,
  figure: keyof Cost,
  bar: Bar,
): Pick<Section, "baseline" | "rows" | "notes"> {
  return {
    baseline: "wrk",
    rows: rowsOf(costs, figure, { baseline: "wrk", bars: { "plateau epoll": bar } }),
    notes: [`${PINNING}. No generator checks the certificate.`],
  };
}
