/**
 * Checks whether the names in claims, thresholds, published tables, and in `compare` and `base`, exist in the
 * experiment. Pure.
 */
import { BOUNDED } from "../../base/figures/bound.ts";
import { AS_INPUT } from "../../base/explain.ts";
import type { Conflict } from "../../base/problems.ts";
import { type Claim, claimInResults, type ClaimSide, type FigureSide } from "./claim.ts";
import { choiceOf, factorsOf, scenariosOf } from "../../base/figures/cells.ts";
import {
  type ExperimentNames,
  parseSelector,
  type Selection,
  selectionOf,
} from "../../base/figures/selector.ts";
import { isStepFigure, stepPathsIn } from "../../base/figures/steps.ts";
import { didYouMean } from "../../base/suggest.ts";
import type { Published, PublishedValues } from "./published.ts";
import type { Read } from "../../base/figures/figure.ts";
import { threshold } from "./threshold.ts";
import { quotedOpenly } from "../../base/secrets.ts";

/**
 * The sections of an experiment that matter to claims and thresholds. Any of them may be invalid, because the schema
 * reports that separately.
 */
interface Claiming {
  readonly claims?: unknown;
  readonly thresholds?: unknown;
  readonly targets?: unknown;
  readonly scenarios?: unknown;
  readonly load?: unknown;
  readonly ceilings?: unknown;
}

/**
 * The names that a claim or threshold uses: selectors of cells, each with its figure or null, and the measured peaks
 * (of the load generator or Redis) that it compares with.
 */
interface UsedNames {
  readonly cells: readonly (Pick<FigureSide, "selector"> & { readonly figure: string | null })[];
  readonly peaks: readonly string[];
}

export function claimConflicts(given: Claiming): Conflict[] {
  return namingConflicts(given, "claims", (one) => {
    const { data: claim } = claimInResults.safeParse(one, AS_INPUT);
    const said = claim === undefined ? [] : saidBy(claim);
    return { cells: said.flatMap(cellsOf), peaks: said.flatMap(peaksOf) };
  });
}

/** Problems with names in thresholds. */
export function thresholdConflicts(given: Claiming): Conflict[] {
  return namingConflicts(given, "thresholds", (one) => {
    const { data: rule } = threshold.safeParse(one, AS_INPUT);
    const figure = rule?.against === "baseline" ? null : rule?.figure ?? null;
    const cells = [
      ...rule?.selector === undefined ? [] : [{ figure, selector: rule.selector }],
      ...rule?.against === "cells" ? [rule.to] : [],
    ];
    return { cells, peaks: [] };
  });
}

function namingConflicts(
  given: Claiming,
  section: "claims" | "thresholds",
  namingOf: (one: unknown) => UsedNames,
): Conflict[] {
  const { targets, scenarios, ceilings, [section]: sentences } = given;
  const steps = stepPathsIn(scenarios);
  const names: ExperimentNames = {
    targets: Object.keys(Object(targets)),
    scenarios: [...Object.keys(Object(scenarios)), ...steps],
    factors: null,
  };
  if (names.targets.length === 0 || names.scenarios.length === 0) return [];
  const keys = factorKeys(given);
  const measured = Array.isArray(ceilings) ? ceilings.map(String) : [];
  return (Array.isArray(sentences) ? sentences : []).flatMap((one, index) => {
    const { cells, peaks } = namingOf(one);
    const messages = [
      ...cells.flatMap(({ figure, selector }) => {
        const choice = choiceOf(selector, names);
        if ("problem" in choice) return [choice.problem];
        return [
          ...factorsOf(choice.value).flatMap((path) => unknownFactor(path, keys)),
          ...scenariosOf(choice.value).filter((name) => steps.includes(name))
            .flatMap((name) => notOfStep(name, figure)),
        ];
      }),
      ...peaks.filter((ceiling) => !measured.includes(ceiling)).map((
        ceiling,
      ) => `Cannot use ceiling(${ceiling}): it is not measured; add ceilings: [${ceiling}]`),
    ];
    return [...new Set(messages)].map((message) => ({ path: [section, index], message }));
  });
}

/**
 * The problem with a figure that doesn't exist for a single request of a scenario; empty if it exists.
 * @param figure Null if no figure is named, or the threshold refers to a baseline; this is always a problem.
 */
