/**
 * A realm for the script of an experiment: a JavaScript engine of its own, QuickJS in WebAssembly, without access to
 * anything outside: no files, no sockets, no environment, no process. Its memory, its stack and the time of every call
 * are limited, so a script can do no more harm than to make its own calls fail.
 */
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import { messageOf } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { withoutSecrets } from "../secrets.ts";
import { Engine, type OwnValue, type Value } from "./engine.ts";
import { hmacHex, sha256Hex } from "./digests.ts";
import artillery from "./artillery.js" with { type: "text" };
import k6 from "./k6.js" with { type: "text" };
import ownModule from "./module.js" with { type: "text" };
import prelude from "./prelude.js" with { type: "text" };

/** The modules that every script may import. */
const OWN_MODULES: Readonly<Record<string, string>> = {
  "plateau": ownModule,
  "plateau/artillery": artillery,
  "plateau/k6": k6,
};
/** Time limit for evaluating the script, and for the computation of its `setup`. */
const OUTSIDE_LOAD_MS = 10_000;
/**
 * How much longer than its limit a call may take within a built-in function. QuickJS does not check the time there, and
 * aborting the call from outside makes the engine unusable.
 */
const BUILT_IN_MS = 1_000;
/** A longer gap between two checks of the clock is taken for a pause of the whole machine. */
const HALT_MS = 200;
const STACK_BYTES = 256 * 1024;
/** QuickJS's own error when memory runs out, which it throws only if it has room for the error. */
const OUT_OF_MEMORY = "InternalError: out of memory";

/** A call of the script failed; the message says how, and where in the script. */
export class ScriptError extends Error {}

export interface RealmParts {
  /** Path of the script itself. */
  readonly entry: string;
  /** Returns the JavaScript of the module at a path. Throws with the reason if there is none. */
  readonly load: (path: string) => string;
  /** The random generator behind `user.random()`: 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
  /** The value of an environment variable. Throws if the script may not read it. */
  readonly env: (name: string) => string;
}

/** The parts of a request or response that a hook may read; each is built only when it is read. */
export interface Readable {
  /** Method, path and header fields of a request, or the header fields of a response. */
  readonly head: () => unknown;
  readonly body: () => string;
}

/** The changes that a hook has made to a request. */
export interface HookResult {
  /** Bits, see `CHANGED`. */
  readonly changed: number;
  /**
   * Method, path, and names and values of header fields after the changes, each on a line; null if none of them
   * changed.
   */
  readonly head: string | null;
  /** Number of lines that `head` must have; 0 if `head` is null. */
  readonly lines: number;
}

/** Bits for what a hook has changed. */
export const CHANGED = { variables: 2, body: 4 };

/** Indexes of the words shared with the prelude. */
const WORD = { changed: 0, isFirst: 1, status: 2, lines: 3 };
/** Random numbers passed to the script at a time. */
const RANDOM_NUMBERS = 256;

/**
 * A function of the prelude (Plateau's JavaScript that runs in the engine before the script), or one that the prelude
 * made.
 */
export type RealmFunction = QuickJSHandle;
export type RealmUser = QuickJSHandle;

const FUNCTIONS = [
  "experiment",
  "unread",
  "hook",
  "rehearsal",
  "setData",
  "give",
  "body",
  "variables",
  "explain",
  "call",
  "allowFetch",
  "place",
  "user",
] as const;

/** A place in the script, such as ` (signed.ts:7:3)`, at the end of a message. */
const PLACE = / \([^\s()]+:\d+(?::\d+)?\)$/;

/**
 * A message cut to the allowed length, with the place of the failed function unless the message has a more precise one.
 */
export function placed(message: string, ofFunction = ""): string {
  const [own = null] = PLACE.exec(message) ?? [];
  const [text, place] = own === null ? [message, ofFunction] : [message.slice(0, -own.length), own];
  return shortened(text, LIMITS.scriptReason.most - place.length) + place;
}

/** A text cut to `most` characters: its longest quoted value is cut rather than the sentence around it. */
function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const quotes = text.match(/"(?:[^"\\]|\\.)*"/gs) ?? [];
  const longest = quotes.reduce((one, other) => other.length > one.length ? other : one, "");
  const room = longest.length - (text.length - most) - 1; // for the ellipsis
  let kept = "";
  // Escape sequences and surrogate pairs are kept whole.
  for (const [sign] of longest.slice(0, -1).matchAll(/\\u[\da-f]{4}|\\.|[^\\]/gisu)) {
    if (kept.length + sign.length > room - 1) break;
    kept += sign;
  }
  return kept.length > 1 ? text.replace(longest, () => `${kept}…"`) : `${text.slice(0, most - 1)}…`;
}

