/**
 * Converts a k6 script to an experiment in TypeScript that keeps the script's functions. The command `init` writes the
 * experiment to a file. Pure.
 */
import type * as js from "acorn";
import type { Files } from "../../base/files.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import type { ImportContext } from "./format/format.ts";
import { FromEnvironment, marking, References, unmarked } from "./format/references.ts";
import { k6, keyedAt, optionsIn, partsOf } from "./k6.ts";
import {
  codeOf,
  environmentLines,
  experimentLines,
  headLines,
  isSet,
  keyText,
  RAW,
  SPREAD,
  textWith,
} from "./format/code.ts";
import { Constants, functionOf, type ScriptScope } from "./k6_constants.ts";
import { K6Functions } from "./k6_functions.ts";
import { ONCE } from "./k6_load.ts";
import { thresholdsFrom } from "./k6_thresholds.ts";
import { Edits } from "./script_edits.ts";
import { namesDeclaredBy, namesIn, nodesIn, Refused, ScriptSource } from "./script_source.ts";

export interface K6Experiment {
  /** Text of a TypeScript module. */
  readonly text: string;
  readonly notes: readonly string[];
}

type ScriptContext = Pick<ImportContext, "name" | "env"> & { readonly files: Files };

export const isK6 = k6.recognise;

/**
 * Names that `plateau/k6` exports, by the module and name in k6. A key without a name stands for the default export or
 * the whole module.
 */
const HERE: Readonly<Record<string, string>> = {
  "http": "http",
  "http.default": "http",
  "k6.check": "check",
  "k6.fail": "fail",
  "k6.group": "group",
  "k6.sleep": "sleep",
  "k6/crypto": "crypto",
  "k6/crypto.hmac": "hmac",
  "k6/data.SharedArray": "SharedArray",
  "k6/metrics.Counter": "Counter",
  "k6/metrics.Gauge": "Gauge",
  "k6/metrics.Rate": "Rate",
  "k6/metrics.Trend": "Trend",
};
const UTILS = /^https:\/\/jslib\.k6\.io\/k6-utils\//;
const OF_UTILS = ["randomIntBetween", "randomItem", "randomString", "uuidv4"];

/** Throws a UserError if no experiment can be made of the script. */
export function k6Experiment(
  text: string,
  path: string,
  around: ScriptContext,
): K6Experiment {
  const source = new ScriptSource(text, path);
  try {
    return experimentOf(text, path, source, around);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const refusing = new ScriptSource(text, path); // a new one, to report nothing but this error
    refusing.attempt(() => {
      throw error;
    }, null);
    refusing.throwRefused();
    throw error;
  }
}

