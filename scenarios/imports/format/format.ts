/**
 * Files of other tools that `run`, `check` and `init --from` take as experiments: each becomes the text
 * of an experiment file, which then is read like any other. One file a member, one line in `registry.ts`. Pure.
 */
import { stringify } from "yaml";
import type { Files } from "../../../base/files.ts";
import type { Path } from "../../../base/problems.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import { FromEnvironment, isMarked, References } from "./references.ts";

/** An experiment in the making. */
export interface Import {
  /** As in an experiment file. */
  readonly experiment: Readonly<Record<string, unknown>>;
  /** What has no counterpart, or differs here, in sentences without a full stop. */
  readonly notes: readonly string[];
  /** Where parts of the experiment come from. */
  readonly origins: Origins;
  /** Variables of the environment that the experiment reads, as its `FromEnvironment` say. */
  readonly variables?: readonly string[];
  /** Values of variables of the environment that are marked in its scenarios, by their names. */
  readonly read?: ReadonlyMap<string, string>;
}

/** The name of a variable of the environment from any name: `API_KEY` of `apiKey`. */
export function variableName(name: string): string {
  const words = name.replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1_");
  return words.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d|$)/, "_").toUpperCase();
}

/** Where something stands in the other tool's file: a place as messages have it, or a path in YAML or JSON. */
type Origin = string | Path;

/** Where parts of an experiment in the making, such as its steps, come from. */
export class Origins {
  readonly #known = new WeakMap<object, Origin>();

  /** The part itself. */
  keep<Part extends object>(part: Part, origin: Origin): Part {
    this.#known.set(part, origin);
    return part;
  }

  /** Origin of the innermost part around `path` whose origin is known; null if none is. */
  of(experiment: unknown, path: Path): Origin | null {
    let found: Origin | null = null;
    let part = experiment;
    for (const step of path) {
      if (typeof part !== "object" || part === null) break;
      part = Reflect.get(part, step);
      if (typeof part === "object" && part !== null) found = this.#known.get(part) ?? found;
    }
    return found;
  }
}

/** Redirects go anywhere there, and here to the target alone. */
export const REDIRECTS_ELSEWHERE =
  "a redirect to another host or port is wrong here, unless follow names it in hosts";

/** The context of the other tool's file. */
export interface ImportContext {
  /** Name for the experiment. */
  readonly name: string;
  /** Relative to the other tool's file. */
  readonly files: Files;
  /** A path relative to the other tool's file, as the experiment file has to write it. */
  readonly pathOf: (path: string) => string;
  /** A variable of the environment. */
  readonly env: (name: string) => string | undefined;
  /** Whether requests that may change something are taken over too, from what only describes a service. */
  readonly writes: boolean;
}

export interface Format {
  /** What it is called: `an Artillery script`. */
  readonly what: string;
  /** Whether `data` is of this kind, right or wrong. */
  readonly recognise: (data: unknown) => boolean;
  /** Throws a ZodError with everything that is wrong with it. */
  readonly convert: (data: unknown, around: ImportContext) => Import;
}

/** A format that is neither YAML nor JSON. */
export interface TextFormat {
  /** What it is called: `a k6 script`. */
  readonly what: string;
  readonly recognise: (text: string) => boolean;
  /** Throws a UserError with everything that is wrong with it. @param path Of the file; messages call it so. */
  readonly convert: (text: string, path: string, around: ImportContext) => Import;
}

export interface ImportedText {
  readonly text: string;
  /** Variables of the environment whose values stand in it where no reference can, such as in base64 or in a key. */
  readonly holds: readonly string[];
}

/** The text of an experiment file; its notes stand at the top as comments. */
export function importedText(
  { what }: Pick<Format, "what">,
  { experiment, notes, read }: Import,
  from: string,
): ImportedText {
  const comment = [`From ${what}, ${from}.`, ...notes.map((note) => `Note: ${note}.`)]
    .map((line) => `# ${withoutSecrets(line).replaceAll(/\s+/g, " ")}\n`).join("");
  const references = new References(read);
  const made = withoutParameters(references.inScenarios(experiment));
  const text = stringify(withTargetParameter(made), YAML);
  return { text: `${comment}\n${text}`, holds: [...references.holds] };
}

type Section = Readonly<Record<string, unknown>>;

/** The URL of its one server as a parameter, `target`, so that `--set target=http://…` loads another one. */
function withTargetParameter(experiment: Section): Section {
  const { name, parameters, ...rest } = experiment;
  const { url, name: target } = takenUrl(rest);
  if (url === null) return experiment;
  const choices = Object.entries(sectionAt(parameters, "environment")).map(([choice, patch]) => {
    const { url, rest } = takenUrl(Object(patch));
    return [choice, url === null ? patch : { parameters: { target: url }, ...rest }];
  });
  const environment = choices.length === 0 ? {} : { environment: Object.fromEntries(choices) };
  const targets = sectionAt(rest, "targets");
  const pointed = { ...targets, [target]: { ...sectionAt(targets, target), url: "${target}" } };
  return { name, parameters: { ...environment, target: url }, ...rest, targets: pointed };
}

/** The URL of the first target, and all besides it; null if there is none. */
function takenUrl(experiment: Section): { url: string | null; name: string; rest: Section } {
  const { targets: _, ...others } = experiment;
  const targets = sectionAt(experiment, "targets");
  const [name = ""] = Object.keys(targets);
  const { url, ...spec } = sectionAt(targets, name);
  if (typeof url !== "string") return { url: null, name, rest: experiment };
  const isOnlyUrl = Object.keys(targets).length === 1 && Object.keys(spec).length === 0;
  const kept = isOnlyUrl ? {} : { targets: { ...targets, [name]: spec } };
  return { url, name, rest: { ...kept, ...others } };
}

function sectionAt(section: unknown, key: string): Section {
  return Object(Object(section)[key]);
}

const YAML = { lineWidth: 100, aliasDuplicateObjects: false };

/** In the other tool's file `${` is text; here it would begin a parameter. */
function withoutParameters<Value>(value: Value): Value;
function withoutParameters(value: unknown): unknown {
  if (value instanceof FromEnvironment) return String(value);
  if (typeof value === "string") return value.replaceAll("${", () => "$${");
  if (Array.isArray(value)) return value.map(withoutParameters);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutParameters(inner)]),
  );
}

/** A name of a target or scenario from any text but one of the environment: a name can't refer to that, and it may be secret. */
export function nameFrom(text: string, otherwise: string): string {
  if (isMarked(text)) return otherwise;
  const name = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, " ").trim().replace(/^[ ._-]+/, "");
  return name === "" ? otherwise : name.slice(0, 60).trim();
}

/** A key that `known` does not have yet. */
export function freeName(name: string, known: object): string {
  if (!Object.hasOwn(known, name)) return name;
  for (let n = 2;; n++) {
    if (!Object.hasOwn(known, `${name} ${n}`)) return `${name} ${n}`;
  }
}

/** Where a place can't have them otherwise, `{{` are a value, which stands for itself. */
export const BRACES = "{{ braces }}";
export const BRACES_VALUE = { braces: { pick: ["{{"] } };

/** `{{` would begin the name of a value. @param braces The same, as the place may have them. */
export function withoutNames(text: string, braces = BRACES): string {
  return text.replaceAll("{{", () => braces);
}

/** A name as values have it here. */
export function valueNameOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^[^\p{L}_]+/u, "");
}
