/** Whether the names in published tables are those of the experiment, and each value stands once. Pure. */
import type { Published, PublishedValues } from "./published.ts";
import type { Read } from "../../base/figures/figure.ts";
import {
  type Names,
  parseSelector,
  type Selection,
  selectionOf,
} from "../../base/figures/selector.ts";

interface WrongName {
  readonly path: PropertyKey[];
  readonly message: string;
}

/** @param given An experiment; may be wrong in every part: that is told of elsewhere. */
export function wrongPublishedNames(
  given: { readonly published?: unknown; readonly targets?: object; readonly scenarios?: object },
): WrongName[] {
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
    Object.values(value).every((inner) => typeof inner === "number" || isValues(inner));
}

function wrongInTable(
  { values, relative }: Pick<Published, "values" | "relative">,
  names: Names,
): WrongName[] {
  const all = readKeys(values, { keys: [], names });
  const wrong = all.flatMap(({ keys, read }) =>
    "problem" in read ? [{ path: ["values", ...keys], message: read.problem }] : []
  );
  if (wrong.length > 0) return wrong;
  const given = all.flatMap(({ keys, read }) =>
    "value" in read ? [{ keys, selection: read.value }] : []
  );
  return [...givenTwice(given), ...wrongRelative(relative, given, names)];
}

interface ReadKeys {
  readonly keys: readonly string[];
  readonly read: Read<Selection>;
}

interface Place {
  /** Those that lead here. */
  readonly keys: readonly string[];
  readonly names: Names;
}

/** The keys of each value; of a key that is wrong those to it, once, however much stands below. */
function readKeys(values: PublishedValues, { keys, names }: Place): ReadKeys[] {
  return Object.entries(values).flatMap(([key, value]): ReadKeys[] => {
    const path = [...keys, key];
    const alone = readSelection(key, names);
    const read = "problem" in alone ? alone : readSelection(path.join(", "), names);
    if ("problem" in read || typeof value === "number") return [{ keys: path, read }];
    return readKeys(value, { keys: path, names });
  });
}

function readSelection(text: string, names: Names): Read<Selection> {
  const read = parseSelector(text);
  return "problem" in read ? read : selectionOf(read.value, names);
}

interface Given {
  readonly keys: readonly string[];
  readonly selection: Selection;
}

function givenTwice(given: readonly Given[]): WrongName[] {
  return [...Map.groupBy(given, ({ selection }) => identityOf(selection)).values()]
    .flatMap(([first, ...again]) =>
      again.map(({ keys }) => ({
        path: ["values", ...keys],
        message: `Cannot give a value twice: ${first.keys.join(", ")} is the same`,
      }))
    );
}

function identityOf({ target, scenario, factors }: Selection): string {
  return JSON.stringify([target, scenario, Object.entries(factors).sort()]);
}

function wrongRelative(
  relative: unknown,
  given: readonly Given[],
  names: Names,
): WrongName[] {
  if (typeof relative !== "string") return [];
  const path = ["relative"];
  const read = readSelection(relative, names);
  if ("problem" in read) return [{ path, message: read.problem }];
  if (given.some(({ selection }) => goTogether(selection, read.value))) return [];
  const fix = "give its value, or name a cell whose value is given";
  return [{ path, message: `Cannot divide by ${relative}: it has no published value; ${fix}` }];
}

/** Whether a cell may be in both. */
function goTogether(one: Selection, other: Selection): boolean {
  const agree = (a: string | null | undefined, b: string | null | undefined): boolean =>
    (a ?? null) === null || (b ?? null) === null || a === b;
  return agree(one.target, other.target) && agree(one.scenario, other.scenario) &&
    Object.entries(one.factors).every(([path, value]) => agree(value, other.factors[path]));
}