function experimentOf(
  text: string,
  path: string,
  source: ScriptSource,
  { name, env, files }: ScriptContext,
): K6Experiment {
  const parts = partsOf(source);
  const { imported, scope } = parts;
  const read = new Map<string, string>();
  const ofOptions = new Constants(source, imported, marking(env, read));
  const load = source.attempt(() => optionsIn(parts, ofOptions), null);
  const ofScenario = new Map(
    Object.entries(load?.env ?? {}).map(([name, value]) => [unmarked(name), String(value)]),
  );
  const constants = new Constants(source, imported, (name) => {
    const value = ofScenario.get(name);
    return value === undefined ? env(name) : unmarked(value);
  });
  const edits = new Edits(text);
  const missing = new Map<string, string>();
  const imports = importsOf(source.program, missing);
  const functions = new K6Functions({
    ...{ source, edits, constants, imported, missing },
    maxRedirects: load?.maxRedirects ?? 10,
    opened: (path) => openedBy(files, path),
  });
  const taken = new Set(namesIn(source.program));
  /** A name that does not occur in the script: the given one, with underscores appended if needed. */
  const own = (name: string): string => taken.has(name) ? own(`${name}_`) : name;
  const as = (name: string): string => own(name) === name ? name : `${name} as ${own(name)}`;
  const made = new Making({
    ...{ source, edits, functions, scope, missing, env, own, ofScenario, read },
    userAgent: load?.userAgent ?? null,
  });
  const flow = made.take(load?.exec ?? "default");
  if (functions.origin === null) {
    const at = functionOf(scope, "default")?.node.start ?? 0;
    throw new Refused(
      at,
      "Cannot run this script: at least one request must have its URL written out in the script",
    );
  }
  const notes = [
    ...load?.notes ?? ["the options of the script are not converted: the load is 1 iteration"],
    "what k6 counts as a failed check is a failed request in Plateau, after which the virtual user starts over",
    ...functions.left.map((line) => `not converted: ${line}`),
  ];
  const { ownScenario } = load ?? ONCE;
  const { thresholds, notes: ofThresholds } = thresholdsFrom(load?.limits ?? {}, {
    scenario: load?.scenario ?? "default",
    ownScenario,
    isOpen: "phases" in (load?.load ?? {}),
    steps: functions.steps.filter(({ think }) => think === undefined),
    placeOf: (metric) => source.lineOf(keyedAt(source, metric)),
  });
  notes.push(...ofThresholds);
  const follow = functions.follow ?? 0;
  const rounds = load?.rounds ?? 1;
  const experiment = {
    name,
    targets: { target: { url: RAW("target"), ...load?.insecure && { insecure: true } } },
    scenarios: {
      [ownScenario]: {
        ...follow > 0 && { follow },
        flow: repeated(
          functions.steps.map((step) => "think" in step ? step : { ...step, [SPREAD]: own("k6") }),
          rounds,
        ),
      },
    },
    load: { ...(load ?? ONCE).load, timeout: "60s" },
    repeat: 1,
    ...thresholds.length > 0 && { thresholds },
    ...made.around,
  };
  const used = [
    ...made.isAround ? [as("around")] : [],
    ...[as("iterations"), ...imports.names],
    ...["__VU", "__ITER"].filter((name) => taken.has(name)),
  ].toSorted();
  const lines = [
    ...headLines(
      `a k6 script, ${path.replace(/^.*[\\/]/, "")}`,
      notes,
      [...made.readsEnv ? [as("env")] : [], as("experiment")],
    ),
    `import { ${used.join(", ")} } from "plateau/k6";`,
    ...imports.lines,
    ...made.environment,
    "",
    edits.toString().replace(/^\s*\n/, "").trimEnd(),
    "",
    `const ${own("k6")} = ${own("iterations")}(${
      [
        flow,
        JSON.stringify(functions.origin),
        ...rounds > 1 ? [made.userAgent[0] ?? "undefined", rounds] : made.userAgent,
      ].join(", ")
    });`,
    "",
    ...experimentLines(experiment, functions.origin, own("experiment")),
    "",
  ];
  return { text: lines.join("\n"), notes };
}

/** The flow of a virtual user, in which the steps of an iteration are repeated. */
function repeated(steps: readonly object[], rounds: number): unknown {
  const all = steps.length * rounds;
  if (!isWithin("importedSteps", all)) {
    const why = beyond("importedSteps", all);
    throw new Refused(0, `Cannot convert ${rounds} iterations of each virtual user: ${why}`);
  }
  if (rounds === 1) return steps;
  return RAW(`Array.from({ length: ${rounds} }, () => ${codeOf(steps, "        ")}).flat()`);
}

const MOST_OPENED = 500_000;

function openedBy(files: Files, path: string): string | null {
  try {
    const octets = files.octets(path);
    if (octets.length > MOST_OPENED) return null;
    return new TextDecoder("utf-8", { fatal: true }).decode(octets);
  } catch {
    return null;
  }
}

interface Imports {
  /** What to import from `plateau/k6`, with the script's alias if it has one, such as `check as verify`. */
  readonly names: readonly string[];
  readonly lines: readonly string[];
}

