/**
 * The schema of Artillery scripts, according to Artillery's reference: the parts that are converted, and those that
 * only lead to notes.
 */
import * as z from "zod";
import { ALWAYS } from "../../base/explain.ts";
import { beyond, isWithin, oneMoreThan } from "../../base/limits.ts";
import { wrongPattern } from "../../base/pattern.ts";
import { captureSource } from "../request/flow.ts";
import { quotedOpenly } from "../../base/secrets.ts";
import { unmarked } from "./format/references.ts";

const SECONDS_PER = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const DURATION =
  /^(\d+(?:\.\d+)?)\s*(?:(ms)|(m)(?:in(?:ute)?s?)?|(h)(?:ours?|rs?)?|(d)(?:ays?)?|s(?:ec(?:ond)?s?)?)?$/;

/** A time in seconds, or as text such as `5m`. It becomes a number of seconds. */
const seconds = z.union([z.number().min(0), z.string()], {
  error: ({ input }) => input === undefined ? undefined : notSeconds(input),
}).transform((given, context) => {
  if (typeof given === "number") return given;
  const match = DURATION.exec(given.trim());
  if (match !== null) {
    const unit = match.slice(2).find((part) => part !== undefined) ?? "s";
    return Number(match[1]) * SECONDS_PER[unit as keyof typeof SECONDS_PER];
  }
  context.addIssue(notSeconds(given));
  return z.NEVER;
});

function notSeconds(input: unknown): string {
  return `Cannot read ${quotedOpenly(input)} as a time: write seconds, as in 30, or 5m`;
}

const number = z.union([z.number(), z.string().regex(/^\d+(\.\d+)?$/).transform(Number)], {
  error: ({ input }) =>
    input === undefined ? undefined : `Cannot use ${quotedOpenly(input)}: it must be a number`,
}).pipe(z.number().min(0));

const phase = z.looseObject({
  pause: seconds.optional(),
  duration: seconds.optional(),
  arrivalRate: number.optional(),
  arrivalCount: number.optional(),
  rampTo: number.optional(),
  maxVusers: number.optional(),
  mode: z.enum(["uniform", "poisson"]).optional(),
}).superRefine(({ pause, duration, arrivalRate, arrivalCount }, context) => {
  if (pause !== undefined) return;
  if (duration === undefined) context.addIssue("Cannot leave out both duration and pause");
  else if (arrivalRate === undefined && arrivalCount === undefined) {
    context.addIssue("Cannot leave out arrivals: write an arrivalRate or an arrivalCount");
  }
});

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const texts = z.record(z.string(), text);
const names = z.union([z.string(), z.array(z.string())]).transform((given) => [given].flat());

const capture = z.looseObject({
  json: z.string().optional(),
  header: z.string().optional(),
  regexp: z.string().optional(),
  group: z.union([z.string(), z.number()]).optional(),
  as: z.string().optional(),
}).superRefine(({ json, header, regexp, group, as }, context) => {
  if (as === undefined) return;
  const isPattern = json === undefined && header === undefined && regexp !== undefined;
  const wrong = isPattern ? wrongRegexp(unmarked(regexp), group) : null;
  if (wrong !== null) {
    const message = `Cannot capture ${quotedOpenly(as)} by this regexp: ${wrong}`;
    context.addIssue({ code: "custom", path: ["regexp"], message });
  }
  if (json === undefined || captureSource.safeParse({ json: unmarked(json) }).success) return;
  const message = `Cannot capture ${
    quotedOpenly(unmarked(json))
  } from a response: write names with dots and [0], as in $.items[0].id`;
  context.addIssue({ code: "custom", path: ["json"], message });
});

function oneOrMore<Item extends z.ZodType>(item: Item): z.ZodType<z.output<Item>[]> {
  return z.preprocess((given) => given === undefined ? [] : [given].flat(), z.array(item));
}

const formPart = z.looseObject({
  value: text.optional(),
  fromFile: z.string().optional(),
  contentType: z.string().optional(),
});

