/**
 * Measures what runtime counters cost two servers on each runtime, by Plateau's own comparison. One server computes for
 * about 1 ms per request, like a handler with some work in it; the other does next to nothing. All runs belong to one
 * experiment with `observe: [runtime]`, in shuffled blocks. A server that is started without Plateau's environment
 * variables reports no counters, so the difference is their whole cost: the server's own work, and Plateau's during the
 * load.
 *
 * A server that does next to nothing is the worst case: its requests are all short, so on V8 its p99 consists of
 * requests that wait for a garbage collection.
 */
import { TargetError } from "../base/errors.ts";
import type { Results } from "../runner/result/result.ts";
import { compareResults } from "../report/subjects/comparison/comparison.ts";
import { revisionSides } from "../report/subjects/comparison/revisions.ts";
import type { Bench, Section } from "./bench.ts";
import { commandOf, RUNTIMES } from "./causes/cases.ts";
import { nameOf, runExperiment } from "./causes/runs.ts";
import { comparedSection, LOSS } from "./stage/compared.ts";
import { temporaryFolder } from "./stage/folder.ts";
import type { Command } from "./stage/programs.ts";

/**
 * The servers. On V8 and in Go, the first server's requests differ in length. If they were equally long, a closed loop
 * would send them in batches, and p99 would depend on whether the last connection is in time for the next batch. On
 * Node, even a timer that does nothing would then shift p99 by 2 %.
 *
 * Python's servers run an asyncio event loop, because the delays of such a loop are among the counters; other Python
 * servers produce no garbage, and so would report nothing. The server that computes does not run a loop over integers,
 * because the speed of such a loop depends on the layout of the heap, which depends on everything that ran before.
 */
const SERVERS = [
  { does: "computes about 1 ms", words: "vary 10", inPython: "pack" },
  { does: "does next to nothing", words: "", inPython: "calm" },
] as const;

export const counters: Bench = {
  about: "what runtime counters cost in requests/s and p99, on Node, Deno, Go and Python",
  rounds: 16,
  async run({ rounds, short, only = "" }): Promise<Section[]> {
    using folder = temporaryFolder();
    const sections: Section[] = [];
    const cases = RUNTIMES.flatMap((runtime) => SERVERS.map((server) => ({ runtime, ...server })));
    for (const { runtime, does, words, inPython } of cases) {
      const name = `${runtime.name}, a server that ${does}`;
      if (!name.includes(only)) continue;
      const server = { runtime, command: await runtime.command(folder.path), folder: folder.path };
      const command = commandOf(server, runtime.name === "Python" ? inPython : words);
      const results = await runExperiment({
        name: "counters",
        commands: [unobserved(command), command],
        more: [
          "scenarios: { root: { get: / } }",
          // Discards the start, where the server's compilation would hide the cost of the counters.
          `load: { duration: ${short ? "400ms" : "4300ms"}, connections: 8 }`,
          "discard: 300ms",
          `repeat: ${rounds}`,
          "observe: [runtime]",
        ],
      }, { runtime, folder: folder.path });
      ensureObserved(name, results);
      const names = new Map([["server", { base: nameOf(0), head: nameOf(1) }]]);
      const { base, head } = revisionSides(results, names);
      const caption = `${name}: what counters cost at most, with 95 % confidence`;
      sections.push(comparedSection(caption, compareResults(base, head), LOSS));
    }
    return sections;
  },
};

/**
 * The command of a server without runtime counters: `env` unsets the variables that turn them on. Because the program
 * is then `env`, Plateau does not recognise Deno, and adds no argument for it.
 */
function unobserved(command: Command): Command {
  const variables = ["NODE_OPTIONS", "PYTHONPATH", "GODEBUG"];
  return ["env", ...variables.flatMap((variable) => ["-u", variable]), ...command];
}

/**
 * Throws a TargetError unless the head, which is the server with counters, reported some, and the base reported none. A
 * single run of the head may report none, if no garbage was collected during it.
 */
function ensureObserved(name: string, { runs }: Results): void {
  const reporting = new Set(runs.flatMap(({ target, counters }) => counters ? [target] : []));
  if (reporting.has(nameOf(0)) || !reporting.has(nameOf(1))) {
    const which = [...reporting].join(" and ") || "none";
    throw new TargetError(`Cannot measure: of ${name}, ${which} reported counters`);
  }
}
