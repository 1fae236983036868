/**
 * The job engine BullMQ, re-exported for modules that import it dynamically, because in a split bundle, a dynamic
 * import of a CommonJS package itself has only a default export. The package's ES modules do not work either, because
 * they import the ES module of tslib, which is empty in a bundle. So this module imports, by its path, the file that
 * Node would load.
 */
// @ts-types="bullmq"
import { createNodeRedisClient, Queue, Worker } from "bullmq/dist/cjs/index.js";

export { createNodeRedisClient, Queue };

/** Delay before a worker tries again after Redis was away. */
export const RETRY_MS = 200;

/**
 * A worker that, after Redis was away, looks for stalled jobs as soon as it looks for new ones, whereas BullMQ's own
 * worker first waits for 5 s.
 */
export class LinkWorker extends Worker {
  #looked: Promise<unknown> = Promise.resolve();

  protected override checkConnectionError<T>(look: () => Promise<T>): Promise<T | undefined> {
    const looked = super.checkConnectionError(look, RETRY_MS);
    this.#looked = looked;
    return looked;
  }

  /**
   * To be called once the worker is closed. Waits for its pending connection check, whose timer would otherwise keep
   * running.
   */
  async rest(): Promise<void> {
    await this.#looked;
  }
}
