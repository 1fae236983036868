/** Imports an Artillery script. Its phases become arrivals, and its scenarios become flows. */
import * as z from "zod";
import { explain } from "../../base/explain.ts";
import { isMap } from "../../base/yaml/json_text.ts";
import { LayeredData, patchBetween } from "../../base/yaml/merge_patch.ts";
import { ArtilleryFlow, functionNames, lowered, secondsText } from "./artillery_flow.ts";
import {
  type ArtilleryPhase,
  type ArtilleryScript,
  isRunnable,
  scriptSpec,
} from "./artillery_script.ts";
import { type ArtilleryProcessor, processorAt } from "./artillery_processor.ts";
import { ArtilleryValues } from "./artillery_values.ts";
import { Expansion } from "./format/expansion.ts";
import {
  type Format,
  freeName,
  type Import,
  type ImportContext,
  nameFrom,
  Origins,
  REDIRECTS_ELSEWHERE,
} from "./format/format.ts";
import { Call, marking, unmarked } from "./format/references.ts";

export const artillery: Format = {
  what: "an Artillery script",
  recognise: (data) => Array.isArray(Object(data).scenarios),
  convert,
};

/**
 * Converts a script. Its environments become choices of the parameter `environment`. If the script itself lacks a
 * target or phases, the first environment is the default.
 */
function convert(data: unknown, context: ImportContext): Import {
  const read = new Map<string, string>();
  const around = { ...context, env: marking(context.env, read) };
  const notes = new Set<string>();
  const made = madeAnew(notes, null);
  const choices = environmentsOf(data);
  const experiments = choices.map(([name, config]) => {
    const { script, issues } = scriptIn(data, name, config, around);
    return {
      name,
      issues,
      experiment: script && new Conversion(script, data, around, made).result(),
    };
  });
  const issues = experiments.flatMap(({ issues }) => issues);
  if (issues.length > 0) throw new z.ZodError(issues);
  const [{ experiment = {} }] = experiments;
  const parameter = Object.fromEntries(
    experiments.map((one) => [one.name, patchBetween(experiment, one.experiment) ?? {}]),
  );
  const parameters = choices.length > 1 ? { parameters: { environment: parameter } } : {};
  const whole = { name: around.name, ...parameters, ...experiment };
  return { experiment: whole, notes: [...notes], origins: made.origins, read };
}

