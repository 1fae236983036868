/**
 * The number of intervals that are kept for a run, and lists that have at most that many entries, however long the run
 * is. When a list is full, every two neighbours are joined, so that each entry then stands for twice as many values.
 * Pure.
 */

/** Length of an interval without `--interval`. */
export const DEFAULT_INTERVAL_MS = 250;

/**
 * The most intervals of a run: as many as ten minutes have at 250 ms each. A longer run has its intervals joined, but
 * keeps at least half as many. Even 1,200 are more than a chart has columns of pixels, and sixty times what the search
 * for a steady state needs. With their histograms, they take a few MB in results.
 */
export const MOST_INTERVALS = 2_400;
/** The most intervals if their length is not the default. Results then take some 30 MB, which can still be read. */
export const MOST_ASKED_INTERVALS = 40_000;

/**
 * The most intervals that are kept for a run.
 * @param intervalMs Length of an interval before any are joined.
 */
export function mostIntervalsOf(intervalMs: number): number {
  return intervalMs === DEFAULT_INTERVAL_MS ? MOST_INTERVALS : MOST_ASKED_INTERVALS;
}

/** Entries of a run in order. Neighbours are joined when there are too many entries. */
export class JoinedSeries<T> {
  #entries: T[] = [];
  /** How many added values an entry holds; the last entry may hold fewer. */
  #width = 1;
  #inLast = 0;

  /** @param join Makes one entry from two neighbours. */
  constructor(private readonly most: number, private readonly join: (one: T, next: T) => T) {}

  add(entry: T): void {
    if (this.#inLast > 0 && this.#inLast < this.#width) return this.joinToLast(entry, 1);
    this.#entries.push(entry);
    this.#inLast = 1;
    if (this.#entries.length > this.most) this.#widen();
  }

  /**
   * Joins an entry to the last one, even if the last one is full.
   * @param counts How many added values the entry counts for.
   */
  joinToLast(entry: T, counts = 0): void {
    const last = this.#entries.pop();
    this.#entries.push(last === undefined ? entry : this.join(last, entry));
    this.#inLast += counts;
  }

  #widen(): void {
    const isLastAlone = this.#entries.length % 2 === 1;
    if (!isLastAlone) this.#inLast += this.#width;
    this.#entries = this.#entries.flatMap((entry, at) => {
      if (at % 2 === 1) return [];
      return at + 1 < this.#entries.length ? [this.join(entry, this.#entries[at + 1])] : [entry];
    });
    this.#width *= 2;
  }

  get entries(): readonly T[] {
    return this.#entries;
  }
}