function notOfStep(name: string, figure: string | null): string[] {
  if (figure !== null && isStepFigure(figure)) return [];
  const what = figure === null ? name : `${figure} of ${name}`;
  const scenario = name.slice(0, name.indexOf("."));
  return [
    `Cannot use ${what}, because ${name} is a single request of ${scenario}: ` +
    `write rate, success, mean or a percentile of it, or name ${scenario}`,
  ];
}

/**
 * All keys that may be factors, even those with one value, because a claim may refer to a value that only some
 * parameters set.
 */
function factorKeys({ targets, load, scenarios }: Claiming): string[] {
  const loads = Object.values(Object(scenarios)).map((scenario) => Object(scenario).load);
  return [...new Set([targets, load, ...loads].flatMap(keysWithin))];
}

function keysWithin(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysWithin(inner)]);
}

/** The sections of an experiment that matter to its comparison. */
interface Comparing extends Claiming {
  readonly compare?: unknown;
  readonly base?: unknown;
}

/** Problems with a factor or base that does not exist in the experiment. */
export function comparedConflicts(given: Comparing): Conflict[] {
  const targets = Object.keys(Object(given.targets));
  const factor: unknown = Object(given.compare).factor;
  if (targets.length === 0) return [];
  if (factor === "scenario") {
    return unknownBase(given.base, { targets: [], values: Object.keys(Object(given.scenarios)) });
  }
  const [missing] = typeof factor === "string" ? unknownFactor(factor, factorKeys(given)) : [];
  if (missing !== undefined) return [{ path: ["compare", "factor"], message: missing }];
  const values = typeof factor === "string" ? valuesWithin(given, factor) : [];
  return unknownBase(given.base, { targets, values });
}

function unknownBase(
  base: unknown,
  { targets, values }: { targets: readonly string[]; values: readonly string[] },
): Conflict[] {
  const known = [...targets, ...values];
  if (base === undefined || known.includes(String(base))) return [];
  const all = [
    ...targets.length === 0 ? [] : [`the targets are ${targets.join(", ")}`],
    ...values.length === 0 ? [] : [`the values are ${values.join(", ")}`],
  ].join("; ");
  const fix = didYouMean(String(base), known) ?? all;
  return [{ path: ["base"], message: `Cannot find the base ${quotedOpenly(base)}: ${fix}` }];
}

/** All values of a factor, as text. If a value is a list, each of its items counts as a value. */
function valuesWithin({ targets, load, scenarios }: Claiming, factor: string): string[] {
  const key = factor.slice(factor.lastIndexOf(".") + 1);
  const found = (value: unknown): unknown[] =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? []
      : Object.entries(value).flatMap(([name, inner]) =>
        name === key ? [inner].flat() : found(inner)
      );
  return [...new Set([targets, load, scenarios].flatMap(found).map(String))];
}

function unknownFactor(path: string, keys: readonly string[]): string[] {
  const key = path.slice(path.lastIndexOf(".") + 1);
  if (keys.includes(key)) return [];
  const fix = didYouMean(key, keys) ??
    "name a key of load, or of a target's set, env, cluster or proxy";
  return [`Cannot find the factor ${quotedOpenly(path)}: ${fix}`];
}

/** The claim's statement and, if the claim has a condition with a statement, that one, too. */
function saidBy({ says, given }: Claim): Pick<Claim, "says">[] {
  return [{ says }, ...given?.says === undefined ? [] : [{ says: given.says }]];
}

function sidesOf({ says }: Pick<Claim, "says">): ClaimSide[] {
  return says.kind === "compare" || says.kind === "within" ? [says.left, says.right] : [];
}

function cellsOf(claim: Pick<Claim, "says">): UsedNames["cells"] {
  const { says } = claim;
  if (says.kind === "warmup") return [{ figure: null, selector: says.selector }];
  if (says.kind === "correlation") {
    const { selector, other = selector } = says;
    return [selector, other].map((selector) => ({ figure: null, selector }));
  }
  if (says.kind === "ratios") {
    return [says.left, says.right].flatMap(({ of, to }) => [of, to]);
  }
  return sidesOf(claim).flatMap((side) => side.kind === "figure" ? [side] : []);
}

function peaksOf(claim: Pick<Claim, "says">): string[] {
  return sidesOf(claim).flatMap((side) => side.kind === "ceiling" ? [side.of] : []);
}

