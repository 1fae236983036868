/** The log that `bench --replay` names, as a schedule. Its code is loaded only with that flag. */
import { messageOf, UserError } from "../../base/errors.ts";
import { beyond, LIMITS, oneMoreThan } from "../../base/limits.ts";
import { LOG_FORMATS } from "../../scenarios/replay/log_line.ts";
import { type Replay, ReplayBuilder } from "../../scenarios/replay/schedule.ts";
import { KEYS, type ReplayValues } from "./replay_flags.ts";

/** Of the lines, how many may be unreadable. */
const MOST_WRONG_RATIO = 0.01;

/** Throws a UserError with the first unreadable lines where there are many. @param path Of the log. */
export function replayOf(
  path: string,
  values: ReplayValues,
  onNote: (text: string) => void,
): Replay {
  const { replayFormat, replayKeys = KEYS, replayWrites: writes } = values;
  const format = LOG_FORMATS[replayFormat];
  const builder = new ReplayBuilder({ format, keys: replayKeys, speed: values.speed, writes });
  try {
    eachLine(path, (line) => builder.add(line));
  } catch (error) {
    const message = `Cannot replay ${path}: ${messageOf(error)}`;
    throw new UserError([{ place: "--replay", message }]);
  }
  const { lines, count, wrong, wrongLines } = builder;
  if (count === 0 || wrongLines > lines * MOST_WRONG_RATIO) {
    throw new UserError([
      {
        place: "--replay",
        message:
          `Cannot replay ${path}: ${wrongLines} of ${lines} lines are unreadable, ${count} requests are left`,
        fix: "name its format with --replay-format",
      },
      ...wrong.map(({ line, why }) => ({
        place: `${path}:${line}`,
        message: `Cannot read this line: ${why}`,
      })),
    ]);
  }
  const left = `${wrongLines} unreadable lines and ${builder.writes} writes are skipped`;
  onNote(`${count} requests of ${path} are replayed; ${left}`);
  return builder.replay();
}

const CHUNK_BYTES = 1 << 20;

/** A chunk of the file at a time is in memory. */
function eachLine(path: string, visit: (line: string) => void): void {
  using file = Deno.openSync(path);
  const chunk = new Uint8Array(CHUNK_BYTES);
  const decoder = new TextDecoder();
  let rest = "";
  for (let read; (read = file.readSync(chunk)) !== null;) {
    const lines = (rest + decoder.decode(chunk.subarray(0, read), { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(visit);
    if (rest.length > LIMITS.csvRow.most) throw new Error(beyond("csvRow", oneMoreThan("csvRow")));
  }
  if (rest !== "") visit(rest);
}
