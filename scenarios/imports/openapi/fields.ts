/** Writes the parameters of an operation into a path, a query, header fields or cookies (OpenAPI 3.1 §4.8.12). Pure. */
import type { Json } from "../../../base/yaml/json_text.ts";
import { isMap } from "../../../base/yaml/json_text.ts";
import { percentEncoded } from "../../request/template.ts";

export interface Field {
  readonly name: string;
  readonly style: string | null;
  readonly explode: boolean | null;
  readonly value: Json;
}

export function textOf(value: Json): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

/** The text that replaces `{name}` in a path. */
export function inPath({ name, style, explode, value }: Field): string {
  const isExploded = explode === true;
  const prefix = style === "label" ? "." : style === "matrix" ? ";" : "";
  const written = (one: Json): string => percentEncoded(textOf(one));
  if (style === "matrix" && !isMap(value)) {
    const values = [value].flat().map(written);
    return isExploded
      ? values.map((one) => `;${name}=${one}`).join("")
      : `;${name}=${values.join(",")}`;
  }
  if (Array.isArray(value)) {
    return prefix + value.map(written).join(isExploded && prefix ? "." : ",");
  }
  if (!isMap(value)) return prefix + written(value);
  const pairs = Object.entries(value) as [string, Json][];
  const separator = isExploded && prefix !== "" ? prefix : ",";
  const text = pairs.map(([key, one]) =>
    isExploded ? `${percentEncoded(key)}=${written(one)}` : `${percentEncoded(key)},${written(one)}`
  ).join(separator);
  return style === "matrix" && !isExploded ? `;${name}=${text}` : prefix + text;
}

const DELIMITERS: Readonly<Record<string, string>> = {
  form: ",",
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
};

/** The parts of a query or a form, such as `name=value`. */
export function inQuery({ name, style, explode, value }: Field): string[] {
  const own = style ?? "form";
  const isExploded = explode ?? own === "form";
  const written = (one: Json): string => percentEncoded(textOf(one));
  const key = percentEncoded(name);
  if (Array.isArray(value)) {
    if (isExploded) return value.map((one) => `${key}=${written(one)}`);
    return value.length === 0 ? [] : [`${key}=${value.map(written).join(DELIMITERS[own] ?? ",")}`];
  }
  if (!isMap(value)) return [`${key}=${written(value)}`];
  const pairs = Object.entries(value) as [string, Json][];
  if (own === "deepObject") {
    return pairs.map(([inner, one]) => `${percentEncoded(`${name}[${inner}]`)}=${written(one)}`);
  }
  if (isExploded) return pairs.map(([inner, one]) => `${percentEncoded(inner)}=${written(one)}`);
  const list = pairs.flatMap(([inner, one]) => [percentEncoded(inner), written(one)]);
  return [`${key}=${list.join(DELIMITERS[own] ?? ",")}`];
}

/** The value of a header field, in the style `simple`. */
export function inHeader({ explode, value }: Field): string {
  if (Array.isArray(value)) return value.map(textOf).join(",");
  if (!isMap(value)) return textOf(value);
  return (Object.entries(value) as [string, Json][])
    .map(([key, one]) => explode === true ? `${key}=${textOf(one)}` : `${key},${textOf(one)}`)
    .join(",");
}
