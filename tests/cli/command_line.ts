/** Command lines as they are read, and what is said to wrong ones. */
import assert from "node:assert/strict";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { benchConflicts, benchParts } from "../../cli/flags/bench_flags.ts";
import { benchRequest } from "../../cli/commands/bench.ts";
import { commands, isCommandName } from "../../cli/registry.ts";
import type { BenchRequest } from "../../runner/measure/measure.ts";
import { UserError } from "../../base/errors.ts";

export const URL_ = "http://127.0.0.1:8080/a?b=c";

/** What `plateau bench` with these arguments measures. */
export function benchOf(...args: string[]): BenchRequest {
  const spec = { parts: benchParts, conflicts: benchConflicts, run: () => Promise.resolve(0) };
  const read = readArguments(spec, { name: "bench", summary: "" }, args);
  assert.ok(read.wants === "values");
  return benchRequest(read.values);
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
