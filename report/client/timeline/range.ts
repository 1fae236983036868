/// <reference lib="dom" />
/** The range of time that is selected in a figure of timelines: in its form, by dragging over a chart, or by a link. */
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { choiceParts } from "../linked/choice.ts";

export class RangeForm {
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;

  constructor(form: HTMLFormElement, onChange: (range: TimeRange | null) => void) {
    [this.#from, this.#to] = form.querySelectorAll<HTMLInputElement>("input[type=number]");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => onChange(this.range));
    // While the reader types, a field keeps the typed text. When the text is complete, the field
    // shows the range in use.
    form.addEventListener("change", () => {
      const { range } = this;
      this.range = range;
    });
    form.querySelector("button[name=whole]")?.addEventListener("click", () => {
      this.range = null;
      onChange(null);
    });
  }

  /** The range in the form; null if it is the whole run. */
  get range(): TimeRange | null {
    const end = this.#to.value === "" ? Infinity : Number(this.#to.value);
    return this.wholeSteps(Number(this.#from.value), end);
  }

  /** Adopts the part of the range that lies within the runs. */
  set range(range: TimeRange | null) {
    const endS = Number(this.#to.max);
    const fitting = range !== null && range.fromS < endS
      ? this.wholeSteps(range.fromS, range.toS)
      : null;
    const { fromS, toS } = fitting ?? { fromS: 0, toS: endS };
    [this.#from.value, this.#to.value] = [fromS, toS].map(String);
  }

  /** The range, widened to whole steps of the form's inputs (at least one step); null if that is the whole run. */
  wholeSteps(fromS: number, toS: number): TimeRange | null {
    const step = Number(this.#to.step);
    const count = Math.round(Number(this.#to.max) / step);
    const first = Math.max(0, Math.min(count - 1, Math.floor(fromS / step + 1e-6)));
    const end = Math.max(first + 1, Math.min(count, Math.ceil(toS / step - 1e-6)));
    const secondsOf = (steps: number): number => Number((steps * step).toFixed(6));
    return end - first === count ? null : { fromS: secondsOf(first), toS: secondsOf(end) };
  }
}

// Selecting by dragging over a chart with a mouse, pen or finger. Moving a finger up or down still
// scrolls the page.

interface Brush {
  /**
   * The run and second at the pointer. `run` is null at the start of a drag; afterwards it is the run where the drag
   * began, because a drag never leaves its run.
   */
  at(
    offsetPx: number,
    run: number | null,
  ): { readonly run: number; readonly seconds: number } | null;
  onStart(): void;
  onMove(fromS: number, toS: number): void;
  onEnd(): void;
}

/** A press that moves less than this is a click. */
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

// The link that stores the selected range and the reader's choice:
// `#view=e1-s2&range=2-5.5&hide=express`.

/** The fragment of a link to a section, including `#`. @param range Null for the whole run. */
export function linkTo(section: string, range: TimeRange | null): string {
  const selected = range === null ? [] : [`range=${range.fromS}-${range.toS}`];
  return `#${[`view=${section}`, ...selected, ...choiceParts()].join("&")}`;
}

/**
 * The section and the range in a fragment; null if the fragment names no section. An invalid range counts as the whole
 * run.
 */
export function readLink(
  fragment: string,
): { readonly section: string; readonly range: TimeRange | null } | null {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const section = parts.get("view");
  if (section === null) return null;
  const [, from, to] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(parts.get("range") ?? "") ?? [];
  const [fromS, toS] = [from, to].map(Number);
  return { section, range: fromS < toS ? { fromS, toS } : null };
}
