/** Requests without a response, counted over runs in which nothing else came, and the sentence of them. */
import { type ErrorKind, ERRORS } from "../../../runner/result/outcome.ts";
import type { Measurement } from "../../../runner/result/result.ts";
import { formatCount } from "../numbers/units.ts";

export type Unanswered =
  & Pick<Measurement, "errors">
  & { readonly requests: Pick<Measurement["requests"], "due" | "unfinished" | "dropped"> }
  & { readonly load: Pick<Measurement["load"], "timeout"> };

/** How requests ended in runs in which none got a response. */
export interface NoResponse {
  readonly due: number;
  readonly errors: Readonly<Partial<Record<ErrorKind, number>>>;
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
  const [timeout, ...others] = new Set(runs.map(({ load }) => load.timeout));
  return {
    due: sum(({ requests }) => requests.due),
    errors: Object.fromEntries(errors),
    unfinished: sum(({ requests }) => requests.unfinished),
    dropped: sum(({ requests }) => requests.dropped),
    timeout: others.length > 0 ? null : timeout,
  };
}

const BECAME: Record<Exclude<ErrorKind, "timeout">, string> = {
  connect: "could not connect",
  reset: "ended in a reset",
  closed: "ended with a closed connection",
  protocol: "got bytes that are not HTTP",
  tls: "failed in the TLS handshake",
  dns: "found no address for the name",
};

/** `50 timed out after 5 s, 12 never sent`, the most frequent first; "" where none was due. */
export function endsText({ errors, unfinished, dropped, timeout }: NoResponse): string {
  const kinds = ERRORS.map((kind) => ({
    count: errors[kind] ?? 0,
    became: kind === "timeout" ? timedOutText(timeout) : BECAME[kind],
  }));
  const others = [
    { count: unfinished, became: "still waiting at the end" },
    { count: dropped, became: "never sent" },
  ];
  return [...kinds, ...others].filter(({ count }) => count > 0)
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
