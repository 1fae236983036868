/// <reference lib="dom" />
/** Dragging over a chart, by mouse, pen or finger; a finger that moves up or down still scrolls the page. */

export interface Brush {
  /** Seconds of the run under the pointer; `run` null looks it up, and the rest of the drag stays in it. */
  at(
    offsetPx: number,
    run: number | null,
  ): { readonly run: number; readonly seconds: number } | null;
  onStart(): void;
  onMove(fromS: number, toS: number): void;
  onEnd(): void;
}

/** A press that moves less is a click. */
const LEAST_PX = 4;

export function brush(canvas: HTMLCanvasElement, { at, onStart, onMove, onEnd }: Brush): void {
  let start: { x: number; run: number; seconds: number } | null = null;
  let isDragged = false;
  canvas.addEventListener("pointerdown", (event) => {
    const place = event.isPrimary && event.button === 0 ? at(event.offsetX, null) : null;
    start = place && { ...place, x: event.offsetX };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (start === null || !event.isPrimary) return;
    if (!isDragged) {
      if (Math.abs(event.offsetX - start.x) < LEAST_PX) return;
      isDragged = true;
      canvas.setPointerCapture(event.pointerId);
      onStart();
    }
    const seconds = at(event.offsetX, start.run)?.seconds ?? start.seconds;
    onMove(Math.min(start.seconds, seconds), Math.max(start.seconds, seconds));
  });
  const end = (): void => {
    start = null;
    if (isDragged) onEnd();
    isDragged = false;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
}
