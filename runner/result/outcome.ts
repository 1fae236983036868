/** The closed list of ways in which a request can end in an error. */
export const ERRORS = [
  "connect",
  "timeout",
  "reset",
  "closed",
  "protocol",
  "tls",
  "dns",
  "script",
] as const;

export type ErrorKind = (typeof ERRORS)[number];

/**
 * Whether nothing was measured, because no request got a response. A refusal or an error with a status is a response. A
 * stream or a WebSocket that brought a message counts as a response, too, although it may never end.
 */
export function isUnanswered({ requests, streams, sockets }: {
  readonly requests: { readonly completed: number };
  readonly streams?: { readonly events: number };
  readonly sockets?: { readonly received: number };
}): boolean {
  return requests.completed === 0 && (streams?.events ?? 0) === 0 &&
    (sockets?.received ?? 0) === 0;
}

/** Number of wrong responses. If nothing was expected of the responses, those outside 2xx and 3xx count as wrong. */
export function wrongResponsesOf({ checks, status }: {
  readonly checks: { readonly passed: number; readonly failed: number };
  readonly status: Readonly<Record<string, number>>;
}): number {
  if (checks.passed + checks.failed > 0) return checks.failed;
  return Object.entries(status)
    .reduce((sum, [code, count]) => /^[23]/.test(code) ? sum : sum + count, 0);
}
