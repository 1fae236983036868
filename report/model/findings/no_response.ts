/** The ends of the requests of runs in which no request got a response, so that nothing was measured. */
import { type ErrorKind, ERRORS } from "../../../runner/result/outcome.ts";
import type { Measurement } from "../../../runner/result/result.ts";
import { formatCount } from "../numbers/units.ts";

export type Unanswered =
  & Pick<Measurement, "errors">
  & { readonly requests: Pick<Measurement["requests"], "due" | "unfinished" | "dropped"> }
  & { readonly load: Pick<Measurement["load"], "timeout"> };

const BECAME: Record<Exclude<ErrorKind, "timeout">, string> = {
  connect: "could not connect",
  reset: "ended in a reset",
  closed: "ended with a closed connection",
  protocol: "got bytes that are not HTTP",
  tls: "failed in the TLS handshake",
  dns: "found no address for the name",
};

/** `50 timed out after 5 s, 12 never sent` over all these runs, the most frequent first; "" where none was due. */
export function endsOf(runs: readonly Unanswered[]): string {
  const sum = (of: (run: Unanswered) => number): number =>
    runs.reduce((whole, run) => whole + of(run), 0);
  const kinds = ERRORS.map((kind) => ({
    count: sum(({ errors }) => errors[kind] ?? 0),
    became: kind === "timeout" ? timedOutText(runs) : BECAME[kind],
  }));
  const others = [
    { count: sum(({ requests }) => requests.unfinished), became: "still waiting at the end" },
    { count: sum(({ requests }) => requests.dropped), became: "never sent" },
  ];
  return [...kinds, ...others].filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ count, became }) => `${formatCount(count)} ${became}`)
    .join(", ");
}

/** `No request got a response: 50 timed out after 5 s`; no full stop. */
export function noResponseText(run: Unanswered): string {
  return run.requests.due === 0
    ? "No request was due"
    : `No request got a response: ${endsOf([run])}`;
}

/** Runs with different time-outs name none. */
function timedOutText(runs: readonly Unanswered[]): string {
  const [first, ...others] = new Set(runs.map(({ load }) => load.timeout));
  if (others.length > 0) return "timed out";
  return `timed out after ${first >= 1_000 ? `${first / 1_000} s` : `${first} ms`}`;
}