function importsOf({ body }: js.Program, missing: Map<string, string>): Imports {
  const names = new Set<string>();
  const lines: string[] = [];
  for (const node of body) {
    if (node.type !== "ImportDeclaration") continue;
    const from = String(node.source.value);
    for (const specifier of node.specifiers) {
      const local = specifier.local.name;
      const named = specifier.type === "ImportSpecifier" && specifier.imported.type === "Identifier"
        ? specifier.imported.name
        : null;
      const known = from === "k6/http" ? "http" : from;
      const here = UTILS.test(from)
        ? OF_UTILS.find((name) => name === named)
        : HERE[named === null ? known : `${known}.${named}`];
      if (here !== undefined) names.add(here === local ? here : `${here} as ${local}`);
      else if (known === "http" && named !== null) {
        names.add("http");
        lines.push(`const { ${named === local ? named : `${named}: ${local}`} } = http;`);
      } else missing.set(local, from);
    }
  }
  return { names: [...names], lines };
}

interface MakingContext {
  readonly source: ScriptSource;
  readonly edits: Edits;
  readonly functions: K6Functions;
  readonly scope: ScriptScope;
  readonly missing: Map<string, string>;
  readonly env: (name: string) => string | undefined;
  /** Returns a name that does not occur in the script: the given one, with underscores appended if needed. */
  readonly own: (name: string) => string;
  /**
   * Environment variables that the k6 scenario sets, keyed by name. Parts of their values that come from the
   * environment of Plateau itself are marked.
   */
  readonly ofScenario: ReadonlyMap<string, string>;
  /** Values of the environment variables that the marks name. */
  readonly read: ReadonlyMap<string, string>;
  /**
   * The user agent that the script sets, in which parts from environment variables are marked; null if it sets none.
   */
  readonly userAgent: string | null;
}

/** Converts the top level of a k6 script to that of an experiment. */
class Making {
  readonly around: Record<string, unknown> = {};
  readonly environment: string[] = [];
  /** The user agent as a list of one argument for calls of `iterations` and `around`; empty if the script sets none. */
  readonly userAgent: readonly string[];
  readsEnv = false;

  constructor(private readonly context: MakingContext) {
    const { userAgent } = context;
    const agent = userAgent === null ? null : this.#text(userAgent, "its userAgent");
    this.userAgent = agent === null ? [] : [agent];
    this.#environment();
  }

  get isAround(): boolean {
    return Object.keys(this.around).length > 0;
  }

