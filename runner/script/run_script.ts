/** The script of an experiment around a run: `setup` before its load, with what the load's hooks then know, and `teardown` after it. */
import { messageOf, TargetError } from "../../base/errors.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { logLine } from "../../base/script/log.ts";
import { Realm, ScriptError } from "../../base/script/realm.ts";
import { type ScriptCode, scriptCode } from "../../scenarios/code/code.ts";
import { environment } from "../../scenarios/file/experiment_file.ts";
import type { Experiment } from "../../scenarios/file/experiment.ts";
import type { Script } from "../../scenarios/request/script.ts";

/** One script's part in a run. */
export interface ScriptedRun {
  /** The requests, with what evaluates their hooks. */
  readonly script: Script;
  /** Calls `teardown`. Gives why it failed; null where it did not. */
  readonly end: () => Promise<string | null>;
}

export type ScriptParts = Pick<Experiment, "script" | "setup" | "teardown">;

/** So long may `setup` wait for a response. */
const FETCH_MS = 30_000;

/** Calls `setup` for a target that is there. Throws a TargetError where it fails. */
export async function beginScript(
  script: Script,
  { script: code, setup, teardown }: ScriptParts,
  origin: string,
  signal: AbortSignal,
): Promise<ScriptedRun> {
  if (code === undefined) return { script, end: () => Promise.resolve(null) };
  const whole = scriptCode(code, environment);
  const call = (name: string, given: unknown): Promise<string> =>
    callOnce(whole, name, JSON.stringify(given), signal);
  const data = setup === undefined ? null : await call(setup, { url: origin });
  return {
    script: { ...script, code: { ...whole, data } },
    end: () => {
      if (teardown === undefined) return Promise.resolve(null);
      return call(teardown, data === null ? null : JSON.parse(data)).then(() => null, messageOf);
    },
  };
}

async function callOnce(
  code: ScriptCode,
  name: string,
  json: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const realm = await Realm.open({
      entry: code.entry,
      load: (path) => {
        if (Object.hasOwn(code.files, path)) return code.files[path];
        throw new Error(`${path} was not imported when the experiment was read`);
      },
      env: (name) => code.env[name] ?? "",
      random: Math.random,
      nowMs: () => performance.now(),
      log: logLine,
    });
    realm.experiment(code.parameters);
    return await realm.call(name, json, (url, init) => fetched(url, init, signal));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new TargetError(`${name} of ${code.entry} has failed: ${error.message}`);
  }
}

/** What a script's `fetch` gives, as JSON. */
async function fetched(url: string, init: string, signal: AbortSignal): Promise<string> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]);
  const response = await fetch(url, { ...JSON.parse(init), signal: ended }).catch((error) => {
    throw new Error(`${url} gave no response: ${messageOf(error)}`);
  });
  const body = await response.text();
  if (!isWithin("textFile", body.length)) throw new Error(beyond("textFile", body.length));
  const headers = Object.fromEntries(response.headers);
  return JSON.stringify({ status: response.status, headers, body });
}
