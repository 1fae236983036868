/**
 * What a built-in target is: a Hono app made from validated settings. One file a member, one line in
 * `registry.ts`; `tests/conformance/apps_test.ts` runs the same suite over all of them.
 *
 * A member's file loads quickly (it is read to validate experiment files): Hono, Redis and other heavy
 * packages are imported inside `start`, in the process that serves the app.
 */
import type { z } from "zod";

/** The environment of an app; everything else it gets through its settings. */
export interface AppContext {
  /** Where the Redis server is (`redis://host:port`), or null when there is none. */
  readonly redisUrl: string | null;
  /** Takes one line of the request log. */
  readonly log: (line: string) => void;
}

/** The client of a request, as `Deno.serve` knows it. */
interface AppClient {
  readonly remoteAddr?: Deno.NetAddr;
}

/** The same as Hono's bindings; there is none without a socket. */
export type ClientBindings = { Bindings: AppClient | undefined };

/** A started app: the routes, and what must be let go at the end. */
export interface RunningApp {
  /** @param client For the request log and the rate limit; none without a socket. */
  fetch(request: Request, client?: AppClient): Response | Promise<Response>;
  close(): Promise<void>;
}

export interface App<Settings extends z.ZodObject = z.ZodObject> {
  /** One line for `plateau list apps`. */
  readonly summary: string;
  /** The settings with defaults and limits; each field has a `.describe()` with its unit. */
  readonly settings: Settings;
  /**
   * Paths that the app serves, for `list` and the conformance suite. The first is requested to see that it
   * runs, and so changes nothing: no cache is filled by it, and no limit counts it.
   */
  readonly paths: readonly string[];
  /** Whether it can't start without Redis; no app needs it where this is absent. */
  needsRedis?(settings: z.output<Settings>): boolean;
  /** Paths that respond with an error without Redis; none when absent. */
  readonly redisPaths?: readonly string[];
  start(settings: z.output<Settings>, context: AppContext): Promise<RunningApp>;
}
