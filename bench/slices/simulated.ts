/**
 * Simulates pairs of processes that are loaded alternately, one slice of time each, on machines with disturbances. The
 * true ratio of their speeds is known.
 */
import type { SideSlices } from "../../runner/stats/slices/slice_ratio.ts";
import type { Random } from "../statistics/random.ts";

/**
 * How the machine and the programs on it affect the slices. Standard deviations are those of the logarithm of the
 * speed.
 */
export interface Behaviour {
  /** The standard deviation between slices, which are independent of each other. Default: 3 %. */
  readonly slice?: number;
  /**
   * Slices in which requests wait for each other, as a share of all slices. Such a slice loses part of its requests;
   * the lost part is exponential with mean `lost`.
   */
  readonly stalls?: { readonly share: number; readonly lost: number };
  /** Noise that each side has on its own, and that continues from slice to slice as an AR(1) process. */
  readonly waves?: { readonly stdev: number; readonly correlation: number };
  /** The standard deviation between processes of the same program. */
  readonly process?: number;
  /**
   * Memory layouts that processes get by chance: of a side's processes, the share `share` is slower by the share
   * `slower`.
   */
  readonly layout?: {
    readonly share: number;
    readonly slower: number;
    readonly sides: "both" | "next";
  };
  /** By which share the machine is slower at the end of a pair of processes than at its start. */
  readonly drift?: number;
  /**
   * By which share the new side alone is slower at the end of a pair of processes than at its start. The side's speed
   * then really changes, so the true ratio is that in the middle of the pair.
   */
  readonly ownDrift?: number;
  /** A neighbour that takes the share `lost` of the speed, in bursts and gaps of exponential lengths. */
  readonly bursts?: { readonly lost: number; readonly burstS: number; readonly gapS: number };
  /** Halts of the whole machine for `forS`, about once every `everyS`. */
  readonly freezes?: { readonly everyS: number; readonly forS: number };
  /**
   * Pauses such as garbage collections, which each side has on its own. `everyS` counts only the time in which the side
   * itself is loaded.
   */
  readonly pauses?: { readonly everyS: number; readonly forS: number };
  /**
   * The number of cores that the base uses while the new side is loaded and the base should be idle, and the share of
   * the new side's speed that each of these cores takes.
   */
  readonly restless?: { readonly cores: number; readonly slows: number };
}

/**
 * The measured part of a slice under most loads. Of 50 ms, 44 are measured; between two measured parts lie the 6 ms
 * that are cut off and a pause of 4 ms.
 */
const SLICE_S = 0.044;
const SWITCH_S = 0.01;
/** The seconds that a pair of slices takes, including the switch after each. */
export const PAIR_S = 2 * (SLICE_S + SWITCH_S);
const PER_SECOND = 5_000;
const SLICE_NOISE = 0.03;
const CPU_SHARE = 0.9;

export interface SimulatedPair {
  readonly base: SideSlices;
  readonly next: SideSlices;
  /** The logarithm of the true ratio of these two processes, new over base. */
  readonly logRatio: number;
}

/**
 * Simulates the slices of one pair of processes.
 *
 * @param pairs The number of pairs of slices.
 * @param logRatio The logarithm of the ratio of the two programs' speeds, new over base.
 */
