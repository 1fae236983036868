/**
 * Selectors, which select cells by target, scenario and values of factors, in any order: `fastify, static,
 * connections=50`. A selector includes every value of a dimension that it does not mention. Pure.
 */
import type { Read } from "./figure.ts";
import { beyond, isWithin } from "../limits.ts";
import { parseDurationMs, parseRatePerSec } from "../quantity.ts";
import { didYouMean } from "../suggest.ts";
import { quotedOpenly } from "../secrets.ts";

/** One word of a selector: a name, or `factor=value`. */
interface SelectorPart {
  /** `target`, `scenario`, a factor's path, or the last part of that path; null for a bare name. */
  readonly key: string | null;
  readonly value: string;
}

export interface Selector {
  /** The selector as written, with single spaces. */
  readonly text: string;
  /** The selector's words. A selector without words selects every cell. */
  readonly parts: readonly SelectorPart[];
}

/** The part of a cell that a selector reads. */
export interface SelectableCell {
  readonly target: string;
  readonly scenario: string;
  /** Values of the factors as users write them, keyed by path. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Values of the settings that have a single value and so are not factors, keyed by path; absent if unknown. */
  readonly constants?: Readonly<Record<string, unknown>>;
  /** Whether this is a single request of a scenario. It is selected only by its own name, such as `checkout.pay`. */
  readonly isStep?: boolean;
}

/** The names by which an experiment's cells can be selected. */
export interface ExperimentNames {
  readonly targets: readonly string[];
  readonly scenarios: readonly string[];
  /** Paths of the factors; null if they are not known yet, so that any path is accepted. */
  readonly factors: readonly string[] | null;
  /** Paths of the settings that are not factors of this experiment, because each has only one value. Default: none. */
  readonly others?: readonly string[];
}

/** A selector whose words have all been resolved. */
export interface Selection {
  readonly text: string;
  /** Null selects every target. */
  readonly target: string | null;
  readonly scenario: string | null;
  /** Values of factors, keyed by path, or by the key as written if the paths are not known yet. */
  readonly factors: Readonly<Record<string, string>>;
}

/** Splits the text into words; `selectionOf` checks what they mean. */
export function parseSelector(text: string): Read<Selector> {
  if (!isWithin("sentence", text.length)) {
    return { problem: `Cannot read a selector: ${beyond("sentence", text.length)}` };
  }
  const plain = text.trim().replaceAll(/\s+/g, " ");
  if (plain === "") return { value: { text: "", parts: [] } };
  const parts: SelectorPart[] = [];
  for (const word of plain.split(COMMA)) {
    const part = partOf(word);
    if (part === null) {
      const fix =
        "write names of targets or scenarios, and factor=value, with commas between them, " +
        "such as fastify, static, connections=50";
      return { problem: `Cannot read ${quotedOpenly(plain)} as a selector: ${fix}` };
    }
    parts.push(part);
  }
  return { value: { text: plain, parts } };
}

