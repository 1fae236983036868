/** A target with one value for each of its lines, and those behind it likewise. Pure. */
import { durationText } from "../../base/quantity.ts";
import { valuesOf } from "../../base/target/settings.ts";
import type { WrittenCluster, WrittenProxy } from "../../base/target/gateway_shape.ts";
import { nameBehind } from "../../base/target/references.ts";
import type {
  TargetLimits,
  TargetSpec,
  WrittenCommand,
  WrittenLimits,
  WrittenTarget,
} from "../../base/target/target_shape.ts";
import type { Json } from "../../base/yaml/json_text.ts";
import {
  type Combination,
  combinations,
  countOf,
  type Factors,
  type FactorValues,
  varies,
} from "../load/factors.ts";

/** One combination of the values of a target's own lines, or of some of them. */
interface Variant<Spec> {
  readonly spec: Spec;
  /** Value of each line that varies, by its path, such as `set.delay`. */
  readonly parameters: FactorValues;
}

interface TargetVariant extends Variant<TargetSpec> {
  /** The targets that it stands in front of, directly and further on, by name. */
  readonly others: Readonly<Record<string, TargetSpec>>;
}

/**
 * The target with each combination of values. A gateway varies with the targets behind it, too: those
 * values have the same paths, with the name before a path that both have (`slow.proxy.store`).
 */
export function targetVariants(
  written: WrittenTarget,
  targets: Readonly<Record<string, WrittenTarget>>,
): TargetVariant[] {
  const own = ownVariants(written);
  const behind = nameBehind(written);
  if (behind === null || !Object.hasOwn(targets, behind)) {
    return own.map((variant) => ({ ...variant, others: {} }));
  }
  return targetVariants(targets[behind], targets).flatMap((other) =>
    own.map(({ spec, parameters }) => ({
      spec,
      others: { ...other.others, [behind]: other.spec },
      parameters: { ...renamed(parameters, behind, other.parameters), ...parameters },
    }))
  );
}

/** How many variants there are; nothing is built for it. */
export function countOfVariants(
  written: WrittenTarget,
  targets: Readonly<Record<string, WrittenTarget>>,
): number {
  const limits = "limits" in written ? written.limits : undefined;
  const own = countOf(factorsOf(written)) *
    countOf(limits === undefined ? {} : limitFactors(limits));
  const behind = nameBehind(written);
  return behind === null || !Object.hasOwn(targets, behind)
    ? own
    : own * countOfVariants(targets[behind], targets);
}

/** The lines of a target that a list makes factors of. */
function factorsOf(written: WrittenTarget): Factors {
  if ("set" in written) return listsOf(written.set);
  if ("command" in written) return listsOf(written.env);
  if ("cluster" in written) return clusterFactors(written);
  return "proxy" in written ? proxyFactors(written) : {};
}

function renamed(own: FactorValues, name: string, others: FactorValues): FactorValues {
  return Object.fromEntries(
    Object.entries(others).map(([path, value]) => [
      Object.hasOwn(own, path) ? `${name}.${path}` : path,
      value,
    ]),
  );
}

function ownVariants(spec: WrittenTarget): Variant<TargetSpec>[] {
  if ("set" in spec) {
    const { limits, ...rest } = spec;
    return limitVariants(limits).flatMap((limited) =>
      variantsOf("set", listsOf(spec.set), (set): TargetSpec => ({ ...rest, ...limited.spec, set }))
        .map(together(limited))
    );
  }
  if ("command" in spec) return commandVariants(spec);
  if ("cluster" in spec) return clusterVariants(spec);
  return "proxy" in spec ? proxyVariants(spec) : [{ spec, parameters: {} }];
}

function commandVariants({ limits, ...rest }: WrittenCommand): Variant<TargetSpec>[] {
  return limitVariants(limits).flatMap((limited) =>
    variantsOf(
      "env",
      listsOf(rest.env),
      (env): TargetSpec => ({ ...rest, ...limited.spec, env: asTexts(env) }),
    ).map(together(limited))
  );
}

/** The lines of the limits alone, with one value each. */
function limitVariants(
  written: WrittenLimits,
): Variant<{ readonly limits?: TargetLimits }>[] {
  if (written === undefined) return [{ spec: {}, parameters: {} }];
  return variantsOf("limits", limitFactors(written), (limits) => ({ limits }));
}

function together<Spec>(
  { parameters }: Variant<unknown>,
): (variant: Variant<Spec>) => Variant<Spec> {
  return (variant) => ({ ...variant, parameters: { ...parameters, ...variant.parameters } });
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function limitFactors({ cpu, memory }: NonNullable<WrittenLimits>) {
  return {
    cpu: cpu === undefined ? undefined : valuesOf(cpu),
    memory: memory === undefined ? undefined : valuesOf(memory),
  };
}

function clusterVariants(written: WrittenCluster): Variant<TargetSpec>[] {
  const factors = clusterFactors(written);
  return variantsOf(
    "cluster",
    factors,
    (values) => ({ ...written, cluster: { ...written.cluster, ...values } }),
  );
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function clusterFactors(
  { cluster: { instances, balancer, policy, workers, slowStart } }: WrittenCluster,
) {
  return {
    instances: valuesOf(instances),
    balancer: valuesOf(balancer),
    policy: policy === undefined ? undefined : valuesOf(policy),
    workers: workers === undefined ? undefined : valuesOf(workers),
    slowStart: slowStart === undefined ? undefined : valuesOf(slowStart),
  };
}

function proxyVariants(written: WrittenProxy): Variant<TargetSpec>[] {
  const factors = proxyFactors(written);
  return variantsOf(
    "proxy",
    factors,
    (values) => ({ ...written, proxy: { ...written.proxy, ...values } }),
  );
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function proxyFactors({ proxy }: WrittenProxy) {
  return {
    store: valuesOf(proxy.store),
    ttl: valuesOf(proxy.ttl),
    stale: valuesOf(proxy.stale),
    singleFlight: valuesOf(proxy.singleFlight),
    maxBodyBytes: valuesOf(proxy.maxBodyBytes),
  };
}

function variantsOf<F extends Factors, Spec = TargetSpec>(
  section: string,
  factors: F,
  specOf: (values: Combination<F>) => Spec,
): Variant<Spec>[] {
  return combinations(factors).map((values) => ({
    spec: specOf(values),
    parameters: Object.fromEntries(
      Object.entries(values).filter(([key]) => varies(key, factors))
        .map(([key, value]) => [`${section}.${key}`, shown(`${section}.${key}`, value)]),
    ),
  }));
}

function listsOf(written: Readonly<Record<string, Json>>): Record<string, Json[]> {
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, Array.isArray(value) ? value : [value]]),
  );
}

function asTexts(values: Readonly<Record<string, Json>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
}

/** As people write it. */
function shown(path: string, value: Json): Json {
  const isDuration = ["proxy.ttl", "proxy.stale", "cluster.slowStart"].includes(path);
  return isDuration && typeof value === "number" ? durationText(value) : value;
}
