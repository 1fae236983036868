/** Replaces `${name}` with the value of a parameter, and `${env.NAME}` with an environment variable. Pure. */
import { beyond, isWithin, oneMoreThan } from "../../base/limits.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import type { Path } from "../../base/problems.ts";
import { didYouMean } from "../../base/suggest.ts";

/** A text with placeholders in it. */
export interface PlaceholderUse {
  readonly path: Path;
  readonly names: readonly string[];
  /** Why placeholders could not be filled in; empty if all were. */
  readonly wrong: readonly string[];
}

const TOO_LONG = `Cannot fill in this text: ${beyond("filledIn", oneMoreThan("filledIn"))}`;

/** The names that may stand between the braces, with their values. */
interface KnownValues {
  readonly values: ReadonlyMap<string, Json>;
  /** The names of all parameters, including those without an entry in `values` because their value is invalid. */
  readonly names: ReadonlySet<string>;
}

/** Matches a text that is one `${name}` and nothing else. */
const ALONE = /^\$\{([^{}]*)\}$/;
/** Matches `${name}`, and `$${`, which is the escaped form of `${`. */
const WITHIN = /\$\$\{|\$\{([^{}]*)\}/g;

/**
 * Fills in every `${name}` in the data. A text that is only a placeholder is replaced by the value itself, which may be
 * of any type; within a longer text, the value is converted to text. Keys of maps are never changed. If all texts
 * together exceed `LIMITS.filledIn`, those beyond the limit are left empty.
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
  /** The length of each value as text, keyed by the value's name. */
  readonly #lengths = new Map<string, number>();
  /** The total length of all texts so far, in characters. A text that is repeated by a YAML alias counts each time. */
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

/** The names of all placeholders in the data. */
export function namesWithin(data: unknown): Set<string> {
  if (typeof data === "string") return new Set(namesIn(data));
  if (typeof data !== "object" || data === null) return new Set();
  return new Set(Object.values(data).flatMap((inner) => [...namesWithin(inner)]));
}

function namesIn(text: string): string[] {
  return [...text.matchAll(WITHIN)].flatMap(([, name]) => name === undefined ? [] : [name.trim()]);
}

/**
 * @param isRead Whether to suggest a similar name for an unknown one. This requires a comparison with all names, so it
 * is left out if nobody will read the message.
 */
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

/** An unknown name is compared with at most this many parameters. */
const MOST_COMPARED = 1_000;

function unknownName(name: string, names: ReadonlySet<string>): string {
  const known = [...names].slice(0, MOST_COMPARED);
  const text = `\${${name}}`;
  const fix = known.length === 0
    ? "the file has no parameters"
    : didYouMean(name, known) ?? `the parameters are ${known.join(", ")}`;
  return `Cannot fill in ${text}: ${fix}; for the text ${text} itself, write $${text}`;
}

/** Replaces the placeholders in a text. Those without a value stay as written. */
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

/** Reads one environment variable at a time, because Plateau may have permission for only some of them. */
export type Environment = (name: string) => string | undefined;

export const NO_ENVIRONMENT: Environment = () => undefined;

const BEFORE = "env.";
/**
 * Matches names that shells accept: those of POSIX.1-2017 §8.1, which has only capital letters, and those with
 * lower-case letters.
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether the name refers to an environment variable. Names of parameters have no dots. */
export function isEnvName(name: string): boolean {
  return name.startsWith(BEFORE);
}

/** The values of those environment variables that are set and not empty, by their names with the prefix `env.`. */
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
 * Why a variable has no value. An empty one counts as not set, because CI systems hide a secret from a run by setting
 * its variable to "".
 */
function whyNoVariable(name: string): string {
  const variable = name.slice(BEFORE.length);
  const text = `\${${name}}`;
  return NAME.test(variable)
    ? `Cannot fill in ${text}: the environment variable ${variable} is not set (set it: ${variable}=… plateau run …)`
    : `Cannot fill in ${text}: this cannot be the name of a variable (write a name, as in \${env.TOKEN})`;
}
