/** Translates command lines of oha. */
import {
  differenceSentence,
  failedElse,
  FALLBACK_FIELD,
  formMeaning,
  hasHttp2,
  ignored,
  inFlight,
  literalBody,
  lowerCase,
  type Meaning,
  option,
  perSecond,
  plainNumber,
  proxyAddress,
  redirected,
  refusedOption,
  seconds,
  sharedOptions,
  timedOut,
  toggle,
  type Tool,
  unsupported,
  userOption,
  valueOption,
  withForm,
  without,
} from "./tool.ts";

export const oha: Tool = {
  style: "getopt",
  options: [
    ...sharedOptions("oha"),
    valueOption("n", "-n", plainNumber),
    valueOption("c", "-c"),
    valueOption("z", "-d", seconds),
    valueOption("q", "-r", perSecond),
    valueOption("m method", "-m", lowerCase),
    valueOption("H", "-H"),
    valueOption("host", FALLBACK_FIELD, (text) => `host: ${text}`),
    option("d", true, literalBody),
    valueOption("D", "-b", (text) => `@${text}`),
    valueOption("T", FALLBACK_FIELD, (text) => `content-type: ${text}`),
    valueOption("A", FALLBACK_FIELD, (text) => `accept: ${text}`),
    option("a", true, (text) => userOption(text, FALLBACK_FIELD)),
    valueOption("cacert", "--cacert"),
    valueOption("unix-socket", "--unix"),
    toggle("insecure", "--insecure"),
    refusedOption("Z", "value", "bodies line by line (an experiment file has values for that)"),
    option("F form", true, formMeaning),
    valueOption("p", "--pipeline"), // oha ignores it without HTTP/2
    option("http-version", true, httpVersion),
    valueOption("x", "--proxy", proxyAddress),
    refusedOption("proxy-header proxy-http-version", "value", "its proxy"),
    refusedOption("proxy-http2", "switch", "its proxy"),
    unsupported("burst-delay burst-rate", "value", "bursts"),
    refusedOption(
      "rand-regex-url urls-from-file",
      "switch",
      "URLs that change (an experiment file has values for that)",
    ),
    refusedOption("connect-to", "value", "another address for the host"),
    valueOption("cert", "--cert"),
    valueOption("key", "--key"),
    refusedOption("aws-session aws-sigv4", "value", "signatures of AWS"),
    ignored("latency-correction", "switch"), // used in `differences`
    ignored("no-tui j json stats-success-breakdown ipv4 ipv6", "switch"),
    ignored("no-color disable-color no-pre-lookup debug", "switch"),
    ignored("w wait-ongoing-requests-after-deadline", "switch"), // used in `differences`
    ignored("disable-compression", "switch"), // used in `fields`
    ignored("r redirect", "value"), // used in `differences`
    ignored("o output output-format fps db-url u time-unit connect-timeout", "value"),
    ignored("max-repeat dump-urls", "value"),
  ],
  // oha reads URLs like browsers, but sends the user as part of the Host field (`url.authority()`).
  url: ({ user }) => user === "" ? {} : { refused: "the user in its URL (write -a USER:PASSWORD)" },
  lastFieldCounts: true,
  defaults: { "-c": "50", "-n": "200", "-t": "1h" },
  fields: ({ options }) => ({
    accept: "*/*",
    ...(options.has("disable-compression")
      ? {}
      : { "accept-encoding": "gzip, compress, deflate, br" }),
  }),
  endsBy: "-d",
  complete: (line) => {
    const posted = withForm(line);
    return hasHttp2(posted) ? posted : without(posted, "--pipeline");
  },
  differences: (measured, options) => [
    ...differenceSentence(
      "oha's latencies would not have included",
      timedOut(measured),
      failedElse(measured),
      options.has("w") ? "" : inFlight(measured),
    ),
    ...(options.has("r") ? [] : redirected("oha", measured)),
    ...(measured.load.kind === "rate" ? [startOf(options)] : []),
  ],
};

function httpVersion(text: string): Meaning {
  if (/^2(\.0)?$/.test(text.trim())) return { flags: [["--http2"]] };
  return text.trim() === "1.1" ? {} : { note: "Plateau speaks only HTTP/1.1 and HTTP/2" };
}

function startOf(options: ReadonlySet<string>): string {
  const start = options.has("latency-correction")
    ? "the moment that its dispatcher woke up"
    : "the send";
  return `oha measures latency from ${start}; here it counts from the moment when a request was due`;
}
