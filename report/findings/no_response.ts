/**
 * What went wrong with responses, in counts and words: runs in which no request got a response, and statuses other than
 * 2xx.
 */
import {
  PROTOCOL_FAILURES,
  type ProtocolFailure,
  protocolFailures,
} from "../../base/http/reason.ts";
import { type ErrorKind, ERRORS } from "../../runner/result/outcome.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { sum } from "../writing/spread.ts";
import { formatCount } from "../writing/units.ts";

export type Unanswered =
  & Pick<Measurement, "errors" | "reasons">
  & { readonly generator: Pick<Measurement["generator"], "findings"> }
  & { readonly requests: Pick<Measurement["requests"], "due" | "unfinished" | "dropped"> }
  & { readonly load: Pick<Measurement["load"], "timeout"> };

/** How requests ended in runs in which none of them got a response. */
export interface NoResponse {
  readonly due: number;
  readonly errors: Readonly<Partial<Record<ErrorKind, number>>>;
  /** How many failures of kind `protocol` had each of these causes; absent in earlier results. */
  readonly protocol?: Readonly<Partial<Record<ProtocolFailure, number>>>;
  readonly unfinished: number;
  readonly dropped: number;
  /** Whether the generator failed before it sent any request. */
  readonly isUnsent?: boolean;
  /** The time-out in ms; null if it differs between the runs. */
  readonly timeout: number | null;
}

/** How requests ended in all of these runs together. @param runs At least one. */
export function noResponseOf(runs: readonly Unanswered[]): NoResponse {
  const counts = <Key extends string>(
    keys: readonly Key[],
    of: (run: Unanswered) => Readonly<Partial<Record<Key, number>>>,
  ): Partial<Record<Key, number>> => {
    const entries = keys.map((key) => [key, sum(runs, (run) => of(run)[key] ?? 0)] as const);
    return Object.fromEntries(entries.filter(([, count]) => count > 0)) as Partial<
      Record<Key, number>
    >;
  };
  const [timeout, ...others] = new Set(runs.map(({ load }) => load.timeout));
  return {
    due: sum(runs, ({ requests }) => requests.due),
    errors: counts(ERRORS, ({ errors }) => errors),
    protocol: counts(
      PROTOCOL_FAILURES,
      ({ errors, reasons }) => protocolFailures(errors.protocol ?? 0, reasons),
    ),
    unfinished: sum(runs, ({ requests }) => requests.unfinished),
    dropped: sum(runs, ({ requests }) => requests.dropped),
    isUnsent: runs.every(({ generator: { findings } }) =>
      findings.some(({ code }) => code === "nothing-sent")
    ),
    timeout: others.length > 0 ? null : timeout,
  };
}

const BECAME: Readonly<
  Record<Exclude<ErrorKind, "timeout" | "protocol"> | ProtocolFailure, string>
> = {
  connect: "could not connect",
  reset: "ended in a reset",
  closed: "ended with a closed connection",
  tls: "failed in the TLS handshake",
  dns: "found no address for the host name",
  script: "failed in the script of the experiment",
  "not-http": "got bytes that are not HTTP",
  "other-version": "found a server that speaks another version of HTTP",
  "over-limit": "got a response over a limit",
  "protocol-switch": "got a switch of protocols instead of a response",
  "http2-rules": "had a connection that broke the rules of HTTP/2",
  "http-rules": "got a response that breaks the rules of HTTP",
};

/**
 * How requests ended, the most frequent way first, such as `50 timed out after 5 s, 12 never sent`; "" if none was due.
 */
export function endsText(
  { errors, protocol, unfinished, dropped, isUnsent = false, timeout }: NoResponse,
): string {
  if (isUnsent) return "the generator sent none";
  const after = timeout === null
    ? ""
    : ` after ${timeout >= 1_000 ? `${timeout / 1_000} s` : `${timeout} ms`}`;
  const failures = protocol ?? { "http-rules": errors.protocol };
  const became: Readonly<Record<string, string>> = {
    ...BECAME,
    timeout: `timed out${after}`,
    unfinished: "still waiting at the end",
    dropped: "never sent",
  };
  const { protocol: _, ...kinds } = errors;
  return Object.entries({ ...kinds, ...failures, unfinished, dropped })
    .flatMap(([kind, count = 0]) => count > 0 ? [{ kind, count }] : [])
    .sort((a, b) => b.count - a.count)
    .map(({ kind, count }) => `${formatCount(count)} ${became[kind]}`)
    .join(", ");
}

/** For example `No request got a response: 50 timed out after 5 s`, without a full stop. */
export function noResponseText(found: NoResponse): string {
  const { due, isUnsent = false } = found;
  return due === 0 && !isUnsent
    ? "No request was due"
    : `No request got a response: ${endsText(found)}`;
}

/**
 * Statuses other than 2xx, such as `9,000 of 14,892 responses were 404, and 12 were 503`, without a full stop; "" if
 * there are none, or if they were expected.
 */
export function otherStatusesText(
  { status, checks, requests }: Pick<Measurement, "status" | "checks" | "requests">,
): string {
  const found = Object.entries(status)
    .filter(([code, count]) => count > 0 && !code.startsWith("2"))
    .sort(([, a], [, b]) => b - a);
  const areExpected = checks.passed > 0 && checks.failed === 0;
  if (found.length === 0 || areExpected) return "";
  const [[most, count], ...rest] = found;
  const were = (count: number): string => count === 1 ? "was" : "were";
  const of = `${formatCount(count)} of ${formatCount(requests.completed)} responses ${
    were(count)
  } ${most}`;
  if (rest.length === 0) return of;
  const others = sum(rest, ([, count]) => count);
  const left = formatCount(others);
  return rest.length === 1
    ? `${of}, and ${left} ${were(others)} ${rest[0][0]}`
    : `${of}, and ${left} had ${rest.length} other statuses outside 2xx`;
}
