/**
 * Linux perf, for programs whose runtime has no profiler of its own. It samples all threads and follows the frame
 * pointers of the program. The kernel may refuse it (`sysctl kernel.perf_event_paranoid`).
 */
import { join } from "node:path";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import type { ProcessSamples, Profiler, RunningProfiler } from "./profiler.ts";
import { installedTool, outputOfTool, type RunningTool, startTool } from "./tool.ts";

/**
 * The sampling rate. It is not 1,000, because sampling in step with the program's timers would always hit the same
 * code.
 */
const SAMPLES_PER_SEC = 997;

export const perfProfiler: Profiler = {
  ending: ".perf.txt",
  suits: () => true,
  start({ pid }, { forMs, signal }): Promise<RunningProfiler> {
    const perf = installedTool("perf", "linux-tools, or linux-perf");
    const folder = TemporaryFolder.make("profile");
    const data = join(folder.path, "perf.data");
    const sampled = ["-e", "cpu-clock", "-F", `${SAMPLES_PER_SEC}`, "-g", "-p", `${pid}`];
    const whileSleeping = ["--", "sleep", (forMs / 1_000).toFixed(3)];
    const command = [perf, "record", "-q", ...sampled, "-o", data, ...whileSleeping];
    try {
      const tool = startTool(command, { forMs, signal });
      return Promise.resolve({ stop: () => stop(tool, { perf, data, folder }) });
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  },
};

async function stop(
  tool: RunningTool,
  { perf, data, folder }: {
    readonly perf: string;
    readonly data: string;
    readonly folder: TemporaryFolder;
  },
): Promise<ProcessSamples> {
  using _ = folder;
  try {
    await tool.ended();
  } finally {
    await tool.stop();
  }
  const bytes = await outputOfTool([perf, "script", "-i", data, "-F", "comm,tid,time,ip,sym,dso"]);
  const read = treeOfPerfScript(new TextDecoder().decode(bytes), 1_000 / SAMPLES_PER_SEC);
  return { bytes, idleMs: 0, ...read };
}

/**
 * Reads the output of `perf script`. Each sample consists of a header line, its stack with the innermost call first,
 * and an empty line.
 * @param sampleMs The time that one sample stands for.
 */
export function treeOfPerfScript(
  text: string,
  sampleMs: number,
): { tree: CallTree; samples: number } {
  const builder = new CallTreeBuilder();
  let samples = 0;
  for (const block of text.split(/\n\s*\n/)) {
    const stack = block.split("\n").flatMap(frameOf);
    if (stack.length === 0) continue;
    samples++;
    builder.addStack(stack.reverse(), sampleMs);
  }
  return { tree: builder.build(), samples };
}

/**
 * Reads a frame such as ` 7f3c2 main.hot+0x1b (/srv/app)`; empty if the line is a sample's header. Takes linear time,
 * because the target chooses the names and they may be hostile.
 */
function frameOf(line: string): Frame[] {
  const [{ length }] = /^\s+[\da-f]+ /.exec(line) ?? [""];
  const at = line.lastIndexOf(" (");
  if (length === 0 || at <= length || !line.endsWith(")")) return [];
  const name = line.slice(length, at).replace(/\+0x[\da-f]+$/, "");
  return [{
    ...{ name, module: line.slice(at + 2, -1).split("/").at(-1) ?? "", line: 0 },
    ...name.startsWith("main.") && { own: true }, // Go's name for the program's own package
  }];
}
