/** The commands of targets that ran around the runs, in words. */
import type { TargetCommand } from "../../../runner/result/invocation.ts";
import { formatMs } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";

const WHEN = {
  setup: "Before the first start",
  before: "Before each run",
  after: "After each run",
  teardown: "At the end",
} as const;

/** A command that is longer is cut. */
const MOST_CHARS = 80;

/** A sentence for each stage, and one for each command that failed. */
export function commandSentences(commands: readonly TargetCommand[] = []): string[] {
  const byStage = Map.groupBy(commands, ({ stage }) => stage);
  return [...byStage].flatMap(([stage, ran]) => [
    `${WHEN[stage]}: ${ran.map(ranText).join("; ")}.`,
    ...ran.flatMap(failureText),
  ]);
}

/** `redis-cli flushall (cached, 8 times, 12 ms on average)`. */
function ranText({ target, command, times, total }: TargetCommand): string {
  const took = times === 1
    ? formatMs(total)
    : `${counted(times, "time")}, ${formatMs(total / times)} on average`;
  return `${cut(command)} (${target}, ${took})`;
}

function failureText({ target, stage, times, failed, reason = "" }: TargetCommand): string[] {
  if (failed === 0) return [];
  const often = times === 1 ? "" : `, ${failed} of ${counted(times, "time")}`;
  return [`The ${stage} of ${target} failed${often}${reason === "" ? "" : `: ${reason}`}.`];
}

function cut(command: string): string {
  return command.length <= MOST_CHARS ? command : `${command.slice(0, MOST_CHARS - 1)}…`;
}
