/**
 * Feeds mutated results to every command that reads them, in a process of its own, whose memory is that of
 * this alone. Prints a line of JSON for each.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../base/errors.ts";
import { planResumed } from "../../cli/experiment/resume.ts";
import { readBaseline } from "../../cli/flags/flags.ts";
import { resultForms } from "../../cli/output/formats.ts";
import { readMeasured, readResults, readSessions } from "../../cli/results/reading.ts";
import { runAlone } from "../../report/cells/measured.ts";
import { compareSessions } from "../../report/subjects/comparison/comparison.ts";
import { thresholdText } from "../../scenarios/claims/threshold.ts";
import { MARKUP, MUTATIONS, type Tree } from "./mutations.ts";

/** What came of one mutation with one reader. */
export interface Outcome {
  readonly mutation: string;
  readonly reader: string;
  readonly file: string;
  /** Of a UserError. */
  readonly lines?: readonly string[];
  /** What a form shows as it was written, and must not. */
  readonly harm?: readonly string[];
  /** Anything else that was thrown. */
  readonly defect?: string;
  /** The most memory that the process has had meanwhile; absent where the system can't say it. */
  readonly peakBytes?: number;
}

const SAMPLES = new URL("../fuzz/samples/", import.meta.url);
const NO_HARM: string[] = [];
const rule = thresholdText.parse("p99 not worse than baseline by 5%");

type Reader = (path: string) => Promise<string[]>;

/** By what is typed; each gives what is harmful in what it shows. */
const READERS: Readonly<Record<string, Reader>> = {
  report: async (path) => {
    const { html, markdown, junit, summary } = resultForms([await readResults(path)]);
    const page = await html?.() ?? "";
    const others = [page, await markdown?.(), await junit?.(), summary(false)];
    return [
      ...page.includes(MARKUP) ? ["markup in the page"] : [],
      ...others.some((text) => String(text).includes("\x1b]0")) ? ["control characters"] : [],
    ];
  },
  compare: async (path) => {
    const sides = (await readSessions(path)).map((one) =>
      "runs" in one ? one : {
        experiment: { name: "a" },
        runs: [runAlone(one, new Date(0).toISOString())],
        version: one.version,
        machine: null,
      }
    );
    compareSessions(sides, sides, { marginRatio: 0.02, thresholds: [], earlier: [] });
    return NO_HARM;
  },
  "--resume": async (path) => {
    await planResumed(join(path, ".."), await readResults(path), {});
    return NO_HARM;
  },
  "--baseline": async (path) => {
    await readBaseline([rule], path);
    return NO_HARM;
  },
};

const BENCH_READERS: Readonly<Record<string, Reader>> = {
  "bench --json": async (path) => {
    await readMeasured(path);
    return NO_HARM;
  },
  "compare, of bench": READERS.compare,
};

async function outcomeOf(read: Reader, path: string): Promise<Partial<Outcome>> {
  resetPeak();
  try {
    const harm = await read(path);
    return { harm, ...peak() };
  } catch (error) {
    if (error instanceof UserError) return { lines: error.lines, ...peak() };
    return { defect: String(error instanceof Error ? error.stack : error), ...peak() };
  }
}

/** Linux alone knows the peak: proc(5), clear_refs and VmHWM. */
function resetPeak(): void {
  if (Deno.build.os === "linux") Deno.writeTextFileSync("/proc/self/clear_refs", "5");
}

function peak(): Pick<Outcome, "peakBytes"> {
  if (Deno.build.os !== "linux") return {};
  const [, kB] = /VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return { peakBytes: 1_024 * Number(kB) };
}

function sample(name: string): Tree {
  return JSON.parse(readFileSync(new URL(`${name}.json`, SAMPLES), "utf8"));
}

async function main(folder: string): Promise<void> {
  const file = join(folder, "results.json");
  for (const { name: mutation, spoil } of MUTATIONS) {
    for (const [kind, readers] of Object.entries({ results: READERS, bench: BENCH_READERS })) {
      const tree = sample(kind);
      const [, run = tree] = Array.isArray(tree.runs) ? tree.runs : [];
      spoil(run, tree);
      Deno.writeTextFileSync(file, JSON.stringify(tree));
      for (const [reader, read] of Object.entries(readers)) {
        const outcome = { mutation, reader, file, ...await outcomeOf(read, file) };
        await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(outcome)}\n`));
      }
    }
  }
}

if (import.meta.main) await main(Deno.args[0]);