function timeText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

export class Realm {
  /** The response that the running `after` hook may read; null outside of such a hook. */
  response: Readable | null = null;
  /** The current request; null if the hook always gets the same request. */
  request: Readable | null = null;
  readonly #functions: ReadonlyMap<string, RealmFunction>;
  /**
   * Time at which the clock was first read in the current call, moved on by a pause of the machine (see `#skipHalt`);
   * NaN before the first reading.
   */
  #sinceMs = NaN;
  /**
   * Time at which a built-in function last checked the clock. `#hasHalted` is whether a pause of the machine was
   * already subtracted from the time of the current call.
   */
  #lookedMs = 0;
  #hasHalted = false;
  #isRunning = false;
  #limitMs = OUTSIDE_LOAD_MS;

  private readonly context: QuickJSContext;

  private constructor(
    private readonly engine: Engine,
    private readonly parts: RealmParts,
  ) {
    this.context = engine.context;
    const { runtime } = engine.context;
    runtime.setMaxStackSize(STACK_BYTES);
    // QuickJS calls this once in some ten thousand operations, so a short call never reads the
    // clock.
    runtime.setInterruptHandler(() => this.#tookMs() > this.#limitMs);
    engine.look = () => {
      const nowMs = this.parts.nowMs();
      this.#skipHalt(nowMs);
      const mostMs = this.#limitMs + BUILT_IN_MS;
      if (!this.#isRunning || this.#tookMs(nowMs) <= mostMs) return;
      engine.giveUp();
      throw new ScriptError(`a built-in function did not end within ${timeText(mostMs)}`);
    };
    runtime.setModuleLoader(
      (path) => Object.hasOwn(OWN_MODULES, path) ? OWN_MODULES[path] : this.#loaded(path),
      (from, name) => resolved(from, name),
    );
    this.#functions = this.#withPrelude();
  }

  /**
   * Opens a realm and evaluates the script in it. Throws a ScriptError if the script throws. The realm need not be
   * closed: its memory is freed by garbage collection.
   */
  static async open(parts: RealmParts): Promise<Realm> {
    const realm = new Realm(await Engine.open(), parts);
    realm.#evaluate();
    return realm;
  }

  /** Whether the script's default export is a function of parameters. */
  get takesParameters(): boolean {
    const made = this.context.getProp(this.#namespace(), "default");
    const isFunction = this.context.typeof(made) === "function";
    made.dispose();
    return isFunction;
  }

  /**
   * The default export as data, with each function replaced by its path in that data.
   * @param parameters Parameters for a default export that is a function.
   */
  experiment(parameters: Readonly<Record<string, unknown>>): unknown {
    const { context } = this;
    const written = context.newString(JSON.stringify(parameters));
    const made = this.#call(this.#own("experiment"), this.#namespace(), written);
    written.dispose();
    return JSON.parse(this.#taken(made));
  }

  /** Names of parameters that the default export has not read. */
  unread(): string[] {
    return JSON.parse(this.#taken(this.#call(this.#own("unread"))));
  }

  /** Whether a call took so long that the engine ended with it: no other call may follow. */
  get isGivenUp(): boolean {
    return this.engine.isGivenUp;
  }

  /** Limits the computing time of each call from now on. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  #tookMs(nowMs = this.parts.nowMs()): number {
    if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
    return nowMs - this.#sinceMs;
  }

  /**
   * Subtracts one pause of the machine from the time of a call, so that the pause does not make the call seem endless.
   * Otherwise the call would be aborted, and the engine lost with it.
   */
  #skipHalt(nowMs: number): void {
    const isFirst = Number.isNaN(this.#sinceMs);
    const gapMs = isFirst ? 0 : nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    if (isFirst) this.#hasHalted = false;
    if (gapMs <= HALT_MS || this.#hasHalted) return;
    this.#hasHalted = true;
    this.#sinceMs += gapMs;
  }

  /** Runs a function that may call the script, within the time limit of a call. */
  #run<Result>(call: () => Result): Result {
    this.#sinceMs = NaN;
    this.#isRunning = true;
    try {
      return call();
    } catch (error) { // for example because the engine's own stack is too deep
      if (error instanceof ScriptError) throw error;
      throw new ScriptError(`the engine of the script has failed: ${messageOf(error)}`);
    } finally {
      this.#isRunning = false;
    }
  }

  /**
   * Passes the data from `setup` or `refresh` to the script, within the time limit for calls outside of a load, because
   * the data may be megabytes.
   */
  setData(json: string): void {
    const { context } = this;
    const limitMs = this.#limitMs;
    const written = context.newString(json);
    this.#limitMs = OUTSIDE_LOAD_MS;
    try {
      this.#call(this.#own("setData"), written).dispose();
    } finally {
      this.#limitMs = limitMs;
      written.dispose();
    }
  }

  /** The script's object for a virtual user, which is used for all of the user's sessions. */
  user(id: number): RealmUser {
    const number = this.context.newNumber(id);
    const user = this.#call(this.#own("user"), number);
    number.dispose();
    return user;
  }

  /**
   * The function at a path of the experiment, ready for repeated calls.
   * @param base The request that the function always gets, if there is one.
   */
  hook(name: string, kind: "before" | "after" | "user", base?: unknown): RealmFunction {
    const { context } = this;
    const given = [context.newString(name), context.newString(kind)];
    if (base !== undefined) given.push(context.newString(JSON.stringify(base)));
    const made = this.#call(this.#own("hook"), ...given);
    for (const handle of given) handle.dispose();
    return made;
  }

  /**
   * Where the function at a path of the experiment begins, as ` (signed.ts:7:3)`; empty if the script does not define
   * it.
   */
  placeOf(name: string): string {
    const { context } = this;
    const given = context.newString(name);
    const place = this.#taken(this.#call(this.#own("place"), given));
    given.dispose();
    return place;
  }

  /**
   * The hook that `Hooks.rehearse` calls before a load to warm up the code: in every fourth session of its user it sets
   * a header field, as most hooks do, and otherwise it does nothing.
   */
  rehearsal(): RealmFunction {
    return this.#call(this.#own("rehearsal"));
  }

  // hot: runs for every request of a load with hooks.
  /**
   * Calls `before` for a user. Throws a ScriptError if the hook fails.
   * @param isFirst Whether the user's session begins with this call.
   */
  before(hook: RealmFunction, user: RealmUser, isFirst: boolean): HookResult {
    const { engine } = this;
    engine.words[WORD.isFirst] = isFirst ? 1 : 0;
    const result = this.#direct(hook, user.value);
    const { words } = engine;
    const changed = words[WORD.changed];
    const lines = words[WORD.lines];
    const head = lines === 0 ? null : engine.text(result);
    engine.free(result);
    return { changed, head, lines };
  }

  /**
   * Calls `after`, or a hook for the start or end of a user. Returns what the hook has changed, as bits (see
   * `CHANGED`). Throws a ScriptError if the hook fails.
   * @param status The status of the response.
   */
  after(hook: RealmFunction, user: RealmUser, isFirst: boolean, status = 0): number {
    const { engine } = this;
    const { words } = engine;
    words[WORD.isFirst] = isFirst ? 1 : 0;
    words[WORD.status] = status;
    engine.free(this.#direct(hook, user.value));
    return engine.words[WORD.changed];
  }

  give(user: RealmUser, isFirst: boolean, json: string): void {
    const { engine } = this;
    engine.words[WORD.isFirst] = isFirst ? 1 : 0;
    const written = engine.newText(json);
    try {
      engine.free(this.#direct(this.#own("give"), user.value, written));
    } finally {
      engine.free(written);
    }
  }

  /** The request body that `before` has set. */
  body(): string | Uint8Array<ArrayBuffer> {
    const body = this.#direct(this.#own("body"));
    try {
      return this.engine.isText(body) ? this.engine.text(body) : this.engine.octets(body);
    } finally {
      this.engine.free(body);
    }
  }

  variables(user: RealmUser): Record<string, string> {
    const written = this.#direct(this.#own("variables"), user.value);
    try {
      return JSON.parse(this.engine.text(written));
    } finally {
      this.engine.free(written);
    }
  }

  // hot: like `#run`, but creates no closure for each call.
  #direct(hook: RealmFunction, first?: Value, second?: Value): OwnValue {
    this.#sinceMs = NaN;
    this.#isRunning = true;
    try {
      return this.engine.call(hook, this.#fail, first, second);
    } finally {
      this.#isRunning = false;
    }
  }

  readonly #fail = (error: OwnValue): never => {
    const handle = this.engine.handle(error);
    const failure = this.#errorOf(handle);
    this.engine.free(error);
    throw failure;
  };

  /**
   * Calls a function of the experiment outside of a load. The function may await its fetches. Returns the function's
   * result as JSON.
   * @param json The arguments, as a JSON list.
   */
  async call(
    name: string,
    json: string,
    fetch: (url: string, init: string) => Promise<string>,
  ): Promise<string> {
    const { context } = this;
    const ended = Promise.withResolvers<void>();
    ended.promise.catch(() => {}); // it may fail before anybody waits for it
    const fetches: Fetches = {
      fetch,
      open: 0,
      isOver: false,
      // A script has no timers, so code that waits goes on after a response, or never.
      goOn: () => {
        this.#runJobs();
        if (fetches.isOver) return;
        const state = context.getPromiseState(promise);
        if (state.type === "fulfilled") state.value.dispose();
        if (state.type === "rejected") state.error.dispose();
        if (fetches.open > 0 && state.type !== "rejected") return;
        if (state.type === "pending") {
          throw new ScriptError("it waits for a promise that never settles");
        }
        ended.resolve();
      },
      fail: ended.reject,
    };
    this.#allow(fetches);
    const given = [context.newString(name), context.newString(json)];
    const promise = this.#call(this.#own("call"), ...given);
    for (const handle of given) handle.dispose();
    try {
      const settled = this.#run(() => context.resolvePromise(promise));
      fetches.goOn();
      await ended.promise;
      const result = await settled;
      if (result.error) throw this.#errorOf(result.error);
      return this.#taken(result.value);
    } finally {
      fetches.isOver = true;
      promise.dispose();
    }
  }

  #own(name: (typeof FUNCTIONS)[number]): RealmFunction {
    const found = this.#functions.get(name);
    if (found === undefined) throw new Error(`The prelude has no ${name}`);
    return found;
  }

  #module: QuickJSHandle | null = null;

  #namespace(): QuickJSHandle {
    if (this.#module === null) throw new Error("The script was not evaluated");
    return this.#module;
  }

  #evaluate(): void {
    const { context, parts: { entry } } = this;
    const text = this.#loaded(entry);
    const result = this.#run(() => context.evalCode(text, entry, { type: "module" }));
    if (result.error) throw this.#errorOf(result.error);
    const { value } = result;
    const state = context.getPromiseState(value);
    if (state.type === "fulfilled") {
      this.#module = state.value;
      return;
    }
    this.#runJobs();
    const after = context.getPromiseState(value);
    if (after.type === "rejected") throw this.#errorOf(after.error);
    if (after.type === "pending") {
      throw new ScriptError(
        "its top-level await waits for a promise that never settles: use await in setup instead",
      );
    }
    this.#module = after.value;
  }

  #loaded(path: string): string {
    if (path.startsWith(FOREIGN)) {
      const name = JSON.stringify(path.slice(FOREIGN.length));
      throw new Error(
        `Cannot import ${name}: a script can import only its own files (./name.ts) and "plateau"`,
      );
    }
    try {
      return this.parts.load(path);
    } catch (error) {
      throw error instanceof ScriptError ? error : new ScriptError(messageOf(error));
    }
  }

  #runJobs(): void {
    const ran = this.#run(() => this.context.runtime.executePendingJobs());
    if (ran.error) throw this.#errorOf(ran.error);
    ran.dispose();
  }

  #call(hook: RealmFunction, ...given: QuickJSHandle[]): QuickJSHandle {
    const { context } = this;
    const result = this.#run(() => context.callFunction(hook, context.undefined, ...given));
    if (result.error) throw this.#errorOf(result.error);
    return result.value;
  }

  #errorOf(error: QuickJSHandle): ScriptError {
    const { context } = this;
    const explain = this.#functions?.get("explain");
    const result = explain &&
      this.#run(() => context.callFunction(explain, context.undefined, error));
    const isKnown = result !== undefined && result.error === undefined;
    const shown = isKnown ? this.#taken(result.value) : "it threw a value that cannot be shown";
    const isOutOfMemory = this.engine.isFull && !/^\w*Error: /.test(shown);
    const text = isOutOfMemory ? OUT_OF_MEMORY : shown;
    error.dispose();
    const limit = timeText(this.#limitMs);
    const why = text.replace(/^InternalError: interrupted/, `it computed for more than ${limit}`)
      .replace(
        OUT_OF_MEMORY,
        `it ran out of memory: the limit is ${LIMITS.scriptMemory.most / 1e6} MB`,
      );
    // secrets are removed before the text is cut, because part of a secret would not be recognized
    return new ScriptError(placed(withoutSecrets(why)));
  }

  /** The text of a handle, which is then disposed. */
  #taken(handle: QuickJSHandle): string {
    const text = this.context.getString(handle);
    handle.dispose();
    return text;
  }

