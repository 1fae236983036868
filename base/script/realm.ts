/**
 * A realm for the script of an experiment: a JavaScript engine of its own, QuickJS in WebAssembly, with nothing of the world
 * outside: no files, no sockets, no environment, no process. Its memory, its stack and the time of every call are
 * limited, so whatever a script does ends as an error of that one call.
 */
import { createHmac } from "node:crypto";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
} from "quickjs-emscripten-core";
import variant from "quickjs-wasm";
import { messageOf } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import k6 from "./k6.js" with { type: "text" };
import prelude from "./prelude.js" with { type: "text" };

/** The modules that every script may import. */
const OWN_MODULES: Readonly<Record<string, string>> = {
  plateau:
    "export const experiment = (given) => given; export const env = globalThis.env; delete globalThis.env;",
  "plateau/k6": k6,
};
/** Its script is evaluated within this, and its `setup` may compute for so long. */
const OUTSIDE_LOAD_MS = 10_000;
const STACK_BYTES = 256 * 1024;

/** A call of the script has failed; the message says how, and where in the script. */
export class ScriptError extends Error {}

export interface RealmParts {
  /** Path of the script itself. */
  readonly entry: string;
  /** JavaScript of a module by its path. Throws with the reason where there is none. */
  readonly load: (path: string) => string;
  /** Of `user.random()`: from 0 to below 1. */
  readonly random: () => number;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
  /** The value of an environment variable. Throws where the script may not have it. */
  readonly env: (name: string) => string;
}

/** What a response has for a hook, each taken only where the hook reads it. */
export interface ResponseParts {
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body: () => string;
}

/** A function of the prelude, or one that it has made. */
export type RealmFunction = QuickJSHandle;

const FUNCTIONS = [
  "experiment",
  "unread",
  "hook",
  "setData",
  "give",
  "request",
  "body",
  "variables",
  "explain",
  "call",
  "allowFetch",
  "user",
] as const;

export class Realm {
  /** What the response at hand has; null outside of a call. */
  response: ResponseParts | null = null;
  /** The body of the request at hand, where it varies. */
  requestBody: (() => string) | null = null;
  readonly yes: QuickJSHandle;
  readonly no: QuickJSHandle;
  readonly #functions: ReadonlyMap<string, RealmFunction>;
  /** Moment of the first tick of the call at hand; NaN before it. */
  #sinceMs = NaN;
  #limitMs = OUTSIDE_LOAD_MS;

