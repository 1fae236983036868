/**
 * Measures what an echoed message on a WebSocket costs a load generator. All generators send the same number of
 * messages to the same server, each WebSocket at fixed intervals. The baseline is websocket/paced.c, a bare loop in C.
 */
import { join } from "node:path";
import { formatCount } from "../report/writing/units.ts";
import type { Bench, Section } from "./bench.ts";
import { type Generator, Generators, rowsOf } from "./stage/cost.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { compile, isInstalled, PINNING } from "./stage/programs.ts";
import { startApp } from "./stage/server.ts";

const PACED = new URL("websocket/paced.c", import.meta.url);

interface Task {
  readonly origin: string;
  /** The path of the program compiled from paced.c. */
  readonly bare: string;
  readonly sockets: number;
  readonly everyMs: number;
}

const GENERATORS = {
  "plateau epoll": plateau("epoll"),
  "plateau tcp": plateau("tcp"),
  "bare loop": {
    program: "cc",
    command: ({ origin, bare, sockets, everyMs }, seconds) => [
      bare,
      ...[new URL(origin).port, sockets, everyMs, seconds].map(String),
    ],
    ratePerSec: Number,
  },
} satisfies Record<string, Generator<Task>>;
type Name = keyof typeof GENERATORS;

function plateau(driver: "epoll" | "tcp"): Generator<Task> {
  return {
    program: Deno.execPath(),
    command: ({ origin, sockets, everyMs }, seconds) =>
      plateauCommand(`${origin.replace("http", "ws")}/ws`, [
        ...["--send", "n={{ n }}", "--every", `${everyMs}ms`, "-c", `${sockets}`],
        ...["-w", "1", "-d", `${seconds}s`, "--driver", driver],
      ]),
    ratePerSec: (output) => parseMeasurement(output).sockets?.messagesPerSec ?? NaN,
  };
}

export const websocket: Bench = {
  about: "what an echoed message on a WebSocket costs a load generator",
  rounds: 3,
  async run(effort): Promise<Section[]> {
    const all = new Generators<Name, Task>(GENERATORS);
    using folder = temporaryFolder();
    const bare = join(folder.path, "paced");
    if (isInstalled(GENERATORS["bare loop"].program)) await compile(PACED, bare);
    await using server = await startApp("streams");
    const sections: Section[] = [];
    for (const [sockets, everyMs] of [[100, 10], [1_000, 100]]) {
      const costs = await all.costs({ origin: server.origin, bare, sockets, everyMs }, effort);
      const perSec = formatCount(1_000 * sockets / everyMs);
      sections.push({
        caption: `CPU time of an echoed message, ${
          formatCount(sockets)
        } WebSockets, ${perSec} messages/s`,
        unit: "µs",
        baseline: "bare loop",
        rows: rowsOf(costs, "cpuUs", { baseline: "bare loop" }),
        notes: [`bare loop is websocket/paced.c. ${PINNING}.`, ...all.notes],
      });
    }
    return sections;
  },
};
