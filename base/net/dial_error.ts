/**
 * The reason why a connection can't be opened: the step that failed, and the cause. Its words are the same for every
 * attempt, because failures are counted by their text.
 */
import { isIP } from "node:net";
import { messageOf } from "../errors.ts";
import type { Tls } from "./endpoint.ts";

export class DialError extends Error {
  override readonly name = "DialError";
  constructor(readonly kind: "connect" | "tls" | "dns", message: string) {
    super(message);
  }
}

/** strerror(3)'s words for errors of connect(2) and socket(2), for which `node:net` gives only a code. */
const WORDS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRNOTAVAIL: "cannot assign requested address",
  EAFNOSUPPORT: "address family not supported by protocol",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by peer",
  EHOSTUNREACH: "no route to host",
  EMFILE: "too many open files",
  ENETUNREACH: "network is unreachable",
  ENFILE: "too many open files in system",
  ENOENT: "no such file or directory",
  EPERM: "operation not permitted",
  EPIPE: "broken pipe",
  ETIMEDOUT: "connection timed out",
};

/** The system's reason for a failed connection, without the number that Deno adds. */
export function systemReason(error: unknown): string {
  const said = WORDS[String(Reflect.get(Object(error), "code"))] ??
    messageOf(error).replace(/ \(os error \d+\)$/, "");
  return said.charAt(0).toLowerCase() + said.slice(1);
}

export const SELF_SIGNED = "the certificate is self-signed";

/** End of the reason for refusing a certificate without a subjectAltName. */
export const NAMELESS = ": it names no host (subjectAltName)";

/** Why a server's self-signed certificate is refused if it was made by `openssl req -x509`. */
export const OF_AN_AUTHORITY =
  "the certificate is that of an authority (basicConstraints has CA:TRUE), as self-signed ones often are";

/** Why such a certificate is refused even though the user named it as trusted: the runtime is too old to accept it. */
export const OF_AN_AUTHORITY_THOUGH_NAMED =
  `${OF_AN_AUTHORITY}, and this program's own TLS does not accept such a certificate, even if it is named as trusted`;

/** Plainer words for the messages of rustls, OpenSSL and Node about failed handshakes. */
const PLAINER: readonly (readonly [said: RegExp, meant: string])[] = [
  [/SelfSigned|^self-signed certificate$/, SELF_SIGNED],
  [/UnknownIssuer/, "the certificate is not signed by an authority that this machine trusts"],
  [/CaUsedAsEndEntity/, OF_AN_AUTHORITY],
  [/certificate expired/, "the certificate has expired"],
  [/certificate not valid yet/, "the certificate is not valid yet"],
  [
    /key too weak|BadSignature/,
    "the certificate's key is too weak (RSA needs 2,048 bits), or its signature is wrong",
  ],
  [/InvalidContentType/, "the server does not speak TLS"],
  [/unexpected end of file|socket disconnected/, "the server hung up during the handshake"],
];

type AlertedTls = Partial<Pick<Tls, "alpn" | "client" | "insecure" | "serverName">>;

/** Alerts with which a server rejects the client's certificate (RFC 8446 §6.2). */
const OF_THE_CLIENT = /^(?:bad|unsupported) certificate$|^certificate |^unknown ca$/;

/**
 * The meaning of a server's alert that OpenSSL (`tlsv1 alert unknown ca`) or rustls (`received fatal alert: UnknownCA`)
 * reports as an error; null if the error is not an alert. In TLS 1.3, an alert may arrive after the handshake, in place
 * of a response.
 */
export function alertMeaning(said: string, tls: AlertedTls = {}): string | null {
  const [, byOpenSsl, byRustls] =
    /^(?:(?:sslv3|tlsv1|tlsv13) (?:alert )?(.+)|.*received fatal alert: (\w+).*)$/.exec(said) ?? [];
  const name = (byOpenSsl ?? byRustls)?.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()
    .replace("unrecognised", "unrecognized");
  if (name === undefined) return null;
  if (name === "certificate required" || (OF_THE_CLIENT.test(name) && tls.client === undefined)) {
    return "the server demands a client certificate";
  }
  if (OF_THE_CLIENT.test(name)) return `the server refused the client certificate (${name})`;
  if (name === "handshake failure") {
    return "the server refused the handshake: it has no cipher, group or key type in common with Plateau, " +
      "or demands a client certificate";
  }
  if (name === "protocol version") {
    return "the server refused the handshake: it speaks only versions of TLS before 1.2";
  }
  if (name === "unrecognized name") {
    return `the server refused the handshake: it has no certificate for ${
      tls.serverName ?? "the name"
    }`;
  }
  return `the server refused the handshake (${name})`;
}

/** Whether a reason from `alertMeaning` says that the server refused the client. */
export function isRefusalByAlert(reason: string): boolean {
  return /^the server (?:demands a|refused the) (?:client certificate|handshake)\b/.test(reason);
}

/** The name of the alert no_application_protocol (RFC 7301 §3.2) in rustls, OpenSSL and Node. */
const NO_PROTOCOL = /no ?application ?protocol/i;

