/**
 * The leading figures of a run, for a headline or a line: those of its requests or, if every request carries messages,
 * those of its messages. The duration of a stream or a WebSocket is not among them, because it mostly depends on the
 * client.
 */
import type { MessageTimes } from "../../runner/result/messages.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { type Bounded, bounded } from "../figures/lower_bounds.ts";
import { poolLatency } from "../figures/pool.ts";
import { receivedPerSecOf } from "../figures/resources.ts";
import { boundText, formatMs } from "../writing/units.ts";

export interface Lead {
  /** What `ratePerSec` counts. */
  readonly unit: "requests" | "messages" | "tokens";
  readonly ratePerSec: number;
  /** The noun for one of the run's requests. */
  readonly request: "request" | "stream" | "call" | "WebSocket";
  readonly times: readonly LeadTime[];
}

type LeadPercentile = 50 | 99;

interface LeadTime {
  /** Precedes the percentiles, such as `first` or `gap`; "" if there is only one kind of time. */
  readonly label: string;
  readonly count: number;
  percentile(p: LeadPercentile): Bounded;
}

type LedRun = Pick<
  Measurement,
  | ("rate" | "steps" | "streams" | "sockets" | "grpc")
  | ("latency" | "histogram" | "censoredHistogram")
>;

export function leadOf(run: LedRun): Lead {
  const { rate, steps = [], streams, sockets, grpc } = run;
  if (![run, ...steps].every(holdsMessages)) {
    const { count, percentile } = poolLatency([run]);
    const times = [{ label: "", count, percentile }];
    return { unit: "requests", request: "request", ratePerSec: rate, times };
  }
  const parts = steps.length > 0 ? steps : [run];
  const request = kindOf(parts, grpc !== undefined);
  const { tokens } = streams ?? {};
  if (tokens !== undefined && parts.every((part) => part.streams?.tokens !== undefined)) {
    const { tokensPerSec: ratePerSec, ttft, tpot } = tokens;
    return {
      unit: "tokens",
      request,
      ratePerSec,
      times: timesOf([["first", ttft], ["each", tpot]]),
    };
  }
  const times = sockets !== undefined && (streams === undefined || sockets.messages.due > 0)
    ? timesOf([[request === "WebSocket" ? "" : "answer", sockets.message]])
    : streams
    ? timesOf([["first", streams.ttfe], ["gap", streams.gap]])
    : [];
  return { unit: "messages", request, ratePerSec: receivedPerSecOf(run) ?? 0, times };
}

type Holding = Pick<LedRun, "streams" | "sockets">;

/**
 * The noun for requests that carry messages.
 * @param hasCalls Whether some of them are gRPC calls. If there are several kinds of requests, it is unknown which ones
 * are calls.
 */
function kindOf(parts: readonly Holding[], hasCalls: boolean): Lead["request"] {
  if (parts.every(({ sockets }) => sockets !== undefined)) return "WebSocket";
  if (parts.some(({ sockets }) => sockets !== undefined)) return "request";
  if (!hasCalls) return "stream";
  return parts.length === 1 ? "call" : "request";
}

function holdsMessages({ streams, sockets }: Holding): boolean {
  return streams !== undefined || sockets !== undefined;
}

function timesOf(times: readonly (readonly [label: string, times: MessageTimes])[]): LeadTime[] {
  return times.map(([label, { count, percentiles, lowerBounds = [] }]) => ({
    label,
    count,
    percentile: (p) => bounded(percentiles[p], lowerBounds.includes(String(p))),
  }));
}

/**
 * For example `p50 2.00 ms` and `p99 16.5 ms`; for streams `first p50 3.10 ms, p99 9.00 ms` and `gap p50 50.1 ms, p99
 * 52.0 ms`.
 */
export function timeTexts({ unit, times }: Lead, percentiles: readonly LeadPercentile[]): string[] {
  const texts = times.filter(({ count }) => count > 0).flatMap(({ label, percentile }) => {
    const known = percentiles.map((p) => {
      const { value, isAtLeast } = percentile(p);
      return `p${p} ${boundText(formatMs(value), isAtLeast)}`;
    });
    return label === "" ? known : [`${label} ${known.join(", ")}`];
  });
  if (texts.length > 0) return texts;
  return [unit === "requests" ? "no latency" : "no message"];
}
