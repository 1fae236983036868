/** autocannon. */
import {
  added,
  addedSamples,
  failedElse,
  idle,
  inFlight,
  leftOut,
  literalBody,
  lost,
  lowerCase,
  option,
  perSecond,
  RATE_OF_EACH,
  seconds,
  timedOut,
  type Tool,
  value,
  wholeMilliseconds,
} from "./tool.ts";

export const autocannon: Tool = {
  style: "getopt",
  words: withoutInner,
  options: [
    value("c connections", "-c"),
    value("d duration", "-d", seconds),
    value("a amount", "-n"),
    value("p pipelining", "--pipeline"),
    value("R overallRate", "-r", perSecond),
    value("r connectionRate", RATE_OF_EACH),
    value("t timeout", "-t", seconds),
    value("w workers", "-w"),
    value("m method", "-m", lowerCase),
    value("H headers header", "-H", (text) => text.replace(/^([^:=]+)=/, "$1: ")),
    option("b body", true, literalBody),
    value("i input", "-b", (text) => `@${text}`),
    value("E expectBody", "--expect-body"),
    value("S socketPath", "--unix"),
    value("ca", "--cacert"),
    lost("cert key", "value", "its client certificate"),
    lost("s servername", "value", "another name for TLS"),
    lost("F form", "value", "a form of several parts"),
    lost("D reconnectRate", "value", "a new connection after so many requests"),
    lost("M maxConnectionRequests", "value", "an end after so many requests of a connection"),
    lost("O maxOverallRequests", "value", "an end after so many requests, besides its time"),
    lost("har", "value", "its HAR file (plateau run FILE.har runs one)"),
    lost("B bailout", "value", "an end after so many errors"),
    lost("W warmup", "value", "its warm-up (results tell how long it was)"),
    lost("I idReplacement", "switch", "ids put in place of [<id>]"),
    lost("f forever", "switch", "beginning anew for ever"),
    lost("on-port onPort", "switch", "starting the server (an experiment's command target does)"),
    idle("l latency renderLatencyTable n no-progress j json x excludeErrorStats", "switch"),
    idle("renderStatusCodes statusCodes v version V verbose debug", "switch"),
    idle("C ignoreCoordinatedOmission", "switch"), // told below
    idle("L sampleInt T title", "value"),
  ],
  defaults: { "-c": "10", "-d": "10s", "-t": "10s", "-w": "1" },
  fields: () => ({ connection: "keep-alive" }),
  endsBy: "-n",
  differences: (measurement, options) => [
    ...leftOut(
      "autocannon would have left out of its latencies",
      timedOut(measurement),
      failedElse(measurement),
      inFlight(measurement),
    ),
    ...(measurement.load.kind === "rate"
      ? [
        ...(options.has("C") ? [] : added("autocannon", addedSamples(measurement, EXPECTED_MS))),
        "autocannon sends each second's requests at the second's beginning",
      ]
      : []),
    wholeMilliseconds("autocannon", measurement),
  ],
};

/** `--warmup [ -c 1 -d 3 ]` has options of its own in brackets, which are none of the load's. */
function withoutInner(words: readonly string[]): readonly string[] {
  const from = words.findIndex((word, at) =>
    word.startsWith("[") && /^(-W|--warmup)$/.test(words[at - 1] ?? "")
  );
  const length = words.slice(from).findIndex((word) => word.endsWith("]")) + 1;
  if (from < 0 || length === 0) return words;
  const inner = words.slice(from, from + length).join(" ");
  return [...words.slice(0, from), inner, ...words.slice(from + length)];
}

/** It divides 1 by the rate in seconds, and takes the rounded-up result for milliseconds. */
const EXPECTED_MS = 1;
