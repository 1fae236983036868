/**
 * Calls the functions of the experiment's script that surround a run: `setup` before the load, and `teardown` after it.
 * The hooks of the load get what `setup` returned.
 */
import { messageOf, TargetError } from "../../base/errors.ts";
import { isWithin, LIMITS } from "../../base/limits.ts";
import { boundedBody } from "../../base/net/bounded_body.ts";
import { quotedOpenly, withoutSecrets } from "../../base/secrets.ts";
import { logLine } from "../../base/script/log.ts";
import { placed, type Realm, ScriptError } from "../../base/script/realm.ts";
import { scriptCode } from "../../scenarios/code/code.ts";
import { evaluated } from "../../scenarios/code/evaluated.ts";
import { environment } from "../../scenarios/file/experiment_file.ts";
import type { Experiment } from "../../scenarios/file/experiment_shape.ts";
import { hasHooks, type Script } from "../../scenarios/request/script.ts";
import { FreshData } from "../load/hooks/fresh_data.ts";
import type { HookUse } from "../result/hooks.ts";

/** The script's part in one run. */
export interface ScriptedRun {
  /** The requests, with the code of their hooks. */
  readonly script: Script;
  /** Calls `teardown`. Returns why it failed, after telling the user; null if it did not fail. */
  readonly end: () => Promise<string | null>;
  /** Stops renewing the data of users, because the load is over. */
  readonly stop: () => void;
  /** How often the data was renewed; undefined if it is not renewed. */
  readonly refreshes: () => HookUse["refreshes"];
}

/** Throws if the script may not fetch from this URL. */
export type MayFetch = (url: URL) => Promise<void>;

export interface ScriptParts
  extends Partial<Pick<Experiment, "script" | "setup" | "refresh" | "teardown">> {
  /** Decides where the script may fetch from; absent: everywhere. */
  readonly mayFetch?: MayFetch;
  /** Tells the user why `teardown` failed. */
  readonly warn?: (why: string) => void;
}

/** How long `setup`, `refresh` and `teardown` may wait for a response. */
const FETCH_MS = 30_000;
/**
 * How long each function may last (`ms`), and how long it may compute without a pause (`computingMs`). `refresh`
 * computes during a load, so it may compute for a shorter time. `teardown` gets its time even after Ctrl-C.
 */
const SETUP: Limits = { ms: 60_000, computingMs: 10_000 };
const REFRESH: Limits = { ms: 60_000, computingMs: 1_000 };
const TEARDOWN: Limits = { ms: 10_000, computingMs: 10_000 };

/** A run in which no function of a script takes part. */
export function unscripted(script: Script): ScriptedRun {
  return {
    script,
    end: () => Promise.resolve(null),
    stop: () => {},
    refreshes: () => undefined,
  };
}

/** Calls `setup` for a target that is running. Throws a TargetError if it fails. */
export async function beginScript(
  script: Script,
  { script: code, setup, refresh, teardown, mayFetch, warn }: ScriptParts,
  origin: string,
  signal: AbortSignal,
): Promise<ScriptedRun> {
  if (code === undefined) return unscripted(script);
  const whole = scriptCode(code, environment);
  // Evaluating the script takes some hundredths of a second, perhaps during the load, so all calls
  // share one realm, in which the script is evaluated once. A call that is cut off may continue in
  // its realm when a response that it awaits arrives, so the next call gets a new realm.
  let realm: Realm | null = null;
  const call = (name: string, given: readonly unknown[], within: Within): Promise<string> =>
    callIn({
      ...{ name, entry: whole.entry },
      open: async () => {
        if (realm !== null && !realm.isGivenUp) return realm;
        return realm = await evaluated(whole, { random: Math.random, log: logLine });
      },
      call: async (realm, until) => {
        realm.limit(within.computingMs);
        const fetch = (url: string, init: string): Promise<string> =>
          fetched(url, init, { mayFetch, signal: until });
        return checked(await realm.call(name, JSON.stringify(given), fetch));
      },
      onCutOff: () => realm = null,
    }, within);
  const data = setup === undefined
    ? null
    : await call(setup, [{ url: origin }], { ...SETUP, signals: [signal] });
  const isHooked = hasHooks(script);
  const renewal = refresh === undefined || !isHooked ? null : new Renewal({
    data,
    everyMs: refresh.every,
    renew: (now, stopped) =>
      call(refresh.by, [parsed(now), { url: origin }], { ...REFRESH, signals: [signal, stopped] }),
    signal,
  });
  return {
    script: isHooked
      ? { ...script, code: { ...whole, data }, ...renewal && { fresh: renewal.fresh.memory } }
      : script,
    stop: () => renewal?.stop(),
    refreshes: () => renewal?.counts,
    end: () => {
      renewal?.stop();
      if (teardown === undefined) return Promise.resolve(null);
      const given = parsed(renewal?.data ?? data);
      return call(teardown, [given], { ...TEARDOWN, signals: [] }).then(() => null, (error) => {
        const why = messageOf(error);
        warn?.(why);
        return why;
      });
    },
  };
}

