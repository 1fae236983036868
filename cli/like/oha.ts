/** oha. */
import {
  basicAuthorization,
  failedElse,
  idle,
  inFlight,
  leftOut,
  literalBody,
  lost,
  lowerCase,
  option,
  perSecond,
  plainNumber,
  redirected,
  seconds,
  timedOut,
  toggle,
  type Tool,
  value,
} from "./tool.ts";

export const oha: Tool = {
  style: "getopt",
  options: [
    value("n", "-n", plainNumber),
    value("c", "-c"),
    value("z", "-d", seconds),
    value("q", "-r", perSecond),
    value("m method", "-m", lowerCase),
    value("H", "-H"),
    value("host", "-H", (text) => `host: ${text}`),
    value("t", "-t", seconds),
    option("d", true, literalBody),
    value("D", "-b", (text) => `@${text}`),
    value("T", "-H", (text) => `content-type: ${text}`),
    value("A", "-H", (text) => `accept: ${text}`),
    option("a", true, basicAuthorization),
    value("cacert", "--cacert"),
    value("unix-socket", "--unix"),
    toggle("insecure", "--insecure"),
    toggle("disable-keepalive", "--no-keepalive"),
    lost("Z", "value", "bodies line by line (an experiment file has values for that)"),
    lost("F form", "value", "a form of several parts"),
    lost("p", "value", "several requests at once on a connection of HTTP/2"),
    lost("http-version", "value", "a version of HTTP but 1.1"),
    lost("http2", "switch", "HTTP/2"),
    lost("x proxy-header proxy-http-version", "value", "its proxy"),
    lost("proxy-http2", "switch", "its proxy"),
    lost("burst-delay burst-rate", "value", "bursts"),
    lost(
      "rand-regex-url urls-from-file",
      "switch",
      "URLs that change (an experiment file has values for that)",
    ),
    lost("connect-to", "value", "another address for the host"),
    lost("cert key", "value", "its client certificate"),
    lost("aws-session aws-sigv4", "value", "signatures of AWS"),
    idle("latency-correction", "switch"), // told below
    idle("no-tui j json stats-success-breakdown ipv4 ipv6", "switch"),
    idle("no-color disable-color no-pre-lookup debug", "switch"),
    idle("w wait-ongoing-requests-after-deadline", "switch"), // told below
    idle("disable-compression", "switch"), // told below
    idle("r redirect", "value"), // told below
    idle("o output output-format fps db-url u time-unit connect-timeout", "value"),
    idle("max-repeat dump-urls", "value"),
  ],
  defaults: { "-c": "50", "-n": "200", "-t": "1h" },
  fields: ({ options }) => ({
    accept: "*/*",
    ...(options.has("disable-compression")
      ? {}
      : { "accept-encoding": "gzip, compress, deflate, br" }),
  }),
  endsBy: "-d",
  differences: (measurement, options) => [
    ...leftOut(
      "oha would have left out of its latencies",
      timedOut(measurement),
      failedElse(measurement),
      options.has("w") ? "" : inFlight(measurement),
    ),
    ...(options.has("r") ? [] : redirected("oha", measurement)),
    ...(measurement.load.kind === "rate" ? [startOf(options)] : []),
  ],
};

function startOf(options: ReadonlySet<string>): string {
  const start = options.has("latency-correction")
    ? "the moment that its dispatcher woke up"
    : "the send";
  return `oha times from ${start}; here it is from the moment that a request was due`;
}
