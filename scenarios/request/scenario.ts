/**
 * A scenario, which is a single request, a mix, a flow (a user journey), a page or a replay. The key that is present
 * decides its kind.
 */
import { METHODS } from "../../base/http/request.ts";
import type { Conflict, Path } from "../../base/problems.ts";
import * as z from "zod";
import { ALWAYS, forAll, unknownKeys } from "../../base/explain.ts";
import type { Files } from "../../base/files.ts";
import { didYouMean } from "../../base/suggest.ts";
import { replaySpec } from "../replay/read_replay.ts";
import { flowFields, isRequest, pageFields } from "./flow.ts";
import {
  BODIES,
  checkRequest,
  headers,
  httpExpectation,
  type RequestFields,
  requestFields,
  stepName,
} from "./request.ts";
import { namesInText } from "./template.ts";
import {
  commonFields,
  ELSEWHERE,
  IN_FLOW,
  PARTS_OF_REQUEST,
  requestScenario,
} from "./request_scenario.ts";
import { placeholderNames } from "./values.ts";
import { SOCKET_NAMES } from "./websocket.ts";

const mixed = (files: Files) =>
  z.strictObject({
    weight: z.int().min(1).max(1_000).default(1).describe(
      "Relative frequency, compared with the other weights",
    ),
    name: stepName,
    ...requestFields(files),
  }, { error: unknownKeys(IN_FLOW) }).superRefine(checkRequest, ALWAYS);

const mixScenario = (files: Files) =>
  z.strictObject({
    mix: z.array(mixed(files)).min(1).max(100)
      .describe("Requests; for each request that is sent, one of them is picked by weight"),
    ...commonFields(files),
  }, {
    error: unknownKeys({
      ...ELSEWHERE,
      ...forAll(PARTS_OF_REQUEST, "write it into a request of the mix"),
    }),
  });

const flowScenario = (files: Files) =>
  z.strictObject({ ...flowFields(files), ...commonFields(files) }, {
    error: unknownKeys({
      ...ELSEWHERE,
      ...forAll(PARTS_OF_REQUEST, "write it into a step of the flow"),
      mix: "leave out mix or flow",
      page: "write it as a step: { get: … }",
    }),
  });

/** A replay. The log decides which requests are sent and when; the load decides how many connections there are. */
const replayScenario = (files: Files) => {
  const { targets, needs, load } = commonFields(files);
  return z.strictObject({
    replay: replaySpec(files).describe("The log whose requests are sent, each at its own moment"),
    headers: headers.describe("Header fields of every request"),
    expect: httpExpectation.prefault({}).describe("Expected responses"),
    ...{ targets, needs, load },
  }, {
    error: unknownKeys({
      ...ELSEWHERE,
      ...forAll([...METHODS, "mix", "flow", "page"], "the log determines what is sent"),
      ...forAll(BODIES, "a log has no bodies"),
      ...forAll(["values", "follow"], "a replay cannot have it"),
    }),
  });
};

const pageScenario = (files: Files) =>
  z.strictObject({ ...pageFields, ...commonFields(files) }, {
    error: unknownKeys({
      ...ELSEWHERE,
      ...forAll(
        [...METHODS, ...BODIES],
        "a page is always requested with GET and without a body; leave out either this key or page",
      ),
      mix: "leave out mix or page",
    }),
  });

/** @param files Reads the files that the scenario names. */
export const scenarioSpecWith = (files: Files) =>
  z.xor([
    flowScenario(files),
    pageScenario(files),
    mixScenario(files),
    replayScenario(files),
    requestScenario(files),
  ])
    .superRefine((scenario, context) => {
      // With hooks, names can't be checked, because a hook may set others in `user.vars` when it
      // runs.
      if ("replay" in scenario || hooksIn(scenario).length > 0) return;
      for (const wrong of wrongNames(requestsIn(scenario), placeholderNames(scenario.values))) {
        context.addIssue({ code: "custom", ...wrong });
      }
    });

/** The scenario's requests, in order, each with its texts that may contain `{{ names }}`. */
function requestsIn(scenario: WrittenScenario): RequestTemplates[] {
  if ("flow" in scenario) {
    return scenario.flow.flatMap((step, at) =>
      isRequest(step) ? [requestAt(["flow", at], step, Object.keys(step.capture))] : []
    );
  }
  if ("mix" in scenario) return scenario.mix.map((request, at) => requestAt(["mix", at], request));
  return "page" in scenario ? requestsOfPage(scenario) : [requestAt([], scenario)];
}

function requestAt(
  path: RequestTemplates["path"],
  request: RequestFields,
  captures: string[] = [],
): RequestTemplates {
  return { path, templates: templatesOf(request, path), captures };
}

function requestsOfPage({ page, with: needed, headers }: PageScenario): RequestTemplates[] {
  const { templates } = requestAt([], { headers, expect: {} });
  return [
    { path: [], templates: [{ path: ["page"], text: page }, ...templates], captures: [] },
    ...needed.map((text, at) => {
      const path = ["with", at];
      return { path, templates: [{ path, text }], captures: [] };
    }),
  ];
}

export type Scenario = z.output<ReturnType<typeof scenarioSpecWith>>;
type ReplayScenario = z.output<ReturnType<typeof replayScenario>>;
/** A scenario whose requests are written in the file. */
export type WrittenScenario = Exclude<Scenario, ReplayScenario>;
type PageScenario = z.output<ReturnType<typeof pageScenario>>;

/** A text that may contain `{{ names }}`, which are placeholders for values. */
interface TemplateText {
  readonly path: Path;
  readonly text: string;
  /** Names that have a value in this text only. */
  readonly own?: readonly string[];
}

