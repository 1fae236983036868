/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The controls of a figure of timelines: a view in, the chosen view out. */
import type { TimeRange } from "../../subjects/charts/time_range.ts";
import { type View, WHOLE } from "./view.ts";

export class ViewForm {
  /** Names, in the order of their boxes. */
  readonly percentiles: readonly string[];
  readonly #form: HTMLFormElement;
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;

  constructor(form: HTMLFormElement, onChange: (view: View) => void) {
    this.#form = form;
    this.percentiles = this.#boxes("percentile").map(({ value }) => value);
    [this.#from, this.#to] = form.querySelectorAll<HTMLInputElement>("input[type=number]");
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", ({ target }) => {
      if (target instanceof HTMLInputElement) this.#settle(target);
      onChange(this.view);
    });
    // The fields keep the typed text until it is complete; then they show the range that is used.
    form.addEventListener("change", () => this.range = this.view.range);
    form.querySelector("button[name=whole]")?.addEventListener("click", () => {
      this.range = null;
      onChange(this.view);
    });
  }

  /** The whole steps that seconds touch. */
  wholeSteps(fromS: number, toS: number): TimeRange {
    const step = this.#stepS;
    const first = Math.floor(fromS / step + 1e-6);
    return { fromS: first * step, toS: Math.max(first + 1, Math.ceil(toS / step - 1e-6)) * step };
  }

  /** Seconds that a range is a multiple of. */
  get #stepS(): number {
    return Number(this.#to.step);
  }

  get #endS(): number {
    return Number(this.#to.max);
  }

  get view(): View {
    return {
      range: this.range,
      percentiles: this.#checked("percentile"),
      runs: this.#checked("run")?.map(Number) ?? null,
    };
  }

  /** Takes over the parts of a view that fit the figure. */
  set view({ range, percentiles, runs }: View) {
    this.#check("percentile", percentiles);
    this.#check("run", runs?.map(String) ?? null);
    this.range = range;
  }

  /** In whole steps, and of one at least, whatever was typed. */
  get range(): TimeRange | null {
    const last = this.#endS - this.#stepS;
    const fromS = Math.max(0, Math.min(this.#onStep(Number(this.#from.value)), last));
    const leastS = this.#onStep(fromS + this.#stepS);
    const toS = Math.min(this.#endS, Math.max(this.#onStep(this.#typedEnd), leastS));
    return fromS <= 0 && toS >= this.#endS ? WHOLE.range : { fromS, toS };
  }

  /** Takes one over in whole steps, too: a link may hold any. */
  set range(range: TimeRange | null) {
    const fits = range !== null && range.fromS < Math.min(range.toS, this.#endS);
    this.#from.value = String(fits ? this.#onStep(range.fromS) : 0);
    this.#to.value = String(fits ? this.#onStep(Math.min(range.toS, this.#endS)) : this.#endS);
  }

  /** The end of the run while the field is empty. */
  get #typedEnd(): number {
    return this.#to.value === "" ? this.#endS : Number(this.#to.value);
  }

  #onStep(seconds: number): number {
    return Number((Math.round(seconds / this.#stepS) * this.#stepS).toFixed(6));
  }

  /** Keeps something to look at: one box of each choice checked, and the end after the start. */
  #settle(input: HTMLInputElement): void {
    if (input.type === "checkbox") {
      const boxes = this.#boxes(input.name);
      if (boxes.every(({ checked }) => !checked)) input.checked = true;
      return;
    }
    const [from, to] = [Number(this.#from.value), this.#typedEnd];
    if (from < to) return;
    if (input === this.#from) {
      this.range = { fromS: Math.min(from, this.#endS - this.#stepS), toS: from + this.#stepS };
    } else this.range = { fromS: Math.max(0, to - this.#stepS), toS: Math.max(this.#stepS, to) };
  }

  #boxes(name: string): HTMLInputElement[] {
    return [...this.#form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
  }

  /** Null when all are. */
  #checked(name: string): string[] | null {
    const boxes = this.#boxes(name);
    const checked = boxes.filter(({ checked }) => checked);
    return checked.length === boxes.length ? null : checked.map(({ value }) => value);
  }

  /** All where none of the chosen ones is there. @param chosen Null: all. */
  #check(name: string, chosen: readonly string[] | null): void {
    const boxes = this.#boxes(name);
    const isAny = boxes.some(({ value }) => chosen?.includes(value));
    for (const box of boxes) box.checked = !isAny || chosen?.includes(box.value) === true;
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
