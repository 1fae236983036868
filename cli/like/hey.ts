/** hey, which reads its options as Go programs do. */
import { formatCount } from "../../report/model/numbers/units.ts";
import type { Measurement } from "../../runner/result/result.ts";
import {
  basicAuthorization,
  failedElse,
  idle,
  lastOf,
  leftOut,
  type Line,
  literalBody,
  lost,
  lowerCase,
  type Meaning,
  option,
  RATE_OF_EACH,
  redirected,
  seconds,
  timedOut,
  toggle,
  type Tool,
  value,
  withFlags,
  without,
} from "./tool.ts";

export const hey: Tool = {
  style: "go",
  options: [
    value("n", "-n"),
    value("c", "-c"),
    value("z", "-d", seconds),
    value("q", RATE_OF_EACH),
    value("m", "-m", lowerCase),
    value("H", "-H"),
    value("t", "-t", (text) => text === "0" ? "1h" : `${text}s`),
    value("A", "-H", (text) => `accept: ${text}`),
    option("d", true, literalBody),
    value("D", "-b", (text) => `@${text}`),
    value("T", "-H", (text) => `content-type: ${text}`),
    value("U", "-H", (text) => `user-agent: ${text}`),
    value("host", "-H", (text) => `host: ${text}`),
    option("a", true, authorization),
    toggle("disable-keepalive", "--no-keepalive"),
    lost("h2", "switch", "HTTP/2"),
    lost("x", "value", "its proxy"),
    idle("disable-compression", "switch"), // told below
    idle("disable-redirects", "switch"), // told below
    idle("o cpus", "value"),
  ],
  defaults: { "-c": "50", "-n": "200", "-t": "20s" },
  fields: (line) => ({
    "content-type": "text/html",
    ...(line.options.has("disable-compression") || lastOf(line, "-m") === "head"
      ? {}
      : { "accept-encoding": "gzip" }),
  }),
  endsBy: "-d",
  complete: evenlyShared,
  differences: (measurement, options) => [
    ...leftOut(
      "hey would have left out of its latencies",
      timedOut(measurement),
      failedElse(measurement),
      beyondItsMost(measurement),
    ),
    ...(options.has("disable-redirects") ? [] : redirected("hey", measurement)),
  ],
};

/** hey 0.1.5 sets the field, then all fields anew (`hey.go`, `req.Header = header`). */
function authorization(text: string): Meaning {
  return { ...basicAuthorization(text), note: "with its -a, which hey 0.1.5 does not send" };
}

/** Each of its workers sends as many requests as the others. */
function evenlyShared(line: Line): Line {
  const requests = Number(lastOf(line, "-n") ?? hey.defaults["-n"]);
  const workers = Number(lastOf(line, "-c") ?? hey.defaults["-c"]);
  const even = Math.floor(requests / workers) * workers;
  if (line.options.has("z") || !(even > 0) || even === requests) return line;
  return withFlags(without(line, "-n"), ["-n", String(even)]);
}

const MOST_LATENCIES = 1_000_000;

function beyondItsMost({ requests }: Measurement): string {
  const beyond = requests.completed - MOST_LATENCIES;
  return beyond > 0 ? `${formatCount(beyond)} answers beyond its first million` : "";
}
