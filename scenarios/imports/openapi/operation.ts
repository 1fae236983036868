/** Converts an operation of an OpenAPI description to a request of an experiment. Pure. */
import { isMap, type Json } from "../../../base/yaml/json_text.ts";
import { headerName, headerValue, stepName } from "../../request/request.ts";
import { pathText } from "../../request/template.ts";
import { withoutNames } from "../format/format.ts";
import { FromEnvironment } from "../format/references.ts";
import { type Description, type MapPart, type Part, partOf } from "./description.ts";
import { type Examples, NoExample } from "./examples.ts";
import { type Field, inHeader, inPath, inQuery, textOf } from "./fields.ts";
import type { Security } from "./security.ts";

export interface Around {
  readonly description: Description;
  readonly examples: Examples;
  readonly security: Security;
  readonly note: (text: string) => void;
  /** Records that the value of the parameter with this name, in a path or query, is made up. */
  readonly madeUp: (name: string) => void;
  /**
   * Receives a reference to each environment variable that holds a secret for the query string, keyed by the variable's
   * name.
   */
  readonly values: Map<string, FromEnvironment>;
}

export interface Operation {
  readonly method: string;
  /** The path as in the description, such as `/pets/{id}`. */
  readonly template: string;
  /** Path prefix from the server's URL, such as `/api/v3`. */
  readonly base: string;
  readonly part: MapPart;
  /** Parameters of all operations with this path, which the operation may override. */
  readonly shared: readonly Part[];
}

/** The name of the operation in messages and figures. */
export function nameOf({ method, template, part }: Operation): string {
  const { operationId } = part.value;
  const { data } = stepName.safeParse(operationId);
  return data ?? `${method.toUpperCase()} ${template}`;
}

/** The request for an operation. Throws a NoExample if none can be made. */
export function requestOf(operation: Operation, around: Around): Record<string, unknown> {
  const { method, template, base, part } = operation;
  const { headers, query, cookies } = around.security.of(part);
  const fields = parametersOf(operation, around);
  const path = pathWith(template, fields.filter(({ place }) => place === "path"));
  const queryParts = [
    ...fields.flatMap((field) => field.place === "query" ? inQuery(field) : [])
      .map((text) => withoutNames(text, "%7B%7B")),
    ...Object.entries(query).map(([name, variable]) => {
      around.values.set(variable, new FromEnvironment([{ variable }]));
      return `${encodeURIComponent(name)}={{ ${variable} }}`;
    }),
  ];
  const cookieTexts = fields.flatMap((field) => field.place === "cookie" ? inQuery(field) : []);
  const body = bodyOf(operation, around);
  const { data: name } = stepName.safeParse(nameOf(operation));
  const accept = acceptedBy(operation, around);
  const sent = {
    ...accept !== null && { accept },
    ...headersOf(fields, around),
    ...body?.type && { "content-type": body.type },
    ...headers,
    ...cookieOf(cookieTexts, cookies),
  };
  const status = expectedOf(operation, around);
  return {
    ...name !== undefined && { name },
    [method]: pathText(withoutNames(base + path, "%7B%7B")) +
      (queryParts.length === 0 ? "" : `?${queryParts.join("&")}`),
    ...Object.keys(sent).length > 0 && { headers: sent },
    ...body?.fields,
    ...status.length > 0 && { expect: { status: status.length === 1 ? status[0] : status } },
  };
}

/** All cookies in one field (RFC 6265 §5.4), because a second `cookie` would replace the first. */
function cookieOf(
  texts: readonly string[],
  secrets: Readonly<Record<string, string>>,
): { cookie?: string | FromEnvironment } {
  const text = texts.map((text) => withoutNames(text)).join("; ");
  const names = Object.entries(secrets);
  if (names.length === 0) return text === "" ? {} : { cookie: text };
  const parts = names.flatMap(([name, variable], at) => [
    at === 0 && text === "" ? `${name}=` : `; ${name}=`,
    { variable },
  ]);
  return { cookie: new FromEnvironment(text === "" ? parts : [text, ...parts]) };
}

type Place = "path" | "query" | "header" | "cookie";

interface PlacedField extends Field {
  readonly place: Place;
}

