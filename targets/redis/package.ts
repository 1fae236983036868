/**
 * The Redis client, to be imported as the program goes: of a CommonJS package that is imported so itself
 * a split bundle keeps the default export alone.
 */
import { createClient } from "redis";

export const makeClient = createClient;
