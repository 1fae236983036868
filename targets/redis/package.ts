/**
 * The Redis client, for modules that import it dynamically. In a split bundle, a dynamic import of a CommonJS package
 * itself has only the default export.
 */
import { createClient } from "redis";

export const makeClient = createClient;
