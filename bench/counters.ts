/**
 * What runtime counters cost a server that does next to nothing, by Plateau's own comparison: the same server with and
 * without what reports, run next to each other in shuffled blocks.
 */
import { join } from "node:path";
import { compareResults } from "../report/model/compared_results.ts";
import { comparisonOf, type FigureComparison } from "../report/model/comparison/comparison.ts";
import { ratioText } from "../report/model/comparison/ratios.ts";
import { figureName, verdictText } from "../report/model/comparison/words.ts";
import { revisionSides } from "../report/model/revisions/sides.ts";
import pythonScript from "../targets/observe/runtime/sitecustomize.py" with { type: "text" };
import v8Script from "../targets/observe/runtime/v8_counters.mjs" with { type: "text" };
import { atMost } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { type Runtime, RUNTIMES } from "./causes/cases.ts";
import { runExperiment } from "./causes/runs.ts";
import { temporaryFolder } from "./stage/folder.ts";
import type { Command } from "./stage/programs.ts";

const V8_SCRIPT = "v8_counters.mjs";

export const counters: Bench = {
  about: "what runtime counters cost in requests/s and p99, on Node, Deno, Go and Python",
  rounds: 40,
  async run({ rounds, short, only = "" }): Promise<Section[]> {
    using folder = temporaryFolder();
    Deno.writeTextFileSync(join(folder.path, V8_SCRIPT), v8Script);
    Deno.writeTextFileSync(join(folder.path, "sitecustomize.py"), pythonScript);
    const sections: Section[] = [];
    for (const runtime of RUNTIMES.filter(({ name }) => name.includes(only))) {
      const command = await runtime.command(folder.path);
      const stage = { runtime, folder: folder.path, rounds };
      const commands = [command, countedCommand(runtime, command, folder.path)];
      const results = await runExperiment({
        name: "counters",
        commands,
        more: [
          "scenarios: { root: { get: / } }",
          `load: { duration: ${short ? "300ms" : "1s"}, connections: 8 }`,
          `repeat: ${rounds}`,
        ],
      }, stage);
      const names = new Map([["server", { base: "t0", head: "t1" }]]);
      const { base, head } = revisionSides(results, names);
      sections.push(sectionOf(runtime, compareResults(base, head).cells[0].comparison));
    }
    return sections;
  },
};

/** As `observe: [runtime]` starts it. */
function countedCommand({ name }: Runtime, command: Command, folder: string): Command {
  const script = join(folder, V8_SCRIPT);
  if (name === "Node") return ["node", `--import=${script}`, ...command.slice(1)];
  if (name === "Deno") return [...command.slice(0, 2), `--preload=${script}`, ...command.slice(2)];
  const variable = name === "Go" ? "GODEBUG=gctrace=1" : `PYTHONPATH=${folder}`;
  return ["env", variable, ...command];
}

function sectionOf(
  { name }: Runtime,
  comparison: Parameters<typeof comparisonOf>[0] & { readonly marginRatio: number },
): Section {
  const [rate, p99] = [comparisonOf(comparison, "rate"), comparisonOf(comparison, 99)];
  const note = (one: FigureComparison): string =>
    `${figureName(one.figure)} ${ratioText(one)}: ${verdictText(one, comparison.marginRatio)}.`;
  return {
    caption: `${name}: what counters cost at most, with 95 % confidence`,
    unit: "%",
    rows: [
      rowOf("requests/s", 1 - (rate.interval?.low ?? NaN)),
      rowOf("p99", (p99.interval?.high ?? NaN) - 1),
    ],
    notes: [rate, p99].map(note),
  };
}

function rowOf(what: string, ratio: number): Row {
  return { what, samples: [100 * ratio], bar: atMost(2) };
}
