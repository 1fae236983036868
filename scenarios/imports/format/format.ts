/**
 * Files of other tools that `run`, `check` and `init --from` accept as experiments. Each is converted to the text of an
 * experiment file, which is then read like any other. Each format has its own module and one line in `registry.ts`.
 * Pure.
 */
import { stringify } from "yaml";
import type { Files } from "../../../base/files.ts";
import type { Path } from "../../../base/problems.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import { FromEnvironment, isMarked, References } from "./references.ts";

/** An experiment converted from another tool's file, before it is written as text. */
export interface Import {
  /** The experiment, in the structure of an experiment file. */
  readonly experiment: Readonly<Record<string, unknown>>;
  /** What was left out, and what differs from the other tool, as sentences without full stops. */
  readonly notes: readonly string[];
  /** Where the parts of the experiment come from in the other tool's file. */
  readonly origins: Origins;
  /** Names of the environment variables that the experiment reads through `FromEnvironment`. */
  readonly variables?: readonly string[];
  /**
   * Values of the environment variables that were read during the conversion, by name. The texts of the scenarios
   * contain these values, marked as such.
   */
  readonly read?: ReadonlyMap<string, string>;
}

/** Turns any name into one in the usual form of environment variables, such as `API_KEY` for `apiKey`. */
export function variableName(name: string): string {
  const words = name.replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1_");
  return words.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d|$)/, "_").toUpperCase();
}

/** A place in the other tool's file, either as shown in messages or as a path within its YAML or JSON. */
type Origin = string | Path;

/** Remembers where the parts of an experiment, such as its steps, come from in the other tool's file. */
export class Origins {
  readonly #known = new WeakMap<object, Origin>();

  /** Records the origin of a part. Returns the part. */
  keep<Part extends object>(part: Part, origin: Origin): Part {
    this.#known.set(part, origin);
    return part;
  }

  /** Origin of the innermost part on the way to `path` that has a known origin; null if none has. */
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

/**
 * Other tools follow redirects to any host; Plateau follows them only to the target and to hosts that the scenario
 * names.
 */
export const REDIRECTS_ELSEWHERE =
  "a redirect to another host or port counts as wrong, unless follow names it in hosts";

/** What a conversion needs besides the other tool's file itself. */
export interface ImportContext {
  readonly name: string;
  /** Reads files relative to the other tool's file. */
  readonly files: Files;
  /** Converts a path relative to the other tool's file to one for the experiment file. */
  readonly pathOf: (path: string) => string;
  readonly env: (name: string) => string | undefined;
  /** Whether requests that may change data are also imported from files that only describe a service. */
  readonly writes: boolean;
}

export interface Format {
  /** What messages call a file in this format, such as `an Artillery script`. */
  readonly what: string;
  /** Whether `data` looks like this format, even if it is invalid. */
  readonly recognise: (data: unknown) => boolean;
  /** Throws a ZodError that lists every problem. */
  readonly convert: (data: unknown, around: ImportContext) => Import;
}

/** A format that is neither YAML nor JSON. */
export interface TextFormat {
  /** What messages call a file in this format, such as `a k6 script`. */
  readonly what: string;
  readonly recognise: (text: string) => boolean;
  /**
   * Throws a UserError if the file can't be converted.
   * @param path The path of the file, as shown in messages.
   */
  readonly convert: (text: string, path: string, around: ImportContext) => Import;
}

export interface ImportedText {
  readonly text: string;
  /**
   * Environment variables whose values are part of the text, because a reference isn't possible there, for example in
   * base64 or in a key.
   */
  readonly holds: readonly string[];
}

/** The import as the text of an experiment file, with its notes as comments at the top. */
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

/** Makes the URL of the first target a parameter, `target`, so that `--set target=http://…` loads another server. */
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

/** URL and name of the first target, and the experiment without that URL; `url` is null if there is none. */
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

/** Escapes `${`, which is plain text in the other tool's file but would begin a placeholder in an experiment file. */
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

/**
 * Turns a text into a valid name of a target or scenario. Returns `otherwise` if nothing is left of the text, or if it
 * comes from the environment, because it may be secret.
 */
export function nameFrom(text: string, otherwise: string): string {
  if (isMarked(text)) return otherwise;
  const name = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, " ").trim().replace(/^[ ._-]+/, "");
  return name === "" ? otherwise : name.slice(0, 60).trim();
}

/** The name, with the first free number from 2 appended if `known` has it already. */
export function freeName(name: string, known: object): string {
  if (!Object.hasOwn(known, name)) return name;
  for (let n = 2;; n++) {
    if (!Object.hasOwn(known, `${name} ${n}`)) return `${name} ${n}`;
  }
}

/** Replaces `{{` in places that allow no escape. This is a placeholder for the value below, which is always `{{`. */
export const BRACES = "{{ braces }}";
export const BRACES_VALUE = { braces: { pick: ["{{"] } };

/**
 * Replaces `{{`, which would begin a placeholder.
 * @param braces The replacement, which depends on what is allowed where the text stands.
 */
export function withoutNames(text: string, braces = BRACES): string {
  return text.replaceAll("{{", () => braces);
}

/** The maximum number of random values of one kind. */
const MOST_DRAWN = 50;

export const DRAWN_AGAIN =
  `a virtual user gets at most ${MOST_DRAWN} random values of one kind, and then the first of them again`;

/**
 * A name for a random value at one more place, because other tools draw a new value at each place. Null if there are
 * as many of its kind as allowed.
 */
export function drawnName(name: string, used: ReadonlyMap<string, unknown>): string | null {
  for (let n = 1; n <= MOST_DRAWN; n++) {
    const own = valueNameOf(n === 1 ? name : `${name} of ${n}`);
    if (!used.has(own)) return own;
  }
  return null;
}

/** Turns any name into a valid name of a value by replacing or removing characters. */
export function valueNameOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^[^\p{L}_]+/u, "");
}