/** A comma outside quotation marks: an even number of quotation marks follows it. */
const COMMA = /,(?=(?:[^"]*"[^"]*")*[^"]*$)/;

function partOf(word: string): SelectorPart | null {
  const isQuoted = /^"[^"]*"$/.test(word.trim());
  const [, key, written] = isQuoted ? [] : /^([^=]*?)\s*=\s*(.*)$/s.exec(word.trim()) ?? [];
  const value = unquoted((written ?? word).trim());
  if (value === "" || key === "") return null;
  return { key: key ?? null, value };
}

function unquoted(text: string): string {
  return /^"[^"]*"$/.test(text) ? text.slice(1, -1) : text;
}

/**
 * Resolves every word of a selector, or returns the problem of the first one that names nothing, is ambiguous, or
 * selects a second target, scenario or value of a factor.
 */
export function selectionOf({ text, parts }: Selector, names: ExperimentNames): Read<Selection> {
  const found: Record<string, string> = {};
  for (const part of parts) {
    const meant = part.key === null ? meantByName(part.value, names) : meantByKey(part, names);
    if ("problem" in meant) return meant;
    const { dimension, value } = meant.value;
    if (Object.hasOwn(found, dimension)) {
      const problem = `Cannot select ${nounOf(dimension)} twice: ${found[dimension]} and ${value}`;
      return { problem };
    }
    found[dimension] = value;
  }
  const { [TARGET]: target = null, [SCENARIO]: scenario = null, ...factors } = found;
  return { value: { text, target, scenario, factors } };
}

/**
 * Dimensions of the words that name a target or a scenario. The dimension of any other word is the path of a factor,
 * which never equals these, because they contain a space.
 */
export const TARGET = "a target";
export const SCENARIO = "a scenario";

interface Meant {
  readonly dimension: string;
  readonly value: string;
}

function nounOf(dimension: string): string {
  return dimension === TARGET || dimension === SCENARIO ? dimension : `factor ${dimension}`;
}

function meantByName(
  value: string,
  { targets, scenarios, factors }: ExperimentNames,
): Read<Meant> {
  const [isTarget, isScenario] = [targets.includes(value), scenarios.includes(value)];
  if (isTarget && isScenario) {
    const fix = `write target=${value} or scenario=${value}`;
    return {
      problem: `Cannot use ${quotedOpenly(value)}: it names both a target and a scenario; ${fix}`,
    };
  }
  if (isTarget) return { value: { dimension: TARGET, value } };
  if (isScenario) return { value: { dimension: SCENARIO, value } };
  const fix = didYouMean(value, [...targets, ...scenarios]) ??
    `the targets are ${targets.join(", ")}, the scenarios are ${scenarios.join(", ")}${
      factorsText(factors ?? [])
    }`;
  return { problem: `Cannot find the target or scenario ${quotedOpenly(value)}: ${fix}` };
}

/** Explains how to select by a factor, because users may copy a factor's bare value from the report. */
function factorsText(factors: readonly string[]): string {
  if (factors.length === 0) return "";
  const written = new Set(factors.map((path) => `${lastPart(path)}=VALUE`));
  return `; to select by a factor, write ${[...written].join(" or ")}`;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function meantByKey({ key, value }: SelectorPart, names: ExperimentNames): Read<Meant> {
  if (key === "target") return known("target", TARGET, { value, among: names.targets });
  if (key === "scenario") return known("scenario", SCENARIO, { value, among: names.scenarios });
  const path = pathOf(key ?? "", names);
  return "problem" in path ? path : { value: { dimension: path.value, value } };
}

function known(
  noun: string,
  dimension: string,
  { value, among }: { value: string; among: readonly string[] },
): Read<Meant> {
  if (among.includes(value)) return { value: { dimension, value } };
  const fix = didYouMean(value, among) ?? `the ${noun}s are ${among.join(", ")}`;
  return { problem: `Cannot find the ${noun} ${quotedOpenly(value)}: ${fix}` };
}

/**
 * The path that the key names, looked for among the factors, and then among the settings that do not vary. Returns a
 * problem if there is none or more than one, and the key itself if the factors are not known yet.
 */
function pathOf(key: string, { factors, others = [] }: ExperimentNames): Read<string> {
  if (factors === null) return { value: key };
  const found = pathAmong(factors, key) ?? pathAmong(others, key);
  if (found !== null) return found;
  const all = [...factors, ...others];
  const short = all.map(lastPart);
  const fix = didYouMean(key, [...all, ...short]) ??
    (factors.length === 0
      ? "the experiment has no factors"
      : `the factors are ${factors.join(", ")}`);
  return { problem: `Cannot find the factor ${quotedOpenly(key)}: ${fix}` };
}

/**
 * The path that equals the key, or else the only one that ends with it. Returns null if there is none, and a problem if
 * several paths end with the key.
 */
function pathAmong(paths: readonly string[], key: string): Read<string> | null {
  if (paths.includes(key)) return { value: key };
  const [path, ...more] = paths.filter((one) => one.endsWith(`.${key}`));
  if (path === undefined) return null;
  return more.length === 0 ? { value: path } : {
    problem: `Cannot use ${quotedOpenly(key)}: it names several factors; write ${
      [path, ...more].join(" or ")
    }`,
  };
}

export function namesInCells(
  cells: readonly SelectableCell[],
): ExperimentNames & { factors: string[] } {
  return {
    targets: [...new Set(cells.map(({ target }) => target))],
    scenarios: [...new Set(cells.map(({ scenario }) => scenario))],
    factors: [...new Set(cells.flatMap(({ parameters }) => Object.keys(parameters)))],
  };
}

/** The cells that a selection selects, in the given order. */
export function cellsIn<C extends SelectableCell>(selection: Selection, cells: readonly C[]): C[] {
  const { target, scenario, factors } = selection;
  return cells.filter((cell) =>
    (target === null || cell.target === target) &&
    (scenario === null || cell.scenario === scenario) &&
    Object.entries(factors).every(([path, value]) => hasValue(cell, path, value))
  );
}

function hasValue(
  { parameters, constants = {} }: SelectableCell,
  path: string,
  value: string,
): boolean {
  const values = Object.hasOwn(parameters, path) ? parameters : constants;
  return Object.hasOwn(values, path) && isValue(value, values[path]);
}

/** Whether a value equals the one that the user wrote, in any notation: `100ms` equals `0.1s`, `60/m` equals `1/s`. */
export function isValue(written: string, value: unknown): boolean {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text === written) return true;
  return [parseDurationMs, parseRatePerSec, numberOf].some((parse) => {
    const [one, other] = [parse(written), parse(text)];
    return one !== null && one === other;
  });
}

function numberOf(text: string): number | null {
  return text.trim() === "" || Number.isNaN(Number(text)) ? null : Number(text);
}