/** What `setup` or `refresh` returned, as JSON. Throws a ScriptError if it is larger than workers accept. */
function checked(json: string): string {
  const { length } = new TextEncoder().encode(json);
  if (isWithin("scriptData", length)) return json;
  const { most } = LIMITS.scriptData;
  throw new ScriptError(`its result has ${length} bytes as JSON, but the limit is ${most}`);
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}

interface RenewalParts {
  /** The data that `setup` returned, as JSON. */
  readonly data: string | null;
  readonly everyMs: number;
  readonly renew: (data: string | null, stopped: AbortSignal) => Promise<string>;
  readonly signal: AbortSignal;
}

/** Renews the data of users during a load: users keep the old data until the new arrives, or if renewing fails. */
class Renewal {
  readonly fresh = new FreshData();
  data: string | null;
  #done = 0;
  #failed = 0;
  #isBusy = false;
  readonly #stopped = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(private readonly parts: RenewalParts) {
    this.data = parts.data;
    this.#timer = setInterval(() => void this.#renew(), parts.everyMs);
  }

  get counts(): { readonly done: number; readonly failed: number } {
    return { done: this.#done, failed: this.#failed };
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopped.abort();
  }

  async #renew(): Promise<void> {
    if (this.#isBusy) return; // the previous refresh has not ended yet
    this.#isBusy = true;
    const { renew, signal } = this.parts;
    const stopped = this.#stopped.signal;
    try {
      const data = await renew(this.data, stopped);
      if (stopped.aborted) return;
      this.fresh.write(data);
      this.data = data;
      this.#done++;
    } catch (error) {
      if (signal.aborted || stopped.aborted) return;
      if (this.#failed++ === 0) logLine(`Users keep their earlier data: ${messageOf(error)}`);
    } finally {
      this.#isBusy = false;
    }
  }
}

interface CallParts {
  readonly name: string;
  /** Path of the script. */
  readonly entry: string;
  readonly open: () => Promise<Realm>;
  readonly call: (realm: Realm, until: AbortSignal) => Promise<string>;
  /** Called if the function is cut off before it ends. */
  readonly onCutOff: () => void;
}

interface Limits {
  readonly ms: number;
  readonly computingMs: number;
}

/** The time limits of a call, and the signals that cut it off. */
interface Within extends Limits {
  readonly signals: readonly AbortSignal[];
}

async function callIn(
  { name, entry, open, call, onCutOff }: CallParts,
  { ms, signals }: Within,
): Promise<string> {
  const ended = new AbortController();
  const until = AbortSignal.any([...signals, AbortSignal.timeout(ms), ended.signal]);
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {}); // the promise may reject before anybody awaits it
  let place = "";
  const end = (): void => {
    onCutOff();
    const isInterrupted = signals.some(({ aborted }) => aborted);
    const why = isInterrupted ? "it was interrupted" : `it did not end within ${ms / 1_000} s`;
    over.reject(new ScriptError(why));
  };
  until.addEventListener("abort", end, { once: true });
  const opened = async (): Promise<string> => {
    const realm = await open();
    until.throwIfAborted(); // otherwise this call, which was cut off, would begin in the next call's realm
    place = realm.placeOf(name);
    return await call(realm, until);
  };
  try {
    until.throwIfAborted();
    return await Promise.race([opened(), over.promise]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new TargetError(`${name} of ${entry} failed: ${placed(error.message, place)}`);
  } finally {
    until.removeEventListener("abort", end);
    ended.abort(); // also ends the call's fetches
  }
}

interface FetchOptions extends Pick<ScriptParts, "mayFetch"> {
  readonly signal: AbortSignal;
}

/** The result of a script's `fetch`, as JSON. Redirects are followed if the script may fetch from everywhere. */
async function fetched(
  written: string,
  init: string,
  { mayFetch, signal }: FetchOptions,
): Promise<string> {
  if (signal.aborted) return await new Promise(() => {}); // a script that fetches for ever stops here
  const url = URL.parse(written);
  // Excludes URLs without a server, such as file URLs.
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot fetch ${quotedOpenly(written)}: write an http URL`);
  }
  await mayFetch?.(url);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const redirect = mayFetch === undefined ? "follow" : "error";
  const response = await fetch(url, { ...JSON.parse(init), redirect, signal: ended })
    .catch((error) => {
      throw new Error(`${withoutSecrets(url.href)} sent no response: ${messageOf(error)}`);
    });
  const body = new TextDecoder().decode(await boundedBody(response.body, "textFile"));
  const headers = Object.fromEntries(response.headers);
  return JSON.stringify({ status: response.status, headers, body });
}
