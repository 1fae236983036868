/** Pairs of processes that are loaded in turns, slice by slice, on machines that misbehave: their true ratio is known. */
import type { SideSlices } from "../../runner/stats/slices/slice_ratio.ts";
import type { Random } from "../statistics/random.ts";

/** What one machine, and the programs on it, do to the slices. Standard deviations are of logarithms of speed. */
export interface Behaviour {
  /** Standard deviation of single slices, independent of each other. Default 3 %. */
  readonly slice?: number;
  /** Share of the slices that lose an exponential part of themselves, of this mean, as requests wait for each other. */
  readonly stalls?: { readonly share: number; readonly lost: number };
  /** Noise of each side by itself that goes on from slice to slice: AR(1). */
  readonly waves?: { readonly stdev: number; readonly correlation: number };
  /** Standard deviation between processes of one program. */
  readonly process?: number;
  /** Layouts that a process gets by chance: this share of the processes of a side is this much slower. */
  readonly layout?: {
    readonly share: number;
    readonly slower: number;
    readonly sides: "both" | "next";
  };
  /** By how much the machine is slower at the end of a pair of processes than at its start. */
  readonly drift?: number;
  /** The same of the new side alone, which is true of it: its ratio is that of the middle. */
  readonly ownDrift?: number;
  /** A neighbour that takes this part of the speed, in bursts and gaps of exponential lengths. */
  readonly bursts?: { readonly lost: number; readonly burstS: number; readonly gapS: number };
  /** All of it stops for so long, about once a period. */
  readonly freezes?: { readonly everyS: number; readonly forS: number };
  /** A pause of each side by itself, in its own time: a collection. */
  readonly pauses?: { readonly everyS: number; readonly forS: number };
  /** Cores that the base uses while it rests, and the part of them that the new side loses. */
  readonly restless?: { readonly cores: number; readonly slows: number };
}

/** As most loads have them: 50 ms, of which 6 are cut and shifted by, and 4 ms of pause. */
const SLICE_S = 0.044;
const SWITCH_S = 0.01;
/** Of a pair of slices, with what is between them. */
export const PAIR_S = 2 * (SLICE_S + SWITCH_S);
const PER_SECOND = 5_000;
const SLICE_NOISE = 0.03;
const CPU_SHARE = 0.9;

export interface SimulatedPair {
  readonly base: SideSlices;
  readonly next: SideSlices;
  /** The true log ratio of these two processes. */
  readonly logRatio: number;
}

/** @param logRatio Of the programs, new over base. @param pairs Of slices. */
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
    // ABBA: each two pairs hold one order and its reverse.
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

/** To be filled slice by slice. */
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

/** Mean speed of the machine between two moments. */
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

/** Which share of a stretch of time is in any of these. @param starts Ascending, and none overlaps the next. */
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

/** Evenly, but for a tenth of the period. */
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
