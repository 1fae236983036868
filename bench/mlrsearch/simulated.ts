/** MLRsearch on the simulated servers of the search for a capacity. */
import { FastRandom } from "../capacity/fast_random.ts";
import type { ServerKind, Terms } from "../capacity/servers.ts";
import type { MlrCounts, MlrSearch, MlrTerms, MlrTrial } from "./peer.ts";

/** The terms that decide whether a single load is too much. */
type MlrGoal = Pick<MlrTerms, "exceedRatio" | "shortS" | "longS" | "sumS">;

/** The goals that the specification describes (appendix A). */
export const MLR_GOALS = {
  /** The goal in the manner of TST 009: the median of 21 trials or more. */
  "21 × 1 s": { exceedRatio: 0.5, shortS: 1, longS: 1, sumS: 21 },
  /** The goal in the manner of RFC 2544: one trial decides. */
  "1 × 60 s": { exceedRatio: 0, shortS: 1, longS: 60, sumS: 60 },
} as const satisfies Record<string, MlrGoal>;

/** The width of Plateau's searches, both sides together. */
const WIDTH_RATIO = 0.04;
/** The least and the most load, relative to the server's speed. */
const LOADS = { least: 0.05, most: 1.2 };
/** The time between two trials. */
const BETWEEN_S = 0.3;

interface MlrSearched {
  /** The lower end in requests per second; null if there is none. */
  readonly low: number | null;
  readonly high: number | null;
  readonly seconds: number;
  readonly trials: number;
}

export async function simulateMlrSearch(
  peer: MlrSearch,
  { kind, terms, goal }: { kind: ServerKind; terms: Terms; goal: MlrGoal },
  seed: number,
): Promise<MlrSearched> {
  const random = new FastRandom(seed);
  const { perSec, allowed } = terms;
  let [seconds, trials] = [0, 0];
  const bounds = await peer.search(
    {
      ...goal,
      ...{ lossRatio: allowed, widthRatio: WIDTH_RATIO },
      ...{ leastPerSec: LOADS.least * perSec, mostPerSec: LOADS.most * perSec },
    },
    (plan) => {
      const counts = countsOf(kind, { terms, plan, fromS: seconds }, random);
      seconds += plan.seconds + BETWEEN_S;
      trials++;
      return counts;
    },
  );
  return { ...bounds, seconds, trials };
}

interface Trial {
  readonly terms: Terms;
  readonly plan: MlrTrial;
  /** The trial's beginning, as a moment of the search. */
  readonly fromS: number;
}

/** The counts of a trial, which begins with an idle server, as each trial of Plateau's does. */
function countsOf(
  kind: ServerKind,
  { terms, plan, fromS }: Trial,
  random: FastRandom,
): MlrCounts {
  const server = kind.start(terms, fromS, random);
  const { limitS } = terms;
  const gapS = 1 / plan.ratePerSec;
  const { isEven = false } = kind;
  let [requests, late, atS] = [0, 0, 0];
  for (;;) {
    atS += isEven ? gapS : random.exponential() * gapS;
    if (atS >= plan.seconds) return { requests, late };
    requests++;
    if (server.respond(atS, random) - atS > limitS) late++;
  }
}