  private constructor(
    private readonly context: QuickJSContext,
    private readonly parts: RealmParts,
  ) {
    const { runtime } = context;
    runtime.setMemoryLimit(LIMITS.scriptMemory.most);
    runtime.setMaxStackSize(STACK_BYTES);
    // It is called each some ten thousand operations, so a short call never reads the clock.
    runtime.setInterruptHandler(() => {
      const nowMs = parts.nowMs();
      if (Number.isNaN(this.#sinceMs)) this.#sinceMs = nowMs;
      return nowMs - this.#sinceMs > this.#limitMs;
    });
    runtime.setModuleLoader(
      (path) => Object.hasOwn(OWN_MODULES, path) ? OWN_MODULES[path] : this.#loaded(path),
      (from, name) => resolved(from, name),
    );
    this.yes = context.true;
    this.no = context.false;
    this.#functions = this.#withPrelude();
  }

  /** Throws a ScriptError where the script itself throws. What nobody holds any longer is collected with its memory. */
  static async open(parts: RealmParts): Promise<Realm> {
    const engine = await newQuickJSWASMModuleFromVariant(variant);
    const realm = new Realm(engine.newContext(), parts);
    realm.#evaluate();
    return realm;
  }

  /** Whether its default export is a function of parameters. */
  get takesParameters(): boolean {
    const made = this.context.getProp(this.#namespace(), "default");
    const isFunction = this.context.typeof(made) === "function";
    made.dispose();
    return isFunction;
  }

  /** The default export as data, where each function stands as its path. @param parameters For a default export that is a function. */
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

  /** From now on a call may compute for so long. */
  limit(ms: number): void {
    this.#limitMs = ms;
  }

  setData(json: string): void {
    const written = this.context.newString(json);
    this.#call(this.#own("setData"), written).dispose();
    written.dispose();
  }

  /** A virtual user, for all its sessions. */
  user(id: number): QuickJSHandle {
    const number = this.context.newNumber(id);
    const user = this.#call(this.#own("user"), number);
    number.dispose();
    return user;
  }

  /** The function at a path of the experiment, ready to be called again and again. @param base The request that it always gets, where that is one. */
  hook(name: string, kind: "before" | "after", base?: unknown): RealmFunction {
    const { context } = this;
    const given = [context.newString(name), context.newString(kind)];
    if (base !== undefined) given.push(context.newString(JSON.stringify(base)));
    const made = this.#call(this.#own("hook"), ...given);
    for (const handle of given) handle.dispose();
    return made;
  }

  // hot: once a request of a load with hooks.
  /** Calls a hook, which says what it has changed. Throws a ScriptError. */
  run(hook: RealmFunction, ...given: QuickJSHandle[]): number {
    const changed = this.#call(hook, ...given);
    const number = this.context.getNumber(changed);
    changed.dispose();
    return number;
  }

  give(user: QuickJSHandle, isFirst: boolean, json: string): void {
    const written = this.context.newString(json);
    this.#call(this.#own("give"), user, isFirst ? this.yes : this.no, written).dispose();
    written.dispose();
  }

  text(value: string): QuickJSHandle {
    return this.context.newString(value);
  }

  number(value: number): QuickJSHandle {
    return this.context.newNumber(value);
  }

  /** The request as the last hook left it, without its body: lines, of which the first is the number of the others. Throws a ScriptError. */
  request(): string {
    return this.#taken(this.#call(this.#own("request")));
  }

  /** The body of that request, where the hook has set one. */
  body(): string | Uint8Array<ArrayBuffer> {
    const body = this.#call(this.#own("body"));
    try {
      return this.#octetsOrText(body);
    } finally {
      body.dispose();
    }
  }

  variables(user: QuickJSHandle): Record<string, string> {
    return JSON.parse(this.#taken(this.#call(this.#own("variables"), user)));
  }

  /** Calls a function of the experiment outside of any load, which may wait for what it fetches; its result as JSON. */
  async call(
    name: string,
    json: string | undefined,
    fetch: (url: string, init: string) => Promise<string>,
  ): Promise<string> {
    const { context } = this;
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {}); // it may fail before anybody waits for it
    this.#allow(fetch, failed.reject);
    const given = [context.newString(name)];
    if (json !== undefined) given.push(context.newString(json));
    const promise = this.#call(this.#own("call"), ...given);
    for (const handle of given) handle.dispose();
    const settled = context.resolvePromise(promise);
    this.#runJobs();
    const result = await Promise.race([settled, failed.promise]);
    promise.dispose();
    if (result.error) throw this.#errorOf(result.error);
    return this.#taken(result.value);
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
    this.#sinceMs = NaN;
    const result = context.evalCode(this.#loaded(entry), entry, { type: "module" });
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
      throw new ScriptError("it waits at its top level, where nothing can come");
    }
    this.#module = after.value;
  }

  #loaded(path: string): string {
    if (path.startsWith(FOREIGN)) {
      const name = JSON.stringify(path.slice(FOREIGN.length));
      throw new Error(
        `Cannot import ${name}: a script has its own files (./name.ts) and "plateau" alone`,
      );
    }
    try {
      return this.parts.load(path);
    } catch (error) {
      throw error instanceof ScriptError ? error : new ScriptError(messageOf(error));
    }
  }

  #runJobs(): void {
    this.#sinceMs = NaN;
    const ran = this.context.runtime.executePendingJobs();
    if (ran.error) throw this.#errorOf(ran.error);
    ran.dispose();
  }

  #call(hook: RealmFunction, ...given: QuickJSHandle[]): QuickJSHandle {
    this.#sinceMs = NaN;
    const result = this.context.callFunction(hook, this.context.undefined, ...given);
    if (result.error) throw this.#errorOf(result.error);
    return result.value;
  }

