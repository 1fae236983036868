/**
 * WHAT is asked: a single request, a mix of several, or a visitor's way from request to request. They
 * are told apart by the key that is there.
 */
import { ALWAYS } from "../../base/problems.ts";
import { z } from "zod";
import { forAll, strangers } from "../../base/explain.ts";
import { type Files, NO_FILES } from "../../base/files.ts";
import { flowFields, isAsking, pageFields } from "./flow.ts";
import { loadSpec } from "../load/load.ts";
import { type Asked, templatesOf, wrongNames } from "./names.ts";
import { judgeRequest, METHODS, requestFields, type RequestSpec } from "./request.ts";
import { namesOf, valuesSpec } from "./values.ts";

const commonFields = (files: Files) => ({
  values: valuesSpec(files).default({})
    .describe("What {{ name }} stands for in paths, header fields and bodies"),
  targets: z.array(z.string()).min(1).optional()
    .describe("Only these targets are asked; all when absent"),
  needs: z.array(z.enum(["redis"])).default([])
    .describe("What must be there for it, besides what its targets need"),
  load: loadSpec.optional()
    .describe("HOW this one is asked, in place of the experiment's load as a whole"),
});

const PARTS_OF_REQUEST = [...METHODS, "headers", "body", "json", "expect"];

/** Where keys belong that stand beside one that they do not go with. */
const IN_MIX = { weight: "it goes with the requests of a mix" };
const IN_FLOW = {
  think: "it is a step of a flow",
  capture: "it goes with the requests of a flow",
};
const IN_PAGE = { with: "it goes with page" };
const ELSEWHERE = { ...IN_MIX, ...IN_FLOW, ...IN_PAGE };

const requestScenario = (files: Files) =>
  z.strictObject({ ...requestFields(files), ...commonFields(files) }, {
    error: strangers(ELSEWHERE, ["mix", "flow", "page"]),
  }).superRefine(judgeRequest, ALWAYS);

const mixed = (files: Files) =>
  z.strictObject({
    weight: z.int().min(1).max(1_000).default(1).describe("How often, beside the others' weights"),
    ...requestFields(files),
  }, { error: strangers(IN_FLOW) }).superRefine(judgeRequest, ALWAYS);

const mixScenario = (files: Files) =>
  z.strictObject({
    mix: z.array(mixed(files)).min(1).max(100)
      .describe("Requests; each exchange picks one by weight"),
    ...commonFields(files),
  }, {
    error: strangers({
      ...ELSEWHERE,
      ...forAll(PARTS_OF_REQUEST, "write it into a request of the mix"),
    }),
  });

const flowScenario = (files: Files) =>
  z.strictObject({ ...flowFields(files), ...commonFields(files) }, {
    error: strangers({
      ...ELSEWHERE,
      ...forAll(PARTS_OF_REQUEST, "write it into a step of the flow"),
      mix: "leave it or flow out",
      page: "write it as a step: { get: … }",
    }),
  });

const pageScenario = (files: Files) =>
  z.strictObject({ ...pageFields, ...commonFields(files) }, {
    error: strangers({
      ...ELSEWHERE,
      ...forAll(
        [...METHODS, "body", "json"],
        "a page is asked with get; leave it or page out",
      ),
      mix: "leave it or page out",
    }),
  });

/** A single request alone, in which `{{ … }}` is no more than text: for the command line. */
export const requestScenarioSpec = requestScenario(NO_FILES);

/** @param files What the files hold that are named. */
export const scenarioSpecWith = (files: Files) =>
  z.xor([flowScenario(files), pageScenario(files), mixScenario(files), requestScenario(files)])
    .superRefine((scenario, context) => {
      for (const wrong of wrongNames(askedIn(scenario), namesOf(scenario.values))) {
        context.addIssue({ code: "custom", path: [...wrong.path], message: wrong.message });
      }
    });

/** Its requests, in order, with the places in which names may stand. */
function askedIn(scenario: Scenario): Asked[] {
  if ("flow" in scenario) {
    return scenario.flow.flatMap((step, at) =>
      isAsking(step) ? [askedAt(["flow", at], step, Object.keys(step.capture))] : []
    );
  }
  if ("mix" in scenario) return scenario.mix.map((request, at) => askedAt(["mix", at], request));
  return "page" in scenario ? askedByPage(scenario) : [askedAt([], scenario)];
}

function askedAt(path: Asked["path"], request: RequestSpec, captures: string[] = []): Asked {
  return { path, templates: templatesOf(request, path), captures };
}

function askedByPage({ page, with: needed, headers }: PageScenario): Asked[] {
  const { templates } = askedAt([], { headers, expect: {} });
  return [
    { path: [], templates: [{ path: ["page"], text: page }, ...templates], captures: [] },
    ...needed.map((text, at) => {
      const path = ["with", at];
      return { path, templates: [{ path, text }], captures: [] };
    }),
  ];
}

export type Scenario = z.output<ReturnType<typeof scenarioSpecWith>>;
type PageScenario = z.output<ReturnType<typeof pageScenario>>;
export type RequestScenario = z.output<ReturnType<typeof requestScenario>>;