  /** Converts the top level. Returns the name that the function of an iteration has in the written file. */
  take(exec: string): string {
    const { source, edits, functions, scope, own } = this.context;
    for (const node of source.program.body) this.#top(node);
    const bound = functionOf(scope, exec);
    if (bound === null) {
      throw new Refused(
        0,
        `Cannot find the function ${exec}: the script exports none of that name`,
      );
    }
    functions.iteration(bound.node, scope);
    for (const name of ["setup", "teardown"]) {
      const bound = functionOf(scope, name);
      if (bound === null || !this.#exported.has(name)) continue;
      functions.free(bound.node, scope);
      this.around[name] = RAW(
        `${own("around")}(${
          [name, JSON.stringify(functions.origin ?? ""), "target", ...this.userAgent].join(", ")
        })`,
      );
    }
    if (exec !== "default") return exec;
    const [exported] = source.program.body
      .filter((node) => node.type === "ExportDefaultDeclaration");
    const { declaration } = exported;
    const iteration = own("iteration");
    if (declaration.type === "Identifier") return declaration.name;
    if (declaration.type === "FunctionDeclaration" && declaration.id) return declaration.id.name;
    if (declaration.type === "FunctionDeclaration") {
      const open = source.text.indexOf("(", declaration.start);
      edits.replace(open, open, source.text[open - 1] === " " ? iteration : ` ${iteration}`);
    } else edits.replace(exported.start, declaration.start, `const ${iteration} = `);
    return iteration;
  }

  readonly #exported = new Set<string>();

  #top(node: js.ModuleDeclaration | js.Statement): void {
    const { edits, functions, missing, scope, source } = this.context;
    if (node.type === "ImportDeclaration") return edits.replace(node.start, node.end, "");
    if (node.type === "ExportDefaultDeclaration") {
      const { declaration } = node;
      if (declaration.type === "Identifier") return edits.replace(node.start, node.end, "");
      if (declaration.type === "FunctionDeclaration") {
        edits.replace(node.start, declaration.start, "");
      }
      return;
    }
    const inner = node.type === "ExportNamedDeclaration" ? node.declaration : node;
    if (!inner) return functions.leave(node, "a file with an experiment may export nothing else");
    if (isOptions(inner)) return edits.replace(node.start, node.end, "");
    if (inner !== node) {
      if (inner.type === "FunctionDeclaration") {
        scope.set(inner.id.name, { kind: "function", node: inner, scope });
      }
      for (const name of namesDeclaredBy(inner)) this.#exported.add(name);
      edits.replace(node.start, inner.start, "");
    }
    const [first] = namesDeclaredBy(inner);
    if (first === "handleSummary") {
      return functions.leave(node, "Plateau writes its own reports");
    }
    const isOwn = inner.type === "FunctionDeclaration" && functions.isGenerator(first ?? "");
    if (isOwn || (first !== undefined && ["setup", "teardown"].includes(first))) return;
    const why = functions.missingIn(inner);
    const sends = why === null && inner.type === "ExpressionStatement" &&
      namesIn(inner).some((name) => functions.isGenerator(name));
    if (why === null && !sends) return;
    for (const name of namesDeclaredBy(inner)) missing.set(name, source.lineOf(node.start));
    functions.leave(node, why ?? "it sends requests before the load");
  }

  /**
   * A marked text as code; null if code can't refer to a variable in it, for example because its value is encoded as
   * base64.
   */
  #text(marked: string, what: string): string | null {
    const { read, own, functions } = this.context;
    const references = new References(read);
    const text = references.in(marked);
    if (references.holds.size > 0) {
      const names = [...references.holds].join(" and ");
      functions.left.push(
        `${what}: it holds ${names} of the environment in another form, such as base64`,
      );
      return null;
    }
    if (!(text instanceof FromEnvironment)) return JSON.stringify(text);
    this.readsEnv = true;
    return textWith(text, own("env"));
  }

  /**
   * Defines `__ENV` with the variables that the script reads. Those that the k6 scenario sets have the values set
   * there. The others are read from the environment, except variables that are unset, because reading these would fail.
   */
  #environment(): void {
    const { source, env, own, ofScenario } = this.context;
    const names = new Set<string>();
    for (const node of nodesIn(source.program) as Iterable<js.AnyNode>) {
      if (node.type !== "MemberExpression" || node.object.type !== "Identifier") continue;
      if (node.object.name !== "__ENV") continue;
      const { property } = node;
      if (property.type === "Identifier") names.add(property.name);
      else if (property.type === "Literal") names.add(String(property.value));
    }
    if (names.size === 0) return;
    const outer = [...names].filter((name) => !ofScenario.has(name));
    if (outer.some((name) => isSet(name, env))) this.readsEnv = true;
    const inner = [...ofScenario].filter(([name]) => names.has(name)).map(([name, value]) => {
      const text = this.#text(value, `${name} in the env of its scenario`);
      return `  ${keyText(name)}: ${text},`;
    });
    const lines = [...environmentLines(outer, env, own("env")), ...inner];
    this.environment.push("", "const __ENV = {", ...lines, "};");
  }
}

function isOptions(node: js.Node): boolean {
  return namesDeclaredBy(node).join() === "options";
}
