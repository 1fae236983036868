/**
 * Converts the CPU use of a target that takes turns with another: the system counts it all the time, but a result is
 * about the target's own slices only. At rest the target waits for nothing and uses next to nothing, which would halve
 * every share. Pure: the clock is handed in.
 */
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { TargetUse } from "../result/generator.ts";

/** When a target is loaded. */
export interface LoadClock {
  readonly isMeasured: () => boolean;
  /** Shares of the time so far in which the target was loaded, and in which it was measured. */
  readonly shares: () => LoadShares;
}

export interface LoadShares {
  readonly loaded: number;
  readonly measured: number;
}

const ALL_THE_TIME: LoadShares = { loaded: 1, measured: 1 };

/**
 * @param turns Absent: the target is loaded and measured all the time.
 * @param nowUs Time since the start of the load.
 */
export function loadClock(turns: TurnsSpec | undefined, nowUs: () => number): LoadClock {
  if (turns === undefined) return { isMeasured: () => true, shares: () => ALL_THE_TIME };
  const clock = new Turns(turns);
  return {
    isMeasured: () => clock.isMeasuredAt(nowUs()),
    shares: () => {
      const us = Math.min(nowUs(), turns.durationUs);
      const [loaded, measured] = [clock.loadedUs(us) / us, clock.ownUs(us) / us];
      return loaded > 0 ? { loaded, measured } : ALL_THE_TIME;
    },
  };
}

/**
 * Converts use over all the time to use over the time in which the target was loaded, and throttled time to the part of
 * it that was measured.
 */
export function whileLoaded(target: TargetUse, { loaded, measured }: LoadShares): TargetUse {
  const { throttled } = target;
  return {
    ...inProportion(target, 1 / loaded),
    throttled: throttled && throttled * measured / loaded,
  };
}

/** @param times Factor by which the cores in use are multiplied. */
export function inProportion(target: TargetUse, times: number): TargetUse {
  const { cpu, waiting, busiestThread } = target;
  return {
    ...{ ...target, cpu: times * cpu, waiting: times * waiting },
    ...busiestThread && { busiestThread: threadOf(busiestThread, times) },
  };
}

type BusiestThread = NonNullable<TargetUse["busiestThread"]>;

function threadOf({ name, cpu, processCpu, peers }: BusiestThread, times: number): BusiestThread {
  const ofOneCore = (share: number): number => Math.min(1, times * share);
  return {
    ...{ name, cpu: ofOneCore(cpu) },
    ...processCpu !== undefined && { processCpu: times * processCpu },
    ...peers && { peers: { ...peers, leastCpu: ofOneCore(peers.leastCpu) } },
  };
}
