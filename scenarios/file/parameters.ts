/**
 * Fills in the parameters of an experiment file, whose values `--set` can change. A choice merges changes into the
 * file. A value replaces `${name}` in the file's texts, and `${env.NAME}` is an environment variable. Pure.
 */
import {
  type Environment,
  fillPlaceholders,
  isEnvName,
  namesWithin,
  NO_ENVIRONMENT,
  type PlaceholderUse,
  variablesOf,
} from "./placeholders.ts";
import { type Problem, UserError } from "../../base/errors.ts";
import { AS_INPUT } from "../../base/explain.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import { isMap } from "../../base/yaml/json_text.ts";
import { LayeredData } from "../../base/yaml/merge_patch.ts";
import {
  declarationFindings,
  type DeclaredParameters,
  isChoices,
  isSecret,
  presetsOf,
  validParameters,
  value,
} from "./parameter_shape.ts";
import { findingsOf, type Path, type PathProblem, startsWith } from "../../base/problems.ts";
import { quotedOpenly, SECRET, type SecretValue } from "../../base/secrets.ts";
import { didYouMean } from "../../base/suggest.ts";
import { stages } from "../../base/target/steps.ts";
import { YamlText } from "../../base/yaml/yaml_text.ts";

/** What `--set` gives: the values of parameters by name, as YAML. */
export type SetParameters = Readonly<Record<string, string>>;

interface FilledIn {
  /**
   * The file's data after choices are made and values are filled in. Its `parameters` has the value of each parameter
   * in use.
   */
  readonly data: unknown;
  /** Values that were filled in but must never be shown. */
  readonly secrets: readonly SecretValue[];
  /** Problems of values that `--set` gives. */
  readonly problems: readonly Problem[];
  /** Problems of the file, with their paths. */
  readonly findings: readonly PathProblem[];
  /**
   * Converts problems of `data` into problems of the file, with their paths in the file. Leaves out those in a text with a
   * placeholder that could not be filled in, because `problems` or `findings` already explain them.
   */
  readonly inFile: (ofData: readonly PathProblem[]) => PathProblem[];
}

/** Never throws, because the result contains all problems. */
export function fillParameters(
  written: unknown,
  given: SetParameters,
  environment: Environment = NO_ENVIRONMENT,
): FilledIn {
  if (!isMap(written)) {
    return { data: written, secrets: [], problems: [], findings: [], inFile: copied };
  }
  const { parameters, ...rest } = written;
  const names = isMap(parameters) ? Object.keys(parameters) : [];
  const sound = validParameters(parameters);
  const { values, problems, layers } = settle(rest, sound, given);
  const variables = variablesOf(namesWithin(layers.data), environment);
  const known = { values: new Map([...values, ...variables]), names: new Set(names) };
  const { data, uses } = fillPlaceholders(layers.data, known);
  const idle = unusedNames(sound, uses);
  const hidden = secretNames(sound);
  const isHidden = (name: string): boolean => isEnvName(name) || hidden.includes(name);
  const findings = [
    ...declarationFindings(parameters),
    ...uses.flatMap((use) =>
      [...use.wrong, ...secretArguments(use, isHidden)].map((message) => ({
        path: layers.writtenAt(use.path),
        isKey: false,
        message,
      }))
    ),
  ];
  return {
    data: parameters === undefined
      ? data
      : { ...Object(data), parameters: usedValues(names, values, idle) },
    secrets: [...known.values].flatMap(([name, value]): SecretValue[] =>
      isHidden(name) ? [[String(value), isEnvName(name) ? `\${${name}}` : SECRET]] : []
    ),
    problems: [
      ...unknownParameters(given, names),
      ...problems,
      ...hidden.filter((name) => !values.has(name) && !idle.includes(name)).map(missingSecret),
      ...(problems.length === 0 ? unusedProblems(given, values, idle) : []),
    ],
    findings,
    inFile: (findings) =>
      findings.flatMap((finding) => {
        const use = uses.find(({ path }) => startsWith(finding.path, path));
        if (use && isUnfilled(use, known.values)) return [];
        const message = finding.message + (use ? whereFrom(use, known.values, given) : "");
        return [{ ...finding, path: layers.writtenAt(finding.path), message }];
      }),
  };
}

function secretNames(parameters: DeclaredParameters): string[] {
  return parameters.flatMap(([name, parameter]) => isSecret(parameter) ? [name] : []);
}

/** Problems with secrets in the arguments of a program, because every user of the machine can read those. */
function secretArguments(
  { path, names }: PlaceholderUse,
  isHidden: (name: string) => boolean,
): string[] {
  if (!isArgument(path)) return [];
  return [...new Set(names)].filter(isHidden).map((name) => {
    const variable = name.replace(/^env\./, "");
    return `Cannot put the secret \${${name}} into the arguments of a program, because every user of the ` +
      `machine can read them: pass it by env: { ${variable}: "\${${name}}" }`;
  });
}

/**
 * Whether the path is within the arguments of a target's command or of one of its steps, and not within an environment.
 */
function isArgument([room, , key, , part]: Path): boolean {
  if (room !== "targets") return false;
  return key === "command" ||
    (["build", ...stages].some((steps) => steps === key) && part !== "env");
}

function missingSecret(name: string): Problem {
  return {
    place: flag(name),
    message: "Cannot run without a value for this secret: the file holds no value",
    fix: `set it with --set ${name}=…, or write \${env.NAME} where the file uses it`,
  };
}

