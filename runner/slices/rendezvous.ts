/**
 * Agrees on a common start for two loads, each with a loader of its own, so that times in both count from the same
 * moment.
 */
export class Rendezvous {
  readonly #start = Promise.withResolvers<number>();
  #awaited = 2;
  #longestMs = 0;

  /** @param nowMs Milliseconds since the epoch by this isolate's clock. */
  constructor(private readonly nowMs: () => number) {
    this.#start.promise.catch(() => {}); // whoever awaits it gets the error
  }

  /**
   * Resolves with the moment of the start, milliseconds since the epoch, once both sides have arrived.
   * @param delayMs Time that the side's workers need from the announcement to the start.
   */
  arrive(delayMs: number): Promise<number> {
    this.#longestMs = Math.max(this.#longestMs, delayMs);
    if (--this.#awaited === 0) this.#start.resolve(this.nowMs() + this.#longestMs);
    return this.#start.promise;
  }

  /** Makes `arrive` reject with this error. Called when one of the sides will not arrive. */
  cancel(error: unknown): void {
    this.#start.reject(error);
  }
}
