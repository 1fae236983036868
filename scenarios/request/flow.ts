/**
 * A visitor's way from request to request: asks, thinks, asks again with what was captured. A page and
 * what it needs is one, too.
 */
import { ALWAYS } from "../../base/problems.ts";
import { z } from "zod";
import { captureSource } from "./capture.ts";
import { forAll, strangers } from "../../base/explain.ts";
import type { Files } from "../../base/files.ts";
import { LIMITS } from "../../base/limits.ts";
import { between, msBetween } from "../../base/quantity.ts";
import { expectation, headers, judgeRequest, METHODS, path, requestFields } from "./request.ts";
import { valueName } from "./values.ts";

const THINKING = ["1ms", "1h"] as const;
export const thinkMs = msBetween(...THINKING);

const think = z.strictObject({
  think: between(...THINKING).describe("How long the visitor waits before the next request"),
}, {
  error: strangers(forAll(
    [...METHODS, "headers", "body", "json", "expect", "capture"],
    "thinking is a step of its own",
  )),
});

const ask = (files: Files) =>
  z.strictObject({
    ...requestFields(files),
    capture: z.record(valueName, captureSource).default({})
      .describe("Values taken from the answer; later requests use them as {{ name }}"),
  }, { error: strangers({ weight: "it goes with the requests of a mix" }, ["think"]) })
    .superRefine(judgeRequest, ALWAYS);

const stepSpec = (files: Files) => z.xor([think, ask(files)]);

export type ThinkSpec = z.output<typeof think>;
export type AskSpec = z.output<ReturnType<typeof ask>>;
export type StepSpec = ThinkSpec | AskSpec;

export const flowFields = (files: Files) => ({
  flow: z.array(stepSpec(files)).max(LIMITS.steps.most)
    .refine((steps) => steps.some(isAsking), "Cannot walk a flow without a request: add a step")
    .describe("Steps of a visitor, one after the other: requests and think"),
});

export const pageFields = {
  page: path.describe("Path of a page"),
  with: z.array(path).max(LIMITS.steps.most).default([]).describe(
    "What it needs, such as images and styles",
  ),
  headers: headers.describe("Header fields of all its requests"),
  expect: expectation.prefault({}).describe("What a right page looks like"),
};

type Page = z.output<z.ZodObject<typeof pageFields>>;

/** The page, then what it needs, one after the other. */
export function stepsOfPage({ page, with: needed, headers, expect }: Page): AskSpec[] {
  return [
    { get: page, headers, expect, capture: {} },
    ...needed.map((path) => ({ get: path, headers, expect: {}, capture: {} })),
  ];
}

export function isAsking(step: StepSpec): step is AskSpec {
  return !("think" in step);
}
