/**
 * The caching proxy of the Wiki.js study, in front of a single origin. It responds from its store if it may, and
 * fetches everything else from the origin. It never connects to another host, whatever a request says.
 */
import type { Gateway, ProxySettings } from "../gateway.ts";
import { badGateway, responseOf } from "../response.ts";
import { type OriginRequest, originRequestOf } from "../origin/request.ts";
import type { Fields } from "../origin/fields.ts";
import { OriginClient, type OriginResponse } from "../origin/origin.ts";
import { Generations, pathsChangedBy } from "./invalidation.ts";
import { ageSecOf, freshForMs, keyOf, mayUseCache, staleForMs, withoutClaims } from "./rules.ts";
import { openStore } from "./stores/registry.ts";
import type { ResponseStore, StoredResponse } from "./stores/store.ts";
import { tee, type WholeBody } from "./tee.ts";

/**
 * How long requests for an unshareable response are sent to the origin concurrently, before they wait for a single
 * fetch again.
 */
const UNSHARED_MS = 1_000;
const MOST_UNSHARED = 10_000;

/** How long requests wait for the rest of a body that another request fetches, before each fetches its own. */
const PATIENCE_MS = 1_000;

/** A fetch whose response may also be used for other clients (like Go's singleflight). */
interface InFlightFetch {
  /** The response once it is stored; null if it may not be shared, or if it takes too long. */
  readonly stored: Promise<StoredResponse | null>;
  /** The number of requests that wait for the response. */
  waiting: number;
}

type CacheStatus = "hit" | "miss" | "stale";

/** Opens the proxy. Throws a TargetError if its store does not respond. */
export async function openProxy(settings: ProxySettings): Promise<Proxy> {
  return new Proxy(settings, await openStore(settings.store, settings));
}

export class Proxy implements Gateway {
  readonly #origin: OriginClient;
  readonly #inFlight = new Map<string, InFlightFetch>();
  /**
   * Keys whose last response may not be shared or is too large to be stored, each with the moment (ms since 1970) at
   * which it may be forgotten. Varnish calls this hit-for-miss. A fetch that failed says nothing about the next
   * response, so its key is not remembered. So once the origin is back, it gets a single request for each key.
   */
  readonly #unshared = new Map<string, number>();
  readonly #generations = new Generations();

  constructor(private readonly settings: ProxySettings, private readonly store: ResponseStore) {
    this.#origin = new OriginClient(settings.origin, settings.access);
  }

  async fetch(request: Request): Promise<Response> {
    const own = originRequestOf(request);
    const passed = { ...own, fields: withoutClaims(own.fields) };
    try {
      if (mayUseCache(passed, this.settings.paths)) {
        return await this.#fromCache(passed, request.signal);
      }
      const response = await this.#origin.send(passed, request.signal);
      this.#invalidate(passed, response);
      return marked(response, "miss");
    } catch (error) {
      return badGateway(error);
    }
  }

