/** Translates command lines of ab, ApacheBench. */
import {
  differenceSentence,
  ENDS,
  ignored,
  LAST_FIELD,
  lastOf,
  lowerCase,
  option,
  proxyAddress,
  refusedOption,
  seconds,
  sharedOptions,
  timedOut,
  toggle,
  type Tool,
  type TranslatedLine,
  unsupported,
  userOption,
  valueOption,
  wholeMilliseconds,
  withFlags,
  without,
} from "./tool.ts";
import { asWritten } from "./url.ts";

const NOTES = {
  both: "the number of requests is left out, because in Plateau only the time limit ends the load",
  twice: "each request has only one content-type; ab also sends its own unless -T is given",
  most: "the load does not end after 50000 requests, which -t implies in ab",
};

/** A flag that stands for the content type until all options are read, because it is sent only if there is a body. */
const CONTENT_TYPE = "content type";

/** ab sends a content type only with a body. */
const hasBody = ({ options }: TranslatedLine): boolean => options.has("p") || options.has("u");

const contentType = (line: TranslatedLine): string => lastOf(line, CONTENT_TYPE) ?? "text/plain";

export const ab: Tool = {
  style: "getopt",
  options: [
    ...sharedOptions("ab"),
    valueOption("n", "-n"),
    valueOption("c", "-c"),
    valueOption("t", "-d", seconds),
    valueOption("H", "-H"),
    valueOption("C", LAST_FIELD, (text) => `cookie: ${text}`),
    valueOption("T", CONTENT_TYPE),
    valueOption("m", "-m", lowerCase),
    option("p", true, (text) => ({ flags: [["-m", "post"], ["-b", `@${text}`]] })),
    option("u", true, (text) => ({ flags: [["-m", "put"], ["-b", `@${text}`]] })),
    option("A", true, userOption),
    toggle("i", "-m", "head"),
    ignored("k", "switch"), // used in `fields` and `complete`
    valueOption("X", "--proxy", proxyAddress),
    refusedOption("P", "value", "its user for the proxy (write --proxy http://a:b@host)"),
    unsupported("f Z", "value", "the choice of TLS"),
    option("E", true, (text) => ({ flags: [["--cert", text], ["--key", text]] })),
    ignored("l q r S d V I w", "switch"),
    ignored("v b B e g x y z", "value"),
  ],
  url: ({ rest }) => ({ target: asWritten(rest, `/${rest}`) }),
  defaults: { "-c": "1", "-n": "1", "-t": "30s" },
  fields: (line) => ({
    ...(line.options.has("k") ? { connection: "Keep-Alive" } : {}),
    ...(hasBody(line) ? { "content-type": contentType(line) } : {}),
    accept: "*/*",
  }),
  endsBy: "-d",
  complete: (line) => {
    const { options } = line;
    const isTimed = options.has("t") && !ENDS.some((name) => line.own.includes(name));
    const note = isTimed ? [options.has("n") ? NOTES.both : NOTES.most] : [];
    const own = `content-type: ${contentType(line)}`;
    const isOwn = line.flags.some(([, text]) => text === own);
    const twice = hasBody(line) && !isOwn ? [NOTES.twice] : [];
    const noted = without({ ...line, notes: [...line.notes, ...note, ...twice] }, CONTENT_TYPE);
    return options.has("k") ? noted : withFlags(noted, ["--no-keepalive"]);
  },
  differences: (measured) => [
    ...differenceSentence("ab would have ended at the first of", timedOut(measured)),
    "ab sends HTTP/1.0 from one thread",
    wholeMilliseconds("ab", measured),
  ],
};
