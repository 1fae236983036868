/** The flags by which `bench` replays a log. */
import * as z from "zod";
import type { Problem } from "../../base/errors.ts";
import type { JsonKeys } from "../../scenarios/replay/log_line.ts";
import type { CommandParts, ParsedValues, RawArguments } from "../command_line/command.ts";

const MOST_SPEED = 1_000;

const speed = z.string().transform((text, context) => {
  const times = Number(/^(\d+(?:\.\d+)?)x$/.exec(text.trim())?.[1] ?? 0);
  if (times > 0 && times <= MOST_SPEED) return times;
  context.addIssue(`Cannot read "${text}" as a speed: write 2x or 0.5x, up to ${MOST_SPEED}x`);
  return z.NEVER;
});

export const KEYS: JsonKeys = { time: "time", method: "method", path: "path" };

const keys = z.string().transform((text, context): JsonKeys => {
  const pairs = text.split(",").map((pair) => pair.split("="));
  if (pairs.every(([key, name]) => Object.hasOwn(KEYS, key) && name)) {
    return { ...KEYS, ...Object.fromEntries(pairs) };
  }
  context.addIssue(`Cannot read "${text}" as keys: write time=ts,method=verb,path=uri`);
  return z.NEVER;
});

export const replayFlags = {
  replay: {
    flags: "--replay <LOG>",
    about: "Open loop: sends the requests of an access log, each at its own moment",
    schema: z.string().min(1).optional(),
  },
  replayFormat: {
    flags: "--replay-format <common|combined|json|vegeta>",
    about: "Format of the log: json is a JSON object a line, vegeta the JSON of its results",
    preset: "combined",
    schema: z.enum(["common", "combined", "json", "vegeta"]),
  },
  replayKeys: {
    flags: "--replay-keys <K=NAME,…>",
    about: "Keys of a json log, such as time=ts,method=verb,path=uri (default: time, method, path)",
    schema: keys.optional(),
  },
  replayWrites: {
    flags: "--replay-writes",
    about: "Also sends requests other than GET and HEAD, without bodies",
    schema: z.boolean().default(false),
  },
  speed: {
    flags: "--speed <N>",
    about: "Speed of the replay: 2x takes half the time",
    preset: "1x",
    schema: speed,
  },
} satisfies CommandParts;

export type ReplayValues = ParsedValues<typeof replayFlags>;

/** Flags that say what the log says itself. */
const IN_LOG = ["rate", "phases", "arrivals", "duration", "requests", "body"];

export function replayConflicts(given: RawArguments): Problem[] {
  if (given.replay === undefined) return [];
  const beside = IN_LOG.filter((flag) => given[flag] !== undefined);
  const methods = given.method === "get" ? [] : ["method"];
  const pipeline = (given.pipeline ?? "1") === "1" ? [] : ["pipeline"];
  const fleet = given.agents === undefined ? [] : ["agents"];
  return [...beside, ...methods, ...pipeline, ...fleet].map((flag) => ({
    place: `--${flag}`,
    message: `Cannot use --${flag} with a replay`,
    fix: "leave --replay or it out",
  }));
}