/** An import from which a TypeScript module is generated, with the script that was read. */
export interface ImportedCode extends Import {
  readonly read: ReadonlyMap<string, string>;
  readonly script: ArtilleryScript;
  readonly processor: ArtilleryProcessor | null;
  /** The names of the experiment's scenarios, in the order of the script's scenarios. */
  readonly scenarios: readonly string[];
  /** Names of the script's variables that Plateau does not allow, each with the name that replaces it. */
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Converts a script to an experiment for a TypeScript module, in which the processor's functions are hooks. Throws a
 * ZodError if the script is invalid, or a UserError if the processor can't be read or is not valid code.
 */
export function artilleryCode(data: unknown, context: ImportContext): ImportedCode {
  const read = new Map<string, string>();
  const notes = new Set<string>();
  const env = (name: string): string | undefined => {
    const value = context.env(name);
    if (value === undefined && name !== "") {
      notes.add(
        `the environment variable ${name} is not set: set it, and convert the script again`,
      );
    }
    return value;
  };
  const around = { ...context, env: marking(env, read) };
  const [[name, config], ...others] = environmentsOf(data);
  if (others.length > 0) {
    notes.add(`left out: the other environments, ${others.map(([name]) => name).join(", ")}`);
  }
  const { script, issues } = scriptIn(data, name, config, around);
  if (script === undefined) throw new z.ZodError(issues);
  const processor = processorAt(script.config.processor, context);
  const made = madeAnew(notes, processor?.assigned ?? new Set());
  const experiment = { name: around.name, ...new Conversion(script, data, around, made).result() };
  const scenarios = Object.keys(Object(Reflect.get(experiment, "scenarios")));
  const { origins, names } = made;
  return { experiment, notes: [...notes], origins, read, script, processor, scenarios, names };
}

/**
 * The name of the constant that holds the functions of a scenario.
 * @param scenario The index of the scenario in the experiment.
 */
export function constantOf(scenario: number): string {
  return `scenario${scenario + 1}`;
}

/**
 * The names of all environments with their configs, the default first. The default is `none`, which stands for the
 * script's own config, if that has a target and phases or there are no environments.
 */
function environmentsOf(data: unknown): [name: string, config: unknown][] {
  const own = Object(Object(data).config);
  const environments = Object.entries(Object(own.environments));
  const isWhole = own.target !== undefined && own.phases !== undefined;
  return isWhole || environments.length === 0
    ? [["none", undefined], ...environments]
    : environments;
}

interface ReadScript {
  readonly script?: ArtilleryScript;
  readonly issues: z.core.$ZodIssue[];
}

/**
 * Parses the script with one of its environments merged into its config. Artillery merges lists, too, element by
 * element (lodash's `merge`).
 */
function scriptIn(
  data: unknown,
  name: string,
  environment: unknown,
  around: ImportContext,
): ReadScript {
  const layers = new LayeredData(withoutEnvironments(data), true);
  if (environment !== undefined) {
    layers.lay({ config: environment }, ["config", "environments", name]);
  }
  const text = (inner: string): string | undefined =>
    inner === "$environment"
      ? name
      : around.env(/^\$(?:env|processEnvironment)\.(.+)$/.exec(inner)?.[1] ?? "");
  const { data: script, error } = scriptSpec.safeParse(filledIn(layers.data, text), {
    error: explain,
  });
  const issues = (error?.issues ?? []).map((issue) => {
    const path = layers.writtenAt(issue.path);
    // In an environment, the keys of `config` are at the top level, so the path has no `config`
    // there.
    const own = path.filter((step, at) => !(at === 3 && step === "config"));
    return { ...issue, path: own, message: unmarked(issue.message) };
  });
  return { script, issues };
}

/**
 * Removes the environments from the script, so that they are not copied for each environment that is merged into it.
 */
function withoutEnvironments(data: unknown): unknown {
  if (!isMap(data) || !isMap(data.config)) return data;
  const { environments: _, ...config } = data.config;
  return { ...data, config };
}

/**
 * Keys whose texts are sent in requests. In these texts, values from environment variables stay marked as such, so that
 * the written file can refer to the variables. All other texts, such as those of phases, are evaluated by the
 * conversion.
 */
const SENT = [
  ...["target", "variables", "defaults", "name", "over"],
  ...["url", "uri", "qs", "headers", "header", "cookie", "auth"],
  ...["json", "body", "form", "formData", "regexp"],
];

/** Fills in environment variables in all texts. */
function filledIn(
  value: unknown,
  text: (inner: string) => string | undefined,
  isSent = false,
): unknown {
  if (typeof value === "string") {
    const filled = value.replaceAll(
      /\{\{\s*(\$[\w.]+)\s*\}\}/g,
      (written, inner: string) => text(inner) ?? written,
    );
    return isSent ? filled : unmarked(filled);
  }
  if (Array.isArray(value)) return value.map((item) => filledIn(item, text, isSent));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map((
      [key, inner],
    ) => [key, filledIn(inner, text, isSent || SENT.includes(key))]),
  );
}

/**
 * Whether a scenario's flow contains no nested lists of steps, so that the index of each step is the same as in the
 * file.
 */
function isFlat(data: unknown, [, at]: readonly PropertyKey[]): boolean {
  const flow: unknown = Object(Object(Object(data).scenarios)[at]).flow;
  return Array.isArray(flow) && !flow.some(Array.isArray);
}

/** What Artillery sends if the script has no phases: one virtual user. */
const ONE_USER: readonly ArtilleryPhase[] = [{ duration: 1, arrivalCount: 1 }];

const USUAL_TIMEOUT_SECONDS = 10;

/** Artillery plugins whose features are built into Plateau: checks, and figures for each request. */
const BUILT_IN = ["expect", "metrics-by-endpoint"];

/** Artillery's HTTP client, got, follows at most this many redirects. */
const MOST_REDIRECTS = 10;

