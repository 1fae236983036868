/**
 * Measures the time that each run of an experiment takes in addition to its load: for starting and checking the server,
 * for ending it, and for saving the results. The results state how much of that time is the server's own start-up.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedAt } from "../targets/frameworks/install.ts";
import { selfCommand } from "../targets/launch/child.ts";
import { results, type Run } from "../runner/result/result.ts";
import type { Bench, Section } from "./bench.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { type Command, start } from "./stage/programs.ts";

const BINARY = fileURLToPath(new URL("../dist/plateau", import.meta.url));
/** Frameworks of the study, some of which start fast and some slowly. Those that are not installed are left out. */
const FRAMEWORKS = ["gin", "fastify", "express"] as const;

export const betweenRuns: Bench = {
  about: "how long an experiment takes from the load of one run to that of the next",
  rounds: 10,
  async run({ rounds }): Promise<Section[]> {
    const installed = FRAMEWORKS.filter((name) => installedAt(name) !== null);
    const missing = FRAMEWORKS.filter((name) => !installed.includes(name));
    const names = ["hono", ...installed];
    const isCompiled = statSync(BINARY, { throwIfNoEntry: false }) !== undefined;
    const gaps = gapsOf(await experiment(names, rounds, isCompiled));
    return [{
      caption: `Between the loads of two runs, ${isCompiled ? "compiled" : "from source"}`,
      unit: "ms",
      rows: names.flatMap((name) => {
        const own = gaps.filter(({ target }) => target === name);
        return [
          { what: name, samples: own.map(({ gapMs }) => gapMs) },
          { what: `${name}: start-up of the server`, samples: own.map(({ startMs }) => startMs) },
        ];
      }),
      notes: missing.map((name) =>
        `${name} is left out, because it is not installed: plateau setup frameworks ${name}.`
      ),
    }];
  },
};

async function experiment(
  names: readonly string[],
  rounds: number,
  isCompiled: boolean,
): Promise<readonly Run[]> {
  using folder = temporaryFolder();
  const file = join(folder.path, "between.json");
  const out = join(folder.path, "out");
  Deno.writeTextFileSync(file, JSON.stringify(specOf(names, rounds)));
  const args = ["run", file, "--out", out, "--quiet"];
  const [program, whole] = selfCommand(args);
  const command: Command = isCompiled ? [BINARY, ...args] : [program, ...whole];
  await start(command).output;
  return results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json")))).runs;
}

function specOf(names: readonly string[], rounds: number): unknown {
  return {
    name: "between",
    targets: Object.fromEntries(
      names.map((name) => [name, name === "hono" ? { app: "api" } : { framework: name }]),
    ),
    scenarios: { static: { get: "/static", expect: { status: 200 } } },
    load: { connections: 20, duration: "300ms" },
    interval: "50ms",
    repeat: rounds,
  };
}

interface Gap {
  readonly target: string;
  readonly gapMs: number;
  readonly startMs: number;
}

/** For each run but the last: the time from its start to the next run's start, without the time of its load. */
function gapsOf(runs: readonly Run[]): Gap[] {
  const inOrder = runs.toSorted((a, b) => a.order - b.order);
  return inOrder.slice(0, -1).map((run, at) => {
    const wholeMs = Date.parse(inOrder[at + 1].startedAt) - Date.parse(run.startedAt);
    return {
      target: run.target,
      gapMs: wholeMs - run.elapsedS * 1_000,
      startMs: run.startUp ?? 0,
    };
  });
}
