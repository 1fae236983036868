/**
 * Labels of moments over time: each begins at its moment, in rows above the lines, so that none covers a line or
 * another label. One without room is left out; its moment is still drawn, and named below the figure.
 */

export interface MomentLabel {
  readonly text: string;
  /** Pixels. */
  readonly width: number;
  readonly at: number;
  /** Between which it may stand: the ends of its run. */
  readonly left: number;
  readonly right: number;
}

export interface PlacedLabel {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** From 0, the lowest. */
  readonly row: number;
}

/** Blank between two labels of a row, pixels. */
const GAP_PX = 6;

/** In the order of importance: the first ones find room first. */
export function placedLabels(labels: readonly MomentLabel[], rows: number): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const { text, width, at, left, right } of labels) {
    const from = Math.max(left, Math.min(at, right - width));
    if (from + width > right) continue;
    const place = { text, left: from, right: from + width };
    for (let row = 0; row < rows; row++) {
      const isFree = placed.every((other) =>
        other.row !== row || other.right + GAP_PX <= place.left ||
        place.right + GAP_PX <= other.left
      );
      if (!isFree) continue;
      placed.push({ ...place, row });
      break;
    }
  }
  return placed;
}
