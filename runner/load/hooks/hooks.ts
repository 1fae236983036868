/**
 * The functions of an experiment's script that a worker calls: before a request is sent, after its response has
 * arrived, and at the start and end of a session. They run in a realm without any permission, within limits of time and
 * memory, and a failure affects one request or session only.
 */
import type { KeptResponse } from "../../../base/http/kept.ts";
import type { ReceivedResponse } from "../../../base/http/received.ts";
import type { WireRequest } from "../../../base/http/request.ts";
import { bodyOctets } from "../../../base/http/body.ts";
import { messageOf, TargetError } from "../../../base/errors.ts";
import { LIMITS } from "../../../base/limits.ts";
import { streamBy } from "../../../base/random.ts";
import { logLine } from "../../../base/script/log.ts";
import {
  CHANGED,
  type HookResult,
  placed,
  type Readable,
  type Realm,
  type RealmFunction,
  type RealmUser,
  ScriptError,
} from "../../../base/script/realm.ts";
import type { ScriptCode } from "../../../scenarios/code/code.ts";
import { evaluated } from "../../../scenarios/code/evaluated.ts";
import type { HookUse } from "../../result/hooks.ts";
import type { RequestHooks, UserHooks } from "../../../scenarios/request/script.ts";
import { FreshData } from "./fresh_data.ts";
import { lineAndFields } from "./sent_request.ts";

/**
 * Number of rehearsed calls. The first few thousand calls take two to four times as long as later ones, because V8 is
 * still compiling the code; at 5,000 calls/s these slow calls would be a third of all calls of a short run. The
 * rehearsal takes a few hundredths of a second.
 */
const REHEARSED_CALLS = 8_000;
const REHEARSED: WireRequest = { method: "GET", path: "/", headers: {}, body: null };

export interface HookOptions {
  /** Seed of `user.random()`. */
  readonly seed: number;
  /** Numbers of this worker's virtual users in the whole load: `first`, `first + stride`, … */
  readonly first: number;
  readonly stride: number;
  /** The clock of the run, microseconds. */
  readonly nowUs: () => number;
  /** Memory through which the script's data is renewed during the load; absent: the data stays the same. */
  readonly fresh?: SharedArrayBuffer;
}

/** A virtual user as seen by its hooks. */
export interface HookUser {
  /** The user's number among the users of this worker, from 0. */
  readonly number: number;
  /** True until a hook is called in this session. */
  isNew: boolean;
  /** Variables that have not been passed to hooks yet. */
  readonly news: Map<string, string>;
  readonly variables: Map<string, string>;
}

/** The hooks of one request. */
export interface PreparedHooks {
  /**
   * Returns the request to send, or a string that says why the script failed. The property is null if there is no such
   * hook.
   */
  readonly before: ((user: HookUser, wire: WireRequest) => WireRequest | string) | null;
  /** Returns why the script failed; null if it did not. The property is null if there is no such hook. */
  readonly after: ((user: HookUser, response: ReceivedResponse) => string | null) | null;
}

/** The hooks of all virtual users; each returns why the script failed, or null. */
export interface PreparedUserHooks {
  readonly start: ((user: HookUser) => string | null) | null;
  readonly end: ((user: HookUser) => string | null) | null;
}

interface Hook {
  readonly hook: RealmFunction;
  /** Where the function begins, in the form that is appended to error messages. */
  readonly place: string;
}

export class Hooks {
  #calls = 0;
  #timeUs = 0;
  readonly #users: RealmUser[] = [];
  readonly #fresh: FreshData | null;
  #version = 0;
  #endedUs = 0;
  /** Why no hook can be called any more; null while hooks can be called. */
  #lost: string | null = null;

  private constructor(
    private readonly realm: Realm,
    /** Path of the script. */
    private readonly entry: string,
    private readonly options: HookOptions,
  ) {
    this.#fresh = options.fresh === undefined ? null : new FreshData(options.fresh);
  }

