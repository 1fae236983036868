/** An Artillery script with its processor as an experiment in TypeScript that keeps its functions, for `init` to write. */
import { transformSync } from "amaro";
import { messageOf, UserError } from "../../base/errors.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { artilleryCode, constantOf, type ImportedCode } from "./artillery.ts";
import { ArtilleryProcessor } from "./artillery_processor.ts";
import { codeOf, RAW } from "./format/code.ts";
import type { ImportContext } from "./format/format.ts";
import { Call, References } from "./format/references.ts";

export interface ArtilleryExperiment {
  /** Text of a TypeScript module. */
  readonly text: string;
  readonly notes: readonly string[];
  /** Variables of the environment whose values stand in it in another form. */
  readonly holds: readonly string[];
}

/** Throws a ZodError, or a UserError of the processor, with everything that is wrong. @param from The script's name. */
export function artilleryExperiment(
  data: unknown,
  from: string,
  around: ImportContext,
): ArtilleryExperiment {
  const code = artilleryCode(data, around);
  const path = code.script.config.processor;
  const processor = typeof path === "string" ? processorAt(path, around) : null;
  const missing = calledIn(code.experiment).filter((name) => !namesOf(processor).has(name));
  const notes = [
    ...code.notes,
    ...missing.map((name) => `the processor has no function ${name}, so nothing is called there`),
    ...processor?.left.map((line) => `not taken over: ${line}`) ?? [],
  ];
  const references = new References(code.read ?? new Map());
  const experiment = {
    ...references.inScenarios(code.experiment),
    targets: { target: { ...targetOf(code), url: RAW("target") } },
  };
  const { origin } = new URL(code.script.config.target ?? "");
  const functions = processor?.code ?? "{}";
  const usesNode = processor?.usesBuffer === true || /\bnode\./.test(functions);
  const variables = [...processor?.variables ?? []].toSorted();
  const body = codeOf(experiment).replaceAll("\n", "\n  ");
  const scenarios = constantsOf(code, references);
  const readsEnv = [body, ...scenarios].some((text) => text.includes('env("')) ||
    variables.some((name) => isSet(name, around));
  const lines = [
    `// From an Artillery script, ${from}${
      typeof path === "string" ? `, and its processor ${path}` : ""
    }.`,
    ...notes.map((note) => `// Note: ${withoutSecrets(note).replaceAll(/\s+/g, " ")}.`),
    "// @ts-nocheck: its functions are JavaScript.",
    `import { ${readsEnv ? "env, " : ""}experiment } from "plateau";`,
    `import { ${usesNode ? "node, " : ""}processed } from "plateau/artillery";`,
    ...environmentOf(variables, around),
    ...processor?.usesBuffer ? ["", "const { Buffer } = node;"] : [],
    "",
    `const functions = ${functions};`,
    "",
    ...scenarios,
    "",
    `export default ({ target = ${JSON.stringify(origin)} }) =>`,
    `  experiment(${body});`,
    "",
  ];
  return { text: lines.join("\n"), notes, holds: [...references.holds] };
}

function targetOf({ experiment }: ImportedCode): object {
  const { target } = Object(experiment.targets);
  return Object(target);
}

function processorAt(path: string, { files }: ImportContext): ArtilleryProcessor {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(files.octets(path));
  } catch (error) {
    const message = `Cannot read the processor: ${messageOf(error)}`;
    throw new UserError([{ place: path, message }]);
  }
  const name = path.replace(/^\.\//, "");
  return new ArtilleryProcessor(/\.[cm]?ts$/.test(path) ? withoutTypes(text, name) : text, name);
}

function withoutTypes(text: string, path: string): string {
  try {
    return transformSync(text, { mode: "strip-only", filename: path }).code;
  } catch (error) {
    const why = Reflect.get(Object(error), "message") ?? error;
    throw new UserError([{ place: path, message: `Cannot read this as TypeScript: ${why}` }]);
  }
}

/** Names by which a script calls the functions of its processor. */
function namesOf(processor: ArtilleryProcessor | null): Set<string> {
  return new Set([...processor?.names ?? []].map((name) => name.replace(/:.*$/, "")));
}

/** Names of all functions that hooks call, each once. */
function calledIn(value: unknown): string[] {
  if (value instanceof Call) {
    const { between, before, after, start, end } = Object(value.given);
    return [...new Set([between, before, after, start, end].flatMap((names) => names ?? []))];
  }
  if (typeof value !== "object" || value === null) return [];
  return [...new Set(Object.values(value).flatMap(calledIn))];
}

/** One for each scenario, with the variables that all its users have. */
function constantsOf(
  { script: { config }, scenarios, names: renamed }: ImportedCode,
  references: References,
): string[] {
  const fixed = Object.entries(config.variables).filter(([, value]) => !Array.isArray(value));
  const vars = references.in({ target: config.target, ...Object.fromEntries(fixed) });
  const names = Object.fromEntries(renamed);
  return scenarios.map((name, at) => {
    const given = codeOf({ name, vars, ...renamed.size > 0 && { names } });
    return `const ${constantOf(at)} = processed(functions, ${given});`;
  });
}

function isSet(name: string, { env }: ImportContext): boolean {
  return (env(name) ?? "") !== "";
}

/** Variables that the processor reads are those of the experiment; only those that are set can be read there. */
function environmentOf(names: readonly string[], around: ImportContext): string[] {
  if (names.length === 0) return [];
  const lines = names.map((name) =>
    isSet(name, around)
      ? `    ${name}: env(${JSON.stringify(name)}),`
      : `    ${name}: undefined, // write env(${JSON.stringify(name)}), where it is set`
  );
  return ["", "const process = {", "  env: {", ...lines, "  },", "};"];
}
