/** A whole log as a replay, with what is left out of it. Pure: somebody else reads the file. */
import { type JsonKeys, LOG_FORMATS } from "./log_line.ts";
import { type Replay, ReplayBuilder, type WrongLine } from "./schedule.ts";

export interface ReplayChoice {
  readonly format: keyof typeof LOG_FORMATS;
  readonly keys: JsonKeys;
  readonly speed: number;
  readonly writes: boolean;
}

export const DEFAULT_KEYS: JsonKeys = { time: "time", method: "method", path: "path" };
export const MOST_SPEED = 1_000;

/** Null for what is no speed, such as `2x`. */
export function speedOf(text: string): number | null {
  const times = Number(/^(\d+(?:\.\d+)?)x$/.exec(text.trim())?.[1] ?? 0);
  return times > 0 && times <= MOST_SPEED ? times : null;
}

/** Visits each line. */
export type EachLine = (visit: (line: string) => void) => void;

interface ReadReplay {
  readonly replay: Replay;
  /** In a sentence: what is replayed, and what is not. */
  readonly note: string;
}

interface UnreadableLog {
  /** Without the log's name. */
  readonly problem: string;
  /** The first of its lines that are unreadable. */
  readonly wrong: readonly WrongLine[];
}

/** Of the lines, how many may be unreadable. */
const MOST_WRONG_RATIO = 0.01;

/** Throws where the log is larger than may be. */
export function readReplay(
  path: string,
  choice: ReplayChoice,
  eachLine: EachLine,
): ReadReplay | UnreadableLog {
  const builder = new ReplayBuilder({ ...choice, format: LOG_FORMATS[choice.format] });
  eachLine((line) => builder.add(line));
  const { lines, count, wrong, wrongLines, writes } = builder;
  if (count === 0 || wrongLines > lines * MOST_WRONG_RATIO) {
    const left = `${wrongLines} of ${lines} lines are unreadable, ${count} requests are left`;
    return { problem: left, wrong };
  }
  const skipped = `${wrongLines} unreadable lines and ${writes} writes are skipped`;
  return {
    replay: builder.replay(),
    note: `${count} requests of ${path} are replayed; ${skipped}`,
  };
}
