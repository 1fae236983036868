/** What a test says that counts all ways in which the values could have come out. */
export interface ExactTest {
  /** Two-sided. */
  readonly p: number;
  /** The least p that so many values can give. */
  readonly leastP: number;
}

/** Where nothing was counted: the interval then decides alone, as with too few runs. */
export const UNCOUNTED: ExactTest = { p: 1, leastP: 1 };
