/**
 * Factors whose values are numbers, possibly with a unit (`100ms`), so that figures can be drawn as lines over them.
 */
import { parseBytes, parseDurationMs, parseRatePerSec } from "../../base/quantity.ts";
import type { Run } from "../../runner/result/result.ts";
import { formatMs, formatNumber, formatQuantity, formatTick, sizeUnit } from "../writing/units.ts";

type VariedCell = { readonly runs: readonly Run[] };
type ParameterValue = Run["parameters"][string];

/** The unit of a factor's numbers: none, ms, events per second, or bytes. */
type FactorKind = "plain" | "time" | "rate" | "size";

export interface FactorValue {
  readonly at: number;
  /** The value as readers see it: `64`, `100ms`, `1,000/s`. */
  readonly text: string;
}

export interface NumericFactor {
  /** Path, as in the runs' parameters: `connections`, `set.delay`. */
  readonly path: string;
  /** Name as readers see it: the last part of the path if it is unique, otherwise the path. */
  readonly name: string;
  readonly kind: FactorKind;
  /** Ascending, without duplicates. */
  readonly values: readonly FactorValue[];
  /** Whether the factor is the offered rate of requests, which throughput can't exceed. */
  readonly isOffered: boolean;
}

/** The fewest values that make a line in a chart. */
const LEAST_VALUES = 3;

/** A scenario's factors over which a line can be drawn, in the order of the parameters. */
export function numericFactors(cells: readonly VariedCell[]): NumericFactor[] {
  return factorPaths(cells).flatMap((path) => {
    const factor = numericFactor(cells, path);
    return factor !== null && factor.values.length >= LEAST_VALUES ? [factor] : [];
  });
}

/**
 * The factor at a path; null if no cell has it, if a value is not a number, or if values have units of different kinds.
 */
export function numericFactor(cells: readonly VariedCell[], path: string): NumericFactor | null {
  const holders = cells.filter((cell) => valueOf(cell, path) !== undefined);
  const read = holders.map((cell) => readValue(valueOf(cell, path) ?? null));
  const numbers = read.filter((value) => value !== null);
  const kind = numbers.find(({ at, kind }) => at !== 0 || kind !== "plain")?.kind ?? "plain";
  const isAlike = numbers.every((value) => value.kind === kind || value.at === 0);
  if (numbers.length === 0 || numbers.length < read.length || !isAlike) return null;
  const values = [...new Map(numbers.map(({ at, text }) => [at, { at, text }])).values()]
    .sort((a, b) => a.at - b.at);
  const isOffered = lastPart(path) === "rate" && kind === "rate" && holders.every(isPaced);
  return { path, name: factorName(cells, path), kind, values, isOffered };
}

/**
 * Whether the load has a rate of requests. A rate of virtual users does not count, because each user may send several
 * requests.
 */
function isPaced({ runs }: VariedCell): boolean {
  return runs.every(({ load, sessions }) => load.kind === "rate" && sessions === null);
}

/** The paths of all factors of any cell. */
export function factorPaths(cells: readonly VariedCell[]): string[] {
  return [...new Set(cells.flatMap(({ runs: [{ parameters }] }) => Object.keys(parameters)))];
}

export function valueOf(
  { runs: [{ parameters }] }: VariedCell,
  path: string,
): ParameterValue | undefined {
  return Object.hasOwn(parameters, path) ? parameters[path] : undefined;
}

/** Position of a cell on the factor's axis; NaN if the cell does not have the factor. */
export function positionOf(cell: VariedCell, { path }: NumericFactor): number {
  return readValue(valueOf(cell, path) ?? null)?.at ?? NaN;
}

/** The text of the value at a position, as people read it. */
export function textAt({ values }: NumericFactor, position: number): string {
  return values.find(({ at }) => at === position)?.text ?? String(position);
}

/**
 * Name of a factor as readers see it: the last part of its path, or the whole path if another factor ends in the same
 * part.
 */
export function factorName(cells: readonly VariedCell[], path: string): string {
  const isOnly =
    factorPaths(cells).filter((other) => lastPart(other) === lastPart(path)).length <= 1;
  return isOnly ? lastPart(path) : path;
}

function lastPart(path: string): string {
  return path.split(".").at(-1) ?? path;
}

/** The value as readers see it, even if it is not a number, such as `redis` or `true`. */
export function valueText(value: ParameterValue | undefined): string {
  return typeof value === "string"
    ? readValue(value)?.text ?? value
    : typeof value === "number"
    ? formatTick(value)
    : JSON.stringify(value ?? null);
}

/** A factor's values as the experiment file lists them; empty if the file has no list for the factor. */
export function writtenValues(experiment: unknown, path: string): string[] {
  const key = path.slice(path.lastIndexOf(".") + 1);
  const found = listsUnder(experiment, key).toSorted((a, b) => b.length - a.length)[0] ?? [];
  return found.map((value) => valueText(value));
}

function listsUnder(value: unknown, key: string): ParameterValue[][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && Array.isArray(inner) ? [inner] : listsUnder(inner, key)
  );
}

/** Names of factors that follow the number in a sentence, as in `64 connections`. */
const COUNTED = ["connections", "instances", "workers", "requests", "pipeline"];

/** Name of a factor in a sentence about how it varies: `number of connections`, `cpuTime`. */
export function variableName(name: string, article: "" | "the " = ""): string {
  return COUNTED.includes(name) ? `${article}number of ${name}` : name;
}

/** A value as part of a sentence: `64 connections`, `5,000/s`, `delay 100ms`. */
export function phraseOf({ name, kind }: NumericFactor, text: string): string {
  if (kind === "rate" && name === "rate") return text;
  if (kind !== "plain" || !COUNTED.includes(name)) return `${name} ${text}`;
  return text === "1" ? `1 ${name.replace(/s$/, "")}` : `${text} ${name}`;
}

/** Text for a position between measured values, in the factor's unit. */
export function betweenText({ name, kind }: NumericFactor, at: number): string {
  switch (kind) {
    case "time":
      return formatMs(at);
    case "rate":
      return `${formatNumber(at)}/s`;
    case "size":
      return formatQuantity(at, sizeUnit([at]));
    case "plain":
      return COUNTED.includes(name) ? formatTick(Math.round(at)) : formatNumber(at);
  }
}

/**
 * Reads a number, or a text with a unit of rate, time or size. The text may also be a parameter of a user's own target,
 * such as `16 kB`.
 */
function readValue(value: ParameterValue): (FactorValue & { readonly kind: FactorKind }) | null {
  if (typeof value === "number") return { at: value, text: formatTick(value), kind: "plain" };
  if (typeof value !== "string") return null;
  const written = value.trim().replace(/(?<=\d)\s+/, "");
  if (/^\d+(?:\.\d+)?$/.test(written)) return readValue(Number(written));
  const perSec = parseRatePerSec(written);
  if (perSec !== null) {
    const [count, time] = written.split("/");
    return { at: perSec, text: `${formatTick(Number(count))}/${time}`, kind: "rate" };
  }
  const [ms, bytes] = [parseDurationMs(written), parseBytes(written)];
  if (ms !== null) return { at: ms, text: value, kind: "time" };
  return bytes === null ? null : { at: bytes, text: value, kind: "size" };
}
