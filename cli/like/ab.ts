/** ab, ApacheBench. */
import {
  differenceSentence,
  ignored,
  lowerCase,
  option,
  proxyAddress,
  refusedOption,
  seconds,
  timedOut,
  toggle,
  type Tool,
  unsupported,
  userOption,
  valueOption,
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
    valueOption("n", "-n"),
    valueOption("c", "-c"),
    valueOption("t", "-d", seconds),
    valueOption("s", "-t", seconds),
    valueOption("H", "-H"),
    valueOption("C", "-H", (text) => `cookie: ${text}`),
    valueOption("T", "-H", (text) => `content-type: ${text}`),
    valueOption("m", "-m", lowerCase),
    option("p", true, (text) => ({ flags: [["-m", "post"], ["-b", `@${text}`]] })),
    option("u", true, (text) => ({ flags: [["-m", "put"], ["-b", `@${text}`]] })),
    option("A", true, userOption),
    toggle("i", "-m", "head"),
    ignored("k", "switch"), // see differences
    valueOption("X", "--proxy", proxyAddress),
    refusedOption("P", "value", "its user at the proxy (write --proxy http://a:b@host)"),
    unsupported("f Z", "value", "its choice of TLS"),
    option("E", true, (text) => ({ flags: [["--cert", text], ["--key", text]] })),
    ignored("l q r S d V I w", "switch"),
    ignored("v b B e g x y z", "value"),
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
    ...differenceSentence("ab would have ended at the first of", timedOut(measurement)),
    "ab sends HTTP/1.0 from one thread",
    wholeMilliseconds("ab", measurement),
  ],
};
