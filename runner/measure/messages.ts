/** Figures of the messages of streams and WebSockets, over all workers. */
import { withoutSecrets } from "../../base/secrets.ts";
import {
  type BoundedTotals,
  type MessageCounts,
  sumOfBounded,
} from "../load/recording/message_counts.ts";
import {
  type MessageTotals,
  MOST_NAMES,
  type NamedMessages,
  OTHER_NAMES,
} from "../load/recording/messages.ts";
import { OTHER_CODES, type SocketTotals } from "../load/recording/socket_messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { MessageTimes, SocketFigures, StreamFigures } from "../result/messages.ts";
import type { Measurement } from "../result/result.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import {
  mergeHistograms,
  type SparseHistogram,
  sumOfSparse,
} from "../stats/histogram/histogram.ts";
import { boundedDistributionOf, estimateOf, productLimit } from "./bounded_times.ts";
import { distributionOf, sumOf } from "./totals.ts";

interface WholeLoad {
  readonly elapsedS: number;
  readonly clock: Measurement["latency"]["clock"];
}

/** Figures of all steps together, or of one. Empty if no response is a stream and no request opens a WebSocket. */
export function messageFigures(
  totals: readonly WorkerTotals[],
  whole: WholeLoad,
  ofStep: number | "all" = "all",
): Pick<Measurement, "streams" | "sockets"> {
  const isOf = ({ step }: { readonly step: number }): boolean =>
    ofStep === "all" || step === ofStep;
  const streams = totals.flatMap(({ messages = [] }) => messages).filter(isOf);
  const sockets = totals.flatMap(({ sockets = [] }) => sockets).filter(isOf);
  return {
    ...streams.length > 0 && { streams: streamFigures(streams, whole) },
    ...sockets.length > 0 && { sockets: socketFigures(sockets, whole) },
  };
}

function streamFigures(
  parts: readonly MessageTotals[],
  { elapsedS, clock }: WholeLoad,
): StreamFigures {
  const sum = (of: (part: MessageTotals) => number): number => sumOf(parts, of);
  const estimate = estimateOf(clock);
  const messages = countsOf(parts);
  const interruptions = {
    ended: sum(({ interruptions }) => interruptions.ended),
    cut: sum(({ interruptions }) => interruptions.cut),
    refused: sum(({ interruptions }) => interruptions.refused),
  };
  const isInterrupted = Object.values(interruptions).some((times) => times > 0);
  const perToken = sumOfSparse(parts.map((part) => part.perToken));
  return {
    messages,
    events: messages.received,
    eventsPerSec: perSec(sum(({ inTime }) => inTime), elapsedS),
    whole: sum(({ whole }) => whole),
    ...isInterrupted && { interruptions },
    ttfe: timesOf(parts.map(({ first }) => first), estimate),
    // In closed and open loops alike, a stream's observation is cut off at a given time, no matter
    // how long its gaps are, so the product-limit estimate is right for both.
    gap: timesOf(parts.map(({ gap }) => gap), productLimit),
    byName: byName(parts),
    ...parts.some(({ hasTokens }) => hasTokens) && {
      tokens: {
        tokens: sum(({ tokens }) => tokens),
        tokensPerSec: perSec(sum(({ tokensInTime }) => tokensInTime), elapsedS),
        ttft: timesOf(parts.map(({ firstToken }) => firstToken), estimate),
        tpot: { ...distributionOf(mergeHistograms([perToken])), ...encoded(perToken) },
      },
    },
  };
}

function socketFigures(
  parts: readonly SocketTotals[],
  { elapsedS }: WholeLoad,
): SocketFigures {
  const sum = (of: (part: SocketTotals) => number): number => sumOf(parts, of);
  return {
    messages: countsOf(parts),
    // Each message is due at a given time, even in a closed loop.
    message: timesOf(parts.map(({ latency }) => latency), estimateOf("intended")),
    opened: sum(({ opened }) => opened),
    sent: sum(({ sent }) => sent),
    received: sum(({ came }) => came),
    messagesPerSec: perSec(sum(({ cameInTime }) => cameInTime), elapsedS),
    unmatched: sum(({ unmatched }) => unmatched),
    closeCodes: codesOf(parts),
  };
}

function countsOf(parts: readonly MessageCounts[]): StreamFigures["messages"] {
  return {
    due: sumOf(parts, ({ due }) => due),
    received: sumOf(parts, ({ received }) => received),
    failed: sumOf(parts, ({ failed }) => failed),
    unfinished: sumOf(parts, ({ unfinished }) => unfinished),
    dropped: sumOf(parts, ({ dropped }) => dropped),
  };
}

function perSec(inTime: number, elapsedS: number): number {
  return elapsedS > 0 ? inTime / elapsedS : 0;
}

function timesOf(
  parts: readonly BoundedTotals[],
  estimate: ReturnType<typeof estimateOf>,
): MessageTimes {
  const { all, censored } = sumOfBounded(parts);
  return {
    ...boundedDistributionOf({ all, censored }, estimate),
    ...encoded(all),
    ...censored.count > 0 && { censoredHistogram: encodeHistogram(censored) },
  };
}

function encoded(times: SparseHistogram): { readonly histogram?: string } {
  return times.count === 0 ? {} : { histogram: encodeHistogram(times) };
}

/**
 * Figures by message name, sorted by name, so that the order does not depend on which worker or request met a name
 * first. If there are too many names, those with the most events are kept apart and all others are added up.
 */
function byName(parts: readonly MessageTotals[]): StreamFigures["byName"] {
  const all = Map.groupBy(parts.flatMap(({ names }) => names), ({ name }) => withoutSecrets(name));
  const others = all.get(OTHER_NAMES) ?? [];
  all.delete(OTHER_NAMES);
  const sums = [...all].map(([name, named]) => ({ name, named, events: eventsOf(named) }))
    .sort((one, other) => other.events - one.events || inOrder(one.name, other.name));
  others.push(...sums.splice(MOST_NAMES).flatMap(({ named }) => named));
  sums.sort((one, other) => inOrder(one.name, other.name));
  if (others.length > 0) sums.push({ name: OTHER_NAMES, named: others, events: eventsOf(others) });
  return sums.map(({ name, named, events }) => ({
    name,
    events,
    gap: distributionOf(mergeHistograms(named.map(({ gap }) => gap))),
  }));
}

function eventsOf(named: readonly NamedMessages[]): number {
  return sumOf(named, ({ received }) => received);
}

/** An order that, unlike a locale's, is the same on every machine. */
function inOrder(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function codesOf(parts: readonly SocketTotals[]): SocketFigures["closeCodes"] {
  const all = new Map<number, number>();
  for (const [code, sockets] of parts.flatMap(({ closeCodes }) => closeCodes)) {
    all.set(code, (all.get(code) ?? 0) + sockets);
  }
  const sorted = [...all].sort(([one], [other]) => one - other);
  return Object.fromEntries(sorted.map(([code, sockets]) => [
    code === OTHER_CODES ? "other" : String(code),
    sockets,
  ]));
}