  /**
   * After a write, makes stored responses impossible to find before the client learns that its write succeeded. So the
   * client's next read finds the change.
   */
  #invalidate(request: OriginRequest, response: OriginResponse): void {
    const { origin, invalidate } = this.settings;
    if (invalidate === undefined) return;
    for (const path of pathsChangedBy({ request, response, origin }, invalidate)) {
      this.#generations.advance(path);
    }
  }

  async #fromCache(request: OriginRequest, client: AbortSignal): Promise<Response> {
    const key = keyOf(request, this.#generations.of(request.path));
    const stored = await this.store.get(key);
    if (stored === null) return await this.#fetchCold(key, request, client);
    const staleMs = Date.now() - stored.freshUntilMs;
    if (staleMs < 0) return cachedResponse(stored, "hit");
    if (staleMs >= staleForMs(stored.headers, this.settings.staleMs)) {
      return await this.#fetchCold(key, request, client);
    }
    if (!this.#inFlight.has(key)) void this.#refresh(key, request);
    return cachedResponse(stored, "stale");
  }

  async #fetchCold(key: string, request: OriginRequest, client: AbortSignal): Promise<Response> {
    const fetching = this.settings.singleFlight ? this.#inFlight.get(key) : undefined;
    if (fetching === undefined || this.#isUnshared(key)) {
      return marked(await this.#fetch(key, request, client), "miss");
    }
    fetching.waiting++;
    const stored = await fetching.stored;
    if (stored !== null) return cachedResponse(stored, "hit");
    return marked(await this.#origin.send(request, client), "miss");
  }

  /** Fetches a stale response again in the background. */
  async #refresh(key: string, request: OriginRequest): Promise<void> {
    // If this fails, the stale response stays.
    const response = await this.#fetch(key, request, null).catch(() => null);
    if (response?.body instanceof ReadableStream) await response.body.cancel();
  }

  /**
   * Fetches a response from the origin and stores it if it may be shared.
   *
   * @param client Aborts the fetch if the client disconnects and nobody else waits for it; null if nothing aborts it.
   */
  async #fetch(
    key: string,
    request: OriginRequest,
    client: AbortSignal | null,
  ): Promise<OriginResponse> {
    const stored = Promise.withResolvers<StoredResponse | null>();
    const fetching: InFlightFetch = { stored: stored.promise, waiting: 0 };
    let isLate = false;
    const isWanted = (): boolean => client === null || (fetching.waiting > 0 && !isLate);
    const leaving = new AbortController();
    client?.addEventListener("abort", () => isWanted() || leaving.abort());
    this.#inFlight.set(key, fetching);
    const end = (response: StoredResponse | null): void => {
      stored.resolve(response);
      if (this.#inFlight.get(key) === fetching) this.#inFlight.delete(key);
    };
    try {
      const response = await this.#origin.send(request, leaving.signal);
      const freshMs = freshForMs(response, this.settings.ttlMs, Date.now());
      if (freshMs <= 0) {
        this.#rememberUnshared(key);
        end(null);
        return response;
      }
      const { maxBodyBytes } = this.settings;
      const both = tee(response, { maxBodyBytes, isWanted });
      const patience = setTimeout(() => {
        isLate = true;
        // Let the other requests stop waiting. Unless its own client disconnects, the fetch
        // continues, and its response is still stored at the end.
        stored.resolve(null);
        both.release();
      }, PATIENCE_MS);
      void both.whole.then((body) => {
        clearTimeout(patience);
        return this.#keep(key, { ...response, body }, freshMs);
      }).then(end);
      return both.response;
    } catch (error) {
      end(null);
      throw error;
    }
  }

  /**
   * Stores a response, and resolves after the store has it. The fetch stays in `#inFlight` until then, so that a
   * request that has just missed the store still finds it.
   */
  async #keep(
    key: string,
    { status, fields, body }: Omit<OriginResponse, "body"> & { body: WholeBody },
    freshMs: number,
  ): Promise<StoredResponse | null> {
    if (body === "too large") this.#rememberUnshared(key);
    if (typeof body === "string") return null;
    const keptAtMs = Date.now();
    const stored = { status, headers: fields, body, keptAtMs, freshUntilMs: keptAtMs + freshMs };
    await this.store.set(key, stored, freshMs + this.settings.staleMs);
    // Let earlier look-ups in the store finish, so that the requests that made them still find this
    // fetch.
    await new Promise((resolve) => setTimeout(resolve));
    return stored;
  }

  #isUnshared(key: string): boolean {
    const untilMs = this.#unshared.get(key);
    if (untilMs === undefined) return false;
    if (untilMs > Date.now()) return true;
    this.#unshared.delete(key);
    return false;
  }

  #rememberUnshared(key: string): void {
    if (this.#unshared.size >= MOST_UNSHARED) this.#unshared.clear();
    this.#unshared.set(key, Date.now() + UNSHARED_MS);
  }

  /** Handles the line `empty`, so that a load begins with an empty store. */
  receive(line: string): void {
    if (line !== "empty") return;
    this.#inFlight.clear();
    this.store.empty();
  }

  close(): void {
    this.#origin.close();
    this.store.close();
  }
}

function cachedResponse(
  { status, headers, body, keptAtMs }: StoredResponse,
  cacheStatus: CacheStatus,
): Response {
  const keptSec = Math.max(0, Math.floor((Date.now() - keptAtMs) / 1_000));
  const ageSec = ageSecOf(headers) + keptSec;
  const own = headers.filter(([name]) => name !== "age" && name !== "x-instance");
  const fields: Fields = [...own, ["age", String(ageSec)]];
  return marked({ status, fields, body: body.length === 0 ? null : body }, cacheStatus);
}

function marked({ status, fields, body }: OriginResponse, cacheStatus: CacheStatus): Response {
  const own = fields.filter(([name]) => name !== "x-cache");
  return responseOf({ status, fields: [...own, ["x-cache", cacheStatus]], body });
}
