/** A target with one value for each of its settings, and those behind it likewise. Pure. */
import { nameBehind } from "../targets/references.ts";
import type { TargetSpec } from "../targets/spec.ts";
import { combinations, type Json, varying } from "./factors.ts";

type Targets = Readonly<Record<string, TargetSpec>>;

export interface TargetVariant {
  readonly spec: TargetSpec;
  /** The targets that it stands in front of, directly and further on, by name. */
  readonly others: Targets;
  /** Value of each setting that varies, its own or of one behind it, such as `set.delay`. */
  readonly parameters: Readonly<Record<string, Json>>;
}

/** The target with each combination of settings. A front varies as what stands behind it does. */
export function targetVariants(spec: TargetSpec, targets: Targets): TargetVariant[] {
  const behind = nameBehind(spec);
  if (behind === null || !Object.hasOwn(targets, behind)) return ownVariants(spec);
  return targetVariants(targets[behind], targets).map((variant) => ({
    spec,
    others: { ...variant.others, [behind]: variant.spec },
    parameters: variant.parameters,
  }));
}

function ownVariants(spec: TargetSpec): TargetVariant[] {
  if (!("set" in spec)) return [{ spec, others: {}, parameters: {} }];
  const factors = Object.fromEntries(
    Object.entries(spec.set).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]),
  );
  return combinations(factors).map((set) => ({
    spec: { ...spec, set },
    others: {},
    parameters: Object.fromEntries(
      Object.entries(varying(set, factors)).map(([key, value]) => [`set.${key}`, value]),
    ),
  }));
}
