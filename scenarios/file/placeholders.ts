/** Fills in `${name}` with the value of a parameter, and `${env.NAME}` with that of an environment variable. Pure. */
import { beyond, isWithin, oneMoreThan } from "../../base/limits.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import type { Path } from "../../base/problems.ts";
import { didYouMean } from "../../base/suggest.ts";

/** A text of the data that contains placeholders. */
export interface PlaceholderUse {
  readonly path: Path;
  readonly names: readonly string[];
  /** Why names could not be filled in; empty if all were. */
  readonly wrong: readonly string[];
}

const TOO_LONG = `Cannot fill in this text: ${beyond("filledIn", oneMoreThan("filledIn"))}`;

/** The names allowed between braces, with their values. */
interface KnownValues {
  readonly values: ReadonlyMap<string, Json>;
  /** Names of all parameters, including those missing in `values` because their value is wrong. */
  readonly names: ReadonlySet<string>;
}

/** A text that consists of `${name}` only. */
const ALONE = /^\$\{([^{}]*)\}$/;
/** `${name}`, or `$${`, which stands for `${` itself. */
const WITHIN = /\$\$\{|\$\{([^{}]*)\}/g;

/**
 * The data with every `${name}` filled in: a placeholder that stands alone becomes the value, whatever its type; within
 * a text the value becomes text. Keys of maps stay as they are. If all texts together exceed `LIMITS.filledIn`, those
 * beyond the limit are left empty.
 */
export function fillPlaceholders(
  data: unknown,
  known: KnownValues,
): { data: unknown; uses: readonly PlaceholderUse[] } {
  const filling = new Filling(known);
  return { data: filling.filled(data, []), uses: filling.uses };
}

class Filling {
  readonly uses: PlaceholderUse[] = [];
  /** Lengths of the values as written, by name. */
  readonly #lengths = new Map<string, number>();
  /** Total characters of all texts so far; a text that an alias repeats counts each time. */
  #chars = 0;
  #mistakes = 0;

  constructor(private readonly known: KnownValues) {}

  filled(value: unknown, path: Path): unknown {
    if (typeof value === "string") return this.#text(value, path);
    if (Array.isArray(value)) return value.map((item, at) => this.filled(item, [...path, at]));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.filled(inner, [...path, key])]),
    );
  }

  #text(written: string, path: Path): unknown {
    const names = namesIn(written);
    const chars = names.reduce((sum, name) => sum + this.#lengthOf(name), written.length);
    if (!isWithin("filledIn", this.#chars + chars)) {
      this.uses.push({ path, names, wrong: [TOO_LONG] });
      return "";
    }
    this.#chars += chars;
    if (names.length === 0) return unescaped(written);
    const wrong = whyNot(written, this.known, isWithin("problems", this.#mistakes + 1));
    this.#mistakes += wrong.length;
    this.uses.push({ path, names, wrong });
    return wrong.length === 0 ? replaced(written, this.known.values) : written;
  }

  #lengthOf(name: string): number {
    const known = this.#lengths.get(name);
    if (known !== undefined) return known;
    const value = this.known.values.get(name);
    const { length } = Array.isArray(value) ? JSON.stringify(value) : String(value ?? "");
    this.#lengths.set(name, length);
    return length;
  }
}

export function holdsPlaceholder(text: string): boolean {
  return namesIn(text).length > 0;
}

/** Names in all texts of the data, each once. */
export function namesWithin(data: unknown): Set<string> {
  if (typeof data === "string") return new Set(namesIn(data));
  if (typeof data !== "object" || data === null) return new Set();
  return new Set(Object.values(data).flatMap((inner) => [...namesWithin(inner)]));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(WITHIN)].flatMap(([, name]) => name === undefined ? [] : [name.trim()]);
}

/** @param isRead Whether anyone reads a suggestion for an unknown name, which takes a comparison with all names. */
function whyNot(text: string, { values, names }: KnownValues, isRead: boolean): string[] {
  const unset = namesIn(text).filter((name) => isEnvName(name) && !values.has(name));
  const unknown = namesIn(text).find((name) => !isEnvName(name) && !names.has(name));
  if (unknown !== undefined || unset.length > 0) {
    const own = unknown === undefined
      ? []
      : [isRead ? unknownName(unknown, names) : `Cannot fill in \${${unknown}}`];
    return [...own, ...[...new Set(unset)].map(whyNoVariable)];
  }
  const list = ALONE.test(text)
    ? undefined
    : namesIn(text).find((name) => Array.isArray(values.get(name)));
  if (list === undefined) return [];
  return [
    `Cannot put the list \${${list}} into a longer text: give it a single value, or write nothing around \${${list}}`,
  ];
}

/** The most parameters that are compared with an unknown name. */
const MOST_COMPARED = 1_000;

function unknownName(name: string, names: ReadonlySet<string>): string {
  const known = [...names].slice(0, MOST_COMPARED);
  const text = `\${${name}}`;
  const fix = known.length === 0
    ? "the file has no parameters"
    : didYouMean(name, known) ?? `the parameters are ${known.join(", ")}`;
  return `Cannot fill in ${text}: ${fix}; for the text ${text} itself, write $${text}`;
}

/** Replaces placeholders; one without a value stays unchanged. */
function replaced(text: string, values: ReadonlyMap<string, Json>): Json {
  const alone = ALONE.exec(text);
  if (alone) return values.get(alone[1].trim()) ?? text;
  return text.replaceAll(WITHIN, (whole: string, name: string | undefined) => {
    if (name === undefined) return "${";
    return String(values.get(name.trim()) ?? whole);
  });
}

function unescaped(text: string): string {
  return text.replaceAll("$${", "${");
}

/** Reads one environment variable rather than all, because Plateau may only have permission for that one. */
export type Environment = (name: string) => string | undefined;

export const NO_ENVIRONMENT: Environment = () => undefined;

const BEFORE = "env.";
/** Names that shells accept (POSIX.1-2017 §8.1, and lower-case letters). */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether the name refers to the environment; names of parameters have no dot. */
export function isEnvName(name: string): boolean {
  return name.startsWith(BEFORE);
}

/** Values of the variables that are set and not empty, by their names between the braces. */
export function variablesOf(
  names: Iterable<string>,
  environment: Environment,
): Map<string, string> {
  return new Map([...names].flatMap((name): [string, string][] => {
    const variable = name.slice(BEFORE.length);
    const value = isEnvName(name) && NAME.test(variable) ? environment(variable) : undefined;
    return value ? [[name, value]] : [];
  }));
}

/**
 * Why a variable has no value. CI systems set a variable to nothing to hide a secret from a run, so an empty one counts
 * as missing.
 */
function whyNoVariable(name: string): string {
  const variable = name.slice(BEFORE.length);
  const text = `\${${name}}`;
  return NAME.test(variable)
    ? `Cannot fill in ${text}: the environment variable ${variable} is not set (set it: ${variable}=… plateau run …)`
    : `Cannot fill in ${text}: this cannot be the name of a variable (write a name, as in \${env.TOKEN})`;
}
