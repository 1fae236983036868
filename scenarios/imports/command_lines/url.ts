/**
 * Interprets the URL on a command line as its tool does. `bench` reads URLs like browsers, which remove dot segments
 * and fragments and encode quotes, but many tools send these as written.
 */
import { octetsOf, percentEncoded } from "../../../base/http/octets.ts";

export interface UrlMeaning {
  /** The path and query to send; absent if a browser would send the same. */
  readonly target?: string;
  /** Value of the field Authorization, if the tool sends user and password. */
  readonly authorization?: string;
  /** A part of the tool's requests that Plateau can't send, such as `the user in its URL`. */
  readonly refused?: string;
}

type ReadUrl = (url: UrlParts) => UrlMeaning;

export interface UrlParts {
  readonly scheme: string;
  /** The part of the authority before an @, which may include a password; "" if there is none. */
  readonly user: string;
  readonly host: string;
  /** Everything after the host: `/path?query#fragment`. */
  readonly rest: string;
}

/** Splits a URL into its parts; null if the text is not a URL. */
export function urlParts(text: string): UrlParts | null {
  const [, scheme, authority, rest] = /^([a-z][\w+.-]*):\/\/([^/?#]*)(.*)$/is.exec(text) ?? [];
  if (scheme === undefined) return null;
  const at = authority.lastIndexOf("@");
  return { scheme, user: authority.slice(0, Math.max(0, at)), host: authority.slice(at + 1), rest };
}

/** Adds `http://` to an address without a scheme, such as `localhost:8080`, because some tools accept that. */
export function withScheme(address: string): string {
  const isBare =
    /^(?![a-z][\w+.-]*:\/\/)(?:[^/?#@\s]*@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:[/?#]|$)/i;
  return isBare.test(address) ? `http://${address}` : address;
}

/** Reads a URL according to the WHATWG standard, as browsers do, but also sends user and password. */
export const asBrowsers: ReadUrl = ({ user }) => ({ ...userIn(user) });

/**
 * Everything after the host, as written.
 * @param unpathed What to send if the URL has no path.
 */
export function asWritten(rest: string, unpathed: string): string {
  return rest.startsWith("/") ? rest : unpathed;
}

/**
 * Reads a URL as Go's net/url does. A path with valid encoding stays unchanged, any other is encoded again, and the
 * query stays unchanged.
 */
export const asGo: ReadUrl = ({ rest, user }) => {
  const [, path = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(rest) ?? [];
  return { target: `${goPath(path === "" ? "/" : path)}${query}`, ...userIn(user) };
};

function goPath(path: string): string {
  if (/^(?:[\w.~!$&'()*+,;=:@/[\]-]|%[\da-f]{2})*$/i.test(path)) return path;
  return decodedOctets(path).replaceAll(
    /[^\w.~$&+,/:;=@-]/g,
    (octet) => percentEncoded(octet).toUpperCase(),
  );
}

/** The octets of a percent-encoded text, each as a character up to U+00FF. They need not be valid UTF-8. */
function decodedOctets(text: string): string {
  return octetsOf(text).replaceAll(
    /%([\da-f]{2})/gi,
    (_, hex) => String.fromCharCode(parseInt(hex, 16)),
  );
}

interface CurlChoice {
  /** Whether patterns such as [1-9] are expanded; false with --globoff. */
  readonly globs: boolean;
  /** Whether dot segments are removed; false with --path-as-is. */
  readonly normalizes: boolean;
  /** The query that -G adds; "" without -G. */
  readonly query: string;
  /** The file that -T sends, or null. Its name is appended to a path that ends with /. */
  readonly file: string | null;
}

/** Reads a URL as curl does: first tool_urlglob.c, then libcurl's urlapi.c. */
export function asCurl(
  { rest, user }: UrlParts,
  { globs, normalizes, query, file }: CurlChoice,
): UrlMeaning {
  const glob = globs ? /(?:^|[^\\])(\[(?!\])[^\]]*\]?|[{}][^}]*\}?)/.exec(rest)?.[1] : undefined;
  if (glob !== undefined) {
    return { refused: `the several URLs of ${glob} (-g sends brackets and braces as they are)` };
  }
  const written = (globs ? rest.replaceAll(/\\([[\]{}])/g, "$1") : rest).replace(/#.*$/s, "");
  if (/[\0-\x20\x7f]/.test(written + query)) {
    return { refused: "this URL, because curl accepts no URL with spaces" };
  }
  const [, path = "", given = ""] = /^([^?]*)(.*)$/s.exec(written) ?? [];
  const whole = path === "" ? "/" : path;
  const joined = query === "" ? given : `${given === "" ? "?" : `${given}&`}${query}`;
  const name = file !== null && whole.endsWith("/") ? octetsOf(file).replace(/^.*\//s, "") : "";
  const uploaded = name.replaceAll(/[^\w.~-]/g, percentEncoded);
  const target = `${normalizes ? withoutDots(whole) : whole}${uploaded}${joined}`;
  return { target: octetsOf(target).replaceAll(/[\x80-\xff]/g, percentEncoded), ...userIn(user) };
}

/** Removes dot segments (RFC 3986 §5.2.4). */
function withoutDots(path: string): string {
  const kept: string[] = [];
  const segments = path.slice(1).split("/");
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    if (segment === "..") kept.pop();
    if (segment !== "." && segment !== "..") kept.push(segment);
    else if (isLast) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** Converts a user and password to the value of a header field (RFC 7617), with the very octets of the URL. */
function userIn(user: string): { authorization?: string } {
  if (user === "") return {};
  const credentials = decodedOctets(user);
  return {
    authorization: `Basic ${btoa(credentials.includes(":") ? credentials : `${credentials}:`)}`,
  };
}
