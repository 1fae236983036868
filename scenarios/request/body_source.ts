/** Where a value stands in a body, or in a message of a stream: a place in JSON, or what a pattern finds in text. */
import * as z from "zod";
import { wrongPattern } from "../../base/pattern.ts";
import { quotedOpenly } from "../../base/secrets.ts";

export type BodySource =
  /** Members and indexes from the top of a JSON body. */
  | { readonly kind: "json"; readonly path: readonly string[] }
  /** A regular expression of RE2 with one group, over the body. */
  | { readonly kind: "pattern"; readonly source: string };

const LONGEST_SHOWN = 200;

/** A member's name, or an index. */
export const jsonStep = z.string().regex(/^[^.[\]]+$/, {
  error: ({ input }) => `Cannot use ${quotedOpenly(input)} as a name in JSON`,
});

/** `data.items[0].id`, also with JSONPath's `$.` before it. */
const JSON_PATH = /^(?:\$\.|\$(?=\[))?((?:[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*)$/;

export const jsonSource = z.strictObject({
  json: z.string().regex(JSON_PATH, {
    error: ({ input }) =>
      `Cannot use ${
        JSON.stringify(input)
      } as a place in JSON: write names with dots and [0], such as data.items[0].id`,
  }).describe("Place of the value in a JSON body: data.items[0].id"),
}).transform(({ json }): BodySource => ({ kind: "json", path: stepsOf(json) }));

export const patternSource = z.string().superRefine((source, context) => {
  const wrong = wrongPattern(source);
  if (wrong !== null) {
    context.addIssue(`Cannot use ${quoted(source)} as a pattern: ${wrong}`);
  }
});

export const textSource = z.strictObject({
  pattern: patternSource.describe(
    'Regular expression with one group around the value: name="csrf" value="(.+?)"',
  ),
}).transform(({ pattern }): BodySource => ({ kind: "pattern", source: pattern }));

function stepsOf(path: string): string[] {
  const [, steps = ""] = JSON_PATH.exec(path) ?? [];
  return steps.match(/[^.[\]]+/g) ?? [];
}

/** The start of a text that is too long to be shown. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
