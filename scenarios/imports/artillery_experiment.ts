/**
 * Converts an Artillery script and its processor to an experiment in TypeScript, which keeps the processor's functions.
 * `init` writes it.
 */
import { artilleryCode, constantOf, type ImportedCode, targetOf } from "./artillery.ts";
import { codeOf, environmentLines, experimentLines, headLines, isSet, RAW } from "./format/code.ts";
import type { ImportContext } from "./format/format.ts";
import { Call, References } from "./format/references.ts";

export interface ArtilleryExperiment {
  /** The text of the TypeScript module. */
  readonly text: string;
  readonly notes: readonly string[];
  /**
   * Environment variables whose values are part of the text in a form that no reference can replace, such as base64.
   */
  readonly holds: readonly string[];
}

/**
 * Throws a ZodError that lists every problem of the script, or a UserError if the processor can't be read or is not
 * valid code.
 * @param from The name of the script.
 */
export function artilleryExperiment(
  data: unknown,
  from: string,
  around: ImportContext,
): ArtilleryExperiment {
  const code = artilleryCode(data, around);
  const { script: { config: { processor: path } }, processor } = code;
  const missing = calledIn(code.experiment).filter((name) => !processor?.names.has(name));
  const notes = [
    ...code.notes,
    ...missing.map((name) => `the processor has no function ${name}, so nothing is called there`),
    ...processor?.left.map((line) => `not converted: ${line}`) ?? [],
  ];
  const references = new References(code.read);
  const experiment = {
    ...references.inScenarios(code.experiment),
    targets: { target: { ...Object(Object(code.experiment.targets).target), url: RAW("target") } },
  };
  const { origin } = targetOf(code.script.config);
  const usesNode = processor?.usesBuffer || processor?.usesModules;
  const variables = [...processor?.variables ?? []];
  const scenarios = constantsOf(code, references);
  const exported = experimentLines(experiment, origin);
  const readsEnv = [...scenarios, ...exported].some((text) => text.includes('env("')) ||
    variables.some((name) => isSet(name, around.env));
  const and = typeof path === "string" ? `, and its processor ${path}` : "";
  const lines = [
    ...headLines(
      `an Artillery script, ${from}${and}`,
      notes,
      [...readsEnv ? ["env"] : [], "experiment"],
    ),
    `import { ${usesNode ? "node as plateauNode, " : ""}processed } from "plateau/artillery";`,
    ...variables.length === 0 ? [] : [
      ...["", "const process = {", "  env: {"],
      ...environmentLines(variables, around.env).map((line) => `  ${line}`),
      ...["  },", "};"],
    ],
    ...processor?.usesBuffer ? ["", "const { Buffer } = plateauNode;"] : [],
    "",
    `const functions = ${processor?.code ?? "{}"};`,
    "",
    ...scenarios,
    "",
    ...exported,
    "",
  ];
  return { text: lines.join("\n"), notes, holds: [...references.holds] };
}

/** The names of all functions that hooks call, each once. */
function calledIn(value: unknown): string[] {
  if (value instanceof Call) {
    const { between, before, after, start, end } = Object(value.given);
    return [...new Set([between, before, after, start, end].flatMap((names) => names ?? []))];
  }
  if (typeof value !== "object" || value === null) return [];
  return [...new Set(Object.values(value).flatMap(calledIn))];
}

/** The code of one constant for each scenario, with the variables that all its virtual users share. */
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
