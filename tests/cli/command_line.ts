/** Command lines as they are read, and what is said to wrong ones. */
import assert from "node:assert/strict";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { benchConflicts, benchParts } from "../../cli/flags/bench_flags.ts";
import { benchRequest } from "../../cli/commands/bench.ts";
import { commands, isCommandName } from "../../cli/registry.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import type { BenchRequest } from "../../runner/measure/measure.ts";
import { EXIT, UserError } from "../../base/errors.ts";

export const URL_ = "http://127.0.0.1:8080/a?b=c";

/** What `plateau bench` with these arguments measures. */
export function benchOf(...args: string[]): BenchRequest {
  const spec = { parts: benchParts, conflicts: benchConflicts, run: () => Promise.resolve(0) };
  const read = readArguments(spec, { name: "bench", summary: "" }, args);
  assert.ok(read.wants === "values");
  return benchRequest(read.values, { files: filesFrom(Deno.cwd()) });
}

/** What a command line is told, a line each; it is judged before anything is done. */
export async function toldOf([name, ...args]: readonly string[]): Promise<readonly string[]> {
  assert.ok(isCommandName(name));
  const { load, summary } = commands[name];
  const command = await load();
  const error: unknown = await command.execute(args, { name, summary }).catch((error) => error);
  assert.ok(error instanceof UserError, `${name} ${args.join(" ")} is told nothing: ${error}`);
  return error.lines;
}

/** What a command prints to standard output, run in this process: it is spared the start of another. */
export async function printedBy(...[name, ...args]: readonly string[]): Promise<string> {
  assert.ok(isCommandName(name));
  const { load, summary } = commands[name];
  const command = await load();
  const decoder = new TextDecoder();
  const { write } = Deno.stdout;
  let printed = "";
  Deno.stdout.write = (bytes) => {
    printed += decoder.decode(bytes, { stream: true });
    return Promise.resolve(bytes.length);
  };
  try {
    assert.equal(await command.execute(args, { name, summary }), EXIT.done);
  } finally {
    Deno.stdout.write = write;
  }
  return printed;
}