  #withPrelude(): ReadonlyMap<string, RealmFunction> {
    const { context, engine, parts } = this;
    const host = context.newObject();
    const give = (name: string, value: OwnValue): void => {
      context.setProp(host, name, engine.handle(value));
      engine.free(value);
    };
    const offer = (name: string, call: (...given: Value[]) => OwnValue): void =>
      give(name, engine.newFunction(name, call));
    const text = (value: string): OwnValue => engine.newText(value.replaceAll("\0", "\ufffd")); // a NUL would end the text
    const octets = (value: Value): Uint8Array<ArrayBuffer> =>
      engine.isText(value) ? engine.octetsOfText(value) : engine.octets(value);
    give("words", engine.sharedWords());
    const { buffer, view } = engine.sharedNumbers(RANDOM_NUMBERS);
    give("numbers", buffer);
    offer("draw", () => {
      const numbers = view();
      for (let at = 0; at < RANDOM_NUMBERS; at++) numbers[at] = parts.random();
      return engine.newUndefined();
    });
    offer(
      "hmac",
      (algorithm, key, content) =>
        text(hmacHex(engine.text(algorithm), octets(key), octets(content))),
    );
    offer("sha256", (content) => text(sha256Hex(octets(content))));
    offer("base64", (content) => text(octets(content).toBase64()));
    offer("requestHead", () => text(JSON.stringify(this.request?.head() ?? {})));
    offer("requestBody", () => text(this.request?.body() ?? ""));
    offer("responseHeaders", () => text(JSON.stringify(this.response?.head() ?? {})));
    offer("responseBody", () => text(this.response?.body() ?? ""));
    offer("log", (line) => {
      parts.log(engine.text(line));
      return engine.newUndefined();
    });
    offer("env", (name) => text(parts.env(engine.text(name))));
    const made = context.unwrapResult(context.evalCode(prelude, "plateau/prelude"));
    const given = context.unwrapResult(context.callFunction(made, context.undefined, host));
    this.#host = host;
    made.dispose();
    const functions = FUNCTIONS.map((name) => [name, context.getProp(given, name)] as const);
    given.dispose();
    return new Map(functions);
  }

  #host: QuickJSHandle | null = null;

  /** Lets the script fetch; from now on its fetches belong to this call. */
  #allow(call: Fetches): void {
    const { context } = this;
    if (this.#host === null) throw new Error("The realm has no prelude");
    // Freed immediately, because the promise keeps the value alive. An undisposed handle would keep
    // it until the realm ends.
    const settle = (end: (value: QuickJSHandle) => void, value: QuickJSHandle): void => {
      end(value);
      value.dispose();
    };
    const made = context.newFunction("fetch", (url, init) => {
      const promise = context.newPromise();
      call.open++;
      void call.fetch(context.getString(url), context.getString(init)).then(
        (value) => () => settle(promise.resolve, context.newString(value)),
        (error) => () => settle(promise.reject, context.newError(String(error?.message ?? error))),
      ).then((end) => {
        call.open--;
        if (call.isOver) return promise.dispose(); // the call that waited for it is over
        end();
        call.goOn();
      }).catch(call.fail);
      return promise.handle;
    });
    context.setProp(this.#host, "fetch", made);
    made.dispose();
    this.#call(this.#own("allowFetch")).dispose();
  }
}

/** The fetches of one call. The call is over when its function and all of its fetches have ended, or when it fails. */
interface Fetches {
  readonly fetch: (url: string, init: string) => Promise<string>;
  /** Number of responses that have not come yet. */
  open: number;
  isOver: boolean;
  /** Called after the script has received a response, or the reason why there is none. */
  readonly goOn: () => void;
  /** Called if `goOn` throws, as when the script then computes for too long. */
  readonly fail: (error: unknown) => void;
}

/**
 * Marks a module name that is not a path. Such a name is refused only when the module is loaded, because the engine
 * accepts no refusal earlier.
 */
const FOREIGN = "foreign:";

/** Returns the path of an imported module: relative to the script's folder, with `/` as separator. */
function resolved(from: string, name: string): string {
  if (Object.hasOwn(OWN_MODULES, name)) return name;
  if (!name.startsWith("./") && !name.startsWith("../")) return FOREIGN + name;
  const parts = from.split("/").slice(0, -1);
  for (const part of name.split("/")) {
    if (part === "..") {
      if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
      else parts.push(part);
    } else if (part !== ".") parts.push(part);
  }
  return parts.join("/");
}
