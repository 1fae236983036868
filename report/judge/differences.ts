/** Conditions that differ between two results: each makes their comparison doubtful. */
import type { Measurement, Results, Run } from "../../runner/result/result.ts";
import type { Grouped } from "../cells/cells.ts";
import { sum } from "../writing/spread.ts";
import { formatQuantity, sizeUnit } from "../writing/units.ts";
import { unique } from "../writing/words.ts";
import { type CellPair, nameOf } from "../cells/match.ts";

/** One side of a comparison: all of an experiment's results, or a single measurement. */
export interface ResultSide extends Grouped {
  /** Version of Plateau. */
  readonly version: string;
  /** Null if unknown. */
  readonly machine: Results["machine"] | null;
  readonly profiles?: Results["profiles"];
}

/** Facts of a machine that change from boot to boot, or say nothing about its speed. */
const IMMATERIAL = ["openFiles", "ports"];

const MACHINE_WORDS: Readonly<Record<string, string>> = {
  os: "operating system",
  arch: "architecture",
  hostname: "host",
  cpu: "processor",
  allowedCores: "allowed cores",
  virtual: "virtual machine",
  deno: "Deno",
  v8: "V8",
};

/** A condition that differs between the sides. */
export interface ConditionDifference {
  /** `static, hono: load.connections`, `processor` */
  readonly what: string;
  /** Null or undefined if a side lacks the setting. */
  readonly base: unknown;
  readonly next: unknown;
}

/** Differences between results. Seeds are ignored, and a difference that several cells share is listed once. */
export function resultDifferences(
  base: ResultSide,
  next: ResultSide,
  matches: readonly CellPair[],
): ConditionDifference[] {
  const all = [
    ...machineDifferences(base, next),
    ...difference("Plateau", base.version, next.version),
    ...["fresh", "order", "discard", "figures", "interval", "pin", "observe"].flatMap((key) =>
      differences(key, base.experiment?.[key], next.experiment?.[key])
    ),
    ...matches.flatMap((match) => cellDifferences(match, { base, next })),
  ];
  return [...new Map(all.map((one) => [sortedJson(one), one])).values()];
}

function machineDifferences(
  { machine: base }: ResultSide,
  { machine: next }: ResultSide,
): ConditionDifference[] {
  if (base === null || next === null) return [];
  return Object.entries(base)
    .filter(([key]) => !IMMATERIAL.includes(key))
    .flatMap(([key, value]) =>
      differences(MACHINE_WORDS[key] ?? key, value, Reflect.get(next, key))
    );
}

function cellDifferences(
  { base: of, next: to }: CellPair,
  { base, next }: { base: ResultSide; next: ResultSide },
): ConditionDifference[] {
  const [[ofRun], [toRun]] = [of.runs, to.runs];
  const place = `${nameOf(to)}: `;
  // If target names differ, their settings are the very thing that is compared.
  const isSameTarget = of.target === to.target;
  const specs = (kind: "scenario" | "target"): ConditionDifference[] =>
    differences(
      `${kind}s.${to[kind]}`,
      settled(propertyOf(base.experiment?.[`${kind}s`], of[kind]), ofRun.parameters),
      settled(propertyOf(next.experiment?.[`${kind}s`], to[kind]), toRun.parameters),
    );
  return [
    ...difference(`${place}scenario`, of.scenario, to.scenario),
    ...specs("scenario"),
    ...(isSameTarget ? specs("target") : []),
    ...(isSameTarget ? difference(`${place}runtime`, ofRun.runtime, toRun.runtime) : []),
    ...difference(`${place}driver`, ofRun.driver, toRun.driver),
    ...differences(`${place}load`, loadOf(ofRun), loadOf(toRun)),
    ...responseDifferences({ base: of, next: to }),
  ];
}

/** Sizes must differ by more than both of these: smaller differences may be those of header fields. */
const OTHER_SIZE = { bytes: 1_000, ratio: 1.1 };

/** Differences in status and size: a target that sends less, or a redirect, does less work, so it only seems faster. */
export function responseDifferences(match: CellPair): ConditionDifference[] {
  const [base, next] = [match.base, match.next].map(({ runs }) => responsesOf(runs));
  return [
    ...base === null || next === null
      ? []
      : difference(`${nameOf(match.next)}: status of most responses`, base.status, next.status),
    ...sizeDifferences(match),
  ];
}

