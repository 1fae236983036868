/**
 * The job engine, to be imported as the program goes: of a CommonJS package that is imported so itself a
 * split bundle keeps the default export alone. Its modules for bundlers are no use either, as one that
 * they import (tslib's) is empty in a bundle; so what Node loads is named.
 */
// @ts-types="bullmq"
import { createNodeRedisClient, Queue, Worker } from "bullmq/dist/cjs/index.js";

export { createNodeRedisClient, Queue, Worker };
