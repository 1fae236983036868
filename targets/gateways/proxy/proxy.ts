/**
 * The caching proxy of the Wiki.js study, in front of one origin: it responds from its store where it may, and
 * fetches the rest from the origin. It never dials another host, whatever a request says.
 */
import type { Gateway, ProxySettings } from "../gateway.ts";
import { badGateway, responseOf } from "../response.ts";
import { type OriginRequest, originRequestOf } from "../origin/request.ts";
import type { Fields } from "../origin/fields.ts";
import { OriginClient, type OriginResponse } from "../origin/origin.ts";
import { Generations, pathsChangedBy } from "./invalidation.ts";
import { ageSecOf, freshForMs, keyOf, mayUseCache, withoutClaims } from "./rules.ts";
import { openStore } from "./stores/registry.ts";
import type { ResponseStore, StoredResponse } from "./stores/store.ts";
import { tee } from "./tee.ts";

/** How long requests for an unshareable response are fetched side by side, before a single fetch is tried again. */
const UNSHARED_MS = 1_000;
const MOST_UNSHARED = 10_000;

/** How long other requests wait for the rest of a body, before they fetch their own. */
const PATIENCE_MS = 1_000;

/** A request on its way to the origin whose response may serve other clients, too (like Go's singleflight). */
interface InFlightFetch {
  /** The response, once it is stored; null if it is for its own client only, or takes too long. */
  readonly stored: Promise<StoredResponse | null>;
  /** The number of requests that wait for the response. */
  waiting: number;
}

type CacheStatus = "hit" | "miss" | "stale";

/** Opens the proxy. Throws a TargetError when its store does not respond. */
export async function openProxy(settings: ProxySettings): Promise<Proxy> {
  return new Proxy(settings, await openStore(settings.store, settings));
}

export class Proxy implements Gateway {
  readonly #origin: OriginClient;
  readonly #inFlight = new Map<string, InFlightFetch>();
  /** The keys of unshareable responses, each with the moment until which it is remembered. */
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
   * Makes stored responses stale after a write. Called before the client learns that its write succeeded, so that its
   * next read finds the change.
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
    if (stored.freshUntilMs > Date.now()) return cachedResponse(stored, "hit");
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

  /** Fetches a stale response again, for no client in particular. */
  async #refresh(key: string, request: OriginRequest): Promise<void> {
    const response = await this.#fetch(key, request, null).catch(() => null); // keeps the stale response
    if (response?.body instanceof ReadableStream) await response.body.cancel();
  }

  /**
   * Fetches from the origin, and stores the response.
   * @param client Aborts the fetch when the client goes away; null: nothing aborts it.
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
      if (response === null) this.#rememberUnshared(key);
      if (this.#inFlight.get(key) === fetching) this.#inFlight.delete(key);
    };
    try {
      const response = await this.#origin.send(request, leaving.signal);
      const freshMs = freshForMs(response, this.settings.ttlMs, Date.now());
      if (freshMs <= 0) {
        end(null);
        return response;
      }
      const { maxBodyBytes } = this.settings;
      const both = tee(response, { maxBodyBytes, isWanted });
      const patience = setTimeout(() => {
        isLate = true;
        stored.resolve(null); // nobody waits any more; the fetch stays in flight, and is stored at its end
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
   * Stores a response; resolves when the store has it. The fetch stays in flight until then, so that a request that
   * looked in the store before, in vain, still finds the fetch.
   */
  async #keep(
    key: string,
    { status, fields, body }: OriginResponse & { body: Uint8Array<ArrayBuffer> | null },
    freshMs: number,
  ): Promise<StoredResponse | null> {
    if (body === null) return null;
    const keptAtMs = Date.now();
    const stored = { status, headers: fields, body, keptAtMs, freshUntilMs: keptAtMs + freshMs };
    await this.store.set(key, stored, freshMs + this.settings.staleMs);
    await new Promise((resolve) => setTimeout(resolve)); // until requests that looked before have read their results
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

  /** Handles the line `empty`: the load begins, with nothing stored. */
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
