/**
 * The schema of experiment files. `ExperimentInput` is what people write. `Experiment` is what the program uses:
 * defaults are filled in, durations are in milliseconds, and factors are still lists.
 */
import * as z from "zod";
import { ALWAYS } from "../../base/explain.ts";
import { type Files, NO_FILES } from "../../base/files.ts";
import { fieldProblemInHttp2 } from "../../base/http/request.ts";
import { beyond, LIMITS } from "../../base/limits.ts";
import { type Conflict, type Path, startsWith } from "../../base/problems.ts";
import { between } from "../../base/quantity.ts";
import { didYouMean } from "../../base/suggest.ts";
import { http2ProxyProblem } from "../../base/target/access.ts";
import { referenceConflicts } from "../../base/target/references.ts";
import { targetSpecWith } from "../../base/target/target_shape.ts";
import { stepConflicts } from "../../base/target/steps.ts";
import { claim } from "../claims/claim_text.ts";
import {
  claimConflicts,
  comparedConflicts,
  thresholdConflicts,
  wrongPublishedNames,
} from "../claims/names.ts";
import { publishedSpec } from "../claims/published.ts";
import { thresholdText } from "../claims/threshold.ts";
import { callsGrpc } from "../load/load.ts";
import {
  conflictsIn,
  DEFAULT_INTERVAL,
  interval,
  loadSpec,
  replayConflict,
} from "../load/load_shape.ts";
import { discard, discardConflicts, figures, figuresConflicts } from "../load/measured_part.ts";
import { pin } from "../load/pin.ts";
import { observeSpec, profileSpec, repeat, seed } from "../plan/repetition.ts";
import { followOf } from "../request/follow.ts";
import { codeSpec } from "../code/code.ts";
import { NO_MESSAGES, objective } from "../claims/objective.ts";
import { hookName, STREAM_CONFLICTS } from "../request/request.ts";
import { SOCKET_CONFLICTS } from "../request/websocket.ts";
import {
  fieldsIn,
  hooksIn,
  isStreamed,
  type Scenario,
  scenarioSpecWith,
  socketsIn,
} from "../request/scenario.ts";
import { parametersSpec } from "./parameter_shape.ts";
import { uniqueTables } from "../request/values.ts";
import { quotedOpenly } from "../../base/secrets.ts";

const name = z.string().max(LIMITS.name.most).regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, {
  error: ({ input }) =>
    `Cannot use ${quotedOpenly(input)} as a name: start with a letter or digit, ` +
    "go on with letters, digits, spaces and . _ -",
});

/** Figures that a comparison can decide about. For each of them, more is better. */
const COMPARED_FIGURES = ["rate", "perCpu", "eventsPerCpu"] as const;

const comparedFields = {
  compare: z.union([
    z.strictObject({
      factor: z.string().optional().describe(
        "Name of the factor whose values are compared, with all else equal, such as policy; or scenario, to compare " +
          "the scenarios of each target",
      ),
      figure: z.enum(COMPARED_FIGURES).optional().describe(
        "The figure that decides: rate, requests per second; perCpu, requests per second of CPU time; " +
          "eventsPerCpu, messages of streams and WebSockets per second of CPU time. " +
          "By default rate; for a flow, the rate of whole flows",
      ),
    }).refine(
      ({ factor, figure }) => factor !== undefined || figure !== undefined,
      "Cannot tell what to compare: name a factor or a figure",
    ),
    z.literal("none").describe("No comparison: the verdict names the target that serves the most"),
  ]).optional().describe("What is compared: by default the targets or, with one target, a factor"),
  base: z.union([z.string(), z.number()]).optional().describe(
    "What the others are compared with: a target, or a value of the compared factor. Without a base, the verdict " +
      "says who leads, and ratios are relative to the first target or value in the file",
  ),
};

