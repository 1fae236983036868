/**
 * CPU time of both targets, read near the end of each pause between slices, when neither is loaded and most requests in
 * flight have ended. If a reading comes late, in the next slice, the CPU time in the slices before and after the pause
 * is unknown. Linux only.
 */
import type { TurnsSpec } from "../../scenarios/pace/slices.ts";
import { childrenOf, processCpuMs } from "../../base/system/processes.ts";
import { type CoreTimes, coreUseBetween, readCoreTimes } from "../../base/system/core_times.ts";
import type { WatchedTree } from "../../targets/launch/launcher.ts";

/** Returns a target's processes, found again at each reading; none if they can't be seen. */
export type Pids = () => readonly number[];

/** Processes of the trees that Plateau has started, without the supervisor of a tree that has one. */
export function pidsOf(trees: () => readonly WatchedTree[]): Pids {
  return () =>
    trees().flatMap(({ pid, supervised }) => {
      if (pid === null) return [];
      const all = treeOf(pid);
      return supervised ? all.slice(1) : all;
    });
}

/** The process, and all its descendants. */
export function treeOf(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/**
 * Processes are searched for once in this many readings. A search takes longer than a reading, so new children are
 * missed until the next search.
 */
const READINGS_A_SEARCH = 8;

export interface Reading {
  /** Time since the start of the load. */
  readonly atUs: number;
  /** CPU time by process, for each side. */
  readonly cpuMs: readonly ReadonlyMap<number, number>[];
  readonly machine: CoreTimes | null;
  readonly ownMs: number | null;
}

/**
 * CPU time of both targets from the reading before one slice of either side (a slot) to the reading after it; null if
 * unknown.
 */
export interface SlotUse {
  readonly cpuMs: readonly (number | null)[];
  /** CPU time of everything except the targets and this program. */
  readonly othersMs: number | null;
}

export class SideCpu {
  readonly #readings: Reading[] = [];
  #pids: readonly (readonly number[])[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param nowUs Time since the start of the load. */
  constructor(
    private readonly sides: readonly [Pids, Pids],
    private readonly spec: PairTurns,
    private readonly nowUs: () => number,
  ) {
    this.#search();
    this.#read();
  }

  #search(): void {
    this.#pids = this.sides.map((pids) => pids());
  }

  #read(): void {
    this.#readings.push({
      atUs: this.nowUs(),
      cpuMs: this.#pids.map((pids) =>
        new Map(pids.flatMap((pid) => {
          const cpuMs = processCpuMs(pid);
          return cpuMs === null ? [] : [[pid, cpuMs] as const];
        }))
      ),
      machine: readCoreTimes(null),
      ownMs: processCpuMs(Deno.pid),
    });
    const slot = this.#readings.length;
    if (slot > 2 * this.spec.pairs) return;
    const read = (): void => this.#at(readingUs(slot, this.spec), () => this.#read());
    if (slot % READINGS_A_SEARCH > 0) return read();
    // As soon as the pause begins, so that the reading is not late.
    const { sliceUs, pauseUs } = this.spec;
    this.#at(slot * (sliceUs + pauseUs) - pauseUs, () => {
      this.#search();
      read();
    });
  }

  #at(us: number, then: () => void): void {
    const inMs = (us - this.nowUs()) / 1_000;
    // Rounded down to whole milliseconds, because a timer fires about 1 ms late.
    this.#timer = setTimeout(then, Math.max(0, Math.floor(inMs)));
  }

  /** Stops the readings; returns the CPU use in each slice that has ended. */
  stop(): SlotUse[] {
    clearTimeout(this.#timer);
    return usesBetween(this.#readings, this.spec);
  }
}

type PairTurns = Omit<TurnsSpec, "side">;

/** A timer may be late by this much, unless half the pause is shorter. */
const LATE_US = 4_000;

/**
 * When to read before a slot, microseconds since the start of the load: as late in the pause as a timer allows, because
 * work for requests still in flight would count as what the side uses at rest.
 */
export function readingUs(slot: number, { sliceUs, pauseUs }: PairTurns): number {
  return slot * (sliceUs + pauseUs) - Math.min(pauseUs / 2, LATE_US);
}

/** @param readings One before each slot, and one after the last. */
export function usesBetween(readings: readonly Reading[], spec: PairTurns): SlotUse[] {
  return readings.slice(1).map((after, at) => {
    const before = readings[at];
    if (!isInPause(before, at, spec) || !isInPause(after, at + 1, spec)) return UNSEEN;
    const cpuMs = before.cpuMs.map((earlier, side) => usedBetween(earlier, after.cpuMs[side]));
    return { cpuMs, othersMs: othersBetween(before, after, cpuMs) };
  });
}

/** Whether a reading came in the pause before a slot, before which there is only rest if it is the first. */
function isInPause({ atUs }: Reading, slot: number, { sliceUs, pauseUs }: PairTurns): boolean {
  const startUs = slot * (sliceUs + pauseUs);
  return atUs <= startUs && (atUs >= startUs - pauseUs || slot === 0);
}

const UNSEEN: SlotUse = { cpuMs: [null, null], othersMs: null };

/**
 * CPU time used between two readings; null if unknown: if there is no process, or if one was found only now, because it
 * may have used its time in any of the slices since the last search.
 * @param before,after CPU time by process.
 */
export function usedBetween(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number | null {
  if (after.size === 0) return null;
  let usedMs = 0;
  for (const [pid, cpuMs] of after) {
    const earlierMs = before.get(pid);
    if (earlierMs === undefined) return null;
    usedMs += Math.max(0, cpuMs - earlierMs);
  }
  return usedMs;
}

function othersBetween(
  before: Reading,
  after: Reading,
  cpuMs: readonly (number | null)[],
): number | null {
  const known = [...cpuMs, before.ownMs, after.ownMs].every((ms) => ms !== null);
  if (!known || before.machine === null || after.machine === null) return null;
  const elapsedMs = (after.atUs - before.atUs) / 1_000;
  const { busyMs, interruptsMs } = coreUseBetween(before.machine, after.machine, elapsedMs);
  const sidesMs = cpuMs.reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
  const ownMs = (after.ownMs ?? 0) - (before.ownMs ?? 0);
  return Math.max(0, busyMs - interruptsMs - sidesMs - ownMs);
}
