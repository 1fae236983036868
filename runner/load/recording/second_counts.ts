/**
 * How many exchanges completed in each second of a run, in a table that stays short however long the run is. When the
 * table is full, neighbouring entries are added up, and each entry then stands for twice as many seconds. Nothing is
 * lost but detail.
 */

/** Half an hour in single seconds. The table of a whole day has 1,350 entries of 64 s each. */
export const MOST_SECONDS = 1_800;

export interface SecondSeries {
  /** Seconds covered by each entry: 1, 2, 4, … */
  readonly everyS: number;
  readonly counts: readonly number[];
}

/** The entries of a table that are new or have changed since the previous part was taken. */
export interface SecondPart extends SecondSeries {
  /** Index of the first of `counts`; all entries before it are unchanged. */
  readonly from: number;
}

export class SecondCounts {
  #everyS = 1;
  #counts: number[] = [];
  /** The first entry that may have changed since the last `take`. */
  #changedFrom = 0;

  // hot: runs for every completed exchange of a load with several steps.
  add(second: number): void {
    while (second >= this.#everyS * MOST_SECONDS) this.#widen();
    const at = Math.floor(second / this.#everyS);
    while (this.#counts.length <= at) this.#counts.push(0);
    this.#counts[at]++;
    if (at < this.#changedFrom) this.#changedFrom = at;
  }

  #widen(): void {
    this.#counts = widened(this.#counts, 2);
    this.#everyS *= 2;
    this.#changedFrom = 0;
  }

  /**
   * The entries that have changed since the last call, or all entries if the table was widened. A receiver replaces its
   * own entries from `from` on.
   */
  take(): SecondPart {
    const from = this.#changedFrom;
    this.#changedFrom = this.#counts.length;
    return { everyS: this.#everyS, from, counts: this.#counts.slice(from) };
  }

  get series(): SecondSeries {
    return { everyS: this.#everyS, counts: [...this.#counts] };
  }
}

/** Entries summed in groups of `factor` neighbours. */
function widened(counts: readonly number[], factor: number): number[] {
  const wide = new Array<number>(Math.ceil(counts.length / factor)).fill(0);
  counts.forEach((count, at) => wide[Math.floor(at / factor)] += count);
  return wide;
}

/**
 * The sum of several workers' tables. Each of its entries covers as many seconds as the widest entries of the given
 * tables.
 */
export function sumOfSeconds(parts: readonly SecondSeries[]): SecondSeries {
  const everyS = Math.max(1, ...parts.map((part) => part.everyS));
  const wide = parts.map((part) => widened(part.counts, everyS / part.everyS));
  const length = Math.max(0, ...wide.map((counts) => counts.length));
  const counts = Array.from(
    { length },
    (_, at) => wide.reduce((sum, part) => sum + (part[at] ?? 0), 0),
  );
  return { everyS, counts };
}