/** One request of a scenario, with its texts that may contain `{{ names }}`. */
interface RequestTemplates {
  readonly path: Path;
  readonly templates: readonly TemplateText[];
  /** Names of the values that are captured from the request's response. */
  readonly captures: readonly string[];
}

/**
 * The problems of names that have no value at the request that uses them. @param given Names that have a value from the
 * start.
 */
function wrongNames(
  requests: readonly RequestTemplates[],
  given: readonly string[],
): Conflict[] {
  const known = new Set(given);
  return requests.flatMap(({ templates, captures }, at) => {
    const wrong = templates.flatMap(({ path, text, own = [] }) =>
      namesInText(text).filter((name) => !known.has(name) && !own.includes(name)).map((name) => {
        const why = whenCaptured(name, requests.slice(at)) ?? knownNames(name, [...known]);
        return { path: [...path], message: `Cannot fill in {{ ${name} }}: ${why}` };
      })
    );
    for (const name of captures) known.add(name);
    return wrong;
  });
}

function whenCaptured(name: string, [now, ...later]: readonly RequestTemplates[]): string | null {
  if (now.captures.includes(name)) {
    return "its value is captured only from the response to this very request";
  }
  const capturing = later.find(({ captures }) => captures.includes(name));
  return capturing
    ? `its value is captured only from the response to a later request, ${capturing.path.join(".")}`
    : null;
}

function knownNames(name: string, known: readonly string[]): string {
  if (known.length === 0) return `this scenario has no values; write values: { ${name}: … }`;
  return didYouMean(name, known) ?? `the known names are ${known.join(", ")}`;
}

/** Whether any response of the scenario is a stream of messages. */
export function isStreamed(scenario: Scenario): boolean {
  if ("flow" in scenario) {
    return scenario.flow.some((step) => isRequest(step) && step.stream !== undefined);
  }
  if ("mix" in scenario) return scenario.mix.some(({ stream }) => stream !== undefined);
  return "stream" in scenario && scenario.stream !== undefined;
}

/** The scenario's requests that open a WebSocket, with their paths. */
export function socketsIn(
  scenario: Scenario,
): readonly { readonly path: Path; readonly request: RequestFields }[] {
  const all: { path: Path; request: object }[] = "flow" in scenario
    ? scenario.flow.map((request, at) => ({ path: ["flow", at], request }))
    : "mix" in scenario
    ? scenario.mix.map((request, at) => ({ path: ["mix", at], request }))
    : [{ path: [], request: scenario }];
  return all.flatMap(({ path, request }) =>
    Reflect.get(request, "websocket") === undefined
      ? []
      : [{ path, request: request as RequestFields }]
  );
}

/**
 * Paths of a scenario's hooks, both those of its users and those of its requests. @param scenario Not yet validated, so
 * any part of it may be wrong.
 */
export function hooksIn(scenario: unknown): { path: PropertyKey[] }[] {
  const of = (request: unknown, at: PropertyKey[]): { path: PropertyKey[] }[] =>
    ["before", "after"].filter((key) => Object.hasOwn(Object(request), key)).map((key) => ({
      path: [...at, key],
    }));
  const given = Object(scenario);
  const ofUser = ["start", "end"].filter((key) => Object.hasOwn(Object(given.user), key))
    .map((key) => ({ path: ["user", key] }));
  for (const list of ["flow", "mix"]) {
    if (Array.isArray(given[list])) {
      const ofSteps = given[list].flatMap((request: unknown, at: number) =>
        of(request, [list, at])
      );
      return [...ofUser, ...ofSteps];
    }
  }
  return [...ofUser, ...of(given, [])];
}

/** A header field, as written in the file. */
interface WrittenField {
  readonly path: PropertyKey[];
  readonly name: string;
  /** Value of the field, which may contain `{{ names }}`. */
  readonly text: string;
}

/** The header fields of all requests of a scenario. */
export function fieldsIn(scenario: Scenario): WrittenField[] {
  if ("flow" in scenario) {
    return scenario.flow.flatMap((step, at) =>
      isRequest(step) ? fieldsOf(step.headers, ["flow", at]) : []
    );
  }
  if ("mix" in scenario) {
    return scenario.mix.flatMap(({ headers }, at) => fieldsOf(headers, ["mix", at]));
  }
  return fieldsOf(scenario.headers, []);
}

function fieldsOf(headers: RequestFields["headers"], at: PropertyKey[]): WrittenField[] {
  return Object.entries(headers)
    .map(([name, text]) => ({ path: [...at, "headers", name], name, text }));
}

/** The texts of a request that may contain `{{ names }}`. @param at Path of the request. */
function templatesOf(request: RequestFields, at: Path = []): TemplateText[] {
  const paths = [...METHODS, "websocket" as const]
    .map((method) => ({ path: [...at, method], text: request[method] }));
  const headers = fieldsOf(request.headers, [...at]);
  const asText = (value: unknown): string | undefined =>
    value === undefined ? undefined : JSON.stringify(value);
  const bodies = [
    { path: [...at, "body"], text: typeof request.body === "string" ? request.body : undefined },
    { path: [...at, "json"], text: asText(request.json) },
    { path: [...at, "form"], text: asText(request.form) },
    { path: [...at, "multipart"], text: asText(request.multipart) },
    { path: [...at, "message"], text: asText(request.message) },
    { path: [...at, "messages"], text: asText(request.messages) },
    { path: [...at, "send"], text: asText(request.send), own: SOCKET_NAMES },
  ];
  return [...paths, ...headers, ...bodies].flatMap(({ text, ...rest }) =>
    text === undefined ? [] : [{ ...rest, text }]
  );
}