  /** Opens the hooks of a script. Throws a TargetError if the script itself fails. */
  static async open(code: ScriptCode, options: HookOptions): Promise<Hooks> {
    const random = streamBy(options.seed, "scripts");
    let lines = 0;
    const parts = {
      random: () => (random.next() >>> 0) / 2 ** 32,
      log: (line: string) => {
        if (lines++ < LIMITS.scriptLines.most) logLine(line);
      },
    };
    try {
      const realm = await evaluated(code, parts);
      if (code.data !== null) realm.setData(code.data);
      realm.limit(LIMITS.scriptCallMs.most);
      return new Hooks(realm, code.entry, options);
    } catch (error) {
      throw unrunnable(code.entry, error);
    }
  }

  /** Calls a hook that the realm has for this purpose, so that the code that calls hooks is compiled before a load. */
  rehearse(): void {
    const call = this.#before({ hook: this.realm.rehearsal(), place: "" }, true);
    for (let left = REHEARSED_CALLS; left > 0; left--) {
      call({ number: 0, isNew: true, news: new Map(), variables: new Map() }, REHEARSED);
    }
    this.#users.length = 0;
    this.#calls = this.#timeUs = this.#endedUs = 0;
  }

  /** When the last call ended, microseconds. */
  get endedUs(): number {
    return this.#endedUs;
  }

  /** Total time of all calls, microseconds. */
  get timeUs(): number {
    return this.#timeUs;
  }

  get use(): HookUse {
    return { calls: this.#calls, timeS: this.#timeUs / 1e6 };
  }

  /**
   * The hooks of one request, ready to be called. Throws a TargetError if the script lacks one of the functions.
   * @param wire The request if nothing in it varies; else null.
   */
  prepared({ before, after }: RequestHooks, wire: WireRequest | null): PreparedHooks {
    const base = wire === null ? undefined : forHook(wire);
    return {
      before: before === null
        ? null
        : this.#before(this.#hook(before, "before", base), base !== undefined),
      after: after === null ? null : this.#after(this.#hook(after, "after")),
    };
  }

  /** The hooks of users, ready to be called. Throws a TargetError if the script lacks one of the functions. */
  preparedUser({ start, end }: UserHooks): PreparedUserHooks {
    const prepare = (name: string | null): PreparedUserHooks["start"] =>
      name === null ? null : this.#ofUser(this.#hook(name, "user"));
    return { start: prepare(start), end: told(prepare(end)) };
  }

  #hook(name: string, kind: "before" | "after" | "user", base?: unknown): Hook {
    try {
      return { hook: this.realm.hook(name, kind, base), place: this.realm.placeOf(name) };
    } catch (error) {
      throw unrunnable(this.entry, error);
    }
  }

