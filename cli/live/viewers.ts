/** Who looks at the page of a running experiment: what each is told, and whether it shows the newest page. */
import { isWithin } from "../../base/limits.ts";
import type { EndEvent, LiveStatus, PageEvent } from "../../report/page/live_status.ts";
import type { LiveStream } from "./connection.ts";

interface Events {
  readonly status: LiveStatus;
  readonly page: PageEvent;
  readonly end: EndEvent;
}

/**
 * One who looks. Of each kind of event the newest waits for it: one that reads slowly, or nothing at all,
 * misses what is outdated, and nothing grows for it.
 */
class Viewer implements LiveStream {
  /** False once it kept others waiting: then nobody waits for it until it shows a page again. */
  isPrompt = true;
  /** What it sends back when it shows the page that it was last asked to show. */
  #receipt = "";
  #onShown = (): void => {};
  readonly #news = new Map<keyof Events, string>();
  readonly #gone = Promise.withResolvers<void>();
  #isOver = false;
  #wake = (): void => {};

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    while (this.#news.size === 0 && !this.#isOver) {
      await new Promise<void>((wake) => this.#wake = wake);
    }
    const text = [...this.#news].map(([event, data]) => `event: ${event}\ndata: ${data}\n\n`);
    this.#news.clear();
    return text.length === 0 ? null : new TextEncoder().encode(text.join(""));
  }

  leave(): void {
    this.#news.clear();
    this.#gone.resolve();
    this.end();
  }

  /** After what waits for it. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  /** Not waited for: one that reads nothing must not hold up anything. */
  tell<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    if (this.#isOver) return;
    this.#news.set(event, JSON.stringify(data));
    this.#wake();
  }

  /** A receipt for the next page, and when that page is shown. */
  expect(): { receipt: string; shown: Promise<void> } {
    const { promise: shown, resolve } = Promise.withResolvers<void>();
    this.isPrompt = false;
    this.#receipt = crypto.randomUUID();
    this.#onShown = resolve;
    return { receipt: this.#receipt, shown };
  }

  hasShown(receipt: string): void {
    if (receipt !== this.#receipt) return;
    this.isPrompt = true;
    this.#onShown();
  }
}

/** As `crypto.randomUUID` writes it. */
const RECEIPT = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

export class Viewers {
  readonly #readers = new Set<Viewer>();

  /** The events of one more reader, until it has gone or all is over; null when there are too many. */
  add({ status, page }: { readonly status: LiveStatus; readonly page: number }): LiveStream | null {
    if (!isWithin("liveReaders", this.#readers.size + 1)) return null;
    const reader = new Viewer();
    this.#readers.add(reader);
    reader.tell("status", status);
    reader.tell("page", { page, receipt: reader.expect().receipt });
    void reader.gone.then(() => this.#readers.delete(reader));
    return reader;
  }

  tell(status: LiveStatus): void {
    for (const reader of this.#readers) reader.tell("status", status);
  }

  /** Resolves when all who are prompt show the page, at most after `patienceMs`. */
  async show(page: number, patienceMs: number): Promise<void> {
    await this.#untilShown((reader, receipt) => reader.tell("page", { page, receipt }), patienceMs);
  }

  /** The last page: everybody is waited for. */
  async end(last: Omit<EndEvent, "receipt">, patienceMs: number): Promise<void> {
    for (const reader of this.#readers) reader.isPrompt = true;
    await this.#untilShown((reader, receipt) => {
      reader.tell("end", { ...last, receipt });
    }, patienceMs);
  }

  /** False when it is no receipt. */
  hasShown(receipt: string): boolean {
    if (!RECEIPT.test(receipt)) return false;
    for (const reader of this.#readers) reader.hasShown(receipt);
    return true;
  }

  /** Each is at its end after what waits for it. */
  close(): void {
    for (const reader of this.#readers) reader.end();
  }

  async #untilShown(
    tell: (reader: Viewer, receipt: string) => void,
    patienceMs: number,
  ): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, patienceMs);
    const shown = [...this.#readers].map((reader) => {
      const wasPrompt = reader.isPrompt;
      const { receipt, shown } = reader.expect();
      tell(reader, receipt);
      return wasPrompt ? Promise.race([shown, reader.gone]) : null;
    });
    await Promise.race([Promise.all(shown), late.promise]);
    clearTimeout(timer);
  }
}
