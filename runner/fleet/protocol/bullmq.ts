/**
 * The job engine, to be imported as the program goes: of a CommonJS package that is imported so itself a
 * split bundle keeps the default export alone. Its modules for bundlers are no use either, as one that
 * they import (tslib's) is empty in a bundle; so what Node loads is named.
 */
// @ts-types="bullmq"
import { createNodeRedisClient, Queue, Worker } from "bullmq/dist/cjs/index.js";

export { createNodeRedisClient, Queue };

/** How soon a worker tries again when Redis was away. */
export const RETRY_MS = 200;

/** Looks for stalled jobs again as soon as for new ones when Redis was away, where the engine's own waits for 5 s. */
export class LinkWorker extends Worker {
  #looked: Promise<unknown> = Promise.resolve();

  protected override checkConnectionError<T>(look: () => Promise<T>): Promise<T | undefined> {
    const looked = super.checkConnectionError(look, RETRY_MS);
    this.#looked = looked;
    return looked;
  }

  /** Once it is closed: without a timer that nothing waits for. */
  async rest(): Promise<void> {
    await this.#looked;
  }
}
