/**
 * `deno task benchmarks` writes docs/benchmarks.md from the figures that `deno task bench --save bench/results` saved.
 * Figures that were not measured are left out.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { benches, isBenchName } from "../registry.ts";
import { parseFigures, type SavedFigures, sectionsOf } from "../saved.ts";
import { sectionLines } from "../table.ts";

const RESULTS = join(import.meta.dirname ?? "", "../results");
const DOCS = join(import.meta.dirname ?? "", "../../docs");
const NAME = "benchmarks.md";

const HEAD = `# Benchmarks

Plateau's promises, as \`deno task bench\` measured them. The page is made from what it saved, and nothing here
is typed by hand. The figures of most benches are on the pages that explain them; "–" means that no page has them.

<!-- example: in repository -->

\`\`\`sh
deno task bench --help
\`\`\`

\`deno task bench NAME --save bench/results\` runs a bench and keeps its figures, and
\`deno task benchmarks\` makes this page again. Figures of time need a quiet machine; those of simulations
are the same on every machine, as their seeds are fixed.
`;

/** Reads the saved figures, in the order of the benches. */
export function readSaved(folder: string = RESULTS): SavedFigures[] {
  const order = Object.keys(benches);
  return readdirSync(folder).filter((name) => name.endsWith(".json"))
    .map((name) => parseFigures(Deno.readTextFileSync(join(folder, name))))
    .filter(({ bench }) => isBenchName(bench))
    .sort((a, b) => order.indexOf(a.bench) - order.indexOf(b.bench));
}

/**
 * Returns the text of all other pages of docs/, keyed by file name. They show figures beside the command that measures
 * them.
 */
export function readOthers(): Map<string, string> {
  const files = readdirSync(DOCS).filter((file) => file.endsWith(".md") && file !== NAME).sort();
  return new Map(files.map((file) => [file, Deno.readTextFileSync(join(DOCS, file))]));
}

export function benchmarksPage(
  all: readonly SavedFigures[],
  others: ReadonlyMap<string, string>,
): string {
  const rows = Object.entries(benches).map(([name, { about }]) => {
    const own = all.some(({ bench }) => bench === name) ? [`[below](#${name})`] : [];
    const command = new RegExp(`\\bdeno task bench ${name}(?![\\w-])`);
    const elsewhere = [...others].filter(([, text]) => command.test(text.replaceAll(/\s+/g, " ")))
      .map(([file]) => `[${file.replace(/\.md$/, "")}](${file})`);
    return `| \`${name}\` | ${about} | ${[...own, ...elsewhere].join(", ") || "–"} |`;
  });
  const table = ["| bench | measures | figures |", "| --- | --- | --- |", ...rows];
  return [HEAD, "## Every bench", "", ...table, "", ...all.map(partOf)].join("\n");
}

function partOf(figures: SavedFigures): string {
  const { bench, about, rounds, measuredAt, commit, machine } = figures;
  const { cpu, cores, os, kernel, arch, deno } = machine;
  const times = rounds === 1 ? "once" : `in ${rounds} rounds`;
  return [
    `## ${bench}`,
    "",
    `${about[0].toUpperCase()}${about.slice(1)}. Measured ${times} on ${
      measuredAt.slice(0, 10)
    } at commit ` +
    `\`${commit}\`, on ${cpu} (${cores} cores), ${os} ${kernel}, ${arch}, Deno ${deno}.`,
    "",
    ...sectionsOf(figures).flatMap(sectionLines),
  ].join("\n");
}

/** Formats markdown with `deno fmt`. */
export async function formatted(markdown: string): Promise<string> {
  const process = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "--line-width", "100", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const input = process.stdin.getWriter();
  await input.write(new TextEncoder().encode(markdown));
  await input.close();
  return new TextDecoder().decode((await process.output()).stdout);
}

if (import.meta.main) {
  const page = await formatted(benchmarksPage(readSaved(), readOthers()));
  Deno.writeTextFileSync(join(DOCS, NAME), page);
}
