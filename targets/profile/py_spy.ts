/**
 * py-spy, a profiler for Python that reads the interpreter's memory from outside (https://github.com/benfred/py-spy).
 * Only threads that hold the global interpreter lock are sampled, because py-spy takes threads that wait in a system
 * call for busy ones.
 */
import { dirname, isAbsolute, join } from "node:path";
import { readBytes } from "../../base/bounded_file.ts";
import { readCommandLine } from "../../base/system/processes.ts";
import { TemporaryFolder } from "../../base/system/temporary_folder.ts";
import { type CallTree, CallTreeBuilder, type Frame } from "../../base/profile/call_tree.ts";
import {
  moduleOf,
  ownOf,
  type ProcessSamples,
  type Profiler,
  type RunningProfiler,
} from "./profiler.ts";
import { installedTool, type RunningTool, startTool } from "./tool.ts";

const SAMPLES_PER_SEC = 200;

export const pySpyProfiler: Profiler = {
  ending: ".folded.txt",
  suits: ({ program }) => /^(?:python|gunicorn|uvicorn)[\d.]*$/.test(program),
  start({ pid }, { forMs, signal }): Promise<RunningProfiler> {
    const pySpy = installedTool("py-spy", "pip install py-spy", interpreterFolder(pid));
    const folder = TemporaryFolder.make("profile");
    const file = join(folder.path, "stacks");
    // py-spy takes whole seconds, at least one. They are rounded down, so that it does not sample
    // after the measured time.
    const seconds = Math.max(1, Math.floor(forMs / 1_000));
    const command = [
      ...[pySpy, "record", "--pid", `${pid}`, "--duration", `${seconds}`, "--function", "--gil"],
      ...["--rate", `${SAMPLES_PER_SEC}`, "--format", "raw", "--full-filenames", "--output", file],
    ];
    try {
      const tool = startTool(command, { forMs, signal });
      return Promise.resolve({ stop: () => stop(tool, file, folder) });
    } catch (error) {
      folder[Symbol.dispose]();
      throw error;
    }
  },
};

/**
 * The folder of the Python interpreter that runs the process; null if unknown. In a virtual environment, this folder
 * also contains the installed tools.
 */
function interpreterFolder(pid: number): string | null {
  const [interpreter = ""] = readCommandLine(pid)?.split("\0") ?? [];
  return isAbsolute(interpreter) ? dirname(interpreter) : null;
}

async function stop(
  tool: RunningTool,
  file: string,
  folder: TemporaryFolder,
): Promise<ProcessSamples> {
  using _ = folder;
  try {
    await tool.ended();
  } finally {
    await tool.stop();
  }
  const bytes = await readBytes(file, "toolOutput");
  const read = treeOfFolded(new TextDecoder().decode(bytes), 1_000 / SAMPLES_PER_SEC);
  return { bytes, idleMs: 0, ...read };
}

/**
 * Reads folded stacks as py-spy and the flame graph tools write them, one on each line: `outer (a.py);inner (b.py:7)
 * 12`. A line that does not end in a count of at most nine digits is left out, because the target chooses the names, so
 * a line may contain anything.
 * @param sampleMs The time that one sample stands for.
 */
export function treeOfFolded(
  text: string,
  sampleMs: number,
): { tree: CallTree; samples: number } {
  const builder = new CallTreeBuilder();
  let samples = 0;
  for (const line of text.split("\n")) {
    const [, stack, count] = /^(.+) (\d{1,9})$/.exec(line) ?? [];
    if (stack === undefined) continue;
    samples += Number(count);
    builder.addStack(stack.split(";").map(frameOf), Number(count) * sampleMs);
  }
  return { tree: builder.build(), samples };
}

/**
 * Reads a frame such as `name (file.py:12)`, in which the line number may be missing. Takes linear time, because the
 * target chooses the names and they may be hostile.
 */
function frameOf(text: string): Frame {
  const at = text.lastIndexOf(" (");
  if (at < 0 || !text.endsWith(")")) return { name: text, module: "", line: 0 };
  const place = text.slice(at + 2, -1);
  const [, file = place, line = 0] = /^(.*):(\d{1,9})$/.exec(place) ?? [];
  const name = text.slice(0, at);
  // A module's top-level code, `<module>`, calls everything else, so it is not marked as the
  // program's own.
  return {
    name,
    module: moduleOf(file),
    line: Number(line),
    ...name !== "<module>" && ownOf(file),
  };
}
