/**
 * Reads a line of text that has a moment and, after it, a request in quotes, whatever else is in the line. Such lines
 * are written by Apache, nginx, HAProxy, Envoy, Traefik, Amazon's load balancers, and all servers that use the common
 * log format. Pure.
 */
import { loggedLine, type LogLine, noRequest, octetsIn } from "./logged.ts";
import { momentUs } from "./moment.ts";

/**
 * A moment in brackets. Other things in brackets don't match, such as HAProxy's process id or the names of nginx's
 * upstreams.
 */
const BRACKETED = /\[(\d{1,4}[-/][^\]"]{8,40}|\d{10}(?:\.\d+)?)\]/;
/** A moment without brackets, in RFC 3339 notation or as nginx's `$msec`. */
const BARE = /(?:^|\s)(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?|\d{10}\.\d{3})(?=\s)/;
/**
 * A request line in quotes, up to the quote after the version. Its target may contain quotes if the log has no escapes.
 */
const WITH_VERSION = /^[^"]*"([^"\\\s]+ .*?HTTP\/\d(?:\.\d)?)"/;
const ANY_REQUEST = /^[^"]*"((?:[^"\\]|\\.)*)"/;

/** A moment as HAProxy writes it, with a fraction of a second and without a time zone. */
const OF_HAPROXY = /^\d+\/\w+\/[\d:]+\.\d+$/;

export function accessLine(line: string): LogLine {
  const stamp = BRACKETED.exec(line) ?? BARE.exec(line);
  if (stamp === null) throw new Error('it has no [time] "request", as the common log format has');
  const rest = line.slice(stamp.index + stamp[0].length);
  const found = WITH_VERSION.exec(rest) ?? ANY_REQUEST.exec(rest);
  if (found === null) return noRequest("it has no request in quotes after its time");
  const unescaped = OF_HAPROXY.test(stamp[1]) ? withoutHashes : withoutBackslashes;
  const status = /^\s+(\d{3})\b/.exec(rest.slice(found[0].length))?.[1];
  return loggedLine(momentUs(stamp[1]), { text: unescaped(octetsIn(found[1])), status });
}

const CONTROLS: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" },
};

/**
 * Undoes the escapes `\"`, `\\`, `\n` and `\xhh` of Apache (util.c, `ap_escape_logitem`), `\xHH` of nginx, and `\u00XX`
 * of nginx's JSON.
 */
function withoutBackslashes(text: string): string {
  return text.replaceAll(
    /\\(?:x([\da-f]{2})|u00([\da-f]{2})|(.))/gis,
    (_, hex?: string, unicode?: string, other = "") => {
      const code = hex ?? unicode;
      return code === undefined ? CONTROLS[other] ?? other : character(code);
    },
  );
}

/**
 * Undoes HAProxy's escapes, such as `#22` for a quote or `#23` for `#` itself (its configuration manual, "Logging",
 * "non-printable characters").
 */
function withoutHashes(text: string): string {
  return text.replaceAll(/#([\da-f]{2})/gi, (_, hex: string) => character(hex));
}

function character(hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}
