/** Kinds of violations by a server, each of which makes a request fail with the error kind `protocol`. */
export const PROTOCOL_FAILURES = [
  "not-http",
  "other-version",
  "over-limit",
  "protocol-switch",
  "http2-rules",
  "http-rules",
] as const;

export type ProtocolFailure = (typeof PROTOCOL_FAILURES)[number];

/**
 * The messages for all ways in which a response can be malformed, each with its kind of violation. Null stands for
 * `http-rules`, or for a connection that closed too early.
 */
export const PROTOCOL_ERRORS = {
  "closed before the response": null,
  "closed within the head": null,
  "closed within the body": null,
  "not HTTP/1.0 or HTTP/1.1": "not-http",
  "TLS in place of HTTP: write https:// or wss://": "not-http",
  "HTTP/2 in place of HTTP/1.1: use --http2, or http2: true": "other-version",
  "malformed status line": null,
  "malformed field name": null,
  "malformed field value": null,
  "folded field line": null,
  "line end without CR": null,
  "CR without LF": null,
  "the response's head is larger than 65.5 kB, the limit": "over-limit",
  "a chunk line or the trailers are larger than 65.5 kB, the limit": "over-limit",
  "malformed content-length": null,
  "content-length too large": null,
  "conflicting content-lengths": null,
  "malformed transfer-encoding": null,
  "both transfer-encoding and content-length": null,
  "malformed chunk size": null,
  "chunk size too large": null,
  "malformed chunk extension": null,
  "chunk longer than its size": null,
  "the body is larger than checks can keep: 64 MB per body, 256 MB per worker": "over-limit",
  "a switch of protocols (101) that no request asked for": "protocol-switch",
  "more than 20 interim responses, the limit": "over-limit",
} as const satisfies Record<string, ProtocolFailure | null>;

export type ProtocolError = keyof typeof PROTOCOL_ERRORS;

/** Messages of HTTP/2 connection errors that have a kind of violation of their own. All others are `http2-rules`. */
export const CONNECTION_ERRORS = {
  "the server does not speak HTTP/2": "other-version",
  "a header block over its limit": "over-limit",
} as const satisfies Record<string, ProtocolFailure>;

export type NamedConnectionError = keyof typeof CONNECTION_ERRORS;

/** @param code Name of an error code in RFC 9113 §7. */
export function connectionReason(code: string, message: string): string {
  return `${code}: ${message}`;
}

const CONNECTION_REASON = /^[A-Z\d]+(?:_[A-Z\d]+)+: /;

const BY_REASON: ReadonlyMap<string, ProtocolFailure | null> = new Map(
  Object.entries(PROTOCOL_ERRORS),
);
const BY_MESSAGE: ReadonlyMap<string, ProtocolFailure> = new Map(Object.entries(CONNECTION_ERRORS));

/** The kind of violation that a failure's reason tells, unless that is `http-rules`; null for all other reasons. */
export function protocolFailureOf(reason: string): ProtocolFailure | null {
  const [code] = CONNECTION_REASON.exec(reason) ?? [];
  return code === undefined
    ? BY_REASON.get(reason) ?? null
    : BY_MESSAGE.get(reason.slice(code.length)) ?? "http2-rules";
}

/**
 * Number of failures for each kind of violation. Failures for which `protocolFailureOf` returns null count as
 * `http-rules`.
 */
export function protocolFailures(
  count: number,
  reasons: Readonly<Record<string, number>>,
): Partial<Record<ProtocolFailure, number>> {
  const failures: Partial<Record<ProtocolFailure, number>> = {};
  let left = count;
  for (const [reason, times] of Object.entries(reasons)) {
    const failure = protocolFailureOf(reason);
    const taken = Math.min(left, times);
    if (failure === null || taken === 0) continue;
    failures[failure] = (failures[failure] ?? 0) + taken;
    left -= taken;
  }
  if (left > 0) failures["http-rules"] = left;
  return failures;
}
