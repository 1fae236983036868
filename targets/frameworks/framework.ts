/**
 * What a framework of the Kuffel & Walter study is here: a folder of sources, written as the framework's
 * documentation would, that its own tools install and its own runtime serves. One folder a member, one
 * entry in `registry.ts`; `tests/conformance/frameworks_test.ts` asks the same of all of them.
 *
 * The contract of a server: it listens on HOST (127.0.0.1 when absent; IPv6 without brackets) and PORT
 * and answers the five endpoints of the built-in app `api`. Its own are the words and the shape in which
 * it refuses a query or tells of an error, as long as they are JSON, with the same status. With REDIS_URL
 * it sets `plateau:counter` to 1 before it listens; without, `/redis` is 503. With LOGGING=on it logs each
 * request and each error in the way of its documentation, else nothing. It ends on TERM at once.
 */
import type { z } from "zod";
import type { Toolchain } from "./toolchain.ts";

export interface Framework<Settings extends z.ZodObject = z.ZodObject> {
  /** One line for `plateau list frameworks`: what it is and what it validates and logs with. */
  readonly summary: string;
  /** Of the framework itself, as its folder pins it; "" when there is none. */
  readonly version: string;
  /** Its folder beside this file; two may share one, and then one installation. */
  readonly folder: string;
  readonly toolchain: Toolchain;
  /** The settings with defaults and limits; each field has a `.describe()`. */
  readonly settings: Settings;
  /** What serves it, in its installed folder: a program on PATH, or a path in the folder. */
  command(settings: z.output<Settings>): readonly [program: string, ...args: string[]];
}