/**
 * Problems with names in published tables, including keys that match more than one cell.
 * @param given An experiment, which may be invalid.
 */
export function wrongPublishedNames(
  given: { readonly published?: unknown; readonly targets?: object; readonly scenarios?: object },
): Conflict[] {
  const names = {
    targets: Object.keys(given.targets ?? {}),
    scenarios: Object.keys(given.scenarios ?? {}),
    factors: null,
  };
  if (names.targets.length === 0 || names.scenarios.length === 0) return [];
  const tables = Array.isArray(given.published)
    ? given.published.map((table, at) => ({ table, path: ["published", at] }))
    : [{ table: given.published, path: ["published"] }];
  return tables.flatMap(({ table, path }) =>
    isTable(table)
      ? wrongInTable(table, names).map((wrong) => ({ ...wrong, path: [...path, ...wrong.path] }))
      : []
  );
}

function isTable(table: unknown): table is Pick<Published, "values" | "relative"> {
  return isValues(Reflect.get(Object(table), "values"));
}

function isValues(value: unknown): value is PublishedValues {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.values(value).every((inner) =>
      typeof inner === "number" || isValues(inner) ||
      (typeof inner === "string" && BOUNDED.test(inner))
    );
}

function wrongInTable(
  { values, relative }: Pick<Published, "values" | "relative">,
  names: ExperimentNames,
): Conflict[] {
  const all = readKeys(values, { keys: [], names });
  const wrong = all.flatMap(({ keys, read }) =>
    "problem" in read ? [{ path: ["values", ...keys], message: read.problem }] : []
  );
  if (wrong.length > 0) return wrong;
  const given = all.flatMap(({ keys, read }) =>
    "value" in read ? [{ keys, selection: read.value }] : []
  );
  return [...repeatedValues(given), ...wrongRelative(relative, given, names)];
}

interface ReadKeys {
  readonly keys: readonly string[];
  readonly read: Read<Selection>;
}

interface KeyPath {
  /** The keys that lead from the top of the table to these values. */
  readonly keys: readonly string[];
  readonly names: ExperimentNames;
}

/** Reads the path of keys to each value. An invalid key is reported only once, because nothing below it is read. */
function readKeys(values: PublishedValues, { keys, names }: KeyPath): ReadKeys[] {
  return Object.entries(values).flatMap(([key, value]): ReadKeys[] => {
    const path = [...keys, key];
    const alone = readSelection(key, names);
    const read = "problem" in alone ? alone : readSelection(path.join(", "), names);
    if ("problem" in read || typeof value !== "object") return [{ keys: path, read }];
    return readKeys(value, { keys: path, names });
  });
}

function readSelection(text: string, names: ExperimentNames): Read<Selection> {
  const read = parseSelector(text);
  return "problem" in read ? read : selectionOf(read.value, names);
}

interface NamedValue {
  readonly keys: readonly string[];
  readonly selection: Selection;
}

function repeatedValues(given: readonly NamedValue[]): Conflict[] {
  return [...Map.groupBy(given, ({ selection }) => identityOf(selection)).values()]
    .flatMap(([first, ...again]) =>
      again.map(({ keys }) => ({
        path: ["values", ...keys],
        message: `Cannot give two values for one cell: ${
          first.keys.join(", ")
        } names the same cell`,
      }))
    );
}

function identityOf({ target, scenario, factors }: Selection): string {
  return JSON.stringify([target, scenario, Object.entries(factors).sort()]);
}

function wrongRelative(
  relative: unknown,
  given: readonly NamedValue[],
  names: ExperimentNames,
): Conflict[] {
  if (typeof relative !== "string") return [];
  const path = ["relative"];
  const read = readSelection(relative, names);
  if ("problem" in read) return [{ path, message: read.problem }];
  if (given.some(({ selection }) => goTogether(selection, read.value))) return [];
  const fix = "add one, or name a cell that has a published value";
  return [{ path, message: `Cannot divide by ${relative}: it has no published value; ${fix}` }];
}

/** Whether some cell could match both selections. */
function goTogether(one: Selection, other: Selection): boolean {
  const agree = (a: string | null | undefined, b: string | null | undefined): boolean =>
    (a ?? null) === null || (b ?? null) === null || a === b;
  return agree(one.target, other.target) && agree(one.scenario, other.scenario) &&
    Object.entries(one.factors).every(([path, value]) => agree(value, other.factors[path]));
}
