/**
 * The job engine, for modules that import it dynamically. In a split bundle, a dynamic import of a CommonJS package
 * itself has only the default export. The package's modules for bundlers do not work either, because tslib's module,
 * which they import, is empty in a bundle; so the file that Node loads is named.
 */
// @ts-types="bullmq"
import { createNodeRedisClient, Queue, Worker } from "bullmq/dist/cjs/index.js";

export { createNodeRedisClient, Queue };

/** Delay before a worker tries again after Redis was away. */
export const RETRY_MS = 200;

/** After Redis was away, looks for stalled jobs as soon as it looks for new ones; BullMQ's own worker waits for 5 s. */
export class LinkWorker extends Worker {
  #looked: Promise<unknown> = Promise.resolve();

  protected override checkConnectionError<T>(look: () => Promise<T>): Promise<T | undefined> {
    const looked = super.checkConnectionError(look, RETRY_MS);
    this.#looked = looked;
    return looked;
  }

  /** For a worker that is closed: removes a timer that nothing waits for. */
  async rest(): Promise<void> {
    await this.#looked;
  }
}
