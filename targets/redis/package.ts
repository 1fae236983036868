/**
 * The Redis client, for modules that import it dynamically. They import this module, because the package is CommonJS,
 * and in a split bundle a dynamic import of it has only a default export.
 */
import { createClient } from "redis";

export const makeClient = createClient;
