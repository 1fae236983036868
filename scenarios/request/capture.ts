/** Values taken from an answer, for the requests after it. */
import { z } from "zod";
import { wrongPattern } from "../../base/pattern.ts";
import { fieldName } from "./request.ts";

/** Where in an answer a value is taken from. */
export type CaptureSource =
  /** Members and indexes from the top of a JSON body. */
  | { readonly kind: "json"; readonly path: readonly string[] }
  | { readonly kind: "header"; readonly name: string }
  /** A regular expression of RE2 with one group, over the body. */
  | { readonly kind: "pattern"; readonly source: string };

export interface CaptureSpec {
  /** The name that the value gets. */
  readonly as: string;
  readonly from: CaptureSource;
}

const LONGEST_SHOWN = 200;

/** A member's name, or an index. */
export const jsonStep = z.string().regex(/^[^.[\]]+$/, {
  error: ({ input }) => `Cannot use ${JSON.stringify(input)} as a name in JSON`,
});

/** `data.items[0].id`, also with JSONPath's `$.` before it. */
const JSON_PATH = /^(?:\$\.|\$(?=\[))?((?:[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*)$/;

const json = z.strictObject({
  json: z.string().regex(JSON_PATH, {
    error: ({ input }) =>
      `Cannot use ${
        JSON.stringify(input)
      } as a place in JSON: write names with dots and [0], such as data.items[0].id`,
  }).describe("Place of the value in a JSON body: data.items[0].id"),
}).transform(({ json }): CaptureSource => ({ kind: "json", path: stepsOf(json) }));

const header = z.strictObject({
  header: fieldName.describe("Header field that holds the value"),
}).transform(({ header }): CaptureSource => ({ kind: "header", name: header }));

export const patternSource = z.string().superRefine((source, context) => {
  const wrong = wrongPattern(source);
  if (wrong !== null) {
    context.addIssue(`Cannot use ${quoted(source)} as a pattern: ${wrong}`);
  }
});

const pattern = z.strictObject({
  pattern: patternSource.describe(
    'Regular expression with one group around the value: name="csrf" value="(.+?)"',
  ),
}).transform(({ pattern }): CaptureSource => ({ kind: "pattern", source: pattern }));

export const captureSource = z.xor([json, header, pattern]);

function stepsOf(path: string): string[] {
  const [, steps = ""] = JSON_PATH.exec(path) ?? [];
  return steps.match(/[^.[\]]+/g) ?? [];
}

/** The start of a text that is too long to be shown. */
function quoted(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
