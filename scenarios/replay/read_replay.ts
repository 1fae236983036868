/**
 * Reads a whole log as a replay, counts what is left out, and makes the replay part of a scenario. Pure: the caller
 * reads the file.
 */
import * as z from "zod";
import { messageOf } from "../../base/errors.ts";
import type { Files } from "../../base/files.ts";
import { METHODS } from "../../base/http/request.ts";
import {
  DEFAULT_KEYS,
  LOG_FORMAT_NAMES,
  type LogFormatName,
  type ReplayChoice,
  speed,
} from "./choice.ts";
import { LOG_FORMATS } from "./log_line.ts";
import { type Replay, ReplayBuilder, type WrongLine } from "./schedule.ts";

/** Reads the log, and calls `visit` with each line. */
type EachLine = (visit: (line: string) => void) => void;

interface ReadReplay {
  readonly replay: Replay;
  /** A sentence that says which requests are replayed, and which are not. */
  readonly note: string;
}

interface UnreadableLog {
  /** Why the log can't be replayed; does not name the log. */
  readonly problem: string;
  /**
   * What the user may do: send the log's other methods, too (`writes`), or name its format. `format` is null if no
   * other known format fits.
   */
  readonly remedy: "writes" | { readonly format: LogFormatName | null };
  /** The first unreadable lines if they are too many; otherwise the first lines without a request. */
  readonly wrong: readonly WrongLine[];
}

/** Largest share of the lines that may be unreadable. */
const MOST_WRONG_RATIO = 0.01;

/** Throws if the log is too large. */
export function readReplay(
  path: string,
  choice: ReplayChoice,
  eachLine: EachLine,
): ReadReplay | UnreadableLog {
  const builder = new ReplayBuilder({ ...choice, format: LOG_FORMATS[choice.format] });
  const first: string[] = [];
  eachLine((line) => {
    if (first.length < FIRST_LINES) first.push(line);
    builder.add(line);
  });
  const { lines, count, wrong, empty, wrongLines } = builder;
  const isWrong = wrongLines > lines * MOST_WRONG_RATIO;
  if (!isWrong && count > 0) {
    return { replay: builder.replay(), note: noteOn(path, choice, builder) };
  }
  return {
    problem: isWrong
      ? `${wrongLines} of ${lines} lines are unreadable, but at most 1 % may be`
      : `the log has no request to send; ${leftOut(builder)}`,
    remedy: !isWrong && builder.otherMethods.size > 0 && !choice.writes
      ? "writes"
      : { format: fittingFormat(choice, first) },
    wrong: isWrong ? wrong : empty,
  };
}

function noteOn(path: string, { writes }: ReplayChoice, builder: ReplayBuilder): string {
  const sent = writes ? METHODS.map((method) => method.toUpperCase()) : ["GET", "HEAD"];
  const methods = `${sent.slice(0, -1).join(", ")} and ${sent.at(-1)}`;
  return `${builder.count} requests of ${path} are replayed (only ${methods} are sent); ${
    leftOut(builder)
  }`;
}

const NAMED_METHODS = 5;

/** Lists what is not replayed, grouped by reason. */
function leftOut({ otherMethods, emptyLines, wrongLines }: ReplayBuilder): string {
  const methods = [...otherMethods].toSorted(([, a], [, b]) => b - a);
  const requests = methods.reduce((sum, [, count]) => sum + count, 0);
  const named = methods.slice(0, NAMED_METHODS).map(([method, count]) => `${method} ${count}`);
  const more = methods.length > NAMED_METHODS ? ", …" : "";
  const parts = [
    counted(requests, "request with another method", "requests with other methods") +
    (requests === 0 ? "" : ` (${named.join(", ")}${more})`),
    counted(emptyLines, "line without a request", "lines without a request"),
    counted(wrongLines, "unreadable line", "unreadable lines"),
  ];
  return `left out: ${parts.join(", ")}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/**
 * Number of lines at the beginning of a log from which its format is guessed: enough to get past the header of a file.
 */
const FIRST_LINES = 50;

function fittingFormat(choice: ReplayChoice, lines: readonly string[]): LogFormatName | null {
  return LOG_FORMAT_NAMES.find((name) => {
    const builder = new ReplayBuilder({ ...choice, format: LOG_FORMATS[name] });
    lines.forEach((line) => builder.add(line));
    return name !== choice.format && builder.count > builder.wrongLines;
  }) ?? null;
}

/**
 * A log in a scenario. Its JSON has what the experiment file says, and a digest of the log by which a changed log is
 * noticed.
 */
class ReplayedLog {
  constructor(
    private readonly written: ReplayChoice & { readonly log: string },
    private readonly sha256: string,
    readonly replay: Replay,
    /** A sentence that says which requests are replayed, and which are not. */
    readonly note: string,
  ) {}

  toJSON(): unknown {
    return { ...this.written, sha256: this.sha256 };
  }
}

const keyName = z.string().min(1);

const choice = z.strictObject({
  log: z.string().min(1).describe("The log: a file, relative to the experiment file"),
  format: z.enum(LOG_FORMAT_NAMES).default("combined")
    .describe(
      "Format of the log. combined and common also read logs of HAProxy, Envoy and AWS; w3c reads logs of IIS and CloudFront; json: one JSON object per line; vegeta: the JSON results of vegeta",
    ),
  keys: z.strictObject({
    time: keyName.default(DEFAULT_KEYS.time),
    method: keyName.default(DEFAULT_KEYS.method),
    path: keyName.default(DEFAULT_KEYS.path),
    request: keyName.optional(),
  }).prefault({}).describe(
    "Names of the keys of a json log. A nested key has dots, as in request.uri; request names a key that holds method and path together",
  ),
  speed: speed.prefault("1x").describe(
    "Speed of the replay: at 2x, it takes half the time of the log",
  ),
  writes: z.boolean().default(false)
    .describe("Also sends requests other than GET and HEAD, without bodies"),
});

/** @param files Reads the log. It is read only once, together with the experiment file. */
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
        const fix = read.remedy === "writes"
          ? "write writes: true to send requests with other methods, too"
          : `name the log's format, as in format: ${read.remedy.format ?? "json"}`;
        return refuse(`${read.problem}${example}; ${fix}`);
      } catch (error) {
        return refuse(messageOf(error));
      }
    });
