/**
 * The caching proxy of the Wiki.js study, in front of one origin: it answers from its store what it may,
 * and asks the origin for the rest. It never asks anybody else, whatever a request says.
 */
import type { Gateway, ProxySettings } from "../gateway.ts";
import { badGateway, responseOf } from "../response.ts";
import { type Asked, askedBy } from "../origin/request.ts";
import type { Fields } from "../origin/fields.ts";
import { Origin, type OriginAnswer } from "../origin/origin.ts";
import { freshForMs, keyOf, mayUseCache, toldAgeSec, withoutClaims } from "./rules.ts";
import { openStore } from "./stores/registry.ts";
import type { KeptAnswer, Store } from "./stores/store.ts";
import { takeApart } from "./tee.ts";

/** What must not be shared is asked for side by side for so long, before one is tried alone again. */
const UNSHARED_MS = 1_000;
const MOST_UNSHARED = 10_000;

/** Others wait for the rest of a body for so long, before they ask for their own. */
const PATIENCE_MS = 1_000;

/** A request on its way to the origin, whose answer may be for others, too. */
interface Flight {
  /** The answer once it is kept; null when it is for its own client only, or takes too long. */
  readonly landed: Promise<KeptAnswer | null>;
  /** How many wait for it. */
  waiting: number;
}

type Word = "hit" | "miss" | "stale";

/** Throws a TargetError when its store does not answer. */
export async function openProxy(settings: ProxySettings): Promise<Proxy> {
  return new Proxy(settings, await openStore(settings.store, settings));
}

export class Proxy implements Gateway {
  readonly #origin: Origin;
  readonly #flights = new Map<string, Flight>();
  /** Keys of what was not to be shared, and until when that is remembered. */
  readonly #unshared = new Map<string, number>();

  constructor(private readonly settings: ProxySettings, private readonly store: Store) {
    this.#origin = new Origin(settings.origin, settings.access);
  }

  async fetch(request: Request): Promise<Response> {
    const said = askedBy(request);
    const asked = { ...said, fields: withoutClaims(said.fields) };
    try {
      if (mayUseCache(asked, this.settings.paths)) return await this.#fromCache(asked, request);
      return marked(await this.#origin.ask(asked, request.signal), "miss");
    } catch (error) {
      return badGateway(error);
    }
  }

  async #fromCache(asked: Asked, request: Request): Promise<Response> {
    const key = keyOf(asked);
    const kept = await this.store.get(key);
    if (kept === null) return await this.#fetchCold(key, asked, request);
    if (kept.freshUntilMs > Date.now()) return keptResponse(kept, "hit");
    if (!this.#flights.has(key)) void this.#refresh(key, asked);
    return keptResponse(kept, "stale");
  }

  async #fetchCold(key: string, asked: Asked, request: Request): Promise<Response> {
    const flight = this.settings.singleFlight ? this.#flights.get(key) : undefined;
    if (flight === undefined || this.#isUnshared(key)) {
      return marked(await this.#fly(key, asked, request.signal), "miss");
    }
    flight.waiting++;
    const landed = await flight.landed;
    if (landed !== null) return keptResponse(landed, "hit");
    return marked(await this.#origin.ask(asked, request.signal), "miss");
  }

  /** Fetches a stale answer anew, for nobody in particular. */
  async #refresh(key: string, asked: Asked): Promise<void> {
    const answer = await this.#fly(key, asked, null).catch(() => null); // the stale one stays
    if (answer?.body instanceof ReadableStream) await answer.body.cancel();
  }

  /** Asks the origin, and keeps what it answers. @param client Its end ends the request; null: nobody's does. */
  async #fly(key: string, asked: Asked, client: AbortSignal | null): Promise<OriginAnswer> {
    const landed = Promise.withResolvers<KeptAnswer | null>();
    const flight: Flight = { landed: landed.promise, waiting: 0 };
    let isLate = false;
    const isWanted = (): boolean => client === null || (flight.waiting > 0 && !isLate);
    const leaving = new AbortController();
    client?.addEventListener("abort", () => isWanted() || leaving.abort());
    this.#flights.set(key, flight);
    const land = (kept: KeptAnswer | null): void => {
      landed.resolve(kept);
      if (kept === null) this.#rememberUnshared(key);
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    };
    try {
      const answer = await this.#origin.ask(asked, leaving.signal);
      const freshMs = freshForMs(answer, this.settings.ttlMs, Date.now());
      if (freshMs <= 0) {
        land(null);
        return answer;
      }
      const { maxBodyBytes } = this.settings;
      const apart = takeApart(answer, { maxBodyBytes, isWanted });
      const waiting = setTimeout(() => {
        isLate = true;
        landed.resolve(null); // in flight it stays: nobody waits for another, and its end is kept
        apart.release();
      }, PATIENCE_MS);
      void apart.whole.then((body) => {
        clearTimeout(waiting);
        return this.#keep(key, { ...answer, body }, freshMs);
      }).then(land);
      return apart.answer;
    } catch (error) {
      land(null);
      throw error;
    }
  }

  /**
   * Resolves when the store has it: whoever has asked the store before that, in vain, is answered by the
   * store before that, too, and so still finds the flight.
   */
  async #keep(
    key: string,
    { status, fields, body }: OriginAnswer & { body: Uint8Array<ArrayBuffer> | null },
    freshMs: number,
  ): Promise<KeptAnswer | null> {
    if (body === null) return null;
    const keptAtMs = Date.now();
    const kept = { status, headers: fields, body, keptAtMs, freshUntilMs: keptAtMs + freshMs };
    await this.store.set(key, kept, freshMs + this.settings.staleMs);
    await new Promise((resolve) => setTimeout(resolve)); // until those answers are read
    return kept;
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

  /** `empty`: the load begins, without what was kept before. */
  receive(line: string): void {
    if (line !== "empty") return;
    this.#flights.clear();
    this.store.empty();
  }

  close(): void {
    this.#origin.close();
    this.store.close();
  }
}

function keptResponse({ status, headers, body, keptAtMs }: KeptAnswer, word: Word): Response {
  const keptSec = Math.max(0, Math.floor((Date.now() - keptAtMs) / 1_000));
  const ageSec = toldAgeSec(headers) + keptSec;
  const fields: Fields = [...headers.filter(([name]) => name !== "age"), ["age", String(ageSec)]];
  return marked({ status, fields, body: body.length === 0 ? null : body }, word);
}

function marked({ status, fields, body }: OriginAnswer, word: Word): Response {
  const own = fields.filter(([name]) => name !== "x-cache");
  return responseOf({ status, fields: [...own, ["x-cache", word]], body });
}
