/** Figures of the messages of streams, over all workers. */
import { withoutSecrets } from "../../base/secrets.ts";
import {
  type BoundedTotals,
  type MessageTotals,
  MOST_NAMES,
  type NamedMessages,
  OTHER_NAMES,
} from "../load/recording/messages.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { Measurement } from "../result/result.ts";
import type { BoundedStreamTimes, StreamFigures } from "../result/streams.ts";
import { encodeHistogram } from "../stats/histogram/hdr.ts";
import {
  mergeHistograms,
  type SparseHistogram,
  sumOfSparse,
} from "../stats/histogram/histogram.ts";
import { boundedDistributionOf, estimateOf, productLimit } from "./bounded_times.ts";
import { messagesOf } from "./message_laws.ts";
import { distributionOf } from "./totals.ts";

interface WholeLoad {
  readonly elapsedS: number;
  readonly clock: Measurement["latency"]["clock"];
}

/** Nothing where no response is a stream. */
export function streamFigures(
  totals: readonly WorkerTotals[],
  { elapsedS, clock }: WholeLoad,
): Pick<Measurement, "streams"> {
  const parts = messagesOf(totals);
  if (parts.length === 0) return {};
  const sum = (of: (part: MessageTotals) => number): number =>
    parts.reduce((total, part) => total + of(part), 0);
  const perSec = (inTime: number): number => elapsedS > 0 ? inTime / elapsedS : 0;
  const received = sum((part) => part.received);
  const estimate = estimateOf(clock);
  const firstTokens = parts.map(({ firstToken }) => firstToken);
  const hasTokens = parts.some(({ hasTokens }) => hasTokens);
  const perToken = sumOfSparse(parts.map((part) => part.perToken));
  return {
    streams: {
      messages: {
        due: sum((part) => part.due),
        received,
        failed: sum((part) => part.failed),
        unfinished: sum((part) => part.unfinished),
        dropped: sum((part) => part.dropped),
      },
      events: received,
      eventsPerSec: perSec(sum((part) => part.inTime)),
      whole: sum((part) => part.whole),
      ttfe: timesOf(parts.map(({ first }) => first), estimate),
      // The clock ends the watch on a stream in both loops.
      gap: timesOf(parts.map(({ gap }) => gap), productLimit),
      byName: byName(parts),
      ...hasTokens && {
        tokens: {
          tokens: sum((part) => part.tokens),
          tokensPerSec: perSec(sum((part) => part.tokensInTime)),
          ttft: timesOf(firstTokens, estimate),
          tpot: { ...distributionOf(mergeHistograms([perToken])), ...encoded(perToken) },
        },
      },
    },
  };
}

/** Times of all workers. */
export function timesOf(
  parts: readonly BoundedTotals[],
  estimate: ReturnType<typeof estimateOf>,
): BoundedStreamTimes {
  const all = sumOfSparse(parts.map((part) => part.all));
  const censored = sumOfSparse(parts.map((part) => part.censored));
  return {
    ...boundedDistributionOf({ all, censored }, estimate),
    ...encoded(all),
    ...censored.count > 0 && { censoredHistogram: encodeHistogram(censored) },
  };
}

function encoded(times: SparseHistogram): { readonly histogram?: string } {
  return times.count === 0 ? {} : { histogram: encodeHistogram(times) };
}

/** Workers may have met different names first: those beyond the most are the others, as in each worker. */
function byName(parts: readonly MessageTotals[]): StreamFigures["byName"] {
  const names = new Map<string, NamedMessages[]>();
  for (const named of parts.flatMap((part) => part.names)) {
    const isRoom = names.has(named.name) || names.size < MOST_NAMES;
    const name = isRoom ? named.name : OTHER_NAMES;
    names.set(name, [...names.get(name) ?? [], named]);
  }
  return [...names].map(([name, all]) => ({
    name: withoutSecrets(name),
    events: all.reduce((total, { received }) => total + received, 0),
    gap: distributionOf(mergeHistograms(all.map(({ gap }) => gap))),
  }));
}
