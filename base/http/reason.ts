/** Every way in which a response can be malformed, in the words that people read. */
export const PROTOCOL_ERRORS = [
  "closed before the response",
  "closed within the head",
  "closed within the body",
  "not HTTP/1.0 or HTTP/1.1",
  "TLS in place of HTTP: write https:// or wss://",
  "HTTP/2 in place of HTTP/1.1: use --http2, or http2: true",
  "malformed status line",
  "malformed field name",
  "malformed field value",
  "folded field line",
  "line end without CR",
  "CR without LF",
  "the response's head is larger than 65.5 kB, the limit",
  "a chunk line or the trailers are larger than 65.5 kB, the limit",
  "malformed content-length",
  "content-length too large",
  "conflicting content-lengths",
  "malformed transfer-encoding",
  "both transfer-encoding and content-length",
  "malformed chunk size",
  "chunk size too large",
  "malformed chunk extension",
  "chunk longer than its size",
  "the body is larger than checks can keep: 64 MB per body, 256 MB per worker",
  "a switch of protocols (101) that no request asked for",
  "more than 20 interim responses, the limit",
] as const;

export type ProtocolError = (typeof PROTOCOL_ERRORS)[number];

/** Kinds of violation by a server that make a request fail as `protocol`. */
export const PROTOCOL_FAILURES = [
  "not-http",
  "other-version",
  "over-limit",
  "protocol-switch",
  "http2-rules",
  "http-rules",
] as const;

export type ProtocolFailure = (typeof PROTOCOL_FAILURES)[number];

const BY_REASON: readonly (readonly [reason: RegExp, failure: ProtocolFailure])[] = [
  [/^(?:not HTTP\/1\.0|TLS in place of)/, "not-http"],
  [/^HTTP\/2 in place of|: the server does not speak HTTP\/2$/, "other-version"],
  [/, the limit$|^the body is larger than|a header block over its limit$/, "over-limit"],
  [/^a switch of protocols/, "protocol-switch"],
  // HTTP/2 connection errors begin with the name of their code (RFC 9113 §7).
  [/^[A-Z]+(?:_[A-Z0-9]+)+: /, "http2-rules"],
];

/** The kind of violation that a failure's reason describes; null if it describes none. */
export function protocolFailureOf(reason: string): ProtocolFailure | null {
  return BY_REASON.find(([pattern]) => pattern.test(reason))?.[1] ?? null;
}

/** Number of failures for each kind of violation. Failures whose reason describes none count as `http-rules`. */
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