export function sizeDifferences({ base: of, next: to }: CellPair): ConditionDifference[] {
  const [base, next] = [of, to].map(({ runs }) => responsesOf(runs));
  if (base === null || next === null) return [];
  const [less, more] = [base, next].toSorted((a, b) => a.bytes - b.bytes);
  // The mean size of a mix differs by chance, but not in all runs.
  const isOtherSize = more.bytes - less.bytes > OTHER_SIZE.bytes &&
    Math.min(...more.byRun) > OTHER_SIZE.ratio * Math.max(...less.byRun);
  return isOtherSize
    ? difference(
      `${nameOf(to)}: size of a response`,
      sizeText(base.bytes),
      sizeText(next.bytes),
    )
    : [];
}

interface Responses {
  /** Status of most responses. */
  readonly status: string;
  /** Mean size of a response with its head, over all runs and for each run. */
  readonly bytes: number;
  readonly byRun: readonly number[];
}

/** With a larger share of failures, the octets of responses that broke off would distort the mean size of the others. */
const MOST_FAILED_RATIO = 0.01;

/** A typical response; null without any, if many failed, and for streams and WebSockets, which the client ends. */
function responsesOf(runs: readonly Run[]): Responses | null {
  const completed = sum(runs, ({ requests }) => requests.completed);
  const isHeld = runs.some(({ streams, sockets }) =>
    streams !== undefined || sockets !== undefined
  );
  const failed = sum(runs, ({ requests }) => requests.failed);
  if (completed === 0 || isHeld || failed > MOST_FAILED_RATIO * completed) return null;
  const codes = unique(runs.flatMap(({ status }) => Object.keys(status)));
  const [status = "none"] = codes.toSorted((a, b) => countOf(b) - countOf(a));
  return {
    status,
    bytes: sum(runs, ({ bytes }) => bytes.in) / completed,
    byRun: runs.filter(({ requests }) => requests.completed > 0)
      .map(({ bytes, requests }) => bytes.in / requests.completed),
  };

  function countOf(code: string): number {
    return sum(runs, (run) => run.status[code] ?? 0);
  }
}

function sizeText(bytes: number): string {
  return formatQuantity(bytes, sizeUnit([bytes]));
}

/** The load without the seed of its arrivals, and without the rate that a search for a capacity found. */
function loadOf({ load }: Measurement): Record<string, unknown> {
  const found = load.kind === "capacity" ? ["seed", "rate"] : ["seed"];
  return Object.fromEntries(Object.entries(load).filter(([key]) => !found.includes(key)));
}

/** Keys of a target in which a list makes a factor. */
const WITH_FACTORS = ["set", "env", "cluster", "proxy"];

/**
 * A scenario or target with this cell's value in place of each list that makes a factor. A scenario's own load is left
 * out, because runs record their loads themselves.
 */
function settled(spec: unknown, parameters: Readonly<Record<string, unknown>>): unknown {
  if (!isMap(spec)) return spec;
  const valueOf = (path: string, value: unknown): unknown =>
    parameters[path] ?? (Array.isArray(value) && value.length === 1 ? value[0] : value);
  const parts = Object.entries(spec).filter(([name]) => name !== "load").map(([name, part]) => {
    if (!WITH_FACTORS.includes(name) || !isMap(part)) return [name, part];
    const entries = Object.entries(part).map(([key, value]) => [
      key,
      valueOf(`${name}.${key}`, value),
    ]);
    return [name, Object.fromEntries(entries)];
  });
  return Object.fromEntries(parts);
}

/** Every leaf at which two values differ. */
function differences(name: string, base: unknown, next: unknown): ConditionDifference[] {
  if (!isMap(base) || !isMap(next)) return difference(name, base, next);
  const keys = unique([...Object.keys(base), ...Object.keys(next)]);
  return keys.flatMap((key) => differences(`${name}.${key}`, base[key], next[key]));
}

function difference(what: string, base: unknown, next: unknown): ConditionDifference[] {
  return sortedJson(base) === sortedJson(next) ? [] : [{ what, base, next }];
}

function sortedJson(value: unknown): string {
  return JSON.stringify(
    value ?? null,
    (_, inner: unknown) =>
      isMap(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function propertyOf(value: unknown, key: string): unknown {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
