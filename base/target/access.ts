/**
 * How a server is reached, beyond what its URL says: certificates, another address, a proxy, and a unix socket.
 * Experiment files, flags, and the jobs that agents receive have the same settings.
 */
import { createPublicKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import * as z from "zod";
import { type FileDigest, fileDigest } from "../files.ts";
import { messageOf } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type Access, certificatesIn, unbracketed } from "../net/endpoint.ts";
import { quotedOpenly } from "../secrets.ts";

/** Certificates, as PEM. Converted to JSON they are a digest of their file. */
export class Certificates {
  constructor(readonly path: string, readonly pem: string) {}

  toJSON(): FileDigest {
    return fileDigest(this.path, this.pem);
  }
}

/** The key of a certificate, as PEM. Converted to JSON it is the name of its file. */
export class PrivateKey {
  constructor(readonly path: string, readonly pem: string) {}

  toJSON(): string {
    return this.path;
  }
}

export class ResolvedHost {
  /** @param address One address, or several separated by commas; IPv6 without brackets, as in `host`. */
  constructor(readonly host: string, readonly port: number, readonly address: string) {}

  /** Addresses, in the order in which they are tried. */
  get addresses(): readonly string[] {
    return this.address.split(",");
  }

  /** Whether a URL has this host and port. */
  isHostOf({ protocol, hostname, port }: URL): boolean {
    const dialed = Number(port || usualPort(protocol));
    return this.host === unbracketed(hostname) && this.port === dialed;
  }
}

function usualPort(protocol: string): number {
  return protocol === "https:" || protocol === "wss:" ? 443 : 80;
}

/** `host:port:address[,address]…`, as in curl's `--resolve`; IPv6 addresses may be in brackets. */
export const resolved = z.string().transform((text, context): ResolvedHost => {
  const [, host, port, written] = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5}):(.+)$/.exec(text) ?? [];
  const addresses = (written ?? "").split(",").map(unbracketed);
  if (host !== undefined && addresses.every((address) => isIP(address) !== 0)) {
    return new ResolvedHost(unbracketed(host).toLowerCase(), Number(port), addresses.join(","));
  }
  context.addIssue(
    `Cannot read ${quotedOpenly(text)} as the address of a host: write host:port:address, ` +
      "such as example.org:443:127.0.0.1, with commas between several addresses",
  );
  return z.NEVER;
});

/** An HTTP proxy: its host, port, user and password, and nothing else. */
export const proxyUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  const isWhole = url !== null && text.includes("://") && `${url.pathname}${url.search}` === "/" &&
    url.hash === "";
  const isReadable = url !== null && isPercentEncoded(url.username + url.password);
  if (isWhole && isReadable && url.protocol === "http:") return;
  const why = url?.protocol === "https:"
    ? "TLS to the proxy itself is not supported"
    : isWhole && !isReadable
    ? "its user or password has a bare %: write %25"
    : "it is not the URL of an HTTP proxy";
  context.addIssue(
    `Cannot use this proxy: ${why}; write http://host:port or http://user:password@host:port`,
  );
});

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Why the key does not belong to the (first) certificate; null if it does. */
export function pairProblem(cert: string, key: string): string | null {
  const [first = cert] = certificatesIn(cert); // a file may begin with its key
  try {
    const keys = [createPublicKey(key), new X509Certificate(first).publicKey];
    const [own, certified] = keys.map((key) => key.export({ type: "spki", format: "pem" }));
    return own === certified ? null : "Cannot use this key: it does not belong to the certificate";
  } catch (error) {
    return `Cannot use this certificate with its key: ${messageOf(error)}`;
  }
}

/** Access as written: each value may have any type, and may be wrong. */
interface GivenAccess {
  readonly url?: unknown;
  readonly cacert?: unknown;
  readonly cert?: unknown;
  readonly key?: unknown;
  readonly resolve?: unknown;
  readonly httpProxy?: unknown;
  readonly unix?: unknown;
}

interface AccessConflict {
  readonly key: "cacert" | "cert" | "key" | "resolve" | "httpProxy" | "unix";
  readonly message: string;
  readonly fix: string;
}

/**
 * The scheme without TLS and the scheme with TLS for the kind of this URL, HTTP or WebSocket, and whether the URL
 * itself uses TLS.
 */
