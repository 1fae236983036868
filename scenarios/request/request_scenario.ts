/** A scenario with a single request, and the keys that scenarios of every kind have. */
import { METHODS } from "../../base/http/request.ts";
import * as z from "zod";
import { ALWAYS, unknownKeys } from "../../base/explain.ts";
import { type Files, NO_FILES } from "../../base/files.ts";
import { loadSpec } from "../load/load_shape.ts";
import { followSpec } from "./follow.ts";
import { BODIES, checkRequest, hookName, requestFields } from "./request.ts";
import { valuesSpec } from "./values.ts";

export const commonFields = (files: Files) => ({
  values: valuesSpec(files).default({})
    .describe("Values of {{ name }} in paths, header fields and bodies"),
  targets: z.array(z.string()).min(1).optional()
    .describe("Targets that this scenario is sent to (default: all)"),
  follow: followSpec,
  user: z.strictObject({
    start: hookName.optional().describe(
      "Function of a script, called when a user's session begins",
    ),
    end: hookName.optional().describe("Function of a script, called when a user's session ends"),
  }).optional().describe("Hooks of each virtual user"),
  needs: z.array(z.enum(["redis"])).default([])
    .describe("Prerequisites of the scenario, in addition to those of its targets"),
  load: loadSpec.optional()
    .describe("Load of this scenario, instead of the experiment's"),
});

export const PARTS_OF_REQUEST = [...METHODS, "websocket", ...BODIES, "headers", "expect"];

/** Keys that belong to other kinds of scenario. The texts say where each belongs. */
const IN_MIX = { weight: "it belongs to the requests of a mix" };
export const IN_FLOW = {
  think: "it is a step of a flow",
  capture: "it belongs to the requests of a flow",
};
const IN_PAGE = { with: "it belongs to a page" };
export const ELSEWHERE = { ...IN_MIX, ...IN_FLOW, ...IN_PAGE };

/** @param files Reads the files that the request names. */
export const requestScenario = (files: Files) =>
  z.strictObject({ ...requestFields(files), ...commonFields(files) }, {
    error: unknownKeys(ELSEWHERE, ["mix", "flow", "page", "replay"]),
  }).superRefine(checkRequest, ALWAYS);

/** A single request from the command line, in which `{{ … }}` is plain text. */
export const requestScenarioSpec = requestScenario(NO_FILES);

export type RequestScenario = z.output<ReturnType<typeof requestScenario>>;
