/** The flow of an Artillery scenario → steps of a flow here. */
import { basicAuthorization } from "../../base/net/endpoint.ts";
import { formText, pathText } from "../request/template.ts";
import {
  ARTILLERY_METHODS,
  type ArtilleryCapture,
  type ArtilleryStep,
  oneGroup,
  type Request,
  thinkSeconds,
} from "./artillery_script.ts";
import type { ArtilleryValues, Scope } from "./artillery_values.ts";
import { valueNameOf } from "./format/format.ts";
import { stepName } from "../request/request.ts";

/** Longer walks would be too long to read. */
const MOST_ROUNDS = 1_000;

const HOOKS = ["beforeRequest", "afterResponse"] as const;

interface FlowContext {
  readonly target: URL;
  /** Header fields that all requests have. */
  readonly headers: Readonly<Record<string, string>>;
  readonly values: ArtilleryValues;
  readonly note: (text: string) => void;
}

export class ArtilleryFlow {
  constructor(private readonly around: FlowContext) {}

  steps(steps: readonly ArtilleryStep[], scope: Scope = new Map()): unknown[] {
    return steps.flatMap((step) => this.#step(step, scope));
  }

  #step(step: ArtilleryStep, scope: Scope): unknown[] {
    const { note } = this.around;
    if (step.think !== undefined) return this.#think(step.think, scope);
    if (step.loop !== undefined) return this.#loop(step, step.loop, scope);
    if (step.parallel !== undefined) {
      note("requests that it sends in parallel are sent one after the other here");
      return this.steps(step.parallel, scope);
    }
    const method = ARTILLERY_METHODS.find((method) => step[method] !== undefined);
    const request = method === undefined ? undefined : step[method];
    if (method !== undefined && request !== undefined) {
      return [this.#request(method, request, scope)];
    }
    if (step.log === undefined) note(`without its step ${JSON.stringify(unknownKey(step))}`);
    return [];
  }

  #think(given: string | number, scope: Scope): unknown[] {
    const text = this.around.values.filled(String(given), scope);
    const seconds = thinkSeconds(text);
    if (seconds === null) this.around.note(`without the pause ${JSON.stringify(given)}`);
    return seconds === null || seconds < 0.001 ? [] : [{ think: secondsText(seconds) }];
  }

