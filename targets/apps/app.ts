/**
 * What a built-in target is: a Hono app made from validated settings. One file a member, one line in
 * `registry.ts`; `tests/conformance/apps_test.ts` runs the same suite over all of them.
 *
 * A member's file loads quickly (it is read to validate experiment files): Hono, Redis and other heavy
 * packages are imported inside `start`, in the process that serves the app.
 */
import type * as z from "zod";
import type { MiddlewareHandler } from "hono";

/** The environment of an app; everything else it gets through its settings. */
interface AppContext {
  /** Where the Redis server is (`redis://host:port`), or null when there is none. */
  readonly redisUrl: string | null;
  /** Called with each line of the request log. */
  readonly log: (line: string) => void;
}

/** The client of a request, as `Deno.serve` knows it. */
interface AppClient {
  readonly remoteAddr?: Deno.NetAddr;
}

/** Hono's bindings with the client; without a socket there is none. */
export type ClientBindings = { Bindings: AppClient | undefined };

/** A started app: the routes, and what must be let go at the end. */
export interface RunningApp {
  /** @param client The client, for the request log and the rate limit; absent without a socket. */
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

// The request log: a line per request in Apache's "combined" format, as morgan writes it in the studies:
// `remote - - [date] "request" status length "referer" "user agent"`.

/** Hono middleware; it belongs in front of everything else. */
export function requestLog(log: (line: string) => void): MiddlewareHandler<ClientBindings> {
  return async (context, next) => {
    await next();
    const { req, res } = context;
    const { pathname, search } = new URL(req.url);
    const field = (value: string | null | undefined): string => value ?? "-";
    log(
      `${field(context.env?.remoteAddr?.hostname)} - - [${clfDate(new Date())}] ` +
        `"${req.method} ${pathname}${search} HTTP/1.1" ${res.status} ` +
        `${field(res.headers.get("content-length"))} ` +
        `"${field(req.header("referer"))}" "${field(req.header("user-agent"))}"`,
    );
  };
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** Apache's date, in UTC: `10/Oct/2000:13:55:36 +0000`. */
function clfDate(date: Date): string {
  const [year, month, rest] = date.toISOString().split("-");
  return `${rest.slice(0, 2)}/${MONTHS[Number(month) - 1]}/${year}:${rest.slice(3, 11)} +0000`;
}