const experimentFields = (files: Files) =>
  z.strictObject({
    name: name.describe("Short name; also the folder of the results"),
    title: z.string().optional().describe("The question of the experiment"),
    parameters: parametersSpec.optional().describe(
      "What --set changes, by name: either a map of choices (the first is the default, and the content of the " +
        "chosen one is merged into the file), or a value, which replaces ${name} in every text that holds it",
    ),
    source: z.string().optional().describe(
      "Where the experiment comes from: a paper, a page, an issue",
    ),
    targets: z.record(name, targetSpecWith(files))
      .refine(isFilled, "Cannot run without targets: name at least one")
      .refine(...atMost("targets"))
      .describe("Servers under test, by name"),
    ...comparedFields,
    scenarios: z.record(name, scenarioSpecWith(files))
      .refine(isFilled, "Cannot run without scenarios: name at least one")
      .refine(...atMost("scenarios"))
      .describe("Requests to send, by name"),
    load: loadSpec.prefault({}).describe(
      "Load: a closed loop, alone or in stages; a rate; phases; or the search for a capacity",
    ),
    repeat: repeat.default(5)
      .describe(
        "Repetitions of each cell: a number; a width of intervals, as in until 2%; or { until: 2%, atMost: 28, budget: 10m }",
      ),
    discard: discard.prefault("0s").describe(
      "Time at the start of every run that the report's rates and latencies leave out; results.json keeps it",
    ),
    figures,
    order: z.enum(["shuffled", "sequential", "slices"]).default("shuffled").describe(
      "Order of the runs, in blocks that hold every cell once. shuffled: in an order drawn by the seed; sequential: as in the file; " +
        "slices: two targets run at the same time and are loaded alternately, for a fraction of a second each",
    ),
    pin: pin.optional().describe("Keeps targets and load workers on cores of their own (Linux)"),
    fresh: z.boolean().default(true).describe("A new target process for every run"),
    startTimeout: between("1s", "1h").prefault("30s")
      .describe("How long a target may take from its start to its first response"),
    prove: z.enum(["here", "apart"]).default("here").describe(
      "Process whose responses the preflight checks. here: before every run, the process that is then measured; apart: only " +
        "once, a separate process, so that caches and rate limits of the measured process start untouched",
    ),
    ceilings: z.array(z.enum(["generator", "redis"])).default([]).describe(
      "Peak throughputs to compare targets with, measured once before the runs: that of a load worker and that of " +
        "Redis (by redis-benchmark)",
    ),
    interval: interval.prefault(DEFAULT_INTERVAL).describe(
      "Length of the intervals of the timelines",
    ),
    seed: seed.optional().describe("Seed of every random choice"),
    profile: profileSpec.optional(),
    observe: observeSpec.optional(),
    thresholds: z.array(thresholdText).max(LIMITS.thresholds.most).default([])
      .describe("Pass/fail rules for every cell; the exit code is 1 when one fails"),
    claims: z.array(claim).max(LIMITS.claims.most).default([])
      .describe("Statements of a paper or a page, to be checked against the measurements"),
    published: publishedSpec.optional().describe(
      "Published figures, shown next to the measured ones; one table or a list of them",
    ),
    setup: hookName.optional().describe("Called before each run: its result is `user.data`"),
    refresh: z.strictObject({
      every: between("100ms", "24h").describe(
        "Time after setup until the first renewal, and between renewals",
      ),
      by: hookName.describe(
        "Called with the current data and the target: its result is the new `user.data`",
      ),
    }).optional().describe(
      "Renews the data of `setup` during the load, such as a token that expires",
    ),
    teardown: hookName.optional().describe("Called after each run, with the result of `setup`"),
    script: codeSpec.optional().describe(
      "Functions of an experiment that is written in TypeScript",
    ),
    optional: z.array(z.enum(["redis", "nginx", "frameworks"])).default([]).describe(
      "Optional prerequisites: if one is missing, the cells that need it are skipped and the experiment is still complete",
    ),
  });

/**
 * The schema of an experiment. It is built only when needed, because that takes some milliseconds.
 * @param files Reads the files that the experiment names.
 */
export const experimentSpecWith = (files: Files = NO_FILES) =>
  experimentFields(files).superRefine(checkTogether, ALWAYS);

export type ExperimentInput = z.input<ReturnType<typeof experimentSpecWith>>;
export type Experiment = z.output<ReturnType<typeof experimentFields>>;