  #loop(
    { count, over, loopValue, loopElement, whileTrue }: ArtilleryStep,
    inner: readonly ArtilleryStep[],
    scope: Scope,
  ): unknown[] {
    const rounds = this.#rounds(over, count, whileTrue);
    return rounds.flatMap(({ at, element }) =>
      this.steps(inner, new Map([...scope, [loopValue, String(at)], [loopElement, element]]))
    );
  }

  /** `count` is a number or, from and before, `1-15`. */
  #rounds(
    over: ArtilleryStep["over"],
    count: ArtilleryStep["count"],
    whileTrue: unknown,
  ): { at: number; element: string }[] {
    if (Array.isArray(over)) return over.map((element, at) => ({ at, element }));
    const [, first = "0", end] = /^(?:(\d+)-)?(\d+)$/.exec(String(count ?? "")) ?? [];
    const isFixed = end !== undefined && over === undefined && whileTrue === undefined;
    if (!isFixed) this.around.note("a loop without a fixed count is walked once");
    const from = Number(first);
    const length = isFixed ? Math.max(0, Number(end) - from) : 1;
    if (length > MOST_ROUNDS) {
      this.around.note(`of ${length} rounds of a loop, ${MOST_ROUNDS} are walked`);
    }
    return Array.from({ length: Math.min(length, MOST_ROUNDS) }, (_, round) => ({
      at: from + round,
      element: String(from + round),
    }));
  }

  #request(method: string, request: Request, scope: Scope): unknown {
    this.#noteRequest(request);
    const fill = (text: string): string => this.around.values.filled(text, scope);
    const filled = (fields: Readonly<Record<string, string>>): [string, string][] =>
      Object.entries(fields).map(([name, text]) => [name, fill(text)]);
    const { json, body, form } = request;
    const capture = Object.fromEntries(request.capture.flatMap((one) => this.#capture(one)));
    const status = statusOf(request.expect);
    if (status.length === 0) {
      this.around.note(
        "a step without an expected statusCode needs a 2xx or 3xx response here, or its scenario is not measured; " +
          "Artillery counts any status and goes on",
      );
    }
    const { data: name } = stepName.safeParse(request.name);
    return {
      ...(name === undefined ? {} : { name }),
      [method]: this.#path(fill(request.url ?? request.uri ?? ""), filled(request.qs)),
      headers: Object.fromEntries(filled(this.#fields(request, fill))),
      ...(json === undefined ? {} : { json: everyText(json, fill) }),
      ...(body === undefined || json !== undefined ? {} : { body: fill(body) }),
      ...(form === undefined ? {} : { body: formText(filled(form)) }),
      ...(Object.keys(capture).length > 0 ? { capture } : {}),
      ...(status.length > 0
        ? { expect: { status: status.length === 1 ? status[0] : status } }
        : {}),
    };
  }

  #noteRequest(request: Request): void {
    const { note } = this.around;
    for (const hook of HOOKS) {
      if (request[hook] !== undefined) note(`without its ${hook} hooks, which are code`);
    }
    if (request.ifTrue !== undefined || request.probability !== undefined) {
      note("requests with ifTrue or probability are sent every time");
    }
    if (request.formData !== undefined) note("without its formData, a form of several parts");
    if (request.match !== undefined) note("without its match");
    const checks = request.expect.flatMap((check) => Object.keys(check));
    const others = [...new Set(checks.filter((key) => key !== "statusCode"))];
    if (others.length > 0) note(`of its expectations without ${others.join(", ")}`);
  }

  /** Lower case, so that a request's own field replaces a default, as in Artillery. */
  #fields(request: Request, fill: (text: string) => string): Record<string, string> {
    const { cookie, form, gzip, auth } = request;
    const cookies = Object.entries(cookie ?? {}).map(([name, text]) => `${name}=${text}`);
    const given = Object.entries({ ...this.around.headers, ...lowered(request.headers) });
    return {
      ...(gzip ? { "accept-encoding": "gzip, deflate, br" } : {}),
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      ...(cookies.length > 0 ? { cookie: cookies.join("; ") } : {}),
      ...(auth ? this.#authorization(fill(`${auth.user}:${auth.pass}`)) : {}),
      ...Object.fromEntries(given),
    };
  }

  #authorization(credentials: string): Record<string, string> {
    if (!credentials.includes("{{")) return { authorization: basicAuthorization(credentials) };
    this.around.note("without auth that holds values, which can't be filled into base64 here");
    return {};
  }

  /** Relative to the target; no other host is loaded. */
  #path(url: string, query: readonly [string, string][]): string {
    const { target, note } = this.around;
    const other = /^https?:\/\//.test(url) ? URL.parse(url) : null;
    if (other && other.origin !== target.origin) {
      note(`requests to ${other.host} go to ${target.host} here`);
    }
    const base = target.pathname.replace(/\/$/, "");
    const path = other
      ? url.replace(/^https?:\/\/[^/?#]*/, "").replace(/^(?!\/)/, "/")
      : /^\{\{/.test(url)
      ? url
      : base + url.replace(/^(?!\/)/, "/");
    const written = pathText(path.replace(/#.*$/s, ""));
    if (query.length === 0) return written;
    return written + (written.includes("?") ? "&" : "?") + formText(query);
  }

  #capture({ json, header, regexp, group, as }: ArtilleryCapture): [string, unknown][] {
    const { note } = this.around;
    if (as === undefined) return [];
    const name = valueNameOf(as);
    if (json !== undefined) return [[name, { json }]];
    if (header !== undefined) return [[name, { header }]];
    if (regexp !== undefined) return [[name, { pattern: oneGroup(regexp, group) }]];
    note(`without capturing ${as} by a selector or XPath`);
    return [];
  }
}

function unknownKey(step: ArtilleryStep): string {
  const own = ["loopValue", "loopElement"];
  return Object.keys(step).find((key) => !own.includes(key)) ?? "";
}

function statusOf(checks: Request["expect"]): number[] {
  return checks.flatMap(({ statusCode }) => [statusCode ?? []].flat()).map(Number);
}

/** Names of header fields in lower case, by which one stands in place of another. */
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
