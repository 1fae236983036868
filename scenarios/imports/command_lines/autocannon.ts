/** Translates command lines of autocannon. */
import {
  added,
  addedSamples,
  differenceSentence,
  failedElse,
  ignored,
  inFlight,
  lastOf,
  literalBody,
  lowerCase,
  option,
  perSecond,
  RATE_OF_EACH,
  refusedOption,
  seconds,
  sharedOptions,
  timedOut,
  type Tool,
  type TranslatedLine,
  unsupported,
  valueOption,
  wholeMilliseconds,
  withNote,
  without,
} from "./tool.ts";
import { asBrowsers } from "./url.ts";

export const autocannon: Tool = {
  style: "getopt",
  words: withoutInner,
  options: [
    ...sharedOptions("autocannon"),
    valueOption("c connections", "-c"),
    valueOption("d duration", "-d", seconds),
    valueOption("a amount", "-n"),
    valueOption("p pipelining", "--pipeline"),
    valueOption("R overallRate", "-r", perSecond),
    valueOption("r connectionRate", RATE_OF_EACH),
    valueOption("w workers", "-w"),
    valueOption("m method", "-m", lowerCase),
    valueOption("H headers header", "-H", (text) => text.replace(/^([^:=]+)=/, "$1: ")),
    option("b body", true, literalBody),
    valueOption("i input", "-b", (text) => `@${text}`),
    valueOption("E expectBody", "--expect-body"),
    valueOption("S socketPath", "--unix"),
    valueOption("ca", "--cacert"),
    valueOption("cert", "--cert"),
    valueOption("key", "--key"),
    unsupported("s servername", "value", "another server name for TLS"),
    refusedOption("F form", "value", "a multipart form"),
    unsupported(
      "M maxConnectionRequests",
      "value",
      "an end after a number of requests on a connection",
    ),
    unsupported(
      "O maxOverallRequests",
      "value",
      "an end after a number of requests, in addition to the duration",
    ),
    refusedOption("har", "value", "its HAR file (plateau run FILE.har runs one)"),
    unsupported("B bailout", "value", "an end after a number of errors"),
    unsupported("W warmup", "value", "a warm-up (results show how long the target warms up)"),
    refusedOption("I idReplacement", "switch", "ids instead of [<id>]"),
    unsupported("f forever", "switch", "starting over for ever"),
    unsupported(
      "on-port onPort",
      "switch",
      "starting the server (a command target of an experiment does that)",
    ),
    ignored("l latency renderLatencyTable n no-progress j json x excludeErrorStats", "switch"),
    ignored("renderStatusCodes statusCodes v version V verbose debug", "switch"),
    ignored("C ignoreCoordinatedOmission", "switch"), // used in `differences`
    ignored("L sampleInt T title", "value"),
  ],
  url: asBrowsers,
  lastFieldCounts: true,
  defaults: { "-c": "10", "-d": "10s", "-t": "10s", "-w": "1" },
  fields: () => ({ connection: "keep-alive" }),
  endsBy: "-n",
  complete: withoutReconnects,
  differences: (measured, options) => [
    ...differenceSentence(
      "autocannon's latencies would not have included",
      timedOut(measured),
      failedElse(measured),
      inFlight(measured),
    ),
    ...(measured.load.kind === "rate"
      ? [
        ...(options.has("C") ? [] : added("autocannon", addedSamples(measured, EXPECTED_MS))),
        "autocannon sends each second's requests at the beginning of the second",
      ]
      : []),
    wholeMilliseconds("autocannon", measured),
  ],
};

const RECONNECTS = "--requests-per-connection";

/**
 * Drops the number of requests after which a connection is replaced, if several requests are in flight on each
 * connection, because Plateau can't combine the two.
 */
function withoutReconnects(line: TranslatedLine): TranslatedLine {
  const isPipelined = Number(lastOf(line, "--pipeline") ?? 1) > 1;
  if (!isPipelined || lastOf(line, RECONNECTS) === undefined) return line;
  const note =
    "connections are not replaced after a number of requests, because several requests are in flight on each";
  return withNote(without(line, RECONNECTS), note);
}

/**
 * Joins the words of `--warmup [ -c 1 -d 3 ]` into one, so that its inner options are not taken for options of the
 * load.
 */
function withoutInner(words: readonly string[]): readonly string[] {
  const from = words.findIndex((word, at) =>
    word.startsWith("[") && /^(-W|--warmup)$/.test(words[at - 1] ?? "")
  );
  const length = words.slice(from).findIndex((word) => word.endsWith("]")) + 1;
  if (from < 0 || length === 0) return words;
  const inner = words.slice(from, from + length).join(" ");
  return [...words.slice(0, from), inner, ...words.slice(from + length)];
}

/**
 * The interval that autocannon expects between requests. It divides 1 s by the rate, rounds up to whole seconds, and
 * takes this number as milliseconds, which gives 1 ms for every rate from 1/s.
 */
const EXPECTED_MS = 1;
