/** Runs MLRsearch on the simulated servers with which Plateau's search for a capacity is tested. */
import { FastRandom } from "../capacity/fast_random.ts";
import type { ServerKind, Terms } from "../capacity/servers.ts";
import type { MlrCounts, MlrSearch, MlrTerms, MlrTrial } from "./peer.ts";

/** The terms that decide when a load is too much. */
type MlrGoal = Pick<MlrTerms, "exceedRatio" | "shortS" | "longS" | "sumS">;

/** The goals that the specification describes (appendix A). */
export const MLR_GOALS = {
  /** A goal in the manner of TST 009: the median of 21 trials or more decides. */
  "21 × 1 s": { exceedRatio: 0.5, shortS: 1, longS: 1, sumS: 21 },
  /** A goal in the manner of RFC 2544: a single trial decides. */
  "1 × 60 s": { exceedRatio: 0, shortS: 1, longS: 60, sumS: 60 },
} as const satisfies Record<string, MlrGoal>;

/**
 * The relative width of the interval at which a search may end. It is that of Plateau's searches, which end at ± 2 %.
 */
const WIDTH_RATIO = 0.04;
/** The lowest and highest loads that may be tried, relative to the server's nominal rate. */
const LOADS = { least: 0.05, most: 1.2 };
/** Simulated seconds between two trials. */
const BETWEEN_S = 0.3;

interface MlrSearched {
  /** The lower bound in requests per second; null if none was found. */
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
  /** When the trial begins, in simulated seconds since the start of the search. */
  readonly fromS: number;
}

/** Simulates a trial. It begins with an idle server, as each of Plateau's trials does. */
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
