/** Translates curl commands: the request is curl's, and the load is the default of `bench`. */
import {
  formMeaning,
  hasHttp2,
  ignored,
  isSecure,
  lastOf,
  literalBody,
  literalPart,
  lowerCase,
  type Meaning,
  option,
  proxyAddress,
  QUERY,
  redirected,
  refusedOption,
  sharedOptions,
  toggle,
  type Tool,
  type TranslatedLine,
  unsupported,
  userOption,
  valueOption,
  withFlags,
  withForm,
  withNote,
  without,
} from "./tool.ts";
import { asCurl } from "./url.ts";
import { octetsOf, percentEncoded } from "../../../base/http/octets.ts";

/** Used instead of `-m` for the method of -I and -T, which -X replaces, wherever it stands. */
const IMPLIED_METHOD = "-m unless given";

export const curl: Tool = {
  style: "getopt",
  options: [
    ...sharedOptions("curl"),
    valueOption("X request", "-m", lowerCase),
    option("H header", true, header),
    option("d data data-ascii", true, asciiData),
    valueOption("data-binary", "-b"),
    option("data-raw", true, literalBody),
    option("data-urlencode", true, encodedData),
    valueOption("json", "-b"),
    option("A user-agent", true, (text) => header(`user-agent: ${text}`)),
    option("e referer", true, (text) => header(`referer: ${text.replace(/;auto$/, "")}`)),
    option("b cookie", true, cookie),
    option("u user", true, user),
    valueOption("oauth2-bearer", "-H", (text) => `authorization: Bearer ${text}`),
    valueOption("r range", "-H", (text) => `range: bytes=${text}`),
    option("T upload-file", true, upload),
    valueOption("request-target", "--request-target"),
    valueOption("cacert", "--cacert"),
    valueOption("unix-socket", "--unix"),
    toggle("k insecure", "--insecure"),
    toggle("I head", IMPLIED_METHOD, "head"),
    option("url", true, (text) => ({ operand: text })),
    option("F form", true, formMeaning),
    option("form-string", true, literalPart),
    valueOption("x proxy", "--proxy", proxy),
    refusedOption(
      "U proxy-user",
      "value",
      "its user for the proxy (write --proxy http://a:b@host)",
    ),
    valueOption("E cert", "--cert"),
    valueOption("key", "--key"),
    option("resolve", true, resolved),
    ignored("http2", "switch"), // used in `complete`
    unsupported("http3 0 http1.0", "switch", "a version of HTTP other than 1.1 and 2"),
    refusedOption("connect-to", "value", "another address for the host"),
    refusedOption("n netrc digest ntlm negotiate anyauth", "switch", "its authentication"),
    unsupported("limit-rate", "value", "a limit of bytes per second"),
    refusedOption("K config", "value", "its file of options"),
    ...["L location", "G get", "compressed", "g globoff", "path-as-is"].map((names) =>
      ignored(names, "switch")
    ), // used in `differences`, `fields`, `complete` and `url`
    ignored("s silent S show-error v verbose i include f fail fail-with-body", "switch"),
    ignored("N no-buffer http1.1 no-keepalive 4 ipv4 6 ipv6 O remote-name J R q disable", "switch"),
    ignored("basic tcp-nodelay no-alpn no-progress-meter", "switch"),
    ignored("o output w write-out D dump-header connect-timeout", "value"),
    unsupported("retry", "value", "repeating failed requests"),
    ignored("retry-delay retry-max-time", "value"),
    ignored("c cookie-jar max-redirs stderr trace-ascii proto ciphers tls-max", "value"),
  ],
  url: (url, line) =>
    asCurl(url, {
      globs: !line.options.has("g"),
      normalizes: !line.options.has("path-as-is"),
      query: lastOf(line, QUERY) ?? "",
      file: line.options.has("T") ? lastOf(line, "-b")?.slice(1) ?? null : null,
    }),
  defaults: {},
  fields: ({ options, flags }) => ({
    accept: options.has("json") ? "application/json" : "*/*",
    ...(options.has("compressed") ? { "accept-encoding": "deflate, gzip, br, zstd" } : {}),
    ...(options.has("json")
      ? { "content-type": "application/json" }
      : flags.some(([name]) => name === "-b") && !options.has("G") && !options.has("T")
      ? { "content-type": "application/x-www-form-urlencoded" }
      : {}),
  }),
  endsBy: "-d",
  complete: (line) => withVersion(withKey(withForm(withData(withMethod(without(line, NO_FIELD)))))),
  differences: (measured, options) => options.has("L") ? redirected("curl", measured) : [],
};

/** The address of an HTTP proxy. The default port is 1080, as in curl. */
function proxy(text: string): string {
  const address = proxyAddress(text);
  const [, host, path = ""] =
    /^(http:\/\/(?:[^@/]*@)?(?:\[[^\]/]*\]|[^@:/[\]]+))(\/.*)?$/is.exec(address) ?? [];
  return host === undefined ? address : `${host}:1080${path}`;
}