export function handshakeFailed(error: unknown, tls: AlertedTls = {}): DialError {
  const said = messageOf(error);
  const version = tls.alpn === "h2" ? "2" : "1.1";
  const plainer = NO_PROTOCOL.test(said)
    ? `the server does not speak HTTP/${version}: it refused the protocol in ALPN`
    : alertMeaning(said, tls) ?? PLAINER.find(([pattern]) => pattern.test(said))?.[1] ??
      unusableKey(said, tls);
  return new DialError("tls", plainer ?? wrongName(said) ?? `the TLS handshake failed: ${said}`);
}

/**
 * Explains an error about verification that occurs although no certificate is verified, so that it can only be about an
 * unusable key; null for any other error.
 */
function unusableKey(said: string, { insecure = false }: AlertedTls): string | null {
  if (!insecure || !said.includes("unable to verify the first certificate")) return null;
  return "the runtime cannot use the certificate's key (RSA needs 2,048 bits): try --driver epoll";
}

/**
 * Why the protocol that the server chose in ALPN is not acceptable; null if it is. A server that does not use ALPN
 * speaks HTTP/1.1.
 * @param chosen Null if the server chose none.
 */
export function alpnRefusal({ alpn }: Pick<Tls, "alpn">, chosen: string | null): string | null {
  if (alpn === undefined || chosen === alpn) return null;
  return `the server does not speak HTTP/2: it chose ${chosen ?? "no protocol"} in ALPN`;
}

/** The message for a certificate that is valid only for other names than the wanted one. */
export function notValidFor(wanted: string, names: readonly string[]): string {
  const listed = [names.slice(0, -1).join(", "), ...names.slice(-1)].filter(Boolean).join(" or ");
  const valid = listed === "" ? "not valid for any names" : `only valid for ${listed}`;
  return `certificate not valid for name "${wanted}"; certificate is ${valid}`;
}

/**
 * The longest message that is parsed, in characters. Parsing a longer one, which lists many names, would take too long.
 */
const LONGEST = 4_096;

/** Parses rustls's message `… only valid for DnsName("localhost") or IpAddress(127.0.0.1)`. */
function wrongName(said: string): string | null {
  const [, wanted, valid] = said.length > LONGEST
    ? []
    : /not valid for name "(.*?)"(?:.*only valid for (.*))?/.exec(said) ?? [];
  if (wanted === undefined) return null;
  const names = valid?.replace(/\w+\("?(.*?)"?\)/g, "$1");
  if (names === undefined) {
    const why = said.includes("not valid for any names") ? NAMELESS : "";
    return `the certificate is not for ${wanted}${why}`;
  }
  if (isIP(wanted) !== 0 && names.split(/, | or /).includes(wanted)) {
    return `the certificate is not for the address ${wanted}, which it lists only as a DNS name: ` +
      `it needs IP:${wanted} in its subjectAltName`;
  }
  return `the certificate is not for ${wanted} but for ${names}`;
}

/**
 * What the user can do about the reason for a failed connection, in terms of flags or of keys of an experiment file;
 * null if nothing helps.
 */
export function remedyFor(reason: string, written: "flags" | "keys"): string | null {
  const flag = (name: string): string => written === "flags" ? `--${name}` : name;
  if (reason === OF_AN_AUTHORITY) {
    return `${flag("cacert")} with the file of that very certificate trusts it, and ${
      flag("insecure")
    } accepts any certificate`;
  }
  if (reason === OF_AN_AUTHORITY_THOUGH_NAMED) {
    const byOpenSsl = written === "flags"
      ? "--driver epoll trusts the certificate if --cacert names it; "
      : "";
    return `${byOpenSsl}${
      flag("insecure")
    } accepts any certificate; or make a certificate with basicConstraints=CA:FALSE`;
  }
  const [, wanted] =
    /^the certificate is not for (?:the address )?(\S+?)[:,]?(?: .*)?$/.exec(reason) ?? [];
  if (wanted !== undefined) {
    const name = `${isIP(wanted) === 0 ? "DNS" : "IP"}:${wanted}`;
    const other = reason.endsWith(NAMELESS) ? "" : ", or write a host that the certificate names";
    return `make a certificate with subjectAltName=${name} (openssl req has -addext)${other}; ${
      flag("insecure")
    } accepts any certificate`;
  }
  if (/^the certificate(?:'s| is| has)/.test(reason)) {
    return `${flag("cacert")} names an authority to trust, and ${
      flag("insecure")
    } accepts any certificate`;
  }
  if (/client certificate\b/.test(reason)) {
    return `${flag("cert")} and ${flag("key")} name the client's certificate and key`;
  }
  if (reason === "the server does not speak TLS") return "write http:// or ws://";
  if (reason.endsWith(": connection refused")) {
    return "nothing listens there: start the server, or correct the address";
  }
  if (reason.startsWith("there is no host named")) {
    return `correct the name, or give it an address with ${flag("resolve")}`;
  }
  return null;
}

/** Why there was no response, and the settings that help. */
export function whyNoResponse(error: unknown, tls?: Tls): string {
  const said = messageOf(error);
  const why = alertMeaning(said, tls) ?? said;
  const remedy = remedyFor(why, "keys");
  return remedy === null ? why : `${why} (${remedy})`;
}