  #errorOf(error: QuickJSHandle): ScriptError {
    const { context } = this;
    this.#sinceMs = NaN;
    const explain = this.#functions?.get("explain");
    const result = explain && context.callFunction(explain, context.undefined, error);
    const isKnown = result !== undefined && result.error === undefined;
    const text = isKnown ? this.#taken(result.value) : "it threw what cannot be shown";
    error.dispose();
    const why = text.startsWith("InternalError: interrupted")
      ? text.replace(
        "InternalError: interrupted",
        `it computed for more than ${this.#limitMs} ms`,
      )
      : text;
    return new ScriptError(why.slice(0, LIMITS.scriptReason.most));
  }

  /** Text of a handle, which is disposed. */
  #taken(handle: QuickJSHandle): string {
    const text = this.context.getString(handle);
    handle.dispose();
    return text;
  }

  #octetsOrText(handle: QuickJSHandle): string | Uint8Array<ArrayBuffer> {
    if (this.context.typeof(handle) === "string") return this.context.getString(handle);
    const octets = this.context.getArrayBuffer(handle);
    const copy = new Uint8Array(octets.value);
    octets.dispose();
    return copy;
  }

  #withPrelude(): ReadonlyMap<string, RealmFunction> {
    const { context, parts } = this;
    const host = context.newObject();
    const offer = (name: string, call: (...given: QuickJSHandle[]) => QuickJSHandle): void => {
      const made = context.newFunction(name, call);
      context.setProp(host, name, made);
      made.dispose();
    };
    const text = (value: string): QuickJSHandle =>
      context.newString(value.replaceAll("\0", "\ufffd")); // it would end there
    offer("random", () => context.newNumber(parts.random()));
    offer("hmac", (algorithm, key, content) => {
      const hmac = createHmac(context.getString(algorithm), this.#octetsOrText(key));
      return text(hmac.update(this.#octetsOrText(content)).digest("hex"));
    });
    offer("base64", (content) => text(base64Of(this.#octetsOrText(content))));
    offer("responseHeaders", () => text(JSON.stringify(this.response?.headers() ?? {})));
    offer("responseBody", () => text(this.response?.body() ?? ""));
    const env = context.newFunction("env", (name) => text(parts.env(context.getString(name))));
    context.setProp(context.global, "env", env);
    env.dispose();
    offer("requestBody", () => text(this.requestBody?.() ?? ""));
    offer("log", (line) => {
      parts.log(context.getString(line));
      return context.undefined;
    });
    const made = context.unwrapResult(context.evalCode(prelude, "prelude.js"));
    const given = context.unwrapResult(context.callFunction(made, context.undefined, host));
    this.#host = host;
    made.dispose();
    const functions = FUNCTIONS.map((name) => [name, context.getProp(given, name)] as const);
    given.dispose();
    return new Map(functions);
  }

  #host: QuickJSHandle | null = null;

  /** @param fail Called where what goes on after a response throws beyond its promise, as where it computes for too long. */
  #allow(
    fetch: (url: string, init: string) => Promise<string>,
    fail: (error: unknown) => void,
  ): void {
    const { context } = this;
    if (this.#host === null) throw new Error("The realm has no prelude");
    const made = context.newFunction("fetch", (url, init) => {
      const promise = context.newPromise();
      void fetch(context.getString(url), context.getString(init)).then(
        (value) => promise.resolve(context.newString(value)),
        (error) => promise.reject(context.newError(String(error?.message ?? error))),
      ).then(() => this.#runJobs()).catch(fail);
      return promise.handle;
    });
    context.setProp(this.#host, "fetch", made);
    made.dispose();
    this.#call(this.#own("allowFetch")).dispose();
  }
}

function base64Of(content: string | Uint8Array<ArrayBuffer>): string {
  const octets = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return octets.toBase64();
}

/** Begins what is no path; the engine takes a refusal only where a module is loaded. */
const FOREIGN = "foreign:";

/** Paths of modules are relative to the folder of the script, with `/` between their parts. */
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
