/**
 * What runtime counters cost two servers on each runtime, by Plateau's own comparison. One server computes for about 1
 * ms for each request, like a handler with some work in it; the other does next to nothing. All runs are of one
 * experiment with `observe: [runtime]`, in shuffled blocks; a server that is started without the variables reports
 * nothing, so the difference is the whole cost of reports: the server's own work, and Plateau's while the load runs.
 *
 * Next to nothing is the worst case: no request takes long itself, and on V8 p99 consists of requests that wait for a
 * collection.
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
 * The servers. On V8 and in Go their requests differ in length. With requests of equal length, a closed loop makes
 * batches: whether the last connection is in time for the next batch decides p99, and on Node a timer that does nothing
 * shifts p99 by 2 %.
 *
 * Python's servers run on an event loop of asyncio, whose turns are watched: other servers have nothing to collect, and
 * report nothing. They do not compute a loop over integers, because its pace depends on the layout of the heap, and
 * therefore on everything that ran before.
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
          // The start is discarded, because the server's compilation there would hide the cost of counters.
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
 * The command of a server without counters: `env` unsets the variables that turn them on. Because the program is `env`,
 * Plateau does not see Deno, and adds no argument for it.
 */
function unobserved(command: Command): Command {
  const variables = ["NODE_OPTIONS", "PYTHONPATH", "GODEBUG"];
  return ["env", ...variables.flatMap((variable) => ["-u", variable]), ...command];
}

/** Throws a TargetError if the runs do not differ as they should. A run without a collection may report nothing. */
function ensureObserved(name: string, { runs }: Results): void {
  const reporting = new Set(runs.flatMap(({ target, counters }) => counters ? [target] : []));
  if (reporting.has(nameOf(0)) || !reporting.has(nameOf(1))) {
    const which = [...reporting].join(" and ") || "none";
    throw new TargetError(`Cannot measure: of ${name}, ${which} reported counters`);
  }
}