  #ofUser({ hook, place }: Hook): (user: HookUser) => string | null {
    return (user) =>
      this.#timed(place, () => {
        const own = this.#own(user);
        const isFirst = this.#isFirst(user, own);
        this.#take(this.realm.after(hook, own, isFirst), user, own);
        return null;
      });
  }

  #before(
    { hook, place }: Hook,
    isFixed: boolean,
  ): (user: HookUser, wire: WireRequest) => WireRequest | string {
    const { realm } = this;
    return (user, wire) =>
      this.#timed(place, () => {
        const own = this.#own(user);
        const isFirst = this.#isFirst(user, own);
        if (!isFixed) realm.request = partsOfRequest(wire);
        const result = realm.before(hook, own, isFirst);
        this.#take(result.changed, user, own);
        return result.head === null ? wire : sentRequest(realm, wire, result);
      });
  }

  #after({ hook, place }: Hook): (user: HookUser, response: ReceivedResponse) => string | null {
    const { realm } = this;
    return (user, response) =>
      this.#timed(place, () => {
        const own = this.#own(user);
        const isFirst = this.#isFirst(user, own);
        realm.response = partsOfResponse(response.kept);
        try {
          this.#take(realm.after(hook, own, isFirst, response.status), user, own);
          return null;
        } finally {
          realm.response = null;
        }
      });
  }

  /** The realm's object for the user. */
  #own({ number }: HookUser): RealmUser {
    const { first, stride } = this.options;
    return this.#users[number] ??= this.realm.user(first + number * stride);
  }

  /**
   * Passes the user's new variables to the realm. For a new user this begins the session in the realm. Returns whether
   * the current call must begin the session instead, because there were no variables to pass.
   */
  #isFirst(user: HookUser, own: RealmUser): boolean {
    let isFirst = user.isNew;
    user.isNew = false;
    if (user.news.size > 0) {
      this.realm.give(own, isFirst, JSON.stringify(Object.fromEntries(user.news)));
      user.news.clear();
      isFirst = false;
    }
    return isFirst;
  }

  #take(changed: number, user: HookUser, own: RealmUser): void {
    if ((changed & CHANGED.variables) === 0) return;
    for (const [name, value] of Object.entries(this.realm.variables(own))) {
      user.variables.set(name, `${value}`); // a string even if the script has replaced JSON in its realm
    }
  }

  /** @param place Where the hook begins, for errors that name no place. */
  #timed<Result>(place: string, call: () => Result): Result | string {
    if (this.#lost !== null) return this.#lost;
    const sinceUs = this.options.nowUs();
    try {
      if (this.#fresh !== null && this.#fresh.version !== this.#version) this.#renew(this.#fresh);
      return call();
    } catch (error) {
      const why = error instanceof ScriptError
        ? error.message
        : `the engine of the script has failed: ${messageOf(error)}`;
      if (!this.realm.isGivenUp) return placed(why, place);
      return this.#lost = placed(`${why}, so this worker can no longer call hooks`, place);
    } finally {
      this.#calls++;
      this.#endedUs = this.options.nowUs();
      this.#timeUs += this.#endedUs - sinceUs;
    }
  }

  #renew(fresh: FreshData): void {
    const { version, json } = fresh.latest();
    this.#version = version;
    this.realm.setData(json);
  }
}

/**
 * Makes an `end` hook that also logs why a session failed at its end, the first time only. No request fails with the
 * session, so the results do not contain the reason.
 */
function told(end: PreparedUserHooks["end"]): PreparedUserHooks["end"] {
  if (end === null) return null;
  let isTold = false;
  return (user) => {
    const why = end(user);
    if (why !== null && !isTold) {
      isTold = true;
      logLine(`A session failed at its end: ${why}`);
    }
    return why;
  };
}

/**
 * A TargetError that names the script, for an error of the script itself; any other error is returned unchanged. A
 * script that ran in one realm may still fail in the next, because scripts need not behave the same each time.
 */
function unrunnable(entry: string, error: unknown): unknown {
  if (!(error instanceof ScriptError)) return error;
  return new TargetError(`Cannot run the script ${entry}: ${error.message}`);
}

/** A request in which nothing varies, in the form that hooks read. */
function forHook({ method, path, headers, body }: WireRequest): {
  readonly [key in keyof WireRequest]: WireRequest[key];
} {
  return { method, path, headers, body: textOf(body) };
}

/** The body as a text; octets are decoded as UTF-8. */
function textOf(body: WireRequest["body"]): string {
  return typeof body === "string" ? body : new TextDecoder().decode(bodyOctets(body));
}

/** The request as changed by a hook. Throws a ScriptError if the result can't be sent. */
function sentRequest(realm: Realm, wire: WireRequest, result: HookResult): WireRequest {
  const made = lineAndFields(result, wire);
  if ((result.changed & CHANGED.body) === 0) return { ...made, body: wire.body };
  const body = realm.body();
  if (typeof body !== "string") return { ...made, body: [{ base64: body.toBase64() }] };
  if (body === textOf(wire.body)) return { ...made, body: wire.body };
  return { ...made, body: body === "" ? null : body };
}

function partsOfRequest({ method, path, headers, body }: WireRequest): Readable {
  return { head: () => ({ method, path, headers }), body: () => textOf(body) };
}

function partsOfResponse(kept: KeptResponse | null): Readable {
  return {
    head: () => kept?.allFields() ?? {},
    body: () => {
      const { bytes, problem = null } = kept?.content() ?? {};
      if (problem !== null) throw new Error(problem);
      return new TextDecoder().decode(bytes);
    },
  };
}
