/** Generates the code of a TypeScript module that defines an experiment. Pure. */
import { withoutSecrets } from "../../../base/secrets.ts";
import { Call, FromEnvironment, type ReadVariable } from "./references.ts";

/** Code to be written as it is, where a value is expected. */
class Code {
  constructor(readonly text: string) {}
}

export const RAW = (text: string): Code => new Code(text);
/** A key for `...` in an object. Its value is the name of a constant, or a call. */
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
      const name = keyText(key);
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

export function keyText(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
}

/**
 * Generates an expression for a text that contains values of environment variables.
 * @param env The name that `env` has in the module.
 */
export function textWith({ parts }: FromEnvironment, env = "env"): string {
  const terms = parts.filter((part) => part !== "").map((part) =>
    typeof part === "string" ? JSON.stringify(part) : `${env}(${JSON.stringify(part.variable)})`
  );
  return terms.join(" + ");
}

/**
 * The first lines of a module.
 * @param from What the module was converted from.
 * @param names The names to import from `plateau`.
 */
export function headLines(
  from: string,
  notes: readonly string[],
  names: readonly string[],
): string[] {
  return [
    `// From ${from}.`,
    ...notes.map((note) => `// Note: ${withoutSecrets(note).replaceAll(/\s+/g, " ")}.`),
    "// @ts-nocheck: its functions are JavaScript.",
    `import { ${names.join(", ")} } from "plateau";`,
  ];
}

/**
 * The default export of a module: the experiment, with its target as a parameter.
 * @param name The module's own name for `experiment`.
 */
export function experimentLines(
  experiment: object,
  origin: string,
  name = "experiment",
): string[] {
  return [
    `export default ({ target = ${JSON.stringify(origin)} }) =>`,
    `  ${name}(${codeOf(experiment, "  ")});`,
  ];
}

/** Whether an environment variable is set and not empty. If it is not set, a module that reads it would fail. */
export function isSet(variable: string, env: ReadVariable): boolean {
  return (env(variable) ?? "") !== "";
}

/**
 * The members of an object with the variables that a script reads.
 * @param name The module's own name for `env`.
 */
export function environmentLines(
  variables: Iterable<string>,
  env: ReadVariable,
  name = "env",
): string[] {
  return [...variables].toSorted().map((variable) => {
    const read = `${name}(${JSON.stringify(variable)})`;
    return isSet(variable, env)
      ? `  ${keyText(variable)}: ${read},`
      : `  ${keyText(variable)}: undefined, // not set at conversion; once it is, write ${read}`;
  });
}