export function simulatedPair(
  random: Random,
  { behaviour, pairs, logRatio }: {
    readonly behaviour: Behaviour;
    readonly pairs: number;
    readonly logRatio: number;
  },
): SimulatedPair {
  const { slice = SLICE_NOISE, stalls, waves, ownDrift = 0, pauses, restless } = behaviour;
  const levels = [0, logRatio].map((level, side) => level + processLevel(random, behaviour, side));
  const speedOver = machineOver(random, behaviour, pairs);
  const own = levels.map(() => waves === undefined ? null : random.waves(pairs, waves));
  const pausedOver = levels.map(() =>
    pauses === undefined ? null : stretches(random, pauses, pairs * SLICE_S)
  );
  const sides = levels.map(() => columns());
  let atS = 0;
  let isTurned = false;
  for (let pair = 0; pair < pairs; pair++) {
    // ABBA: the second of every two pairs reverses the order of the first.
    isTurned = pair % 2 === 0 ? random.uniform() < 0.5 : !isTurned;
    for (const side of isTurned ? [1, 0] : [0, 1]) {
      const stalled = stalls !== undefined && random.uniform() < stalls.share
        ? Math.min(0.95, stalls.lost * random.exponential())
        : 0;
      const paused = pausedOver[side]?.(pair * SLICE_S, (pair + 1) * SLICE_S) ?? 0;
      const disturbed = side === 1 && restless !== undefined ? restless.cores * restless.slows : 0;
      const log = levels[side] + slice * random.normal() + (own[side]?.[pair] ?? 0) +
        (side === 1 ? ownDrift * (0.5 - (pair + 0.5) / pairs) : 0);
      const speed = Math.exp(log) * speedOver(atS, atS + SLICE_S) * (1 - stalled) * (1 - paused) *
        (1 - disturbed);
      const completed = Math.max(0, Math.round(PER_SECOND * SLICE_S * speed));
      const { pair: numbers, measuredS, ...rest } = sides[side];
      numbers.push(pair);
      measuredS.push(SLICE_S);
      rest.completed.push(completed);
      rest.served.push(completed);
      rest.serviceSumMs.push(1_000 * SLICE_S);
      rest.cpuMs.push(1_000 * SLICE_S * CPU_SHARE);
      rest.restCpuMs.push(side === 0 ? 1_000 * SLICE_S * (restless?.cores ?? 0) : 0);
      atS += SLICE_S + SWITCH_S;
    }
  }
  return { base: sides[0], next: sides[1], logRatio: levels[1] - levels[0] };
}

function columns(): { readonly [Column in keyof SideSlices]: number[] } {
  return {
    pair: [],
    measuredS: [],
    completed: [],
    serviceSumMs: [],
    served: [],
    cpuMs: [],
    restCpuMs: [],
  };
}

function processLevel(
  random: Random,
  { process = 0, layout }: Behaviour,
  side: number,
): number {
  const isAffected = layout !== undefined && (layout.sides === "both" || side === 1);
  const isSlow = isAffected && random.uniform() < layout.share;
  return process * random.normal() + (isSlow ? Math.log1p(-layout.slower) : 0);
}

/**
 * Returns a mean over the time between two moments: of the machine's speed, or of the share that a disturbance takes.
 */
type SpeedOver = (fromS: number, toS: number) => number;

function machineOver(
  random: Random,
  { drift = 0, bursts, freezes }: Behaviour,
  pairs: number,
): SpeedOver {
  const seconds = 2 * pairs * (SLICE_S + SWITCH_S);
  const busy = bursts === undefined ? null : burstsOver(random, bursts, seconds);
  const frozen = freezes === undefined ? null : stretches(random, freezes, seconds);
  return (fromS, toS) =>
    (1 - drift * (fromS + toS) / 2 / seconds) *
    (1 - (bursts?.lost ?? 0) * (busy?.(fromS, toS) ?? 0)) *
    (1 - (frozen?.(fromS, toS) ?? 0));
}

/**
 * Returns the function that gives the share of a stretch of time that lies within the given spans. Its calls must be in
 * order of time.
 * @param starts In ascending order; spans must not overlap.
 */
function shareIn(starts: readonly number[], ends: readonly number[]): SpeedOver {
  let first = 0;
  return (fromS, toS) => {
    while (first < ends.length && ends[first] < fromS) first++;
    let inside = 0;
    for (let i = first; i < starts.length && starts[i] < toS; i++) {
      inside += Math.max(0, Math.min(toS, ends[i]) - Math.max(fromS, starts[i]));
    }
    return inside / (toS - fromS);
  };
}

function burstsOver(
  random: Random,
  { burstS, gapS }: { readonly burstS: number; readonly gapS: number },
  seconds: number,
): SpeedOver {
  const [starts, ends]: [number[], number[]] = [[], []];
  for (let atS = gapS * random.exponential(); atS < seconds;) {
    starts.push(atS);
    atS += burstS * random.exponential();
    ends.push(atS);
    atS += gapS * random.exponential();
  }
  return shareIn(starts, ends);
}

/** Spans of `forS`, about once every `everyS`. Their starts vary with a standard deviation of a tenth of `everyS`. */
function stretches(
  random: Random,
  { everyS, forS }: { readonly everyS: number; readonly forS: number },
  seconds: number,
): SpeedOver {
  const [starts, ends]: [number[], number[]] = [[], []];
  for (let atS = everyS * random.uniform(); atS < seconds; atS += everyS) {
    const from = Math.max(ends.at(-1) ?? 0, atS + 0.1 * everyS * random.normal());
    starts.push(from);
    ends.push(from + forS);
  }
  return shareIn(starts, ends);
}
