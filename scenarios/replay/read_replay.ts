/** A whole log as a replay, with what is left out of it, and as a scenario of an experiment file. Pure: somebody else reads the file. */
import * as z from "zod";
import { messageOf } from "../../base/errors.ts";
import type { Files } from "../../base/files.ts";
import { type JsonKeys, LOG_FORMATS } from "./log_line.ts";
import { type Replay, ReplayBuilder, type WrongLine } from "./schedule.ts";
import { quotedOpenly } from "../../base/secrets.ts";

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

// A scenario: what is sent, and when.

/** In JSON what was written, with a digest of the log: whether it has changed can be seen. */
export class ReplayedLog {
  constructor(
    private readonly written: ReplayChoice & { readonly log: string },
    private readonly sha256: string,
    readonly replay: Replay,
    /** What is replayed and what is not, a sentence. */
    readonly note: string,
  ) {}

  toJSON(): unknown {
    return { ...this.written, sha256: this.sha256 };
  }
}

const formats = Object.keys(LOG_FORMATS) as (keyof typeof LOG_FORMATS)[];

const speed = z.string().transform((text, context) => {
  const times = speedOf(text);
  if (times !== null) return times;
  context.addIssue(
    `Cannot read ${quotedOpenly(text)} as a speed: write 2x or 0.5x, up to ${MOST_SPEED}x`,
  );
  return z.NEVER;
});

const keyName = z.string().min(1);

const choice = z.strictObject({
  log: z.string().min(1).describe("The log: a file, relative to the experiment file"),
  format: z.enum(formats).default("combined")
    .describe("json is a JSON object a line, vegeta the JSON of its results"),
  keys: z.strictObject({
    time: keyName.default(DEFAULT_KEYS.time),
    method: keyName.default(DEFAULT_KEYS.method),
    path: keyName.default(DEFAULT_KEYS.path),
  }).prefault({}).describe("Names of the keys of a json log"),
  speed: speed.prefault("1x").describe("2x: in half the time"),
  writes: z.boolean().default(false)
    .describe("Also sends requests other than GET and HEAD, without bodies"),
});

/** @param files Reads the log, once, when the file is read. */
export const replaySpec = (files: Files) =>
  z.union([z.string().min(1).transform((log) => choice.parse({ log })), choice])
    .transform((written, context): ReplayedLog => {
      const { log } = written;
      const refuse = (why: string): never => {
        context.addIssue(`Cannot replay ${log}: ${why}`);
        return z.NEVER;
      };
      try {
        let sha256 = "";
        const read = readReplay(log, written, (visit) => sha256 = files.eachLine(log, visit));
        if ("replay" in read) return new ReplayedLog(written, sha256, read.replay, read.note);
        const [first] = read.wrong;
        const example = first === undefined ? "" : `; line ${first.line}: ${first.why}`;
        return refuse(`${read.problem}${example}; name its format, as in format: json`);
      } catch (error) {
        return refuse(messageOf(error));
      }
    });
