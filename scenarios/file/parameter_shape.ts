/**
 * The declaration of parameters. A parameter is a plain value, a secret value, or a choice, which changes the file and
 * may set other parameters. Pure.
 */
import * as z from "zod";
import { AS_INPUT } from "../../base/explain.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import { isMap } from "../../base/yaml/json_text.ts";
import { holdsPlaceholder } from "./placeholders.ts";
import { findingsOf, type PathProblem } from "../../base/problems.ts";
import { didYouMean } from "../../base/suggest.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const name = z.string().regex(/^\p{L}[\p{L}\p{N}_-]*$/u, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as a name of a parameter: start with a letter, ` +
    "go on with letters, digits, _ and -",
});

const text = z.string().refine((parameterValue) => !holdsPlaceholder(parameterValue), {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)}: a parameter can't hold another`,
});

/** A parameter's value if it is given directly, rather than as a choice among named values. */
export const value = z.union([
  text,
  z.number(),
  z.boolean(),
  z.array(z.union([text, z.number(), z.boolean()])).min(1),
]);

/**
 * The value is always text, so that the secret 0123 is not read as a number. If the file has no value, `--set` must
 * provide one.
 */
const secretValue = z.strictObject({
  secret: z.literal(true).describe(
    "Whether the parameter's value is secret: no output shows it",
  ),
  value: text.min(1).optional(),
});

/** The values that a choice sets for other parameters, from its key `parameters`. */
const presets = z.record(name, value);

const choices = z.record(z.string(), z.union([z.record(z.string(), z.json()), z.null()]))
  .refine(
    (choices) => Object.keys(choices).length > 0,
    "Cannot use an empty map of choices: name a choice",
  )
  .superRefine((choices, context) => {
    for (const [choice, changes] of Object.entries(choices)) {
      const { error } = presets.optional().safeParse(changes?.parameters, AS_INPUT);
      for (const { path, message } of findingsOf(error?.issues ?? [], changes?.parameters)) {
        context.addIssue({ code: "custom", path: [choice, "parameters", ...path], message });
      }
    }
  });

const parameter = z.union([...value.options, secretValue, choices]);

/** Parameters as the file declares them or, once they are filled in, the value of each. */
export const parametersSpec = z.record(name, parameter);
type Parameter = z.output<typeof parameter>;

type SecretParameter = z.output<typeof secretValue>;
type ChoiceChanges = z.output<typeof choices>;

export function isSecret(parameter: unknown): parameter is SecretParameter {
  return isMap(parameter) && parameter.secret === true;
}

export function isChoices(parameter: Parameter): parameter is ChoiceChanges {
  return isMap(parameter) && !isSecret(parameter);
}

/** Parameters in the order of the file. */
export type DeclaredParameters = readonly (readonly [name: string, parameter: Parameter])[];

/** The values that a choice sets for other parameters. */
export function presetsOf(written: unknown): [name: string, value: Json][] {
  return Object.entries(presets.safeParse(written).data ?? {});
}

export function declarationFindings(parameters: unknown): PathProblem[] {
  if (parameters === undefined) return [];
  const { error } = parametersSpec.safeParse(parameters, AS_INPUT);
  return [...findingsOf(error?.issues ?? [], parameters), ...unknownPresets(parameters)]
    .map((finding) => ({ ...finding, path: ["parameters", ...finding.path] }));
}

/** Problems with choices that set a parameter which the file does not declare, or which is itself a choice. */
function unknownPresets(parameters: unknown): PathProblem[] {
  const sound = validParameters(parameters);
  const names = sound.flatMap(([name, parameter]) => isChoices(parameter) ? [] : [name]);
  return sound.flatMap(([name, parameter]) =>
    isChoices(parameter)
      ? Object.entries(parameter).flatMap(([choice, changes]) =>
        presetsOf(changes?.parameters).filter(([preset]) => !names.includes(preset))
          .map(([preset]) => ({
            path: [name, choice, "parameters", preset],
            isKey: true,
            message: `Cannot find the value ${quotedOpenly(preset)} to set: ${
              didYouMean(preset, names) ?? `the values are ${names.join(", ") || "none"}`
            }`,
          }))
      )
      : []
  );
}

export function validParameters(parameters: unknown): [name: string, parameter: Parameter][] {
  if (!isMap(parameters)) return [];
  return Object.entries(parameters).flatMap(([name, written]) =>
    Object.entries(parametersSpec.safeParse({ [name]: written }).data ?? {})
  );
}
