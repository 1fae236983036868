/** The flags of `bench` that replay a log, and the schedule that is made from the log. */
import * as z from "zod";
import { messageOf, type Problem, UserError } from "../../base/errors.ts";
import {
  DEFAULT_KEYS,
  LOG_FORMAT_NAMES,
  type ReplayChoice,
  speed,
} from "../../scenarios/replay/choice.ts";
import type { JsonKeys } from "../../scenarios/replay/json_line.ts";
import type { Replay } from "../../scenarios/replay/schedule.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const KEYS = [...Object.keys(DEFAULT_KEYS), "request"];

const keys = z.string().transform((text, context): JsonKeys => {
  const pairs = text.split(",").map((pair) => pair.split("="));
  if (pairs.every(([key, name]) => KEYS.includes(key) && name)) {
    return { ...DEFAULT_KEYS, ...Object.fromEntries(pairs) };
  }
  context.addIssue(`Cannot read ${quotedOpenly(text)} as keys: write time=ts,method=verb,path=uri`);
  return z.NEVER;
});

export const replayFlags = {
  replay: {
    flags: "--replay <LOG>",
    about: "Open loop: replays an access log, each request at its time in the log",
    schema: z.string().min(1).optional(),
  },
  replayFormat: {
    flags: `--replay-format <${LOG_FORMAT_NAMES.join("|")}>`,
    about:
      "Format of the log: common and combined include logs of HAProxy, Envoy and AWS, w3c those of IIS and " +
      "CloudFront, json is one JSON object per line, vegeta the JSON of its results",
    preset: "combined",
    schema: z.enum(LOG_FORMAT_NAMES),
  },
  replayKeys: {
    flags: "--replay-keys <K=NAME,…>",
    about: "Keys of a json log, such as time=ts,method=request.method,path=request.uri; " +
      "request=NAME replaces method and path (default: time, method, path)",
    schema: keys.optional(),
  },
  replayWrites: {
    flags: "--replay-writes",
    about: "Also sends requests other than GET and HEAD, without bodies",
    schema: z.boolean().default(false),
  },
  speed: {
    flags: "--speed <N>",
    about: "Speed of the replay: 2x replays in half the time",
    preset: "1x",
    schema: speed,
  },
} satisfies CommandParts;

type ReplayValues = ParsedValues<typeof replayFlags>;

/** Flags that can't be combined with a replay, because the log determines what is sent, and when. */
const IN_LOG = [
  "rate",
  "phases",
  "arrivals",
  "duration",
  "requests",
  "body",
  "form",
  "follow",
  "requestTarget",
];

export function replayConflicts(given: RawArguments): Problem[] {
  if (given.replay === undefined) return [];
  const beside = IN_LOG.filter((flag) => given[flag] !== undefined);
  const methods = given.method === "get" ? [] : ["method"];
  const pipeline = (given.pipeline ?? "1") === "1" ? [] : ["pipeline"];
  const fleet = given.agents === undefined ? [] : ["agents"];
  return [...beside, ...methods, ...pipeline, ...fleet].map((name) => {
    const flag = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return {
      place: `--${flag}`,
      message: `Cannot use --${flag} with a replay`,
      fix: `leave out --replay or --${flag}`,
    };
  });
}

/**
 * The replay that the flags ask for; null without --replay. If the log can't be replayed, throws a UserError with the
 * reason and the first of the lines that are wrong.
 */
export async function replayOf(
  values: ReplayValues,
  onNote: (text: string) => void,
): Promise<Replay | null> {
  const { replay: path, replayFormat: format, replayKeys: keys = DEFAULT_KEYS } = values;
  if (path === undefined) return null;
  const choice = { format, keys, speed: values.speed, writes: values.replayWrites };
  const read = await readFrom(path, choice);
  if ("problem" in read) {
    throw new UserError([
      {
        place: "--replay",
        message: `Cannot replay ${path}: ${read.problem}`,
        fix: read.remedy === "writes"
          ? "use --replay-writes to send the other methods, too"
          : `name its format with --replay-format ${read.remedy.format ?? "FORMAT"}, ` +
            "or the keys of a json log with --replay-keys",
      },
      ...read.wrong.map(({ line, why }) => ({
        place: `${path}:${line}`,
        message: `Cannot replay this line: ${why}`,
      })),
    ]);
  }
  onNote(read.note);
  return read.replay;
}

/** Readers of logs are loaded only if there is a replay. */
async function readFrom(
  path: string,
  choice: ReplayChoice,
): Promise<ReturnType<typeof readReplay>> {
  const { readReplay } = await import("../../scenarios/replay/read_replay.ts");
  const { eachLineOf } = await import("../../scenarios/file/lines.ts");
  try {
    return readReplay(path, choice, (visit) => void eachLineOf(path, visit));
  } catch (error) {
    const message = `Cannot replay ${path}: ${messageOf(error)}`;
    throw new UserError([{ place: "--replay", message }]);
  }
}
