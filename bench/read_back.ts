/**
 * Measures the memory of commands that read results of thousands of runs, and how long it takes to save such results.
 */
import { join } from "node:path";
import { EXIT, TargetError } from "../base/errors.ts";
import { formatCount } from "../report/writing/units.ts";
import { ResultFile } from "../runner/result/result_file.ts";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { paperResults, type PaperSpec, writeResults } from "./stage/paper.ts";
import { readMemoryBytes } from "../base/system/processes.ts";
import { selfCommand } from "../targets/launch/child.ts";

/**
 * The number of runs of each cell (a target under a scenario). With runs of 10 s in 45 cells, the results on one side
 * of a comparison take 250 MB.
 */
const RUNS = 96;
const FEW_RUNS = 4;
const CELLS = 45;
/** Results of the same programs a day later, when they are 3 % slower. */
const LATER: PaperSpec = { seed: 43, startedAt: "2031-05-05T10:18:00.000Z", slower: 1.03 };

const MOST_MB = { "plateau report": 2_800, "plateau compare": 2_300 };
type CommandName = keyof typeof MOST_MB;

export const readBack: Bench = {
  about: "memory of commands that read thousands of runs, and what saving them costs",
  rounds: 1,
  async run({ rounds, short }): Promise<Section[]> {
    using folder = temporaryFolder();
    const [base, next] = ["base", "next"].map((name) => join(folder.path, name));
    const runs = short ? FEW_RUNS : RUNS;
    writeResults(base, paperResults({ runs }));
    writeResults(next, paperResults({ runs, ...LATER }));
    const calls: Record<CommandName, string[]> = {
      "plateau report": ["report", base],
      "plateau compare": ["compare", base, next],
    };
    const names: CommandName[] = ["plateau report", "plateau compare"];
    const seen = await interleaved(names, rounds, (name) => mostMb(calls[name]));
    return [{
      caption: `Resident memory over ${formatCount(runs * CELLS)} runs a side, the most`,
      unit: "MB",
      rows: names.map((what) => ({ what, samples: seen[what], bar: atMost(MOST_MB[what]) })),
    }, await saving(join(folder.path, "saved"), runs)];
  },
};

/**
 * The exit codes that count as success. They include every verdict, because a comparison of generated results may end
 * with any.
 */
const ENDS = [EXIT.done, EXIT.failedCheck, EXIT.inconclusive];
const MEMORY_STEP_MS = 100;

/** The peak resident memory of the command, in MB. */
async function mostMb(args: readonly string[]): Promise<number> {
  const [program, all] = selfCommand(args);
  const command = new Deno.Command(program, { args: all, stdout: "null", stderr: "null" }).spawn();
  let mostBytes = 0;
  const timer = setInterval(
    () => mostBytes = Math.max(mostBytes, readMemoryBytes(command.pid)),
    MEMORY_STEP_MS,
  );
  const { code } = await command.status.finally(() => clearInterval(timer));
  if (ENDS.some((end) => end === code)) return mostBytes / 1e6;
  throw new TargetError(`Cannot measure: ${args[0]} exited with code ${code}`);
}

/** Measures how long it takes, on average, to save a run in an experiment that saves after each run. */
async function saving(folder: string, repeat: number): Promise<Section> {
  const { runs, ...head } = paperResults({ runs: repeat });
  const file = new ResultFile(folder, { ...head, runs: [], state: "running" });
  await file.save();
  const times: number[] = [];
  for (const run of runs) {
    const beganMs = performance.now();
    await file.addRun(run);
    times.push(performance.now() - beganMs);
  }
  const tenth = Math.ceil(times.length / 10);
  const mean = (some: readonly number[]): number =>
    some.reduce((sum, ms) => sum + ms, 0) / some.length;
  return {
    caption: `To save a run, on average, of ${formatCount(runs.length)}`,
    unit: "ms",
    rows: [
      { what: "of all", samples: [mean(times)], bar: atMost(100) },
      { what: "of the last tenth", samples: [mean(times.slice(-tenth))], bar: atMost(100) },
    ],
  };
}
