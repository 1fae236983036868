/** Converts the flow of an Artillery scenario to the steps of a flow. */
import { basicAuthorization } from "../../base/net/endpoint.ts";
import type { Path } from "../../base/problems.ts";
import { cookieName, cookieValue } from "../request/flow.ts";
import { formText, pathText } from "../request/template.ts";
import {
  ARTILLERY_METHODS,
  type ArtilleryCapture,
  type ArtilleryStep,
  oneGroup,
  type Request,
  roundsOf,
  thinkSeconds,
} from "./artillery_script.ts";
import type { ArtilleryValues, Scope } from "./artillery_values.ts";
import { SPREAD } from "./format/code.ts";
import { type Expansion, TooLong } from "./format/expansion.ts";
import type { Origins } from "./format/format.ts";
import { Call, isMarked, madeOf, sliced, unmarked, withMarks } from "./format/references.ts";
import { stepName } from "../request/request.ts";

const HOOKS = ["beforeRequest", "afterResponse"] as const;

/** The functions of the processor that a flow calls. */
interface FlowFunctions {
  /** The name of the function that makes the hooks of a step. */
  readonly step: string;
  /** Functions to call before every request; `after` has those to call after every response. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface FlowContext {
  readonly target: URL;
  /** Header fields that all requests have. */
  readonly headers: Readonly<Record<string, string>>;
  /** Cookies that all requests have. */
  readonly cookies: Readonly<Record<string, string>>;
  readonly values: ArtilleryValues;
  readonly note: (text: string) => void;
  readonly refuse: (path: Path, message: string) => never;
  readonly pathOf: (path: string) => string;
  readonly origins: Origins;
  readonly expansion: Expansion;
  /** Null if functions are not converted. */
  readonly functions: FlowFunctions | null;
}

interface Walked {
  readonly flow: readonly object[];
  /** Whether the scenario's requests follow redirects. */
  readonly follows: boolean;
  /** Cookies that virtual users have from the start. */
  readonly cookies: Readonly<Record<string, string>>;
  /** Functions to call after the last request. */
  readonly end: readonly string[];
}

interface HookedRequest {
  readonly method: string;
  readonly request: Request;
  readonly place: Place;
  readonly functions: FlowFunctions;
}

/** Where a step is, and the loop variables that it can use. */
interface Place {
  readonly scope: Scope;
  /** The path of the step in the script. */
  readonly path: Path;
}

export class ArtilleryFlow {
  readonly #flow: object[] = [];
  readonly #cookies: Map<string, string>;
  /** Whether requests follow redirects; null before the first request. */
  #follows: boolean | null = null;
  /** Functions that the script calls between the last request and the next one. */
  #between: string[] = [];

  constructor(private readonly around: FlowContext) {
    this.#cookies = new Map(Object.entries(around.cookies));
  }

  /** @param path The path of the steps; if the flow contains nested lists, the path of the whole flow. */
  walked(steps: readonly ArtilleryStep[], path: Path, isFlat: boolean): Walked {
    for (const [at, step] of steps.entries()) {
      this.#step(step, { scope: new Map(), path: isFlat ? [...path, at] : path });
    }
    return {
      flow: this.#flow,
      follows: this.#follows ?? true,
      cookies: Object.fromEntries(this.#cookies),
      end: this.#between,
    };
  }

  #steps(steps: readonly ArtilleryStep[], key: string, { scope, path }: Place): void {
    for (const [at, step] of steps.entries()) this.#step(step, { scope, path: [...path, key, at] });
  }