/** Reports parts of an experiment that are valid alone, but conflict with each other. */
function checkTogether(experiment: Partial<Experiment>, context: z.core.$RefinementCtx): void {
  const isWrong = (path: Path): boolean =>
    context.issues.some(({ path: wrong = [] }) =>
      wrong.length > 0 && (startsWith(wrong, path) || startsWith(path, wrong))
    );
  const conflicts = [
    ...unknownTargets(experiment),
    ...misplacedLines(experiment),
    ...uncountableFlows(experiment),
    ...replayConflicts(experiment, isWrong),
    ...discardConflicts(experiment, isWrong),
    ...figuresConflicts(experiment, isWrong),
    ...loadConflicts(experiment, isWrong),
    ...claimConflicts(experiment),
    ...thresholdConflicts(experiment),
    ...uncomparedConflicts(experiment) ?? comparedConflicts(experiment),
    ...wrongPublishedNames(experiment),
    ...hooksWithoutScript(experiment),
  ];
  for (const conflict of conflicts) context.addIssue({ code: "custom", ...conflict });
}

/** The conflicts of an experiment with `compare: none`; null for any other experiment. */
function uncomparedConflicts({ compare, base }: Partial<Experiment>): Conflict[] | null {
  if (compare !== "none") return null;
  return base === undefined ? [] : [{
    path: ["base"],
    message: "Cannot use base where nothing is compared: leave out base, or compare: none",
  }];
}

/** Problems with hooks in a file without a script: hooks are functions, which YAML does not have. */
function hooksWithoutScript(given: Partial<Experiment>): Conflict[] {
  if (given.script !== undefined) return [];
  const message = "Cannot call this hook: only an experiment in TypeScript has functions";
  const ofAll = (["setup", "refresh", "teardown"] as const).filter((key) =>
    given[key] !== undefined
  )
    .map((key) => ({ path: [key], message }));
  const ofScenarios = Object.entries(given.scenarios ?? {}).flatMap(([name, scenario]) =>
    hooksIn(scenario).map(({ path }) => ({ path: ["scenarios", name, ...path], message }))
  );
  return [...ofAll, ...ofScenarios];
}

function isFilled(section: object): boolean {
  return Object.keys(section).length > 0;
}

/** Limits the number of entries in a section. */
function atMost(
  limit: "targets" | "scenarios",
): [
  isFew: (section: object) => boolean,
  message: { error: (issue: { input?: unknown }) => string },
] {
  const countIn = (section: unknown): number => Object.keys(Object(section)).length;
  return [
    (section) => countIn(section) <= LIMITS[limit].most,
    { error: ({ input }) => `Cannot run this experiment: ${beyond(limit, countIn(input))}` },
  ];
}

/**
 * Problems with targets that a scenario names but that do not exist.
 * @param given Any part may be invalid, because the schema reports that separately.
 */
function unknownTargets(given: Partial<Experiment>): Conflict[] {
  const known = Object.keys(given.targets ?? {});
  return Object.entries(given.scenarios ?? {}).flatMap(([scenario, spec]) => {
    const named: unknown = spec?.targets;
    if (!Array.isArray(named) || known.length === 0) return [];
    return named.flatMap((target, index) => {
      if (typeof target !== "string" || known.includes(target)) return [];
      const fix = didYouMean(target, known) ?? `the targets are ${known.join(", ")}`;
      const message = `Cannot find target ${quotedOpenly(target)}: ${fix}`;
      return [{ path: ["scenarios", scenario, "targets", index], message }];
    });
  });
}

/**
 * Problems with gateways that can't stand in front of the targets they name, and with commands that contain unknown
 * placeholders.
 */
function misplacedLines({ targets }: Partial<Experiment>): Conflict[] {
  return [...referenceConflicts(targets ?? {}), ...stepConflicts(targets ?? {})]
    .map(({ path, message }) => ({ path: ["targets", ...path], message }));
}

/**
 * Problems with loads that end after a number of requests, in scenarios that count several requests as one.
 * @param given Any part may be invalid, as in `unknownTargets`.
 */
function uncountableFlows(given: Partial<Experiment>): Conflict[] {
  return Object.entries(given.scenarios ?? {}).flatMap(([scenario, spec]) => {
    if (Reflect.get(Object(spec?.load ?? given.load), "requests") === undefined) return [];
    const key = ["flow", "page", "follow"].find((key) => Object.hasOwn(Object(spec), key));
    const what = key === "follow" ? "a scenario that follows redirects" : "a flow";
    const message = `Cannot end ${what} after a number of requests: write load: { duration: 10s }`;
    return key === undefined ? [] : [{ path: ["scenarios", scenario, key], message }];
  });
}