export function schemesOf(
  url: unknown,
): { readonly plain: string; readonly secure: string; readonly isSecure: boolean } {
  const plain = /^wss?:/i.test(String(url)) ? "ws" : "http";
  const secure = `${plain}s`;
  return { plain, secure, isSecure: String(url).toLowerCase().startsWith(`${secure}:`) };
}

/** Options that conflict with the URL, or with each other. */
export function accessConflicts(given: GivenAccess): AccessConflict[] {
  const { plain, secure, isSecure } = schemesOf(given.url);
  const has = (key: keyof GivenAccess): boolean => given[key] !== undefined;
  const rules: [applies: boolean, AccessConflict][] = [
    [has("cacert") && !isSecure, {
      key: "cacert",
      message: `Cannot use certificates: the URL is not ${secure}`,
      fix: `leave out cacert, or write ${secure}:// in the URL`,
    }],
    [has("cert") && !isSecure, {
      key: "cert",
      message: `Cannot present a certificate without TLS: the URL is not ${secure}`,
      fix: `leave out cert, or write ${secure}:// in the URL`,
    }],
    [has("cert") && !has("key"), {
      key: "cert",
      message: "Cannot present a certificate without its key",
      fix: "add key",
    }],
    [has("key") && !has("cert"), {
      key: "key",
      message: "Cannot use a key without its certificate",
      fix: "add cert",
    }],
    [has("unix") && isSecure, {
      key: "unix",
      message: `Cannot use TLS on a unix socket: the URL is ${secure}`,
      fix: `write ${plain}://`,
    }],
    [has("unix") && has("httpProxy"), {
      key: "httpProxy",
      message: "Cannot reach a unix socket through a proxy",
      fix: "leave out one of the two",
    }],
    [has("resolve") && (has("unix") || has("httpProxy")), {
      key: "resolve",
      message: `Cannot use an address for the host: ${
        has("httpProxy")
          ? "the proxy looks the host up"
          : "a unix socket is dialed instead of a host"
      }`,
      fix: "leave out resolve",
    }],
  ];
  return [
    ...rules.flatMap(([applies, conflict]) => applies ? [conflict] : []),
    ...otherHost(given),
  ];
}

/** Why HTTP/2 can't reach the URL, or one of the hosts, through this proxy; null if it can reach all of them. */
export function http2ProxyProblem(
  { httpProxy, url, hosts = [] }: {
    readonly httpProxy?: unknown;
    readonly url?: unknown;
    /** Hosts to which redirects may lead. */
    readonly hosts?: readonly string[];
  },
): string | null {
  const plain = [url, ...hosts].some((origin) => /^http:/i.test(String(origin)));
  if (httpProxy === undefined || !plain) return null;
  return "Cannot speak HTTP/2 to an http:// URL through an HTTP proxy, because only https uses a tunnel";
}

/** A conflict if an address is given for a host other than the URL's, because it would never be dialed. */
function otherHost({ url, resolve }: GivenAccess): AccessConflict[] {
  const named = typeof resolve === "string" ? resolved.safeParse(resolve).data : resolve;
  const parsed = URL.parse(String(url));
  if (!(named instanceof ResolvedHost) || parsed === null) return [];
  if (named.isHostOf(parsed)) return [];
  const port = parsed.port || usualPort(parsed.protocol);
  const message = `Cannot use an address for ${named.host}:${named.port}: ` +
    `the load goes only to ${parsed.hostname}:${port}`;
  return [{ key: "resolve", message, fix: "name the URL's host and port" }];
}

const certificates = z.string().max(LIMITS.certificates.most).includes(
  "-----BEGIN CERTIFICATE-----",
  { error: "Cannot read these certificates: they are not in PEM format" },
);

/** Access for agents and gateways: without an HTTP proxy, because nothing would monitor the proxy's machine. */
export const accessShape: z.ZodType<Access, Access> = z.strictObject({
  insecure: z.boolean().optional(),
  caCerts: z.array(certificates).max(LIMITS.jobCertificates.most).optional(),
  unixPath: z.string().min(1).max(LIMITS.unixPath.most).regex(/^[^\0]*$/, {
    error: "Cannot use a path with a NUL character in it",
  }).optional(),
  addresses: z.array(
    z.string().refine((text) => isIP(text) !== 0, "Cannot dial this: it is not an IP address"),
  ).min(1).max(LIMITS.addresses.most).optional(),
  clientCertificate: z.strictObject({
    cert: certificates,
    key: z.string().max(LIMITS.certificates.most),
  }).optional(),
});
