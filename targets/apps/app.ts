/**
 * The interface of a built-in target, which is a Hono app made from validated settings. Each app has one file and one
 * line in `registry.ts`; `tests/conformance/apps_test.ts` runs the same suite for each.
 *
 * An app's file must load quickly, because it is also loaded to validate experiment files. So Hono, Redis and other
 * heavy packages are imported only inside `start`, in the process that serves the app.
 */
import type * as z from "zod";
import type { MiddlewareHandler } from "hono";

/** What an app gets from outside, apart from its settings. */
interface AppContext {
  /** URL of the Redis server (`redis://host:port`); null if there is none. */
  readonly redisUrl: string | null;
  /** Called with each line of the request log. */
  readonly log: (line: string) => void;
}

/** The client of a request, in the shape that `Deno.serve` passes. */
interface AppClient {
  readonly remoteAddr?: Deno.NetAddr;
}

/** Hono's bindings, which hold the client; undefined for a request without a socket. */
export type ClientBindings = { Bindings: AppClient | undefined };

/** A running app, and how to release its resources. */
export interface RunningApp {
  /**
   * @param client The client's address, for the request log and the rate limit; absent for a request without a socket.
   */
  fetch(request: Request, client?: AppClient): Response | Promise<Response>;
  close(): Promise<void>;
}

export interface App<Settings extends z.ZodObject = z.ZodObject> {
  /** The app's description in `plateau list apps`. */
  readonly summary: string;
  /** Schema of the settings, with defaults and limits; each field has a `.describe()` that names its unit. */
  readonly settings: Settings;
  /**
   * The paths that the app serves, for `plateau list` and the conformance suite. The first is requested to see whether
   * the app runs, so it must have no side effects: it must neither fill a cache nor count towards a rate limit.
   */
  readonly paths: readonly string[];
  /** Whether the app can't start without Redis. If absent, the app never needs Redis to start. */
  needsRedis?(settings: z.output<Settings>): boolean;
  /** The paths that respond with an error if there is no Redis; absent if there are none. */
  readonly redisPaths?: readonly string[];
  start(settings: z.output<Settings>, context: AppContext): Promise<RunningApp>;
}

/**
 * Hono middleware that logs each request in Apache's "combined" format, as the npm package morgan does: `remote - -
 * [date] "request" status length "referer" "user agent"`. It must come before all other middleware.
 */
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

/** A date in Apache's format, in UTC: `10/Oct/2000:13:55:36 +0000`. */
function clfDate(date: Date): string {
  const [year, month, rest] = date.toISOString().split("-");
  return `${rest.slice(0, 2)}/${MONTHS[Number(month) - 1]}/${year}:${rest.slice(3, 11)} +0000`;
}