/** Problems with loads that set something which the log of a replay already determines. */
function replayConflicts(
  given: Partial<Experiment>,
  isWrong: (path: Path) => boolean,
): Conflict[] {
  return Object.entries(given.scenarios ?? {}).flatMap(([scenario, spec]) => {
    if (spec === undefined || !Object.hasOwn(Object(spec), "replay")) return [];
    const path = spec.load === undefined ? ["load"] : ["scenarios", scenario, "load"];
    const load = spec.load ?? given.load;
    if (load === undefined || isWrong(path)) return [];
    const key = replayConflict(load);
    if (key === null) return [];
    const message = `Cannot replay the log of ${scenario} with ${key}: the log says when each ` +
      "request is due; give the scenario a load of its own, such as load: { connections: 50 }";
    return [{ path: [...path, key], message }];
  });
}

/**
 * Problems with load options that conflict with other settings, or that HTTP/2 lacks.
 * @param given Any part may be invalid, as in `unknownTargets`.
 */
function loadConflicts(
  given: Partial<Experiment>,
  isWrong: (path: Path) => boolean,
): Conflict[] {
  const conflicts = Object.entries(given.scenarios ?? {}).flatMap(([name, scenario]) => {
    const path = ["scenarios", name];
    const loadPath = scenario?.load === undefined ? ["load"] : [...path, "load"];
    const load = scenario?.load ?? given.load;
    if (load === undefined || isWrong(loadPath)) return [];
    const isCalling = callsGrpc(scenario);
    const isOverHttp2 = isCalling || load.http2?.includes(true) === true;
    return [
      ...isCalling && load.http2?.includes(false)
        ? [{ path: [...loadPath, "http2"], message: GRPC_OVER_HTTP_1 }]
        : [],
      ...conflictsIn(isCalling ? { ...load, http2: [true] } : load).map(({ key, message }) => ({
        path: [...loadPath, key],
        message,
      })),
      ...load.tls?.includes("resume")
        ? clearTargets(scenario, given, isWrong).map((message) => ({
          path: [...loadPath, "tls"],
          message,
        }))
        : [],
      ...scenario === undefined || isWrong(path) ? [] : [
        ...userConflicts(scenario, load, loadPath),
        ...streamConflicts(scenario, load, { path, loadPath }),
        ...socketConflicts(scenario, load, { path, loadPath }),
      ],
      ...scenario === undefined || isWrong(path) || !isOverHttp2 ? [] : [
        ...fieldConflicts(scenario).map((one) => ({ ...one, path: [...path, ...one.path] })),
        ...proxiedTargets(scenario, given, isWrong),
      ],
    ];
  });
  return [...new Map(conflicts.map((one) => [JSON.stringify(one.path), one])).values()];
}

const GRPC_OVER_HTTP_1 = "Cannot call gRPC over HTTP/1.1: leave out http2, or write http2: true";

/** Problems with load settings in a scenario whose requests each wait for the previous response. */
function userConflicts(
  scenario: Scenario,
  { pipeline = [] }: { readonly pipeline?: readonly number[]; readonly http2?: readonly boolean[] },
  loadPath: Path,
): Conflict[] {
  const why = whyInTurn(scenario);
  if (why === null || pipeline.every((requests) => requests === 1)) return [];
  const message = `Cannot have several requests in flight on a connection ${why}: ` +
    "use more connections";
  return [{ path: [...loadPath, "pipeline"], message }];
}

/** Why each request must wait for the previous response; null if it need not. */
function whyInTurn(scenario: Scenario): string | null {
  if ("replay" in scenario) return null;
  if (uniqueTables(scenario.values).length > 0) {
    return "whose virtual user has its own row of a table";
  }
  if (hooksIn(scenario).length > 0) return "whose requests have hooks";
  if ("flow" in scenario) return "whose virtual user takes the steps of a flow in turn";
  if ("page" in scenario) return "whose virtual user loads a page";
  return followOf(scenario.follow).most > 0 ? "whose requests follow redirects" : null;
}