const request = z.looseObject({
  name: z.string().optional(),
  url: z.string().optional(),
  uri: z.string().optional(),
  headers: texts.default({}),
  cookie: texts.optional(),
  qs: texts.default({}),
  json: z.json().optional(),
  body: z.string().optional(),
  form: texts.optional(),
  formData: z.record(z.string(), z.union([text, formPart])).optional(),
  auth: z.looseObject({ user: z.string(), pass: text }).optional(),
  followRedirect: z.boolean().default(true),
  gzip: z.boolean().default(true),
  capture: oneOrMore(capture),
  expect: oneOrMore(z.looseObject({})),
}).superRefine(({ url, uri }, context) => {
  if (url === undefined && uri === undefined) {
    context.addIssue("Cannot send a request without a url");
  }
});

export const ARTILLERY_METHODS = [
  "get",
  "post",
  "put",
  "patch",
  "delete",
  "head",
  "options",
] as const;

/** A step of a virtual user: a request, think, loop, parallel, log or function. */
const plainStep = z.looseObject({
  ...Object.fromEntries(ARTILLERY_METHODS.map((method) => [method, request.optional()])) as Record<
    typeof ARTILLERY_METHODS[number],
    z.ZodOptional<typeof request>
  >,
  think: z.union([z.string(), z.number()]).optional(),
  count: z.union([z.string(), z.number()]).optional(),
  over: z.union([z.string(), z.array(text)]).optional(),
  loopValue: z.string().default("$loopCount"),
  loopElement: z.string().default("$loopElement"),
});

export type ArtilleryStep = z.output<typeof plainStep> & {
  readonly loop?: ArtilleryStep[];
  readonly parallel?: ArtilleryStep[];
};

const step: z.ZodType<ArtilleryStep> = plainStep.extend({
  loop: z.lazy(() => z.array(step)).optional(),
  parallel: z.lazy(() => z.array(step)).optional(),
});

/**
 * The rounds of a loop if their number is constant, such as `3`, or `1-15`, which begins at 1. Null if the number is
 * only known during the run.
 */
export function roundsOf({ over, count, whileTrue }: Partial<ArtilleryStep>): LoopRounds | null {
  if (Array.isArray(over)) return { from: 0, length: over.length };
  const [, first = "0", end] = /^(?:(\d+)-)?(\d+)$/.exec(String(count ?? "")) ?? [];
  if (end === undefined || over !== undefined || whileTrue !== undefined) return null;
  return { from: Number(first), length: Math.max(0, Number(end) - Number(first)) };
}

interface LoopRounds {
  readonly from: number;
  readonly length: number;
}

/** The number of steps of a flow after its loops are unrolled. Reports a loop that becomes too long. */
function stepCount(
  steps: readonly ArtilleryStep[],
  path: readonly PropertyKey[],
  issue: (path: PropertyKey[], message: string) => void,
): number {
  return steps.reduce((sum, { loop, parallel, ...step }, at) => {
    if (parallel !== undefined) return sum + stepCount(parallel, [...path, at, "parallel"], issue);
    if (loop === undefined) return sum + 1;
    const once = stepCount(loop, [...path, at, "loop"], issue);
    const all = (roundsOf(step)?.length ?? 1) * Math.max(1, once);
    if (isWithin("importedSteps", all)) return sum + all;
    const found = Number.isSafeInteger(all) ? all : oneMoreThan("importedSteps");
    const message = `Cannot unroll this loop: ${beyond("importedSteps", found)}`;
    // If even one round is too long, an inner loop has been reported already.
    if (isWithin("importedSteps", once)) issue([...path, at, "loop"], message);
    return sum + all;
  }, 0);
}

/** Flattens nested lists of steps, which arise from YAML aliases, into one flow. */
const flow = z.preprocess(
  (given) => Array.isArray(given) ? given.flat(Infinity) : given,
  z.array(step).min(1).superRefine((steps, context) => {
    stepCount(steps, [], (path, message) => context.addIssue({ code: "custom", path, message }));
  }),
);

const payload = z.looseObject({
  path: z.string(),
  fields: z.array(z.string()).min(1).optional(),
  order: z.enum(["random", "sequence"]).default("random"),
  skipHeader: z.boolean().default(false),
  delimiter: z.string().optional(),
  options: z.looseObject({ delimiter: z.string().optional() }).optional(),
  loadAll: z.boolean().default(false),
}).superRefine(({ path, delimiter, options }, context) => {
  if ((delimiter ?? options?.delimiter ?? ",") === ",") return;
  const message = `Cannot convert ${path}: its fields are not separated by commas`;
  context.addIssue({ code: "custom", path: [], message });
});

