/** An experiment in the making as the code of a TypeScript module. Pure. */
import { Call, FromEnvironment } from "./references.ts";

/** Code in the place of a value. */
class Code {
  constructor(readonly text: string) {}
}

export const RAW = (text: string): Code => new Code(text);
/** Key of what is spread into an object: the name of a constant, or a call. */
export const SPREAD = "...";

export function codeOf(value: unknown, indent = ""): string {
  if (value instanceof Code) return value.text;
  if (value instanceof Call) return `${value.name}(${codeOf(value.given, indent)})`;
  if (value instanceof FromEnvironment) return textWith(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inside = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => codeOf(item, inside))
    : Object.entries(value).map(([key, item]) => {
      if (key === SPREAD) return `...${item instanceof Call ? codeOf(item, inside) : item}`;
      const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
      const text = codeOf(item, inside);
      return text === name ? name : `${name}: ${text}`;
    });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const line = Array.isArray(value) ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`;
  if (parts.length === 0) return open + close;
  return line.length <= 80 && !line.includes("\n")
    ? line
    : `${open}\n${parts.map((part) => `${inside}${part},\n`).join("")}${indent}${close}`;
}

function textWith({ parts }: FromEnvironment): string {
  const terms = parts.filter((part) => part !== "").map((part) =>
    typeof part === "string" ? JSON.stringify(part) : `env(${JSON.stringify(part.variable)})`
  );
  return terms.join(" + ");
}