/** Problems with settings that don't fit a scenario with streams. */
function streamConflicts(
  scenario: Scenario,
  { pipeline = [], http2 = [], capacity = [] }: {
    readonly pipeline?: readonly number[];
    readonly http2?: readonly boolean[];
    readonly capacity?: readonly { readonly within: readonly string[] }[];
  },
  { path, loadPath }: { readonly path: Path; readonly loadPath: Path },
): Conflict[] {
  const isCalling = callsGrpc(scenario);
  if (!isStreamed(scenario) && !isCalling) {
    const isOfMessages = capacity.flatMap(({ within }) => within)
      .some((rule) => objective.parse(rule).messages !== null);
    return isOfMessages ? [{ path: [...loadPath, "capacity"], message: NO_MESSAGES }] : [];
  }
  const isOverHttp2 = isCalling || http2.length > 0 && http2.every(Boolean);
  const isPipelined = pipeline.some((requests) => requests > 1) && !isOverHttp2;
  const follows = "follow" in scenario && followOf(scenario.follow).most > 0;
  return [
    ...isPipelined ? [{ path: [...loadPath, "pipeline"], message: STREAM_CONFLICTS.pipeline }] : [],
    ...follows
      ? [{ path: [...path, "follow"], message: STREAM_CONFLICTS[isCalling ? "calls" : "follow"] }]
      : [],
  ];
}

/** Problems with settings that don't fit a scenario with WebSockets. */
function socketConflicts(
  scenario: Scenario,
  { pipeline = [], http2 = [], requests, capacity }: {
    readonly pipeline?: readonly number[];
    readonly http2?: readonly boolean[];
    readonly requests?: unknown;
    readonly capacity?: unknown;
  },
  { path, loadPath }: { readonly path: Path; readonly loadPath: Path },
): Conflict[] {
  const sockets = socketsIn(scenario);
  if (sockets.length === 0) return [];
  const at = (key: keyof typeof SOCKET_CONFLICTS): Conflict => ({
    path: [...loadPath, key],
    message: SOCKET_CONFLICTS[key],
  });
  const endless = sockets.filter(({ request }) => request.hold === undefined);
  const unending = [
    ...requests === undefined ? [] : [SOCKET_CONFLICTS.requests],
    ...capacity === undefined ? [] : [SOCKET_CONFLICTS.capacity],
  ];
  const follows = "follow" in scenario && followOf(scenario.follow).most > 0;
  return [
    ...http2.includes(true) ? [at("http2")] : [],
    ...callsGrpc(scenario)
      ? sockets.map((one) => ({ path: [...path, ...one.path], message: SOCKET_CONFLICTS.calls }))
      : [],
    ...pipeline.some((depth) => depth > 1) ? [at("pipeline")] : [],
    ...endless.flatMap((one) =>
      unending.map((message) => ({ path: [...path, ...one.path], message }))
    ),
    ...follows ? [{ path: [...path, "follow"], message: STREAM_CONFLICTS.follow }] : [],
  ];
}

/** For each target that is reached without TLS, a message that TLS sessions can't be resumed there. */
function clearTargets(
  scenario: Scenario | undefined,
  { targets = {} }: Partial<Experiment>,
  isWrong: (path: Path) => boolean,
): string[] {
  return Object.entries(targets).flatMap(([name, target]) => {
    const isOther = scenario?.targets?.includes(name) === false;
    if (isOther || isWrong(["targets", name])) return [];
    if ("url" in target && target.url.startsWith("https:")) return [];
    return `Cannot resume TLS sessions of ${name}, which is reached without TLS: leave out tls, ` +
      "or give the scenario targets whose url is https";
  });
}

/** Problems with header fields that HTTP/2 forbids. */
function fieldConflicts(scenario: Scenario): Conflict[] {
  return fieldsIn(scenario).flatMap(({ path, name, text }) => {
    const message = fieldProblemInHttp2(name, text);
    return message === null ? [] : [{ path, message: `${message}; leave out this field or http2` }];
  });
}

/** Problems with targets behind an HTTP proxy that can't forward HTTP/2. */
function proxiedTargets(
  scenario: Scenario,
  { targets = {} }: Partial<Experiment>,
  isWrong: (path: Path) => boolean,
): Conflict[] {
  const hosts = "follow" in scenario ? followOf(scenario.follow).elsewhere : [];
  return Object.entries(targets).flatMap(([name, target]) => {
    const path = ["targets", name, "httpProxy"];
    const isOther = scenario.targets?.includes(name) === false;
    if (isOther || isWrong(["targets", name]) || !("url" in target)) return [];
    const problem = http2ProxyProblem({ ...target, hosts });
    const message = `${problem}; leave out httpProxy or http2, or write https://`;
    return problem === null ? [] : [{ path, message }];
  });
}
