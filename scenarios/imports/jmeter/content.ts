/** Converts the path and the body of an HTTP Request in a JMeter plan. */
import type { PlanElement, Refusals } from "./elements.ts";
import { pathText, percentEncoded, writtenBesides } from "../../request/template.ts";
import type { PlanVariables } from "./variables.ts";

export interface ContentContext {
  readonly variables: PlanVariables;
  readonly refusals: Refusals;
  readonly pathOf: (path: string) => string;
}

interface Content {
  readonly path: string;
  /** Value of Content-Type, if `body` does not imply one. */
  readonly type?: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A parameter of a request, which JMeter calls an argument. */
interface Argument {
  readonly at: PlanElement;
  readonly name: string;
  readonly value: string;
  readonly isEncoded: boolean;
}

/** Methods whose parameters JMeter writes into the query (HTTPSamplerBase.getUrl). */
const QUERIED = ["get", "delete", "options"];

export class Contents {
  constructor(private readonly around: ContentContext) {}

  of(sampler: PlanElement, method: string, path: string): Content {
    const { variables } = this.around;
    const fields = sampler.list("Arguments.arguments", "HTTPsampler.Arguments").map((at) => ({
      at,
      name: variables.filled(at.text("Argument.name"), at),
      value: variables.filled(at.text("Argument.value"), at),
      isEncoded: at.is("HTTPArgument.always_encode"),
    }));
    const files = sampler.list("HTTPFileArgs.files", "HTTPsampler.Files");
    const named = fields.filter(({ name }) => name !== ""); // JMeter skips parameters without a name
    if (sampler.is("HTTPSampler.DO_MULTIPART_POST")) {
      if (method === "get" || method === "head") {
        this.#refuse(sampler, "it is a multipart form, which a GET or HEAD request cannot have");
      }
      return { path, body: { multipart: this.#multipart(named, files) } };
    }
    if (files.length > 0) return { path, body: this.#file(sampler, fields, files) };
    if (fields.length === 0) return { path, body: {} };
    if (sampler.is("HTTPSampler.postBodyRaw") || named.length === 0) {
      const texts = fields.map(({ value, isEncoded }) => isEncoded ? encoded(value) : value);
      return { path, body: { body: texts.join("") } };
    }
    if (method === "head") this.#refuse(sampler, "JMeter does not send parameters with HEAD");
    if (QUERIED.includes(method)) return { path: this.#queried(path, named), body: {} };
    if (named.every(({ isEncoded }) => isEncoded)) {
      return { path, body: { form: byName(named.map(({ name, value }) => [name, value])) } };
    }
    const body = named.map((field) => pair(field, "=")).join("&");
    return { path, type: "application/x-www-form-urlencoded", body: { body } };
  }

  #refuse(element: PlanElement, why: string): void {
    this.around.refusals.add(element, `Cannot convert ${element.called}: ${why}`);
  }

  #queried(path: string, fields: readonly Argument[]): string {
    const texts = fields.map((field) => {
      const separator = separatorOf(field);
      if (separator === "" && field.value !== "") {
        const message = `Cannot convert the parameter ${field.name}: it has a value and no "="`;
        this.around.refusals.add(field.at, message);
      }
      return pair(field, separator);
    });
    return `${path}${path.includes("?") ? "&" : "?"}${pathText(texts.join("&"))}`;
  }

  #multipart(fields: readonly Argument[], files: readonly PlanElement[]): Record<string, unknown> {
    const { variables, pathOf } = this.around;
    const parts = files.map((file): readonly [string, unknown] => {
      const type = file.text("File.mimetype");
      const path = pathOf(variables.constant(file.text("File.path"), file));
      return [file.text("File.paramname") || "file", { file: path, ...type !== "" && { type } }];
    });
    return byName([...fields.map(({ name, value }) => [name, value] as const), ...parts]);
  }

  /** Uses a single file without a parameter name as the whole body. Refuses any other files. */
  #file(
    sampler: PlanElement,
    fields: readonly Argument[],
    [file, ...more]: readonly PlanElement[],
  ): Content["body"] {
    if (more.length > 0 || fields.length > 0 || file.text("File.paramname") !== "") {
      this.#refuse(sampler, "its files have names, but it is not a multipart request");
    }
    const { variables, pathOf } = this.around;
    return { body: { file: pathOf(variables.constant(file.text("File.path"), file)) } };
  }
}

/** The text between name and value in a query; "" for a flag without "=", such as `?flag`. */
function separatorOf({ at }: Argument): string {
  if (at.has("Argument.metadata")) return at.text("Argument.metadata");
  return at.text("HTTPArgument.use_equals").trim() === "false" ? "" : "=";
}

/** The name and value as they are sent, except that placeholders are not filled in yet. */
function pair({ name, value, isEncoded }: Argument, separator: string): string {
  return isEncoded
    ? `${encoded(name)}${separator}${encoded(value)}`
    : `${name}${separator}${value}`;
}

/** Groups values by name. A name that occurs more than once gets a list. */
function byName<Value>(
  fields: readonly (readonly [name: string, value: Value])[],
): Record<string, Value | Value[]> {
  return Object.fromEntries(
    [...Map.groupBy(fields, ([name]) => name)].map(([name, all]) => {
      const values = all.map(([, value]) => value);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** The text encoded as in HTML forms, except for its placeholders. */
function encoded(text: string): string {
  return writtenBesides(text, (part) => percentEncoded(part).replaceAll("%20", "+"));
}
