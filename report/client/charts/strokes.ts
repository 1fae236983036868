/// <reference lib="dom" />

/** Straight lines in one stroke, each from a point to another. */
export function strokeLines(
  ctx: CanvasRenderingContext2D,
  lines: readonly (readonly number[])[],
): void {
  ctx.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    ctx.moveTo(fromX, fromY);
    ctx.lineTo(toX, toY);
  }
  ctx.stroke();
}
