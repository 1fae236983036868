/**
 * The browsers that show a live page. Keeps the events that each has to receive, and whether each shows the newest
 * page.
 */
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

/** The data points of the current run. They are stored once for all browsers, so that no queue grows for a slow one. */
class RunPoints {
  readonly #points: LivePoint[] = [];
  /** `#runs`: number of runs that have begun. `#count`: number of points that the current run has had. */
  #runs = 0;
  #count = 0;

  begin(): void {
    this.#runs++;
    this.#count = 0;
    this.#points.length = 0;
  }

  /** Starts over if the time goes back, because each trial of a capacity search has its own time axis. */
  add(point: LivePoint): void {
    const last = this.#points[this.#points.length - 1];
    if (last !== undefined && point.endMs <= last.endMs) this.begin();
    this.#count++;
    this.#points.push(point);
    if (this.#points.length > MOST_POINTS) this.#points.shift();
  }

  /**
   * Returns a function that returns the points added since its last call; null if there are none and no new run has
   * begun.
   */
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
 * The event stream of one browser. Only the newest event of each kind is kept, so that no queue grows for a browser
 * that is slow or does not read.
 */
class LiveViewer implements LiveStream {
  /**
   * Whether the browser shows the newest page. The experiment waits for a page only in browsers that showed the
   * previous one.
   */
  isPrompt = false;
  /** The token that the browser sends back once it shows the newest page. */
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

  /** Ends the connection once pending events are sent. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Only stores the event; never waits, because a browser that does not read must not delay the experiment. */
  send<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    if (this.#isOver) return;
    this.#news.set(event, JSON.stringify(data));
    this.#wake();
  }

  /** Wakes the connection, because there are new points. */
  notify(): void {
    this.#wake();
  }

  offer(page: number): void {
    this.isPrompt = false;
    this.#receipt = crypto.randomUUID();
    this.send("page", { page, receipt: this.#receipt });
  }

  /** Whether the receipt belongs to this viewer and is received for the first time. */
  hasShown(receipt: string): boolean {
    const isFirst = receipt === this.#receipt && !this.isPrompt;
    if (isFirst) this.isPrompt = true;
    return isFirst;
  }
}

/** Matches a receipt, which `crypto.randomUUID` made. */
const RECEIPT = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export class Viewers {
  readonly #viewers = new Set<LiveViewer>();
  readonly #points = new RunPoints();
  /** Called whenever a browser shows the newest page for the first time. */
  #onShown = (): void => {};

  /**
   * Adds a viewer and returns its stream of events; null if there are too many viewers. The stream ends when the
   * browser disconnects or the server closes.
   */
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

  /** Begins a new run, which has no points yet, and tells the viewers so. */
  beginRun(): void {
    this.#points.begin();
    for (const viewer of this.#viewers) viewer.notify();
  }

  addPoint(point: LivePoint): void {
    this.#points.add(point);
    for (const viewer of this.#viewers) viewer.notify();
  }

  /** Resolves when as many browsers show the page as showed the previous one, or after `patienceMs`. */
  async show(page: number, patienceMs: number): Promise<void> {
    const prompt = [...this.#viewers].filter(({ isPrompt }) => isPrompt);
    await this.#untilShown(page, { by: prompt.length, patienceMs });
  }

  /** Sends the final status and page. Resolves when every viewer shows the page, or after `patienceMs`. */
  async end(
    { status, page }: { readonly status: LiveStatus; readonly page: number },
    patienceMs: number,
  ): Promise<void> {
    this.send(status);
    await this.#untilShown(page, { by: this.#viewers.size, patienceMs });
  }

  /** Processes a receipt. Returns false if the text does not have the form of a receipt. */
  hasShown(receipt: string): boolean {
    if (!RECEIPT.test(receipt)) return false;
    for (const viewer of this.#viewers) if (viewer.hasShown(receipt)) this.#onShown();
    return true;
  }

  /** Ends each viewer's connection once its pending events are sent. */
  close(): void {
    for (const viewer of this.#viewers) viewer.end();
  }

  /**
   * Offers the page to all viewers; resolves when `by` of them show it. Viewers are only counted, not identified,
   * because a browser that reloads the page becomes another viewer.
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
