/** What `perf script` prints: a line a sample, then its stack, the innermost call first, and an empty line. Pure. */
import { type CallTree, CallTreeBuilder, type Frame } from "../../../base/profile/call_tree.ts";

/** @param sampleMs Time that a sample stands for. */
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

/** `    7f3c2 main.hot+0x1b (/srv/app)`; none on the line before. */
function frameOf(line: string): Frame[] {
  const [, symbol, library] = /^\s+[\da-f]+ (.+) \((.*)\)$/.exec(line) ?? [];
  if (symbol === undefined) return [];
  return [{
    name: symbol.replace(/\+0x[\da-f]+$/, ""),
    module: library.split("/").at(-1) ?? "",
    line: 0,
  }];
}
