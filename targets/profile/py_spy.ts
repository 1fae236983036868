/**
 * py-spy, for Python: it reads the interpreter's memory from outside, https://github.com/benfred/py-spy. Only threads
 * that hold the interpreter's lock are sampled: it takes threads that wait in a system call for busy ones.
 */
import { join } from "node:path";
import { treeOfFolded } from "./formats/folded.ts";
import type { Profiler, Sampled } from "./profiler.ts";
import { installedTool, type RunningTool, startTool, ToolFolder } from "./tool.ts";

const SAMPLES_PER_SEC = 200;

export const pySpyProfiler: Profiler = {
  ending: ".folded.txt",
  suits: ({ program }) => /^(?:python|gunicorn|uvicorn)[\d.]*$/.test(program),
  start({ pid }, { forMs, signal }) {
    const pySpy = installedTool("py-spy", "pip install py-spy");
    const folder = new ToolFolder();
    const file = join(folder.path, "stacks");
    // It takes whole seconds: no more than there are, or it would sample what is not measured.
    const seconds = Math.max(1, Math.floor(forMs / 1_000));
    const command = [
      ...[pySpy, "record", "--pid", `${pid}`, "--duration", `${seconds}`, "--function", "--gil"],
      ...["--rate", `${SAMPLES_PER_SEC}`, "--format", "raw", "--output", file],
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

async function stop(tool: RunningTool, file: string, folder: ToolFolder): Promise<Sampled> {
  using _ = folder;
  try {
    await tool.ended();
  } finally {
    await tool.stop();
  }
  const bytes = Deno.readFileSync(file);
  const read = treeOfFolded(new TextDecoder().decode(bytes), 1_000 / SAMPLES_PER_SEC);
  return { bytes, idleMs: 0, ...read };
}
