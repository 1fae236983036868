/** Requests without a response, counted over runs in which nothing else came, and the sentence of them. */
import {
  PROTOCOL_FAILURES,
  type ProtocolFailure,
  protocolFailures,
} from "../../base/http/reason.ts";
import { type ErrorKind, ERRORS } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { formatCount } from "../writing/units.ts";

export type Unanswered =
  & Pick<Measurement, "errors" | "reasons">
  & { readonly requests: Pick<Measurement["requests"], "due" | "unfinished" | "dropped"> }
  & { readonly load: Pick<Measurement["load"], "timeout"> };

/** How requests ended in runs in which none got a response. */
export interface NoResponse {
  readonly due: number;
  readonly errors: Readonly<Partial<Record<ErrorKind, number>>>;
  /** What those of kind `protocol` were; absent in earlier results. */
  readonly protocol?: Readonly<Partial<Record<ProtocolFailure, number>>>;
  readonly unfinished: number;
  readonly dropped: number;
  /** Milliseconds; null where the runs have different ones. */
  readonly timeout: number | null;
}

/** Over all these runs, at least one. */
export function noResponseOf(runs: readonly Unanswered[]): NoResponse {
  const sum = (of: (run: Unanswered) => number): number =>
    runs.reduce((whole, run) => whole + of(run), 0);
  const errors = ERRORS.map((kind) => [kind, sum(({ errors }) => errors[kind] ?? 0)] as const);
  const failures = runs.map(({ errors, reasons }) =>
    protocolFailures(errors.protocol ?? 0, reasons)
  );
  const protocol = PROTOCOL_FAILURES.map((failure) => {
    const count = failures.reduce((whole, of) => whole + (of[failure] ?? 0), 0);
    return [failure, count] as const;
  });
  const [timeout, ...others] = new Set(runs.map(({ load }) => load.timeout));
  return {
    due: sum(({ requests }) => requests.due),
    errors: Object.fromEntries(errors),
    protocol: Object.fromEntries(protocol.filter(([, count]) => count > 0)),
    unfinished: sum(({ requests }) => requests.unfinished),
    dropped: sum(({ requests }) => requests.dropped),
    timeout: others.length > 0 ? null : timeout,
  };
}

const BECAME: Record<Exclude<ErrorKind, "timeout" | "protocol">, string> = {
  connect: "could not connect",
  reset: "ended in a reset",
  closed: "ended with a closed connection",
  tls: "failed in the TLS handshake",
  dns: "found no address for the name",
};

const BECAME_BY_PROTOCOL: Record<ProtocolFailure, string> = {
  "not-http": "got bytes that are not HTTP",
  "other-version": "found a server that speaks another version of HTTP",
  "over-limit": "got a response over a limit",
  "protocol-switch": "got a switch of protocols in place of a response",
  "http2-rules": "had a connection that broke the rules of HTTP/2",
  "http-rules": "got a response that breaks the rules of HTTP",
};

/** `50 timed out after 5 s, 12 never sent`, the most frequent first; "" where none was due. */
export function endsText(found: NoResponse): string {
  const { errors, unfinished, dropped, timeout } = found;
  const { protocol = { "http-rules": errors.protocol } } = found;
  const kinds = ERRORS.flatMap((kind) =>
    kind === "protocol" ? [] : [{
      count: errors[kind] ?? 0,
      became: kind === "timeout" ? timedOutText(timeout) : BECAME[kind],
    }]
  );
  const failures = PROTOCOL_FAILURES.map((failure) => ({
    count: protocol[failure] ?? 0,
    became: BECAME_BY_PROTOCOL[failure],
  }));
  const others = [
    { count: unfinished, became: "still waiting at the end" },
    { count: dropped, became: "never sent" },
  ];
  return [...kinds, ...failures, ...others].filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ count, became }) => `${formatCount(count)} ${became}`)
    .join(", ");
}

/** `No request got a response: 50 timed out after 5 s`; no full stop. */
export function noResponseText(found: NoResponse): string {
  return found.due === 0 ? "No request was due" : `No request got a response: ${endsText(found)}`;
}

function timedOutText(timeout: number | null): string {
  if (timeout === null) return "timed out";
  return `timed out after ${timeout >= 1_000 ? `${timeout / 1_000} s` : `${timeout} ms`}`;
}
