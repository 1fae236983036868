/**
 * Whether a side at rest disturbs the other: its timers, garbage collections and busy loops use the cores on which the
 * other side is measured. Pure.
 *
 * Both sides are pinned alike, so what either uses at rest slows the other by the same unknown share of that CPU time,
 * between none and all of it. So only the side that uses more at rest moves the ratio, at most by the difference.
 */

/** CPU time of a side at rest, while the other side was loaded. */
export interface Rest {
  readonly cpuMs: number;
  /** Seconds for which the other side was loaded. */
  readonly seconds: number;
}

export interface Disturbance {
  readonly side: "base" | "next";
  /** Cores that the side uses at rest, beyond those that the other side uses at rest. */
  readonly cores: number;
  /** By how much this may distort the other side's requests/s: 0.02 is 2 %. Latencies may be distorted more. */
  readonly mostRatio: number;
}

/** Fewer cores affect no verdict. */
const LEAST_CORES = 0.01;

/** Null if neither side disturbs the other, or if that is unknown. */
export function disturbanceOf(base: Rest | null, next: Rest | null): Disturbance | null {
  if (base === null || next === null) return null;
  const [ofBase, ofNext] = [base, next].map(({ cpuMs, seconds }) => cpuMs / 1_000 / seconds);
  const cores = Math.abs(ofBase - ofNext);
  if (!(cores >= LEAST_CORES)) return null;
  return { side: ofBase > ofNext ? "base" : "next", cores, mostRatio: Math.min(1, cores) };
}
