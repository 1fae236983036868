/** An HTTP Request of a JMeter plan → a request of a flow here. */
import { METHODS } from "../../../base/http/methods.ts";
import { stepName } from "../../request/request.ts";
import type { PlanElement, Refusals } from "./elements.ts";
import { expectationOf } from "./assertions.ts";
import type { PlanScope } from "./scope.ts";
import type { PlanVariables } from "./variables.ts";

/** A step of a flow in the making. */
export type JmeterStep = Record<string, unknown>;

/** What all requests of a plan have to agree on, as it is the load's or the scenario's here. */
export interface Agreement {
  origin: string | null;
  follows: boolean | null;
  keepsAlive: boolean | null;
  timeoutMs: number;
}

interface SamplerContext {
  readonly variables: PlanVariables;
  readonly refusals: Refusals;
  readonly note: (text: string) => void;
  readonly pathOf: (path: string) => string;
  readonly agreed: Agreement;
}

/** Properties that would have other requests sent. */
const OTHERWISE: readonly (readonly [name: string, why: string])[] = [
  ["HTTPSampler.image_parser", "it also fetches embedded resources"],
  ["HTTPSampler.proxyHost", "it goes by a proxy"],
  ["HTTPSampler.ipSource", "it has a source address of its own"],
];

export class Samplers {
  constructor(private readonly around: SamplerContext) {}

  step(sampler: PlanElement, scope: PlanScope): JmeterStep {
    for (const [name, why] of OTHERWISE) {
      const text = sampler.text(name).trim();
      if (text !== "" && text !== "false") this.#refuse(sampler, why);
    }
    const method = (sampler.text("HTTPSampler.method") || "GET").toLowerCase();
    if (!(METHODS as readonly string[]).includes(method)) {
      this.#refuse(sampler, `there is no method ${method.toUpperCase()} here`);
    }
    this.#agree(sampler, scope);
    const { path, type, body } = this.#content(sampler, method, this.#path(sampler, scope));
    const { data: name } = stepName.safeParse(sampler.title || undefined);
    const expect = expectationOf(scope.assertions, this.around.note);
    return {
      ...name !== undefined && { name },
      [method]: path,
      ...headersOf(scope.headers, type),
      ...body,
      ...expect !== null && { expect },
    };
  }