const PLACES: readonly string[] = ["path", "query", "header", "cookie"];
/**
 * Header fields for which parameters are ignored, because the body, the responses and the security decide them (OpenAPI
 * 3.1 §4.8.12.2).
 */
const OWN_FIELDS = ["accept", "content-type", "authorization"];

/** The required parameters, and the optional ones with an example of their own. */
function parametersOf({ part, shared }: Operation, around: Around): PlacedField[] {
  const { description } = around;
  const all = new Map<string, MapPart>();
  for (const one of [...shared, ...description.list(part, "parameters")]) {
    const parameter = description.followedMap(one);
    if (parameter === null) continue;
    const [name, place] = ["name", "in"].map((key) => description.text(parameter, key));
    if (name === null || !PLACES.includes(place ?? "")) {
      const message =
        "Cannot send this parameter: it needs a name, and in: path, query, header or cookie";
      description.refuse(parameter.path, message);
      continue;
    }
    all.set(`${place} ${name}`, parameter);
  }
  return [...all.values()].flatMap((parameter) => fieldOf(parameter, around));
}

function fieldOf(parameter: MapPart, around: Around): PlacedField[] {
  const { value: { name, in: place, required, style, explode } } = parameter;
  const isNeeded = required === true || place === "path";
  const field = {
    name: String(name),
    place: String(place) as Place,
    style: typeof style === "string" ? style : null,
    explode: typeof explode === "boolean" ? explode : null,
  };
  if (field.place === "header" && OWN_FIELDS.includes(field.name.toLowerCase())) return [];
  const given = exampleIn(parameter, around.description);
  if (given !== undefined) return [{ ...field, value: given }];
  const [content] = around.description.entries(parameter, "content");
  const media = content && around.description.followedMap(content[1]);
  const schema = partOf(media ?? parameter, "schema");
  const ofMedia = media && exampleIn(media, around.description);
  if (ofMedia !== undefined && ofMedia !== null) return [{ ...field, value: textOf(ofMedia) }];
  if (!isNeeded && !hasExample(schema, around.description)) return [];
  try {
    const value = around.examples.of(schema);
    if (around.examples.hasMadeUp && isNeeded) around.madeUp(field.name);
    return [{ ...field, value: media ? JSON.stringify(value) : value }];
  } catch (error) {
    if (!(error instanceof NoExample)) throw error;
    throw new NoExample(`its parameter ${field.name} has no example: ${error.message}`);
  }
}

/** Whether the schema itself contains an example. */
function hasExample(schema: Part, description: Description): boolean {
  const found = description.followed(schema)?.value;
  return isMap(found) && (found.example !== undefined || Array.isArray(found.examples));
}

/** The value of `example`, or the first of `examples`; undefined if there is neither. */
function exampleIn(part: MapPart, description: Description): Json | undefined {
  if (part.value.example !== undefined) return part.value.example as Json;
  for (const [, one] of description.entries(part, "examples")) {
    const example = description.followedMap(one);
    if (example !== null && example.value.value !== undefined) return example.value.value as Json;
  }
  return undefined;
}

function pathWith(template: string, fields: readonly Field[]): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const field = fields.find((field) => field.name === name);
    if (field === undefined) {
      throw new NoExample(`its path needs {${name}}, which is not among its parameters`);
    }
    return inPath(field);
  });
}

function headersOf(fields: readonly PlacedField[], { note }: Around): Record<string, string> {
  const made: Record<string, string> = {};
  for (const field of fields) {
    if (field.place !== "header") continue;
    const text = inHeader(field);
    if (headerName.safeParse(field.name).success && headerValue.safeParse(text).success) {
      made[field.name] = withoutNames(text);
    } else note(`left out: the header field ${field.name}, which Plateau cannot send`);
  }
  return made;
}

interface Body {
  /** Content type to set; null if the key of the body, such as `json` or `form`, implies it. */
  readonly type: string | null;
  readonly fields: Record<string, unknown>;
}

const isJson = (type: string): boolean => /[/+]json\b/i.test(type);
const FORM = /^application\/x-www-form-urlencoded\b/i;
const MULTIPART = /^multipart\/form-data\b/i;

/** How well Plateau can write a body of this content type; lower is better. */
function rank(type: string): number {
  const found = [isJson, FORM.test.bind(FORM), MULTIPART.test.bind(MULTIPART)]
    .findIndex((is) => is(type));
  return found < 0 ? 3 : found;
}

