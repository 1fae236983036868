/** Translates command lines of wrk, and of wrk2, which has a rate in addition. */
import { groupsOfThree } from "../../../base/limits.ts";
import {
  added,
  addedSamples,
  differenceSentence,
  failedElse,
  ignored,
  inFlight,
  lastOf,
  type Measured,
  perSecond,
  plainNumber,
  refusedOption,
  responsesBefore,
  seconds,
  sharedOptions,
  timedOut,
  type Tool,
  type TranslatedLine,
  valueOption,
  withFlags,
  without,
} from "./tool.ts";
import { asWritten } from "./url.ts";

const OPTIONS = [
  ...sharedOptions("wrk"),
  valueOption("c connections", "-c", plainNumber),
  valueOption("d duration", "-d", seconds),
  valueOption("t threads", "-w", plainNumber),
  valueOption("H header", "-H"),
  refusedOption("s script", "value", "its Lua script"),
  ignored("L latency v version", "switch"),
  valueOption("R rate", "-r", perSecond), // only in wrk2, whose program is also called wrk
  ignored("u_latency U batch_latency B", "switch"),
];

const DEFAULTS = { "-c": "10", "-d": "10s", "-w": "2", "-t": "2s" };

/**
 * wrk sends everything after the host unchanged, even a fragment. If the URL has no path, it sends / (`main` in wrk.c).
 */
const url: Tool["url"] = ({ rest }) =>
  /[^\x21-\x7e]/.test(rest)
    ? { refused: "this URL, because wrk accepts only visible ASCII characters" }
    : { target: asWritten(rest, "/") };

/** Rounds the connections down to a multiple of the threads, because each of wrk's threads opens the same number. */
function evenlyShared(line: TranslatedLine): TranslatedLine {
  const connections = Number(lastOf(line, "-c") ?? DEFAULTS["-c"]);
  const threads = Number(lastOf(line, "-w") ?? DEFAULTS["-w"]);
  const even = Math.floor(connections / threads) * threads;
  if (!(even > 0) || even === connections) return line;
  return withFlags(without(line, "-c"), ["-c", String(even)]);
}

const missing = (tool: string, measured: Measured): string[] =>
  differenceSentence(
    `${tool}'s latencies would not have included`,
    timedOut(measured),
    failedElse(measured),
    inFlight(measured),
  );

export const wrk: Tool = {
  style: "getopt",
  options: OPTIONS,
  url,
  lastFieldCounts: true,
  defaults: DEFAULTS,
  endsBy: "-d",
  complete: evenlyShared,
  differences: (measured, options) =>
    options.has("R") ? differencesOfWrk2(measured) : [
      ...missing("wrk", measured),
      ...added("wrk", addedSamples(measured, pacedMs(measured))),
    ],
};

/**
 * The interval between requests on a connection as wrk estimates it: the duration divided by the number of requests per
 * connection.
 */
function pacedMs({ elapsedS, requests, load }: Measured): number {
  const each = Math.floor(requests.completed / load.connections);
  return each === 0 ? 0 : elapsedS * 1_000 / each;
}

/** wrk2 calibrates itself for ten seconds, and discards what it measures until then. */
const CALIBRATION_SECONDS = 10;

export const wrk2: Tool = {
  style: "getopt",
  options: OPTIONS,
  url,
  lastFieldCounts: true,
  defaults: DEFAULTS,
  endsBy: "-d",
  complete: (given) => {
    const line = evenlyShared(given);
    return lastOf(line, "-r") !== undefined ? line : {
      ...line,
      notes: [...line.notes, "Plateau runs without a rate, but wrk2 needs one: -R 1000"],
    };
  },
  differences: differencesOfWrk2,
};

function differencesOfWrk2(measured: Measured): string[] {
  const early = responsesBefore(measured, CALIBRATION_SECONDS);
  return [
    ...missing("wrk2", measured),
    ...(early === 0
      ? []
      : [`wrk2 would have discarded its first 10 s, ${groupsOfThree(early)} responses`]),
    "wrk2 sends in steps of a millisecond",
  ];
}
