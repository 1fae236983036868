/** Decides when the messages of a stream are due. Pure: moments are milliseconds of any one clock. */

export interface Planted {
  /** The time from the request to the first message. */
  readonly firstMs: number;
  /** The times between later messages, repeated from the start when they are used up. */
  readonly gapsMs: readonly number[];
}

/** Halts of the whole server, one at the end of each `everyMs`; none if `lengthMs` or `everyMs` is 0. */
export interface Freezes {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly everyMs: number;
}

/**
 * The due moment of message k, from 0, of a stream requested at a given moment. A message due within a freeze is due at
 * the freeze's end.
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

/** The moment itself or, if it lies in a freeze, the end of that freeze. */
export function thawed(ms: number, { startMs, lengthMs, everyMs }: Freezes): number {
  if (lengthMs === 0 || everyMs === 0) return ms;
  const cycle = Math.floor((ms - startMs) / everyMs);
  const endMs = startMs + (cycle + 1) * everyMs;
  return ms >= endMs - lengthMs ? endMs : ms;
}