/**
 * Translates a value of --resolve. One that begins with a minus sign removes an address that an earlier option gave,
 * and is refused.
 */
function resolved(text: string): Meaning {
  return text.startsWith("-")
    ? { refused: "another address for the host" }
    : { flags: [["--resolve", text.replace(/^\+/, "")]] };
}

/** Takes the key from the certificate's file, unless another option names it. */
function withKey(line: TranslatedLine): TranslatedLine {
  const certificate = lastOf(line, "--cert");
  const isWhole = certificate === undefined || lastOf(line, "--key") !== undefined;
  return isWhole ? line : withFlags(line, ["--key", certificate]);
}

/**
 * Translates --http2. With TLS, curl negotiates HTTP/2 by ALPN; without TLS, it requests an upgrade from HTTP/1.1,
 * which Plateau can't do.
 */
function withVersion(line: TranslatedLine): TranslatedLine {
  if (!line.options.has("http2") || hasHttp2(line)) return line;
  return isSecure(line) ? withFlags(line, ["--http2"]) : withNote(
    line,
    "Plateau does not upgrade connections to HTTP/2 (--http2-prior-knowledge needs no upgrade)",
  );
}

function withMethod(line: TranslatedLine): TranslatedLine {
  if (lastOf(line, "-m") !== undefined) return without(line, IMPLIED_METHOD);
  const flags = line.flags.map(([name, text]) =>
    [name === IMPLIED_METHOD ? "-m" : name, text] as const
  );
  return { ...line, flags };
}

/** A flag that stands for the removal of a field that curl would otherwise add. */
const NO_FIELD = "-H nothing";

/**
 * Translates a header field. `Name:` removes a field, and `Name;` sends one without a value. Fields that frame the body
 * are dropped, because they follow from the body; browsers include them when they copy a request as a command.
 */
function header(text: string): Meaning {
  if (text === "" || /^content-length\s*:/i.test(text)) return {};
  if (/^transfer-encoding\s*:/i.test(text)) {
    return { note: "the body is sent with its length instead of in chunks" };
  }
  if (text.startsWith("@")) return { refused: "its file of header fields" };
  if (/^[^:]+:\s*$/.test(text)) return { flags: [[NO_FIELD, text]] };
  return { flags: [["-H", text.replace(/^([^:]+);$/, "$1:")]] };
}

function asciiData(text: string): Meaning {
  const note = "the line breaks of the data file are kept";
  return { flags: [["-b", text]], ...(text.startsWith("@") ? { note } : {}) };
}

function user(text: string): Meaning {
  return text.includes(":") ? userOption(text) : { refused: "its password, for which curl asks" };
}

/** Translates the file of -T. curl reads its standard input for `-` and `.`, which are refused. */
function upload(text: string): Meaning {
  return ["-", "."].includes(text) ? { refused: "its standard input" } : {
    flags: [[IMPLIED_METHOD, "put"], ["-b", `@${text}`]],
    note: "the file is sent without Expect: 100-continue before it",
  };
}

/** Translates `text`, `=text` or `name=text` for --data-urlencode. A file, which is named after an `@`, is refused. */
function encodedData(text: string): Meaning {
  const [, name = "", rest] = /^([^=@]*)=(.*)$/s.exec(text) ?? [];
  if (rest === undefined && text.includes("@")) return { refused: "its file of data" };
  const encoded = octetsOf(rest ?? text).replaceAll(/[^\w.~-]/g, percentEncoded).replaceAll(
    "%20",
    "+",
  );
  return { flags: [["-b", name === "" ? encoded : `${name}=${encoded}`]] };
}

function cookie(text: string): Meaning {
  if (text === "") return {};
  return text.includes("=")
    ? { flags: [["-H", `cookie: ${text}`]] }
    : { refused: "its file of cookies" };
}

/**
 * Joins the data of several options: with `&`, or with nothing in between if --json is given. With -G, moves the data
 * into the URL's query.
 */
function withData(line: TranslatedLine): TranslatedLine {
  const data = line.flags.flatMap(([name, text]) =>
    name === "-b" && text !== undefined ? [text] : []
  );
  if (data.length === 0) return line;
  const files = data.filter((text) => text.startsWith("@"));
  const texts = data.filter((text) => !text.startsWith("@"));
  const plain = without(line, "-b");
  if (line.options.has("G")) {
    const refused = files.length > 0 ? ["its data files in the URL"] : [];
    return withFlags({ ...plain, refused: [...line.refused, ...refused] }, [
      QUERY,
      texts.join("&"),
    ]);
  }
  const body = texts.length === 0 ? files[0] : texts.join(line.options.has("json") ? "" : "&");
  const left = files.length - (texts.length === 0 ? 1 : 0);
  const missing = left > 0 ? ["its data files together with other data"] : [];
  const method = lastOf(line, "-m") === undefined ? [["-m", "post"] as const] : [];
  const sent = withFlags(plain, ["-b", body], ...method);
  return { ...sent, refused: [...line.refused, ...missing] };
}