const defaults = z.looseObject({ headers: texts.optional(), cookie: texts.optional() });

const config = z.looseObject({
  target: z.string().optional(),
  phases: z.array(phase).min(1).optional(),
  mode: z.enum(["uniform", "poisson"]).optional(),
  timeout: number.optional(),
  http: z.looseObject({
    timeout: number.optional(),
    pool: number.optional(),
    defaults: defaults.optional(),
  }).default({}),
  tls: z.looseObject({ rejectUnauthorized: z.boolean().optional() }).default({}),
  defaults: defaults.default({}),
  variables: z.record(z.string(), z.union([text, z.array(text).min(1)])).default({}),
  payload: oneOrMore(payload),
  processor: z.unknown().optional(),
  plugins: z.unknown().optional(),
});

export type ArtilleryConfig = z.output<typeof config>;

export const scriptSpec = z.looseObject({
  config,
  scenarios: z.array(z.looseObject({
    name: z.string().optional(),
    weight: number.default(1),
    engine: z.string().default("http"),
    flow,
    beforeRequest: names.optional(),
    afterResponse: names.optional(),
    beforeScenario: names.optional(),
    afterScenario: names.optional(),
    onError: names.optional(),
  })).min(1),
}).superRefine((script, context) => {
  // Any part may be invalid, because the schema reports that separately.
  const config: Partial<ArtilleryConfig> = Object(script.config);
  if (script.config !== undefined && config.target === undefined) {
    context.addIssue({
      code: "custom",
      path: ["config", "target"],
      message: "Cannot leave it out",
    });
  }
  const scenarios = [script.scenarios].flat().map((scenario) => Object(scenario));
  if (scenarios.length > 0 && !scenarios.some(isRunnable)) {
    const message = "Cannot run this without a scenario that speaks HTTP and has a weight above 0";
    context.addIssue({ code: "custom", path: ["scenarios"], message });
  }
  const wrong = config.target === undefined ? null : wrongTarget(unmarked(config.target));
  if (wrong !== null) {
    context.addIssue({ code: "custom", path: ["config", "target"], message: wrong });
  }
}, ALWAYS);

/** Whether Plateau can run a scenario: it uses HTTP, and has a weight above 0. The scenario may be invalid. */
export function isRunnable(
  { engine = "http", weight = 1 }: Partial<Record<string, unknown>>,
): boolean {
  return engine === "http" && Number(weight) > 0;
}

function wrongTarget(target: string): string | null {
  return /^https?:$/.test(URL.parse(target)?.protocol ?? "")
    ? null
    : `Cannot use ${quotedOpenly(target)} as a target: write http://host:port`;
}

export type ArtilleryScript = z.output<typeof scriptSpec>;
export type ArtilleryPhase = z.output<typeof phase>;
export type Request = z.output<typeof request>;
export type ArtilleryCapture = z.output<typeof capture>;
export type Payload = z.output<typeof payload>;

/** A think time in seconds; null if the value is not a time, such as a template. */
export function thinkSeconds(given: string | number): number | null {
  return seconds.safeParse(given).data ?? null;
}

const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?<(?![=!])([^>]+)>|\((?!\?)/gs;

/**
 * Rewrites a pattern so that it has exactly one group, around the value that Artillery captures: the group that the
 * script names or, if it names none, the whole match.
 */
export function oneGroup(source: string, group?: string | number): string {
  let isMarked = false;
  const marked = source.replaceAll(TOKENS, (token, name?: string) => {
    if (!token.startsWith("(")) return token;
    if (group === undefined || name !== String(group)) return "(?:";
    isMarked = true;
    return "(";
  });
  return isMarked ? marked : `(${marked})`;
}

/** Why a regular expression can't be used in Plateau; null if it can. */
function wrongRegexp(source: string, group?: string | number): string | null {
  return wrongPattern(isWithin("pattern", source.length) ? oneGroup(source, group) : source);
}
