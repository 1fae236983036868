/** Folded stacks, as py-spy and the flame graph tools write them: `outer (a.py);inner (b.py:7) 12` a line. Pure. */
import { type CallTree, CallTreeBuilder, type Frame } from "../../../base/profile/call_tree.ts";
import { moduleOf } from "./module_name.ts";

/** @param sampleMs Time that a sample stands for. */
export function treeOfFolded(
  text: string,
  sampleMs: number,
): { tree: CallTree; samples: number } {
  const builder = new CallTreeBuilder();
  let samples = 0;
  for (const line of text.split("\n")) {
    const [, stack, count] = /^(.+) (\d+)$/.exec(line) ?? [];
    if (stack === undefined) continue;
    samples += Number(count);
    builder.addStack(stack.split(";").map(frameOf), Number(count) * sampleMs);
  }
  return { tree: builder.build(), samples };
}

/** `name (file.py:12)`, the line only where it is known. */
function frameOf(text: string): Frame {
  const [, name, file, line] = /^(.*) \((.*?)(?::(\d+))?\)$/.exec(text) ?? [];
  if (name === undefined) return { name: text, module: "", line: 0 };
  return { name, module: moduleOf(file), line: Number(line ?? 0) };
}
