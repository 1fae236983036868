/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The controls of a figure of timelines: a view in, the chosen view out. */
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import type { View } from "./view.ts";

export class ViewForm {
  readonly #form: HTMLFormElement;
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;

  constructor(form: HTMLFormElement, onChange: (view: View) => void) {
    this.#form = form;
    [this.#from, this.#to] = form.querySelectorAll<HTMLInputElement>("input[type=number]");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", ({ target }) => {
      const isBox = target instanceof HTMLInputElement && target.type === "checkbox";
      // Something stays to look at.
      if (isBox && this.#valuesOf(target.name).length === 0) target.checked = true;
      onChange(this.view);
    });
    // The fields keep the typed text until it is complete; then they show the range that is used.
    form.addEventListener("change", () => {
      const { view } = this;
      this.view = view;
    });
    form.querySelector("button[name=whole]")?.addEventListener("click", () => {
      this.view = { ...this.view, range: null };
      onChange(this.view);
    });
  }

  get view(): View {
    const end = this.#to.value === "" ? Infinity : Number(this.#to.value);
    return {
      range: this.wholeSteps(Number(this.#from.value), end),
      percentiles: this.#checked("percentile"),
      runs: this.#checked("run")?.map(Number) ?? null,
    };
  }

  /** Takes over the parts of a view that fit the figure. */
  set view({ range, percentiles, runs }: View) {
    this.#check("percentile", percentiles);
    this.#check("run", runs?.map(String) ?? null);
    const endS = Number(this.#to.max);
    const fitting = range !== null && range.fromS < endS
      ? this.wholeSteps(range.fromS, range.toS)
      : null;
    const { fromS, toS } = fitting ?? { fromS: 0, toS: endS };
    [this.#from.value, this.#to.value] = [fromS, toS].map(String);
  }

  /** The whole steps that the seconds touch, at least one; null for all. */
  wholeSteps(fromS: number, toS: number): TimeRange | null {
    const step = Number(this.#to.step);
    const count = Math.round(Number(this.#to.max) / step);
    const first = Math.max(0, Math.min(count - 1, Math.floor(fromS / step + 1e-6)));
    const end = Math.max(first + 1, Math.min(count, Math.ceil(toS / step - 1e-6)));
    const secondsOf = (steps: number): number => Number((steps * step).toFixed(6));
    return end - first === count ? null : { fromS: secondsOf(first), toS: secondsOf(end) };
  }

  /** Names of the percentiles that are shown. */
  get percentiles(): string[] {
    return this.#valuesOf("percentile");
  }

  /** In the order of their boxes. */
  #valuesOf(name: string): string[] {
    return this.#boxes(name).filter(({ checked }) => checked).map(({ value }) => value);
  }

  /** Null when all are. */
  #checked(name: string): string[] | null {
    const values = this.#valuesOf(name);
    return values.length === this.#boxes(name).length ? null : values;
  }

  /** All where none of the chosen ones is there. @param chosen Null: all. */
  #check(name: string, chosen: readonly string[] | null): void {
    const boxes = this.#boxes(name);
    const isAny = boxes.some(({ value }) => chosen?.includes(value));
    for (const box of boxes) box.checked = !isAny || chosen?.includes(box.value) === true;
  }

  #boxes(name: string): HTMLInputElement[] {
    return [...this.#form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
  }
}

// Dragging over a chart, by mouse, pen or finger; a finger that moves up or down still scrolls the page.

interface Brush {
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
