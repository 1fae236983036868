/** Who looks at the page of a running experiment: what each is told, and whether it shows the newest page. */
import type { SSEStreamingApi } from "hono/streaming";
import type { EndEvent, LiveStatus, PageEvent } from "../report/live_status.ts";

interface Events {
  readonly status: LiveStatus;
  readonly page: PageEvent;
  readonly end: EndEvent;
}

class Reader {
  /** False once it kept others waiting: then nobody waits for it until it shows a page again. */
  isPrompt = true;
  readonly #gone = Promise.withResolvers<void>();

  constructor(private readonly stream: SSEStreamingApi) {
    stream.onAbort(this.#gone.resolve);
  }

  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** Not waited for: one that reads nothing must not hold up anything. */
  tell<Name extends keyof Events>(event: Name, data: Events[Name]): void {
    this.stream.writeSSE({ event, data: JSON.stringify(data) }).catch(this.#gone.resolve);
  }
}

export class Readers {
  readonly #readers = new Set<Reader>();
  /** What to do when a page is shown, by the receipt that its reader then sends. */
  readonly #receipts = new Map<string, () => void>();
  readonly #over = Promise.withResolvers<void>();

  /** Serves a reader until it has gone, or until all is over. */
  async serve(
    stream: SSEStreamingApi,
    { status, page }: { readonly status: LiveStatus; readonly page: number },
  ): Promise<void> {
    const reader = new Reader(stream);
    this.#readers.add(reader);
    reader.tell("status", status);
    reader.tell("page", { page, receipt: this.#receiptOf(reader).receipt });
    await Promise.race([reader.gone, this.#over.promise]);
    this.#readers.delete(reader);
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

  hasShown(receipt: string): void {
    this.#receipts.get(receipt)?.();
    this.#receipts.delete(receipt);
  }

  close(): void {
    this.#over.resolve();
  }

  async #untilShown(
    tell: (reader: Reader, receipt: string) => void,
    patienceMs: number,
  ): Promise<void> {
    this.#receipts.clear(); // nobody waits for those of older pages
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, patienceMs);
    const shown = [...this.#readers].map((reader) => {
      const wasPrompt = reader.isPrompt;
      const { receipt, shown } = this.#receiptOf(reader);
      tell(reader, receipt);
      return wasPrompt ? Promise.race([shown, reader.gone]) : null;
    });
    await Promise.race([Promise.all(shown), late.promise]);
    clearTimeout(timer);
  }

  #receiptOf(reader: Reader): { receipt: string; shown: Promise<void> } {
    const receipt = crypto.randomUUID();
    const { promise: shown, resolve } = Promise.withResolvers<void>();
    reader.isPrompt = false;
    this.#receipts.set(receipt, () => {
      reader.isPrompt = true;
      resolve();
    });
    return { receipt, shown };
  }
}
