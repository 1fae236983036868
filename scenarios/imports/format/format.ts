/**
 * Files of other tools that `run`, `check` and `init --from` take as experiments: each becomes the text of an
 * experiment file, which is then read like any other. Each format has one file, and one line in `registry.ts`. Pure.
 */
import { stringify } from "yaml";
import type { Files } from "../../../base/files.ts";
import type { Path } from "../../../base/problems.ts";
import { withoutSecrets } from "../../../base/secrets.ts";
import { FromEnvironment, isMarked, References } from "./references.ts";

/** An experiment under construction. */
export interface Import {
  /** The experiment, as in an experiment file. */
  readonly experiment: Readonly<Record<string, unknown>>;
  /** Parts without a counterpart, and differences, as sentences without full stops. */
  readonly notes: readonly string[];
  /** The origins of parts of the experiment. */
  readonly origins: Origins;
  /** Environment variables that the experiment reads through `FromEnvironment`. */
  readonly variables?: readonly string[];
  /** Values of environment variables that are marked in the scenarios, by name. */
  readonly read?: ReadonlyMap<string, string>;
}

/** The name of an environment variable from any name: `API_KEY` for `apiKey`. */
export function variableName(name: string): string {
  const words = name.replaceAll(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1_");
  return words.replaceAll(/[^A-Za-z0-9]+/g, "_").replace(/^(?=\d|$)/, "_").toUpperCase();
}

/** A place in the other tool's file: as in messages, or as a path in YAML or JSON. */
type Origin = string | Path;

/** The origins of parts of an experiment under construction, such as its steps. */
export class Origins {
  readonly #known = new WeakMap<object, Origin>();

  /** Records the origin of a part, and returns the part. */
  keep<Part extends object>(part: Part, origin: Origin): Part {
    this.#known.set(part, origin);
    return part;
  }

  /** Origin of the innermost part around `path` whose origin is known; null if there is none. */
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

/** In the other tools, redirects may lead anywhere; in Plateau, only to the target and to hosts that are named. */
export const REDIRECTS_ELSEWHERE =
  "a redirect to another host or port counts as wrong, unless follow names it in hosts";

/** The context of the other tool's file. */
export interface ImportContext {
  /** Name for the experiment. */
  readonly name: string;
  /** Reads files relative to the other tool's file. */
  readonly files: Files;
  /** Converts a path relative to the other tool's file to one for the experiment file. */
  readonly pathOf: (path: string) => string;
  /** Returns an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Whether requests that may change something are also imported from files that only describe a service. */
  readonly writes: boolean;
}

export interface Format {
  /** Name of the format: `an Artillery script`. */
  readonly what: string;
  /** Whether `data` is in this format, valid or not. */
  readonly recognise: (data: unknown) => boolean;
  /** Throws a ZodError with every problem. */
  readonly convert: (data: unknown, around: ImportContext) => Import;
}

/** A format that is neither YAML nor JSON. */
export interface TextFormat {
  /** Name of the format: `a k6 script`. */
  readonly what: string;
  readonly recognise: (text: string) => boolean;
  /** Throws a UserError with every problem. @param path Path of the file, as in messages. */
  readonly convert: (text: string, path: string, around: ImportContext) => Import;
}

export interface ImportedText {
  readonly text: string;
  /** Environment variables whose values are in the text where a reference can't be, such as in base64 or in a key. */
  readonly holds: readonly string[];
}

/** The text of an experiment file, with its notes as comments at the top. */
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

/** Makes the URL of the only server a parameter, `target`, so that `--set target=http://…` loads another server. */
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

/** The URL of the first target, and everything else; null if there is none. */
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

/** Escapes `${`, which is plain text in the other tool's file but would begin a parameter in Plateau's. */
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

/** A valid name of a target or scenario; `otherwise` for text from the environment, which may be secret. */
export function nameFrom(text: string, otherwise: string): string {
  if (isMarked(text)) return otherwise;
  const name = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, " ").trim().replace(/^[ ._-]+/, "");
  return name === "" ? otherwise : name.slice(0, 60).trim();
}

/** A key that is not in `known` yet. */
export function freeName(name: string, known: object): string {
  if (!Object.hasOwn(known, name)) return name;
  for (let n = 2;; n++) {
    if (!Object.hasOwn(known, `${name} ${n}`)) return `${name} ${n}`;
  }
}

/** Written for `{{` in places that allow no escape: a value whose only text is `{{`. */
export const BRACES = "{{ braces }}";
export const BRACES_VALUE = { braces: { pick: ["{{"] } };

/** Escapes `{{`, which would begin the name of a value. @param braces The replacement allowed in this place. */
export function withoutNames(text: string, braces = BRACES): string {
  return text.replaceAll("{{", () => braces);
}

/** The name, in which characters that the name of a value cannot have are replaced or removed. */
export function valueNameOf(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^[^\p{L}_]+/u, "");
}
