/**
 * Converts the CPU use of a target that takes turns with another. The system counts CPU time throughout, but a result
 * is about the target's own slices only. Between them, the target waits for nothing and uses next to nothing, so
 * counting that time would halve every share. Pure: the clock is passed in.
 */
import { Turns, type TurnsSpec } from "../../scenarios/pace/slices.ts";
import type { TargetUse } from "../result/generator.ts";

/** Tells when a target is loaded and measured. */
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
 * @param turns Absent if the target is loaded and measured all the time.
 * @param nowUs Returns the time since the start of the load.
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
 * Converts CPU use per second of the run into use per second of the time in which the target was loaded, and keeps the
 * measured part of its throttled time.
 */
export function whileLoaded(target: TargetUse, { loaded, measured }: LoadShares): TargetUse {
  const { throttled } = target;
  return {
    ...inProportion(target, 1 / loaded),
    throttled: throttled && throttled * measured / loaded,
  };
}

/**
 * Multiplies the numbers of cores in use.
 * @param times The factor.
 */
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
