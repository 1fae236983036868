/** The one moment at which two loads start, each by a loader of its own, so that they share a clock. */
export class Rendezvous {
  readonly #start = Promise.withResolvers<number>();
  #awaited = 2;
  #longestMs = 0;

  /** @param nowMs Milliseconds since the epoch by this isolate. */
  constructor(private readonly nowMs: () => number) {
    this.#start.promise.catch(() => {}); // whoever waits gets the error
  }

  /** Resolves once both have come. @param delayMs How long its workers need from the announcement to the start. */
  arrive(delayMs: number): Promise<number> {
    this.#longestMs = Math.max(this.#longestMs, delayMs);
    if (--this.#awaited === 0) this.#start.resolve(this.nowMs() + this.#longestMs);
    return this.#start.promise;
  }

  /** Called when one of the sides will not come. */
  cancel(error: unknown): void {
    this.#start.reject(error);
  }
}