  #step(step: ArtilleryStep, place: Place): void {
    try {
      this.#take(step, place);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      this.around.refuse(place.path, `Cannot convert this step: ${error.message}`);
    }
  }

  #take(step: ArtilleryStep, place: Place): void {
    const { note, functions } = this.around;
    if (step.think !== undefined) return this.#think(step.think, place);
    if (step.loop !== undefined) return this.#loop(step, step.loop, place);
    if (step.parallel !== undefined) {
      note("requests that Artillery sends in parallel are sent one after the other in Plateau");
      return this.#steps(step.parallel, "parallel", place);
    }
    const method = ARTILLERY_METHODS.find((method) => step[method] !== undefined);
    const request = method === undefined ? undefined : step[method];
    if (method !== undefined && request !== undefined) {
      const plain = this.#request(method, request, place);
      this.#add(
        functions === null ? plain : this.#hooked(plain, { method, request, place, functions }),
        place,
      );
      return this.around.values.capture(Object.keys(Object(plain.capture)));
    }
    if (functions !== null && step.function !== undefined) {
      return void this.#between.push(...functionNames(step.function));
    }
    if (step.log === undefined) note(`left out: the step ${JSON.stringify(unknownKey(step))}`);
  }

  #add(step: object, { path }: Place): void {
    const { origins, expansion, refuse } = this.around;
    const why = expansion.whyNot([step]);
    if (why !== null) refuse(path, `Cannot convert this step: ${why}`);
    this.#flow.push(origins.keep(step, path));
  }

  #think(given: string | number, place: Place): void {
    const text = unmarked(this.around.values.filled(String(given), place.scope));
    const seconds = thinkSeconds(text);
    if (seconds === null) this.around.note(`left out: the pause ${JSON.stringify(given)}`);
    else if (seconds >= 0.001) this.#add({ think: secondsText(seconds) }, place);
  }

  #loop(
    { over, count, whileTrue, loopValue, loopElement }: ArtilleryStep,
    inner: readonly ArtilleryStep[],
    place: Place,
  ): void {
    const { note, values, expansion, refuse } = this.around;
    const filled = count && unmarked(values.filled(String(count), place.scope));
    const rounds = roundsOf({ over, count: filled, whileTrue });
    if (rounds === null) note("a loop without a fixed count runs once in Plateau");
    const { from, length } = rounds ?? { from: 0, length: 1 };
    const why = expansion.whyNotRounds(length);
    if (why !== null) refuse(place.path, `Cannot unroll this loop: ${why}`);
    for (let round = 0; round < length; round++) {
      const element = Array.isArray(over)
        ? over[round]
        : over === undefined
        ? String(from + round)
        : undefined; // the items are only known during the run
      const scope = new Map([
        ...place.scope,
        [loopValue, String(from + round)],
        ...element === undefined ? [] : [[loopElement, element] as const],
      ]);
      this.#steps(inner, "loop", { ...place, scope });
    }
  }

  #request(
    method: string,
    request: Request,
    { scope, path }: Place,
  ): Record<string, unknown> {
    this.#noteRequest(request);
    this.#agree(request, [...path, method]);
    const fill = (text: string): string => this.around.values.filled(text, scope);
    const filled = (fields: Readonly<Record<string, string>>): [string, string][] =>
      Object.entries(fields).map(([name, text]) => [name, fill(text)]);
    const { json, body, form, formData } = request;
    const capture = Object.fromEntries(request.capture.flatMap((one) => this.#capture(one)));
    const status = statusOf(request.expect);
    if (status.length === 0) {
      this.around.note(
        "a step without an expected statusCode expects 2xx or 3xx in Plateau; if it gets another status, its scenario is not measured; " +
          "Artillery accepts any status and goes on",
      );
    }
    const { name = "" } = request;
    return {
      ...(stepName.safeParse(unmarked(name)).success ? { name } : {}),
      [method]: this.#path(fill(request.url ?? request.uri ?? ""), filled(request.qs)),
      headers: Object.fromEntries(filled(this.#fields(request, fill))),
      ...(formData === undefined ? {} : { multipart: this.#multipart(formData, fill) }),
      ...(json === undefined ? {} : { json: everyText(json, fill) }),
      ...(body === undefined || json !== undefined ? {} : { body: fill(body) }),
      ...(form === undefined ? {} : { body: withMarks(formText(filled(form))) }),
      ...(Object.keys(capture).length > 0 ? { capture } : {}),
      ...(status.length > 0
        ? { expect: { status: status.length === 1 ? status[0] : status } }
        : {}),
    };
  }

  /**
   * A request with the functions that the script calls for it. Functions to be called before the request receive its
   * parameters as written, and may change them before they are sent.
   */
  #hooked(
    plain: Readonly<Record<string, unknown>>,
    { method, request, place, functions }: HookedRequest,
  ): object {
    const { auth } = request;
    const called = {
      between: this.#between.splice(0),
      before: [...functions.before, ...functionNames(request.beforeRequest)],
      after: [...functions.after, ...functionNames(request.afterResponse)],
    };
    // If the credentials are known only during the run, or come from an environment variable, a
    // hook must build the Authorization field.
    const isMade = called.between.length + called.before.length > 0 ||
      auth !== undefined &&
        areLate(this.around.values.filled(`${auth.user}:${auth.pass}`, place.scope));
    if (!isMade && called.after.length === 0) return plain;
    const given = {
      ...withoutEmpty(called),
      ...this.#parameters(request, place.scope, plain),
    };
    const { headers: _, json: __, body: ___, ...kept } = plain;
    return {
      ...isMade
        ? { ...kept, [method]: String(plain[method]).replaceAll(/\{\{ (.*?) \}\}/g, "{$1}") }
        : plain,
      [SPREAD]: new Call(functions.step, given),
    };
  }

  /** A request's parameters as its functions receive them, with the values of loop variables filled in. */
  #parameters(
    request: Request,
    scope: Scope,
    { headers: sent }: Readonly<Record<string, unknown>>,
  ): Record<string, unknown> {
    const fill = (value: unknown): unknown =>
      everyText(
        value,
        (text) =>
          text.replaceAll(/\{\{\s*([^{}]*?)\s*\}\}/g, (all, name) => scope.get(name) ?? all),
      );
    const { url, uri = "", json, body, form, qs, auth, gzip, cookie } = request;
    const fields = { ...this.around.headers, ...lowered(request.headers) };
    const isOwnCookie = Object.hasOwn(Object(sent), "cookie");
    return withoutEmpty({
      url: fill(url ?? uri),
      headers: fill({ ...gzip && { "accept-encoding": "gzip, deflate, br" }, ...fields }),
      json: fill(json),
      body: json === undefined ? fill(body) : undefined,
      form: fill(form),
      qs: fill(qs),
      auth: auth && fill({ user: auth.user, pass: auth.pass }),
      cookie: isOwnCookie ? fill(cookie) : undefined,
    });
  }

  #noteRequest(request: Request): void {
    const { note, functions } = this.around;
    for (const hook of functions === null ? HOOKS : []) {
      if (request[hook] !== undefined) note(`left out: the ${hook} hooks, which are code`);
    }
    if (request.ifTrue !== undefined || request.probability !== undefined) {
      note("requests with ifTrue or probability are sent every time");
    }
    if (request.match !== undefined) note("left out: the condition of match");
    const checks = request.expect.flatMap((check) => Object.keys(check));
    const others = [...new Set(checks.filter((key) => key !== "statusCode"))];
    if (others.length > 0) note(`left out: expectations about ${others.join(", ")}`);
  }

  /**
   * Refuses requests that differ in whether they follow redirects, because in Plateau this is a setting of the whole
   * scenario.
   */
  #agree({ followRedirect }: Request, path: Path): void {
    if ((this.#follows ??= followRedirect) === followRedirect) return;
    this.around.refuse(
      path,
      "Cannot convert this request: its followRedirect differs from that of the requests before it",
    );
  }

  #multipart(
    fields: NonNullable<Request["formData"]>,
    fill: (text: string) => string,
  ): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        if (typeof field === "string") return [name, fill(field)];
        const { value = "", fromFile, contentType } = field;
        if (fromFile === undefined) return [name, fill(value)];
        const type = contentType === undefined ? {} : { type: contentType };
        return [name, { file: this.#file(fill(fromFile)), ...type }];
      }),
    );
  }

  #file(written: string): string {
    const path = this.around.pathOf(unmarked(written));
    return path === unmarked(written) ? written : path;
  }

  /**
   * The header fields of a request. Their names are in lower case, so that a request's own field replaces a default
   * one, as in Artillery.
   */
  #fields(request: Request, fill: (text: string) => string): Record<string, string> {
    const { form, gzip, auth } = request;
    const cookies = this.#cookiesOf(request, fill);
    const given = Object.entries({ ...this.around.headers, ...lowered(request.headers) });
    return {
      ...(gzip ? { "accept-encoding": "gzip, deflate, br" } : {}),
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      ...(cookies.length > 0 ? { cookie: cookies.join("; ") } : {}),
      ...(auth ? this.#authorization(fill(`${auth.user}:${auth.pass}`)) : {}),
      ...Object.fromEntries(given),
    };
  }

  /**
   * The cookies that only this request sends. Artillery puts a request's cookies into the jar, so that later requests
   * send them, too. Here this is possible only if their values are constant.
   */
  #cookiesOf({ cookie = {} }: Request, fill: (text: string) => string): string[] {
    const { note } = this.around;
    const given = Object.entries(cookie).map(([name, text]) => [name, fill(text)] as const);
    const canKeep = given.every(([name, text]) =>
      (this.#cookies.get(name) ?? text) === text && cookieName.safeParse(name).success &&
      cookieValue.safeParse(unmarked(text)).success
    );
    if (!canKeep) {
      note(
        "a request whose cookies contain placeholders, or change their values, sends only these cookies and none of " +
          "those set earlier; Artillery sends both, and keeps the new ones for later requests",
      );
      return given.map(([name, text]) => `${name}=${text}`);
    }
    for (const [name, text] of given) {
      if (!this.#cookies.has(name) && this.#flow.some((step) => !("think" in step))) {
        note(`the cookie ${name} is sent from the first request on`);
      }
      this.#cookies.set(name, text);
    }
    return [];
  }

  #authorization(credentials: string): Record<string, string> {
    if (!credentials.includes("{{")) {
      return { authorization: madeOf(credentials, basicAuthorization) };
    }
    if (this.around.functions !== null) return {}; // a hook adds this field
    this.around.note(
      "left out: auth that contains placeholders, which cannot be filled in within base64",
    );
    return {};
  }

  /** The path relative to the target. Requests to other hosts are sent to the target, too, and noted. */
  #path(url: string, query: readonly [string, string][]): string {
    const { target, note } = this.around;
    const text = unmarked(url);
    const other = /^https?:\/\//.test(text) ? URL.parse(text) : null;
    if (other && other.origin !== target.origin) {
      note(`requests to ${other.host} go to ${target.host} in Plateau`);
    }
    const base = target.pathname.replace(/\/$/, "");
    const [start] = (other && /^https?:\/\/[^/?#]*/.exec(text)) ?? [""];
    const own = sliced(url, start.length, text.replace(/#.*$/s, "").length);
    const isValue = /^\{\{/.test(text);
    const path = isValue || unmarked(own).startsWith("/") ? own : `/${own}`;
    const written = withMarks(pathText(other || isValue ? path : base + path));
    if (query.length === 0) return written;
    return written + (unmarked(written).includes("?") ? "&" : "?") + withMarks(formText(query));
  }

  #capture({ json, header, regexp, group, as }: ArtilleryCapture): [string, unknown][] {
    const { note } = this.around;
    if (as === undefined) return [];
    const name = this.around.values.nameOf(as);
    if (json !== undefined) return [[name, { json }]];
    if (header !== undefined) return [[name, { header }]];
    if (regexp !== undefined) return [[name, { pattern: oneGroup(regexp, group) }]];
    note(`left out: capturing ${as} by a selector or XPath`);
    return [];
  }
}

/** The names in a value that is one name or a list of names. */
export function functionNames(given: unknown): string[] {
  return given === undefined ? [] : [given].flat().map(String);
}

/** Removes undefined values, and empty lists and maps except for an empty body. */
function withoutEmpty(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isThere = ([name, value]: [string, unknown]): boolean =>
    name === "json" || name === "form" || typeof value !== "object" ||
    Object.keys(Object(value)).length > 0;
  return Object.fromEntries(
    Object.entries(given).filter((one) => one[1] !== undefined && isThere(one)),
  );
}

/**
 * Whether credentials contain a placeholder, which is filled in only during the run, or an environment variable, which
 * must not be written to a file in base64.
 */
function areLate(credentials: string): boolean {
  return credentials.includes("{{") || isMarked(credentials);
}

function unknownKey(step: ArtilleryStep): string {
  const own = ["loopValue", "loopElement"];
  return Object.keys(step).find((key) => !own.includes(key)) ?? "";
}

function statusOf(checks: Request["expect"]): number[] {
  return checks.flatMap(({ statusCode }) => [statusCode ?? []].flat()).map(Number);
}

/** Header fields with names in lower case, so that one can replace another. */
export function lowered(fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name.toLowerCase(), text]),
  );
}

function everyText(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => everyText(item, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, everyText(inner, fill)]),
  );
}

export function secondsText(seconds: number): string {
  return seconds < 1
    ? `${Number((seconds * 1_000).toFixed(3))}ms`
    : `${Number(seconds.toFixed(6))}s`;
}
