/** ab, ApacheBench. */
import {
  basicAuthorization,
  idle,
  leftOut,
  lost,
  lowerCase,
  option,
  seconds,
  timedOut,
  toggle,
  type Tool,
  value,
  wholeMilliseconds,
  withFlags,
} from "./tool.ts";

const NOTES = {
  both: "without its number of requests: its time alone ends it here",
  most: "without its end after 50000 requests, which its time limit brings along",
};

export const ab: Tool = {
  style: "getopt",
  options: [
    value("n", "-n"),
    value("c", "-c"),
    value("t", "-d", seconds),
    value("s", "-t", seconds),
    value("H", "-H"),
    value("C", "-H", (text) => `cookie: ${text}`),
    value("T", "-H", (text) => `content-type: ${text}`),
    value("m", "-m", lowerCase),
    option("p", true, (text) => ({ flags: [["-m", "post"], ["-b", `@${text}`]] })),
    option("u", true, (text) => ({ flags: [["-m", "put"], ["-b", `@${text}`]] })),
    option("A", true, basicAuthorization),
    toggle("i", "-m", "head"),
    idle("k", "switch"), // told below
    lost("X P", "value", "its proxy"),
    lost("f Z", "value", "its choice of TLS"),
    lost("E", "value", "its client certificate"),
    idle("l q r S d V I w", "switch"),
    idle("v b B e g x y z", "value"),
  ],
  defaults: { "-c": "1", "-n": "1", "-t": "30s" },
  fields: ({ options }) => ({
    ...(options.has("k") ? { connection: "Keep-Alive" } : {}),
    ...(options.has("p") || options.has("u") ? { "content-type": "text/plain" } : {}),
    accept: "*/*",
  }),
  endsBy: "-d",
  complete: (line) => {
    const { options } = line;
    const note = options.has("t") ? [options.has("n") ? NOTES.both : NOTES.most] : [];
    const noted = { ...line, notes: [...line.notes, ...note] };
    return options.has("k") ? noted : withFlags(noted, ["--no-keepalive"]);
  },
  differences: (measurement) => [
    ...leftOut("ab would have ended at the first of", timedOut(measurement)),
    "ab asks with HTTP/1.0 from one thread",
    wholeMilliseconds("ab", measurement),
  ],
};