  #refuse(sampler: PlanElement, why: string): void {
    this.around.refusals.add(sampler, `Cannot take over ${sampler.called}: ${why}`);
  }

  /** What the load or the scenario has for all. */
  #agree(sampler: PlanElement, scope: PlanScope): void {
    const { agreed } = this.around;
    const follows = sampler.is("HTTPSampler.follow_redirects") ||
      sampler.is("HTTPSampler.auto_redirects");
    const keepsAlive = sampler.text("HTTPSampler.use_keepalive").trim() !== "false";
    if ((agreed.follows ??= follows) !== follows) {
      this.#refuse(sampler, "it follows redirects, or not, unlike the requests before it");
    }
    if ((agreed.keepsAlive ??= keepsAlive) !== keepsAlive) {
      this.#refuse(sampler, "it keeps its connection, or not, unlike the requests before it");
    }
    const timeout = this.#property(sampler, scope, "HTTPSampler.response_timeout");
    agreed.timeoutMs = Math.max(agreed.timeoutMs, Number(timeout) || 0);
  }

  #property(sampler: PlanElement, { defaults }: PlanScope, name: string): string {
    return this.around.variables.constant(sampler.text(name) || (defaults[name] ?? ""), sampler);
  }

  /** Path and query, with values by their names; the origin is agreed on. */
  #path(sampler: PlanElement, scope: PlanScope): string {
    const { variables, agreed } = this.around;
    const text = sampler.text("HTTPSampler.path") || (scope.defaults["HTTPSampler.path"] ?? "");
    const written = variables.filled(text, sampler).trim();
    const isWhole = /^https?:\/\//i.test(written);
    const origin = isWhole ? URL.parse(written)?.origin ?? "" : this.#origin(sampler, scope);
    agreed.origin ??= origin;
    if (origin === "" || origin !== agreed.origin) {
      this.#refuse(
        sampler,
        origin === "" ? "it has no server" : `it goes to ${origin}, the others to ${agreed.origin}`,
      );
    }
    const path = isWhole ? written.replace(/^https?:\/\/[^/?#]*/i, "") : written;
    return printable(path.startsWith("/") ? path : `/${path}`);
  }

  #origin(sampler: PlanElement, scope: PlanScope): string {
    const [domain, port, protocol] = ["domain", "port", "protocol"].map((name) =>
      this.#property(sampler, scope, `HTTPSampler.${name}`).trim()
    );
    const url = URL.parse(`${protocol || "http"}://${domain}${port === "" ? "" : `:${port}`}`);
    return url !== null && /^https?:$/.test(url.protocol) ? url.origin : "";
  }

  #content(
    sampler: PlanElement,
    method: string,
    path: string,
  ): { readonly path: string; readonly type?: string; readonly body: JmeterStep } {
    const fields = sampler.list("Arguments.arguments", "HTTPsampler.Arguments");
    const files = sampler.list("HTTPFileArgs.files", "HTTPsampler.Files");
    if (sampler.is("HTTPSampler.DO_MULTIPART_POST")) {
      return { path, body: this.#multipart(fields, files) };
    }
    if (files.length > 0) return { path, body: this.#file(sampler, fields, files) };
    if (fields.length === 0) return { path, body: {} };
    const { variables } = this.around;
    if (sampler.is("HTTPSampler.postBodyRaw")) {
      const body = fields.map((one) => variables.filled(one.text("Argument.value"), one)).join("");
      return { path, body: { body } };
    }
    const text = fields.map((one) => this.#pair(one)).join("&");
    if (["get", "head", "delete", "options"].includes(method)) {
      return { path: `${path}${path.includes("?") ? "&" : "?"}${printable(text)}`, body: {} };
    }
    if (!fields.every((field) => field.is("HTTPArgument.always_encode"))) {
      return { path, type: "application/x-www-form-urlencoded", body: { body: text } };
    }
    const form = namedFields(fields, (field, key) => variables.filled(field.text(key), field));
    return { path, body: { form } };
  }

  /** `name=value` as it is sent, but for values of the scenario. */
  #pair(field: PlanElement): string {
    const [name, value] = ["Argument.name", "Argument.value"].map((key) =>
      this.around.variables.filled(field.text(key), field)
    );
    const encodes = field.is("HTTPArgument.always_encode");
    return encodes ? `${encoded(name)}=${encoded(value)}` : `${name}=${value}`;
  }

  #multipart(fields: readonly PlanElement[], files: readonly PlanElement[]): JmeterStep {
    const { variables, pathOf } = this.around;
    const parts = namedFields(fields, (field, key) => variables.filled(field.text(key), field));
    const named = files.map((file) => {
      const type = file.text("File.mimetype");
      const path = pathOf(variables.constant(file.text("File.path"), file));
      return [file.text("File.paramname") || "file", { file: path, ...type !== "" && { type } }];
    });
    return { multipart: { ...parts, ...Object.fromEntries(named) } };
  }

  /** One file without a name is the body. */
  #file(
    sampler: PlanElement,
    fields: readonly PlanElement[],
    [file, ...more]: readonly PlanElement[],
  ): JmeterStep {
    if (more.length > 0 || fields.length > 0 || file.text("File.paramname") !== "") {
      this.#refuse(sampler, "its files have names, and it is no multipart request");
    }
    const { variables, pathOf } = this.around;
    return { body: { file: pathOf(variables.constant(file.text("File.path"), file)) } };
  }
}

/** A name that is given twice has a list. */
function namedFields(
  fields: readonly PlanElement[],
  textOf: (field: PlanElement, key: string) => string,
): Record<string, string | string[]> {
  const byName = Map.groupBy(fields, (field) => textOf(field, "Argument.name"));
  return Object.fromEntries([...byName].map(([name, all]) => {
    const values = all.map((field) => textOf(field, "Argument.value"));
    return [name, values.length === 1 ? values[0] : values];
  }));
}

/** With a content-type where there is none. */
function headersOf(
  given: Readonly<Record<string, string>>,
  type: string | undefined,
): { readonly headers?: Readonly<Record<string, string>> } {
  const headers = { ...type !== undefined && { "content-type": type }, ...given };
  return Object.keys(headers).length > 0 ? { headers } : {};
}

/** As forms have it. */
function encoded(text: string): string {
  return besidesValues(text, (part) => encodeURIComponent(part).replaceAll("%20", "+"));
}

/** What can't stand in a path is encoded. */
function printable(text: string): string {
  return besidesValues(text, (part) => part.replaceAll(/[^\x21-\x7e]+/gu, encodeURIComponent));
}

/** Names of values, `{{ name }}`, stay as they are. */
function besidesValues(text: string, change: (part: string) => string): string {
  return text.split(/(\{\{ \S+ \}\})/).map((part) => part.startsWith("{{") ? part : change(part))
    .join("");
}
