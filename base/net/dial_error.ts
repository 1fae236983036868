/**
 * Why there is no connection: which step failed, and the cause in words that stay the same from one
 * attempt to the next, as failures are counted by them.
 */
import { getSystemErrorMap } from "node:util";
import { messageOf } from "../errors.ts";
import type { Tls } from "./endpoint.ts";

export class DialError extends Error {
  override readonly name = "DialError";
  constructor(readonly kind: "connect" | "tls" | "dns", message: string) {
    super(message);
  }
}

/**
 * Why the system gave no connection, in its own words: Deno adds a number to them, and `node:net` has a code in their
 * place.
 */
export function systemReason(error: unknown): string {
  const errno = Number(Reflect.get(Object(error), "errno"));
  const [, words] = getSystemErrorMap().get(errno) ?? [];
  const said = words ?? messageOf(error).replace(/ \(os error \d+\)$/, "");
  return said.charAt(0).toLowerCase() + said.slice(1);
}

/** What rustls and Node say of a handshake that failed, in plainer words. */
const PLAINER: readonly (readonly [said: RegExp, meant: string])[] = [
  [/UnknownIssuer/, "the certificate is not signed by an authority that is trusted here"],
  [
    /CaUsedAsEndEntity/,
    "the certificate is an authority's, not a server's (basicConstraints has CA:TRUE)",
  ],
  [/certificate expired/, "the certificate has expired"],
  [/certificate not valid yet/, "the certificate is not valid yet"],
  [/InvalidContentType/, "the server does not speak TLS"],
  [/unexpected end of file|socket disconnected/, "the server hung up during the handshake"],
];

/** As rustls, OpenSSL and Node name the alert (RFC 7301 §3.2). */
const NO_PROTOCOL = /no ?application ?protocol/i;

/** For a TLS handshake that failed. */
export function handshakeFailed(error: unknown, { alpn }: Pick<Tls, "alpn"> = {}): DialError {
  const said = messageOf(error);
  const plainer = NO_PROTOCOL.test(said)
    ? `the server does not speak HTTP/${alpn === "h2" ? "2" : "1.1"}: it refuses that by ALPN`
    : PLAINER.find(([pattern]) => pattern.test(said))?.[1];
  return new DialError("tls", plainer ?? wrongName(said) ?? `the TLS handshake failed: ${said}`);
}

/**
 * Why the server's choice will not do; null where it will. Without a choice it speaks HTTP/1.1, which is what was
 * spoken before ALPN.
 *
 * @param chosen Null for none.
 */
export function alpnRefusal({ alpn }: Pick<Tls, "alpn">, chosen: string | null): string | null {
  if (alpn === undefined || chosen === alpn) return null;
  return `the server does not speak HTTP/2: it chose ${chosen ?? "no protocol"} by ALPN`;
}

/** A certificate for more names would take long to be read. */
const LONGEST = 4_096;

/** As rustls puts it: `… only valid for DnsName("localhost") or IpAddress(127.0.0.1)`. */
function wrongName(said: string): string | null {
  const [, wanted, valid] = said.length > LONGEST
    ? []
    : /not valid for name "(.*?)"(?:.*only valid for (.*))?/.exec(said) ?? [];
  if (wanted === undefined) return null;
  const names = valid?.replace(/\w+\("?(.*?)"?\)/g, "$1");
  return `the certificate is not for ${wanted}` + (names === undefined ? "" : ` but for ${names}`);
}

/** What stood in the way of a response, and which settings are for it. */
export function whyNoResponse(error: unknown): string {
  const why = messageOf(error);
  const isTls = error instanceof DialError && error.kind === "tls";
  if (!isTls || !why.startsWith("the certificate")) return why;
  return `${why} (cacert names an authority to trust, insecure takes any certificate)`;
}
