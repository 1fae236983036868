/** The script of an experiment around a run: `setup` before its load, with what the load's hooks then know, and `teardown` after it. */
import { messageOf, TargetError } from "../../base/errors.ts";
import { boundedBody } from "../../base/net/bounded_body.ts";
import { quotedOpenly, withoutSecrets } from "../../base/secrets.ts";
import { logLine } from "../../base/script/log.ts";
import { ScriptError } from "../../base/script/realm.ts";
import { type ScriptCode, scriptCode } from "../../scenarios/code/code.ts";
import { evaluated } from "../../scenarios/code/evaluated.ts";
import { environment } from "../../scenarios/file/experiment_file.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import { requestsOf, type Script } from "../../scenarios/request/script.ts";

/** One script's part in a run. */
export interface ScriptedRun {
  /** The requests, with what evaluates their hooks. */
  readonly script: Script;
  /** Calls `teardown`. Gives why it failed; null where it did not. */
  readonly end: () => Promise<string | null>;
}

/** Throws where a script may not fetch from there. */
export type MayFetch = (url: URL) => Promise<void>;

export interface ScriptParts extends Partial<Pick<Experiment, "script" | "setup" | "teardown">> {
  /** Absent: it may fetch from everywhere. */
  readonly mayFetch?: MayFetch;
}

/** So long may `setup` wait for a response, and last. */
const FETCH_MS = 30_000;
const CALL_MS = 60_000;
/** So long may `teardown` last, also after Ctrl-C. */
const TEARDOWN_MS = 10_000;

/** Calls `setup` for a target that is there. Throws a TargetError where it fails. */
export async function beginScript(
  script: Script,
  { script: code, setup, teardown, mayFetch }: ScriptParts,
  origin: string,
  signal: AbortSignal,
): Promise<ScriptedRun> {
  if (code === undefined) return { script, end: () => Promise.resolve(null) };
  const whole = scriptCode(code, environment);
  const call = (name: string, given: unknown, until: AbortSignal): Promise<string> =>
    callOnce(whole, name, JSON.stringify(given), { mayFetch, signal: until });
  const begun = AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]);
  const data = setup === undefined ? null : await call(setup, { url: origin }, begun);
  const hasHooks = requestsOf(script).some(({ hooks }) => hooks !== undefined);
  return {
    script: hasHooks ? { ...script, code: { ...whole, data } } : script,
    end: () => {
      if (teardown === undefined) return Promise.resolve(null);
      const given = data === null ? null : JSON.parse(data);
      return call(teardown, given, AbortSignal.timeout(TEARDOWN_MS)).then(() => null, messageOf);
    },
  };
}

async function callOnce(
  code: ScriptCode,
  name: string,
  json: string,
  options: FetchOptions,
): Promise<string> {
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {}); // it may end before anybody waits for it
  const { signal } = options;
  const end = (): void =>
    over.reject(new ScriptError("it did not end in time, or was interrupted"));
  signal.addEventListener("abort", end, { once: true });
  try {
    signal.throwIfAborted();
    const realm = await evaluated(code, { random: Math.random, log: logLine });
    const called = realm.call(name, json, (url, init) => fetched(url, init, options));
    return await Promise.race([called, over.promise]);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new TargetError(`${name} of ${code.entry} has failed: ${error.message}`);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

interface FetchOptions extends Pick<ScriptParts, "mayFetch"> {
  readonly signal: AbortSignal;
}

/** What a script's `fetch` gives, as JSON. Redirects are followed where it may fetch from everywhere. */
async function fetched(
  written: string,
  init: string,
  { mayFetch, signal }: FetchOptions,
): Promise<string> {
  if (signal.aborted) return await new Promise(() => {}); // a script that goes on and on ends here
  const url = URL.parse(written);
  // A file, for one, is no server.
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error(`Cannot fetch ${quotedOpenly(written)}: write an http URL`);
  }
  await mayFetch?.(url);
  const ended = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const redirect = mayFetch === undefined ? "follow" : "error";
  const response = await fetch(url, { ...JSON.parse(init), redirect, signal: ended })
    .catch((error) => {
      throw new Error(`${withoutSecrets(url.href)} gave no response: ${messageOf(error)}`);
    });
  const body = new TextDecoder().decode(await boundedBody(response.body, "textFile"));
  const headers = Object.fromEntries(response.headers);
  return JSON.stringify({ status: response.status, headers, body });
}