function bodyOf(operation: Operation, around: Around): Body | null {
  const { description } = around;
  const body = description.map(operation.part, "requestBody");
  if (body === null) return null;
  const types = description.entries(body, "content").toSorted(([a], [b]) => rank(a) - rank(b));
  if (types.length === 0) return null;
  const isNeeded = body.value.required === true;
  try {
    const [[type, one]] = types;
    const media = description.followedMap(one);
    if (media === null) return null;
    const made = bodyIn(type, media, around);
    if (MULTIPART.test(type)) noteFiles(operation, Object(made.fields.multipart), media, around);
    return made;
  } catch (error) {
    if (!(error instanceof NoExample)) throw error;
    if (isNeeded) throw new NoExample(`its body has no example: ${error.message}`);
    return null;
  }
}

function bodyIn(type: string, media: MapPart, around: Around): Body {
  const { description, examples } = around;
  const given = exampleIn(media, description);
  const written = type.includes("*") ? "application/octet-stream" : type;
  if (isJson(type)) {
    const value = given ?? examples.of(partOf(media, "schema"));
    const isUsual = /^application\/json$/i.test(type);
    return { type: isUsual ? null : written, fields: { json: everyText(value) } };
  }
  if (FORM.test(type) || MULTIPART.test(type)) {
    const value = given ?? examples.of(partOf(media, "schema"));
    if (!isMap(value)) throw new NoExample("a form has fields");
    const fields = formOf(value as Record<string, Json>);
    return { type: null, fields: { [FORM.test(type) ? "form" : "multipart"]: fields } };
  }
  const value = given ?? (isTextual(type) ? examples.of(partOf(media, "schema")) : undefined);
  if (value === undefined) throw new NoExample(`no body of the type ${type} can be made up`);
  if (typeof value !== "string" && /[/+]xml\b/i.test(type)) {
    throw new NoExample("XML is used only if there is an example");
  }
  return { type: written, fields: { body: withoutNames(textOf(value)) } };
}

function noteFiles(
  operation: Operation,
  form: object,
  media: MapPart,
  { examples, note }: Around,
): void {
  const files = examples.filesOf(partOf(media, "schema"))
    .filter((name) => Object.hasOwn(form, name));
  if (files.length === 0) return;
  const isOne = files.length === 1 && !Array.isArray(Reflect.get(form, files[0]));
  const what = isOne
    ? "is a file: write { file: PATH } instead of its text"
    : "are files: write { file: PATH } instead of their texts";
  note(`${files.join(" and ")} of ${nameOf(operation)} ${what}`);
}

function isTextual(type: string): boolean {
  return /^text\/|[/+]xml\b/i.test(type);
}

/** The fields of a form. Texts, numbers and lists of either stay; deeper values are written as JSON. */
function formOf(value: Readonly<Record<string, Json>>): Record<string, unknown> {
  const one = (value: Json): unknown =>
    typeof value === "object" ? withoutNames(textOf(value)) : everyText(value);
  return Object.fromEntries(
    Object.entries(value).filter(([, value]) => value !== null && !isEmptyList(value))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map(one) : one(value)]),
  );
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The value, with `{{` escaped in all its texts and keys. */
function everyText(value: Json): Json {
  if (typeof value === "string") return withoutNames(value);
  if (Array.isArray(value)) return value.map(everyText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [withoutNames(key), everyText(inner)]),
  );
}

function responsesOf({ part }: Operation, { description }: Around): [code: string, part: Part][] {
  return description.entries(part, "responses").filter(([code]) => /^[23](?:\d\d|XX)$/i.test(code));
}

/** The statuses of correct responses; empty if a whole class such as 2XX is correct. */
function expectedOf(operation: Operation, around: Around): number[] {
  const codes = responsesOf(operation, around).map(([code]) => Number(code));
  return codes.some(Number.isNaN) ? [] : codes;
}

/** The first content type of the first correct response that has one; null if none has. */
function acceptedBy(operation: Operation, around: Around): string | null {
  for (const [, one] of responsesOf(operation, around)) {
    const response = around.description.followedMap(one);
    const [content] = response ? around.description.entries(response, "content") : [];
    if (content !== undefined && headerValue.safeParse(content[0]).success) return content[0];
  }
  return null;
}
