/** Translates command lines of hey, whose options have the syntax of Go programs. */
import { groupsOfThree } from "../../../base/limits.ts";
import {
  differenceSentence,
  failedElse,
  FALLBACK_FIELD,
  ignored,
  isSecure,
  LAST_FIELD,
  lastOf,
  literalBody,
  lowerCase,
  type Meaning,
  type Measured,
  option,
  proxyAddress,
  RATE_OF_EACH,
  redirected,
  seconds,
  sharedOptions,
  timedOut,
  type Tool,
  type TranslatedLine,
  userOption,
  valueOption,
  withFlags,
  withNote,
  without,
} from "./tool.ts";
import { asGo } from "./url.ts";

export const hey: Tool = {
  style: "go",
  options: [
    ...sharedOptions("hey"),
    valueOption("n", "-n"),
    valueOption("c", "-c"),
    valueOption("z", "-d", seconds),
    valueOption("q", RATE_OF_EACH),
    valueOption("m", "-m", lowerCase),
    option("H", true, field),
    valueOption("t", "-t", (text) => text === "0" ? "1h" : `${text}s`),
    valueOption("A", LAST_FIELD, (text) => `accept: ${text}`),
    option("d", true, literalBody),
    valueOption("D", "-b", (text) => `@${text}`),
    valueOption("T", FALLBACK_FIELD, (text) => `content-type: ${text}`),
    valueOption("U", "-H", (text) => `user-agent: ${text}`),
    valueOption("host", "-H", (text) => `host: ${text}`),
    option("a", true, authorization),
    ignored("h2", "switch"), // used in `complete`
    valueOption("x", "--proxy", proxyAddress),
    ignored("disable-compression", "switch"), // used in `fields`
    ignored("disable-redirects", "switch"), // used in `differences`
    ignored("o cpus", "value"),
  ],
  url: asGo,
  lastFieldCounts: true,
  defaults: { "-c": "50", "-n": "200", "-t": "20s" },
  fields: (line) => ({
    "content-type": "text/html",
    ...(line.options.has("disable-compression") || lastOf(line, "-m") === "head"
      ? {}
      : { "accept-encoding": "gzip" }),
  }),
  endsBy: "-d",
  complete: (line) => withVersion(evenlyShared(line)),
  differences: (measured, options) => [
    ...differenceSentence(
      "hey's latencies would not have included",
      timedOut(measured),
      failedElse(measured),
      beyondItsMost(measured),
    ),
    ...(options.has("disable-redirects") ? [] : redirected("hey", measured)),
  ],
};

/** Go's HTTP client ignores a Host among the header fields, and hey does not report that. */
function field(text: string): Meaning {
  return /^host\s*:/i.test(text)
    ? { note: "Plateau reports that the Host of -H is not sent: write -host to send one" }
    : { flags: [["-H", text]] };
}

/**
 * hey 0.1.5 sets the Authorization field, but loses it again when it replaces all fields (`hey.go`, `req.Header =
 * header`).
 */
function authorization(text: string): Meaning {
  return {
    ...userOption(text),
    note: "Plateau sends the user of -a, which hey 0.1.5 does not send",
  };
}

/**
 * Translates -h2. Without TLS, hey uses HTTP/1.1 anyway. With TLS, Go's client sends all requests to a host over one
 * HTTP/2 connection.
 */
function withVersion(line: TranslatedLine): TranslatedLine {
  if (!line.options.has("h2") || !isSecure(line)) return line;
  const note = "the workers do not share one connection (-c 1 --pipeline N does that)";
  return withNote(withFlags(line, ["--http2"]), note);
}

/** Rounds the requests down to a multiple of the workers, because each of hey's workers sends the same number. */
function evenlyShared(line: TranslatedLine): TranslatedLine {
  const requests = Number(lastOf(line, "-n") ?? hey.defaults["-n"]);
  const workers = Number(lastOf(line, "-c") ?? hey.defaults["-c"]);
  const even = Math.floor(requests / workers) * workers;
  if (line.options.has("z") || !(even > 0) || even === requests) return line;
  return withFlags(without(line, "-n"), ["-n", String(even)]);
}

const MOST_LATENCIES = 1_000_000;

function beyondItsMost({ requests }: Measured): string {
  const beyond = requests.completed - MOST_LATENCIES;
  return beyond > 0 ? `${groupsOfThree(beyond)} responses beyond its first million` : "";
}
