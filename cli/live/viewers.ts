/** The browsers that show a live page: the events sent to each, and whether each shows the newest page. */
import { isWithin } from "../../base/limits.ts";
import {
  type LivePoint,
  type LiveStatus,
  MOST_POINTS,
  type PageEvent,
  type PointsEvent,
} from "../../report/render/html/live_status.ts";
import type { LiveStream } from "./connection.ts";

interface Events {
  readonly status: LiveStatus;
  readonly page: PageEvent;
}

/** The points of the current run, stored once for all browsers, so that no queue grows for a slow one. */
class RunPoints {
  readonly #points: LivePoint[] = [];
  /** Number of runs that began, and number of points of the current one. */
  #runs = 0;
  #count = 0;

  begin(): void {
    this.#runs++;
    this.#count = 0;
    this.#points.length = 0;
  }

  /** Each trial of a search for a capacity has its own time axis, so a point that goes back in time begins anew. */
  add(point: LivePoint): void {
    const last = this.#points[this.#points.length - 1];
    if (last !== undefined && point.endMs <= last.endMs) this.begin();
    this.#count++;
    this.#points.push(point);
    if (this.#points.length > MOST_POINTS) this.#points.shift();
  }

  /** Returns a function that reads the points since its last call. */
  reader(): () => PointsEvent | null {
    let [run, seen] = [0, 0];
    return () => {
      const isNew = run !== this.#runs;
      const unseen = Math.min(this.#points.length, this.#count - (isNew ? 0 : seen));
      if (unseen === 0 && !isNew) return null;
      [run, seen] = [this.#runs, this.#count];
      return { isNew, points: unseen === 0 ? [] : this.#points.slice(-unseen) };
    };
  }
}

function eventText(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/**
 * One browser. Only the newest event of each kind is kept for it: a slow or silent browser misses outdated events, so
 * that no queue grows.
 */
class LiveViewer implements LiveStream {
  /** Whether the browser shows the newest page. The next page does not wait for browsers that do not. */
  isPrompt = false;
  /** The token that the browser sends back when it shows the newest page. */
  #receipt = "";
  readonly #news = new Map<keyof Events, string>();
  readonly #nextPoints: () => PointsEvent | null;
  readonly #gone = Promise.withResolvers<void>();
  #isOver = false;
  #wake = (): void => {};

  constructor(points: RunPoints) {
    this.#nextPoints = points.reader();
  }

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    let points = this.#nextPoints();
    while (this.#news.size === 0 && points === null && !this.#isOver) {
      await new Promise<void>((wake) => this.#wake = wake);
      points = this.#nextPoints();
    }
    const text = [...this.#news].map(([event, data]) => eventText(event, data));
    if (points !== null) text.unshift(eventText("points", JSON.stringify(points)));
    this.#news.clear();
    return text.length === 0 ? null : new TextEncoder().encode(text.join(""));
  }

  leave(): void {
    this.#news.clear();
    this.#gone.resolve();
    this.end();
  }

  /** Ends the connection after the events that are still pending. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Does not wait, because a browser that reads nothing must not delay anything. */
  send<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    if (this.#isOver) return;
    this.#news.set(event, JSON.stringify(data));
    this.#wake();
  }

  /** Tells the viewer's connection that there are new points. */
  notify(): void {
    this.#wake();
  }

  offer(page: number): void {
    this.isPrompt = false;
    this.#receipt = crypto.randomUUID();
    this.send("page", { page, receipt: this.#receipt });
  }

  /** Whether the receipt is this viewer's own, and comes for the first time. */
  hasShown(receipt: string): boolean {
    const isFirst = receipt === this.#receipt && !this.isPrompt;
    if (isFirst) this.isPrompt = true;
    return isFirst;
  }
}

/** A receipt, as written by `crypto.randomUUID`. */
const RECEIPT = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export class Viewers {
  readonly #viewers = new Set<LiveViewer>();
  readonly #points = new RunPoints();
  /** Called when a browser shows the newest page. */
  #onShown = (): void => {};

  /** The events for another viewer, until it disconnects or the page ends; null if there are too many. */
  add({ status, page }: { readonly status: LiveStatus; readonly page: number }): LiveStream | null {
    if (!isWithin("liveReaders", this.#viewers.size + 1)) return null;
    const viewer = new LiveViewer(this.#points);
    this.#viewers.add(viewer);
    viewer.send("status", status);
    viewer.offer(page);
    void viewer.gone.then(() => this.#viewers.delete(viewer));
    return viewer;
  }

  send(status: LiveStatus): void {
    for (const viewer of this.#viewers) viewer.send("status", status);
  }

  /** Begins the points of another run. */
  beginRun(): void {
    this.#points.begin();
    for (const viewer of this.#viewers) viewer.notify();
  }

  addPoint(point: LivePoint): void {
    this.#points.add(point);
    for (const viewer of this.#viewers) viewer.notify();
  }

  /** Resolves when as many browsers show the page as showed the last one, or after `patienceMs`. */
  async show(page: number, patienceMs: number): Promise<void> {
    const prompt = [...this.#viewers].filter(({ isPrompt }) => isPrompt);
    await this.#untilShown(page, { by: prompt.length, patienceMs });
  }

  /** Sends the final page; resolves when every viewer shows it, or after `patienceMs`. */
  async end(
    { status, page }: { readonly status: LiveStatus; readonly page: number },
    patienceMs: number,
  ): Promise<void> {
    this.send(status);
    await this.#untilShown(page, { by: this.#viewers.size, patienceMs });
  }

  /** Takes a receipt; false if the text is not one. */
  hasShown(receipt: string): boolean {
    if (!RECEIPT.test(receipt)) return false;
    for (const viewer of this.#viewers) if (viewer.hasShown(receipt)) this.#onShown();
    return true;
  }

  /** Ends each viewer's connection after its pending events. */
  close(): void {
    for (const viewer of this.#viewers) viewer.end();
  }

  /**
   * Resolves once `by` browsers have shown the page. Only counts them, because a browser that loads the page again is
   * another viewer.
   */
  async #untilShown(
    page: number,
    { by, patienceMs }: { readonly by: number; readonly patienceMs: number },
  ): Promise<void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patienceMs);
    let left = by;
    this.#onShown = () => {
      if (--left === 0) resolve();
    };
    for (const viewer of this.#viewers) viewer.offer(page);
    if (left > 0) await over;
    clearTimeout(timer);
  }
}