/** What the conversions of all environments of a script share. */
interface Made {
  readonly notes: Set<string>;
  readonly origins: Origins;
  readonly expansion: Expansion;
  /** Names of the script's variables that Plateau does not allow, each with the name that replaces it. */
  readonly names: Map<string, string>;
  /**
   * Names of variables to which functions of the processor may assign values. Null unless a TypeScript module is
   * generated, which calls these functions.
   */
  readonly assigned: ReadonlySet<string> | null;
}

function madeAnew(notes: Set<string>, assigned: Made["assigned"]): Made {
  const names = new Map<string, string>();
  return { notes, origins: new Origins(), expansion: new Expansion(), names, assigned };
}

class Conversion {
  readonly #note = (text: string): void => void this.made.notes.add(unmarked(text));

  /** @param data The script as written. */
  constructor(
    private readonly script: ArtilleryScript,
    private readonly data: unknown,
    private readonly around: ImportContext,
    private readonly made: Made,
  ) {}

  result(): Record<string, unknown> {
    const { config, scenarios } = this.script;
    const walked = scenarios.filter(isRunnable);
    this.#noteConfig(scenarios.length - walked.length);
    const weights = walked.reduce((sum, { weight }) => sum + weight, 0);
    const isOne = walked.length === 1;
    const target = targetOf(config);
    const insecure = config.tls.rejectUnauthorized === false;
    return {
      targets: { target: { url: target.origin, ...(insecure ? { insecure } : {}) } },
      scenarios: this.#scenarios(
        walked,
        (weight) => isOne ? {} : { load: this.#load(weight / weights) },
      ),
      ...(isOne ? { load: this.#load(1) } : {}),
      repeat: 1,
    };
  }

  #scenarios(
    walked: ArtilleryScript["scenarios"],
    loadOf: (weight: number) => object,
  ): Record<string, unknown> {
    const { config } = this.script;
    const { origins, expansion, assigned, names } = this.made;
    const isCode = assigned !== null;
    const values = new ArtilleryValues(
      config,
      this.around,
      assigned ?? new Set(),
      names,
      this.#note,
    );
    const scenarios: Record<string, unknown> = {};
    for (const [at, scenario] of walked.entries()) {
      this.#noteHooks(scenario);
      const name = freeName(
        nameFrom(scenario.name ?? "", `scenario ${at + 1}`),
        scenarios,
      );
      const path = ["scenarios", this.script.scenarios.indexOf(scenario)];
      const made = new ArtilleryFlow({
        target: targetOf(config),
        headers: lowered(config.http.defaults?.headers ?? config.defaults.headers ?? {}),
        cookies: config.http.defaults?.cookie ?? config.defaults.cookie ?? {},
        values,
        note: this.#note,
        refuse: (path, message) => {
          throw new z.ZodError([{ code: "custom", path: [...path], message, input: undefined }]);
        },
        pathOf: this.around.pathOf,
        ...{ origins, expansion },
        functions: isCode
          ? {
            step: `${constantOf(at)}.step`,
            before: functionNames(scenario.beforeRequest),
            after: functionNames(scenario.afterResponse),
          }
          : null,
      }).walked(scenario.flow, [...path, "flow"], isFlat(this.data, path));
      const needed = isCode ? values.takeAll() : values.take();
      scenarios[name] = origins.keep({
        ...made.follows && { follow: MOST_REDIRECTS },
        ...Object.keys(made.cookies).length > 0 && { cookies: made.cookies },
        flow: made.flow,
        ...isCode && userOf(scenario, made.end, at),
        ...Object.keys(needed).length > 0 && { values: needed },
        ...loadOf(scenario.weight),
      }, path);
      if (made.follows) this.#noteRedirects(made.flow);
    }
    return scenarios;
  }

  #noteRedirects(flow: readonly object[]): void {
    this.#note(REDIRECTS_ELSEWHERE);
    if (!flow.some((step) => "post" in step)) return;
    this.#note(
      "Artillery sends a POST again when a 301 or 302 redirects it; here it becomes a GET, as in browsers",
    );
  }

  #noteConfig(left: number): void {
    const { config, scenarios, before, after } = this.script;
    if (left > 0) {
      this.#note(`left out: scenarios that are not over HTTP or have no weight: ${left}`);
    }
    if (scenarios.length - left > 1) {
      this.#note(
        "in Plateau the scenarios run one after the other, each with a share of the arrivals according to its weight",
      );
    }
    if (config.processor !== undefined && this.made.assigned === null) {
      this.#note(
        "left out: the processor, which is code (write a file that ends in .ts to keep its functions)",
      );
    }
    const plugins = Object.keys(Object(config.plugins)).filter((name) => !BUILT_IN.includes(name));
    if (plugins.length > 0) this.#note(`left out: the plugins ${plugins.join(", ")}`);
    if (config.ensure !== undefined) {
      this.#note("left out: the limits of ensure (write thresholds instead)");
    }
    if (before !== undefined || after !== undefined) {
      this.#note("left out: the requests of before and after");
    }
    this.#note(
      "Artillery times responses to their first byte and does not count requests that timed out; " +
        "here every response is timed to its last byte, and a request that timed out counts with its elapsed time",
    );
  }

  #noteHooks(scenario: ArtilleryScript["scenarios"][number]): void {
    const hooks = ["beforeRequest", "afterResponse", "beforeScenario", "afterScenario"] as const;
    for (const hook of [...this.made.assigned === null ? hooks : [], "onError" as const]) {
      if (scenario[hook] !== undefined) this.#note(`left out: the ${hook} hooks, which are code`);
    }
  }

  #load(share: number): unknown {
    const { phases = ONE_USER, http, timeout, mode } = this.script.config;
    if (phases === ONE_USER) {
      this.#note("the script has no phases, so it sends one virtual user, as Artillery does");
    }
    const most = phases.flatMap(({ maxVusers }) => maxVusers ?? []);
    if (most.length > 0) {
      this.#note(
        "Artillery skips virtual users beyond maxVusers; here they wait until another has left",
      );
    }
    const connections = http.pool ?? (most.length > 0 ? Math.max(...most) : undefined);
    const isPoisson = [mode, ...phases.map(({ mode }) => mode)].includes("poisson");
    return {
      phases: phases.map((phase) => this.#phase(phase, share)),
      timeout: secondsText(timeout ?? http.timeout ?? USUAL_TIMEOUT_SECONDS),
      ...(connections === undefined ? {} : { connections }),
      ...(http.pool === undefined ? {} : { pool: "shared" }),
      ...(isPoisson ? { arrivals: "poisson" } : {}),
    };
  }

  #phase(
    { pause, duration = 0, arrivalRate, arrivalCount = 0, rampTo }: ArtilleryPhase,
    share: number,
  ): unknown {
    if (pause !== undefined) return { pause: secondsText(pause) };
    const perSec = arrivalRate ?? arrivalCount / duration;
    return {
      duration: secondsText(duration),
      arrivals: rateText(perSec * share),
      ...(rampTo === undefined ? {} : { rampTo: rateText(rampTo * share) }),
    };
  }
}

export function targetOf({ target = "" }: ArtilleryScript["config"]): URL {
  return new URL(unmarked(target));
}

/** The functions that are called at the start and end of each virtual user's session. */
function userOf(
  { beforeScenario, afterScenario }: ArtilleryScript["scenarios"][number],
  last: readonly string[],
  at: number,
): { readonly user?: Call } {
  const start = functionNames(beforeScenario);
  const end = [...last, ...functionNames(afterScenario)];
  if (start.length + end.length === 0) return {};
  const given = { ...start.length > 0 && { start }, ...end.length > 0 && { end } };
  return { user: new Call(`${constantOf(at)}.user`, given) };
}

/**
 * The rate in the first unit in which six decimal places are exact, or else with all its digits, because a rounded rate
 * could add a virtual user to a phase.
 */
function rateText(perSec: number): string {
  for (const [unit, seconds] of [["s", 1], ["m", 60], ["h", 3_600]] as const) {
    const rate = Number((perSec * seconds).toFixed(6));
    if (Math.abs(rate / seconds - perSec) <= perSec * Number.EPSILON) return `${rate}/${unit}`;
  }
  return `${perSec.toFixed(20)}/s`;
}
