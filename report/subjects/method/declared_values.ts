/**
 * The values that the experiment file gives for each target and scenario, for every key that could vary, even if
 * `--only` leaves the pair out. A key with a single value can select cells just as a factor can.
 */
import type { Results } from "../../../runner/result/result.ts";
import {
  type ExperimentNames,
  isValue,
  type SelectableCell,
  type Selection,
} from "../../../base/figures/selector.ts";

export type DeclaredSettings = Partial<Pick<Results, "experiment" | "flags">>;

/** A target and a scenario that it serves. */
export interface DeclaredPair {
  readonly target: string;
  readonly scenario: string;
  /** All values of each key, as people write them. Keys are given by their paths. */
  readonly values: DeclaredValues;
  /** Whether `--only` leaves the pair out. */
  readonly isLeftOut: boolean;
}

type DeclaredValues = Readonly<Record<string, readonly unknown[]>>;

export function declaredPairs({ experiment, flags }: DeclaredSettings): DeclaredPair[] {
  const targets = Object(experiment?.targets);
  const { targets: onlyTargets, scenarios: onlyScenarios } = flags?.only ?? {};
  return Object.entries(Object(experiment?.scenarios)).flatMap(([scenario, own]) => {
    const { targets: ownTargets, load = experiment?.load } = Object(own);
    return Object.keys(targets)
      .filter((target) => !Array.isArray(ownTargets) || ownTargets.includes(target))
      .map((target) => ({
        target,
        scenario,
        values: { ...targetValues(target, targets), ...loadValues(load) },
        isLeftOut: !(onlyTargets?.includes(target) ?? true) ||
          !(onlyScenarios?.includes(scenario) ?? true),
      }));
  });
}

function loadValues(load: unknown): DeclaredValues {
  return valuesWithin(load, "", { rate: "/s", duration: "ms", timeout: "ms" });
}

/**
 * The values of the target itself and of the target behind it. If both have values at the same path, the path of the
 * target behind is prefixed with that target's name.
 */
function targetValues(name: string, targets: Readonly<Record<string, unknown>>): DeclaredValues {
  const { [name]: lines, ...others } = targets;
  const own = valuesWithin(lines, "", { "proxy.ttl": "ms", "proxy.stale": "ms" });
  const behind = [own["cluster.of"], own["proxy.origin"], own["nginx.proxy"]].flat()
    .find((one) => typeof one === "string" && Object.hasOwn(others, one));
  if (typeof behind !== "string") return own;
  const further = Object.entries(targetValues(behind, others)).map(([path, values]) =>
    [Object.hasOwn(own, path) ? `${behind}.${path}` : path, values] as const
  );
  return { ...Object.fromEntries(further), ...own };
}

/** All values at the paths below a key. @param units Units by path, for the numbers that people write with a unit. */
function valuesWithin(
  lines: unknown,
  before: string,
  units: Record<string, string>,
): DeclaredValues {
  const inner = Object.entries(Object(lines)).map(([key, value]): DeclaredValues => {
    const path = `${before}${key}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return valuesWithin(value, `${path}.`, units);
    }
    const values = [...new Set([value].flat())];
    const unit = units[path];
    return { [path]: unit === undefined ? values : values.map((one) => `${one}${unit}`) };
  });
  return Object.assign({}, ...inner);
}

/** The paths of the keys that at least one pair has. */
export function pathsOf(pairs: readonly DeclaredPair[]): NonNullable<ExperimentNames["others"]> {
  return [...new Set(pairs.flatMap(({ values }) => Object.keys(values)))];
}

/** The keys of a cell that have a single value, each with that value. */
export function constantsOf(
  { target, scenario }: Pick<SelectableCell, "target" | "scenario">,
  pairs: readonly DeclaredPair[],
): NonNullable<SelectableCell["constants"]> {
  const pair = pairs.find((one) => one.target === target && one.scenario === scenario);
  return Object.fromEntries(
    Object.entries(pair?.values ?? {}).flatMap(([path, [value, ...more]]) =>
      more.length === 0 ? [[path, value]] : []
    ),
  );
}

/** Whether `--only` leaves out some of the selected cells. */
export function isLeftOut(
  { target, scenario, factors }: Selection,
  pairs: readonly DeclaredPair[],
): boolean {
  return pairs.some((pair) =>
    pair.isLeftOut &&
    (target === null || pair.target === target) &&
    (scenario === null || pair.scenario === scenario) &&
    Object.entries(factors).every(([path, written]) =>
      pair.values[path]?.some((value) => isValue(written, value)) ?? false
    )
  );
}
