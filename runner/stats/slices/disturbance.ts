/**
 * Whether one side, while it should be idle, disturbs the other: its timers, garbage collections and busy loops then
 * use cores on which the other side is being measured. Pure.
 *
 * Both sides are pinned to the same cores, so the CPU time that an idle side uses slows the other by some share of that
 * time. The share is unknown, anywhere between none and all of it, but it is the same for both sides. So the ratio is
 * distorted only by the side that uses more. If the sides use a > b cores, and slow each other by all of that, one keeps
 * 1 − a of its speed and the other 1 − b, which distorts the ratio by (a − b) / (1 − b).
 */

/** CPU time that a side used while it was idle and the other side was loaded. */
export interface Rest {
  readonly cpuMs: number;
  /** How long the other side was loaded. */
  readonly seconds: number;
}

export interface Disturbance {
  readonly side: "base" | "next";
  /** Cores that the side uses while idle, in excess of what the other side uses while idle. */
  readonly cores: number;
  /**
   * By how much the side may at most distort the other side's requests/s: 0.02 is 2 %. Latencies may be distorted more.
   */
  readonly mostRatio: number;
}

/** A smaller difference affects no verdict. */
const LEAST_CORES = 0.01;

/** @returns Null if both sides use about the same CPU time while idle, or if that of either is unknown. */
export function disturbanceOf(base: Rest | null, next: Rest | null): Disturbance | null {
  if (base === null || next === null) return null;
  const [ofBase, ofNext] = [base, next].map(({ cpuMs, seconds }) => cpuMs / 1_000 / seconds);
  const cores = Math.abs(ofBase - ofNext);
  if (!(cores >= LEAST_CORES)) return null;
  const least = Math.min(ofBase, ofNext);
  const mostRatio = least < 1 ? Math.min(1, cores / (1 - least)) : 1;
  return { side: ofBase > ofNext ? "base" : "next", cores, mostRatio };
}
