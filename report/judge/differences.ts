/** Lists the conditions in which two results differ. Each makes their comparison doubtful. */
import type { Measurement, Results, Run } from "../../runner/result/result.ts";
import type { Grouped } from "../cells/cells.ts";
import { sum } from "../writing/spread.ts";
import { formatQuantity, sizeUnit } from "../writing/units.ts";
import { unique } from "../writing/words.ts";
import { type CellPair, nameOf } from "../cells/match.ts";

/** One side of a comparison: all of an experiment's results, or a single measurement. */
export interface ResultSide extends Grouped {
  readonly version: string;
  readonly machine: Results["machine"] | null;
  readonly profiles?: Results["profiles"];
}

/** Properties of a machine that change at each boot, or don't affect its speed. */
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

export interface ConditionDifference {
  /** Examples: `static, hono: load.connections`, `processor`. */
  readonly what: string;
  /** The value on each side; null or undefined if the side lacks the setting. */
  readonly base: unknown;
  readonly next: unknown;
}

/** All differences between two results, except seeds. A difference that several cells share is listed once. */
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
  // If the target names differ, the comparison is about the targets, so differences in their
  // settings are intended.
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

/**
 * Mean sizes must differ by more than both of these to be reported, because header fields alone may cause smaller
 * differences.
 */
const OTHER_SIZE = { bytes: 1_000, ratio: 1.1 };

/**
 * Differences in the status and size of responses. A target that sends smaller responses or redirects does less work,
 * so it only seems faster.
 */
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
  // The mean size of a mix of responses varies by chance, so every run of one side must be larger
  // than every run of the other.
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
  /** Mean size of a response including its head: over all runs, and for each run. */
  readonly bytes: number;
  readonly byRun: readonly number[];
}

/** With a larger share of failures, truncated responses would distort the mean size. */
const MOST_FAILED_RATIO = 0.01;

/**
 * The typical response of the runs. Null if there is none, if too many requests failed, or for event streams and
 * WebSockets, whose length the client decides.
 */
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

/**
 * The load, except for the random seed of its arrivals and the rate found by a capacity search, which vary from run to
 * run.
 */
function loadOf({ load }: Measurement): Record<string, unknown> {
  const found = load.kind === "capacity" ? ["seed", "rate"] : ["seed"];
  return Object.fromEntries(Object.entries(load).filter(([key]) => !found.includes(key)));
}

/** Keys of a target under which a list of values defines a factor. */
const WITH_FACTORS = ["set", "env", "cluster", "proxy"];

/**
 * Replaces each list that defines a factor with the value used in this cell. The load of a scenario is left out,
 * because each run records its load itself.
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

/** Lists every leaf, by its path, at which two values differ. */
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