function copied(findings: readonly PathProblem[]): PathProblem[] {
  return [...findings];
}

/** Merges the chosen changes into the file, one choice after the other, and collects the values of all parameters. */
function settle(
  rest: unknown,
  parameters: DeclaredParameters,
  given: SetParameters,
): { values: Map<string, Json>; problems: Problem[]; layers: LayeredData } {
  const values = new Map<string, Json>();
  const problems: Problem[] = [];
  const layers = new LayeredData(rest);
  const preset = new Map<string, Json>();
  for (const [name, parameter] of choicesFirst(parameters)) {
    const text = Object.hasOwn(given, name) ? given[name] : null;
    try {
      if (isChoices(parameter)) {
        const choice = choiceOf(name, Object.keys(parameter), text);
        values.set(name, choice);
        const { parameters: presets, ...changes } = parameter[choice] ?? {};
        for (const [other, value] of presetsOf(presets)) preset.set(other, value);
        layers.lay(changes, ["parameters", name, choice]);
      } else if (isSecret(parameter)) {
        const value = text ?? preset.get(name) ?? parameter.value;
        if (value !== undefined) values.set(name, String(value));
      } else {
        values.set(name, text === null ? preset.get(name) ?? parameter : readValue(name, text));
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(...error.problems);
    }
  }
  return { values, problems, layers };
}

/** Puts choices first, because they may set other parameters. */
function choicesFirst(parameters: DeclaredParameters): DeclaredParameters {
  const isChoice = ([, parameter]: DeclaredParameters[number]): boolean => isChoices(parameter);
  return [...parameters.filter(isChoice), ...parameters.filter((one) => !isChoice(one))];
}

/** The parameters that the file does not use, once the choices are made. */
function unusedNames(parameters: DeclaredParameters, uses: readonly PlaceholderUse[]): string[] {
  const used = new Set(uses.flatMap(({ names }) => names));
  return parameters.flatMap(([name, parameter]) =>
    isChoices(parameter) || used.has(name) ? [] : [name]
  );
}

/** The values in use, in the order of the file. */
function usedValues(
  names: readonly string[],
  values: ReadonlyMap<string, Json>,
  idle: readonly string[],
): Record<string, Json | undefined> {
  const used = names.filter((name) => values.has(name) && !idle.includes(name));
  return Object.fromEntries(used.map((name) => [name, values.get(name)]));
}

function unusedProblems(
  given: SetParameters,
  values: ReadonlyMap<string, Json>,
  idle: readonly string[],
): Problem[] {
  return idle.filter((name) => Object.hasOwn(given, name)).map((name) => ({
    place: flag(name),
    message: `Cannot use ${quotedOpenly(values.get(name))}`,
    fix: `leave it out, because the file does not use \${${name}} with the chosen parameters`,
  }));
}

/** @param text What `--set` gives; null for the default, which is the first choice. */
function choiceOf(name: string, choices: readonly string[], text: string | null): string {
  if (text === null) return choices[0];
  const unquoted = choices.includes(text) ? text : String(yamlOf(name, text).data);
  if (choices.includes(unquoted)) return unquoted;
  const fix = didYouMean(unquoted, choices) ?? `the choices are ${choices.join(", ")}`;
  throw new UserError([{ place: flag(name), message: `Cannot choose ${quotedOpenly(text)}`, fix }]);
}

function readValue(name: string, text: string): Json {
  const yaml = yamlOf(name, text);
  const { data, error } = value.safeParse(yaml.data, AS_INPUT);
  if (!error) return data;
  const findings = findingsOf(error.issues, yaml.data);
  throw new UserError(findings.map(({ message }) => ({ place: flag(name), message })));
}

function yamlOf(name: string, text: string): YamlText {
  return new YamlText(text, flag(name));
}

/** How many characters of a value a message shows. A value may be long, and occur in many messages. */
const SHOWN_CHARS = 200;

function flag(name: string): string {
  return `--set ${name}`;
}

function unknownParameters(given: SetParameters, names: readonly string[]): Problem[] {
  return Object.keys(given).filter((name) => !names.includes(name)).map((name) => ({
    place: flag(name),
    message: `Cannot find the parameter ${quotedOpenly(name)}`,
    fix: names.length === 0
      ? "the file has no parameters"
      : didYouMean(name, names) ?? `the parameters are ${names.join(", ")}`,
  }));
}

function isUnfilled({ names, wrong }: PlaceholderUse, values: ReadonlyMap<string, Json>): boolean {
  return wrong.length > 0 || names.some((name) => !values.has(name));
}

/**
 * What the placeholders in a text stand for, to be added to a message, because the file itself has only their names.
 */
function whereFrom(
  { names }: PlaceholderUse,
  values: ReadonlyMap<string, Json>,
  given: SetParameters,
): string {
  const origins = [...new Set(names)].map((name) => {
    if (isEnvName(name)) return `\${${name}} is text, like every environment variable`;
    const by = Object.hasOwn(given, name) ? `, by ${flag(name)}` : "";
    return `\${${name}} is ${valueText(values.get(name))}${by}`;
  });
  return ` (${origins.join("; ")})`;
}

/** The value as JSON, cut off if it is long. */
function valueText(value: Json | undefined): string {
  const text = JSON.stringify(typeof value === "string" ? value.slice(0, SHOWN_CHARS + 1) : value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
