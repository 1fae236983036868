/**
 * Decides when the messages of a stream are due. Pure: moments are in milliseconds of whatever clock the caller uses.
 */

export interface Planted {
  /** The time from the request to the first message. */
  readonly firstMs: number;
  /** The times between successive messages; after the last, they start again from the first. */
  readonly gapsMs: readonly number[];
}

/**
 * Periods in which the whole server stalls: the last `lengthMs` of every `everyMs`, counted from `startMs`. There are
 * none if either length is 0.
 */
export interface Freezes {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly everyMs: number;
}

/**
 * Returns a function for the moment at which message `k` (from 0) of a stream requested at `requestMs` is due. If that
 * moment is within a freeze, the message is due when the freeze ends.
 */
export function momentsOf(
  { firstMs, gapsMs }: Planted,
  freezes: Freezes,
): (requestMs: number, k: number) => number {
  const roundMs = gapsMs.reduce((sum, ms) => sum + ms, 0);
  const sums = gapsMs.map((_, i) => gapsMs.slice(0, i).reduce((sum, ms) => sum + ms, 0));
  return (requestMs, k) => {
    const rounds = Math.floor(k / gapsMs.length);
    return thawed(requestMs + firstMs + rounds * roundMs + sums[k % gapsMs.length], freezes);
  };
}

/** The given moment or, if it is within a freeze, the end of that freeze. */
export function thawed(ms: number, { startMs, lengthMs, everyMs }: Freezes): number {
  if (lengthMs === 0 || everyMs === 0) return ms;
  const cycle = Math.floor((ms - startMs) / everyMs);
  const endMs = startMs + (cycle + 1) * everyMs;
  return ms >= endMs - lengthMs ? endMs : ms;
}
