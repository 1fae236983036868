/**
 * The variants of a target, each with a single value for every setting of the target and of the targets behind it.
 * Pure.
 */
import { durationText } from "../../base/quantity.ts";
import { valuesOf } from "../../base/target/settings.ts";
import type { WrittenCluster, WrittenProxy } from "../../base/target/gateway_shape.ts";
import { nameBehind } from "../../base/target/references.ts";
import type {
  FrameworkTarget,
  TargetLimits,
  TargetSpec,
  V8Options,
  WrittenFramework,
  WrittenLimits,
  WrittenTarget,
  WrittenV8,
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

/** One combination of the values of a target's own settings, or of some of them. */
interface Variant<Spec> {
  readonly spec: Spec;
  /** The value of each setting that varies, keyed by a path such as `set.delay`. */
  readonly parameters: FactorValues;
}

interface TargetVariant extends Variant<TargetSpec> {
  /** The targets behind this one, directly or through others, keyed by name. */
  readonly others: Readonly<Record<string, TargetSpec>>;
}

/**
 * The target with each combination of values. A gateway also varies with the settings of the target behind it. These
 * keep their paths, except where the gateway has the same path: there, the name of the target behind it is put in
 * front, as in `slow.proxy.store`.
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

/** Number of variants, counted without building them. */
export function countOfVariants(
  written: WrittenTarget,
  targets: Readonly<Record<string, WrittenTarget>>,
): number {
  const own = factorsOf(written).reduce((count, factors) => count * countOf(factors), 1);
  const behind = nameBehind(written);
  return behind === null || !Object.hasOwn(targets, behind)
    ? own
    : own * countOfVariants(targets[behind], targets);
}

/** The target's settings that may be factors, in one map for each section of settings. */
function factorsOf(written: WrittenTarget): Factors[] {
  if ("cluster" in written) return [clusterFactors(written)];
  if ("proxy" in written) return [proxyFactors(written)];
  if (!("app" in written || "framework" in written || "command" in written)) return [];
  const { limits, v8 } = written;
  return [
    "framework" in written ? runtimeFactors(written) : {},
    limits === undefined ? {} : limitFactors(limits),
    v8 === undefined ? {} : v8Factors(v8),
    "env" in written ? listsOf(written.env) : {},
    "set" in written ? listsOf(written.set) : {},
  ];
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
  if ("cluster" in spec) return clusterVariants(spec);
  if ("proxy" in spec) return proxyVariants(spec);
  if ("app" in spec) {
    const { limits, v8, ...rest } = spec;
    return crossed(processVariants({ limits, v8 }), setVariants(rest.set))
      .map(withSpec((lines) => ({ ...rest, ...lines })));
  }
  if ("framework" in spec) {
    const { limits, v8, runtime: _, ...rest } = spec;
    const outside = crossed(processVariants({ limits, v8 }), envVariants(rest.env));
    return crossed(crossed(runtimeVariants(spec), outside), setVariants(rest.set))
      .map(withSpec((lines) => ({ ...rest, ...lines })));
  }
  if ("command" in spec) {
    const { limits, v8, ...rest } = spec;
    return crossed(processVariants({ limits, v8 }), envVariants(rest.env))
      .map(withSpec((lines) => ({ ...rest, ...lines })));
  }
  return [{ spec, parameters: {} }];
}

/** All combinations of a variant from one list with a variant from the other. */
function crossed<One, Other>(
  one: readonly Variant<One>[],
  other: readonly Variant<Other>[],
): Variant<One & Other>[] {
  return one.flatMap((a) =>
    other.map((b) => ({
      spec: { ...a.spec, ...b.spec },
      parameters: { ...a.parameters, ...b.parameters },
    }))
  );
}

function withSpec<Lines>(
  specOf: (lines: Lines) => TargetSpec,
): (variant: Variant<Lines>) => Variant<TargetSpec> {
  return ({ spec, parameters }) => ({ spec: specOf(spec), parameters });
}

/** The settings that every process started by Plateau may have. */
interface ProcessLines {
  readonly limits?: TargetLimits;
  readonly v8?: V8Options;
}

function processVariants(
  { limits, v8 }: { readonly limits: WrittenLimits; readonly v8: WrittenV8 },
): Variant<ProcessLines>[] {
  const none: Variant<ProcessLines>[] = [{ spec: {}, parameters: {} }];
  return crossed(
    limits === undefined
      ? none
      : variantsOf("limits", limitFactors(limits), (limits) => ({ limits })),
    v8 === undefined ? none : variantsOf("v8", v8Factors(v8), (v8) => ({ v8 })),
  );
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function runtimeFactors({ runtime }: Pick<WrittenFramework, "runtime">) {
  return { runtime: runtime === undefined ? undefined : valuesOf(runtime) };
}

/** The variants of `runtime`, which is a setting of the target itself and belongs to no section. */
function runtimeVariants(
  written: WrittenFramework,
): Variant<Pick<FrameworkTarget, "runtime">>[] {
  const factors = runtimeFactors(written);
  return combinations(factors).map((spec): Variant<Pick<FrameworkTarget, "runtime">> => {
    const { runtime } = spec;
    const isShown = runtime !== undefined && varies("runtime", factors);
    return { spec, parameters: isShown ? { runtime } : {} };
  });
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function limitFactors({ cpu, memory }: NonNullable<WrittenLimits>) {
  return {
    cpu: cpu === undefined ? undefined : valuesOf(cpu),
    memory: memory === undefined ? undefined : valuesOf(memory),
  };
}

// deno-lint-ignore explicit-function-return-type -- each factor has a type of its own
function v8Factors({ flags, gc }: NonNullable<WrittenV8>) {
  return {
    flags: flags === undefined ? undefined : valuesOf(flags),
    gc: gc === undefined ? undefined : valuesOf(gc),
  };
}

function setVariants(
  set: Readonly<Record<string, Json>>,
): Variant<{ readonly set: Record<string, Json> }>[] {
  return variantsOf("set", listsOf(set), (set) => ({ set }));
}

function envVariants(
  env: Readonly<Record<string, Json>>,
): Variant<{ readonly env: Record<string, string> }>[] {
  return variantsOf("env", listsOf(env), (env) => ({ env: asTexts(env) }));
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

/** The value of a setting as people write it in a file. */
function shown(path: string, value: Json): Json {
  const isDuration = ["proxy.ttl", "proxy.stale", "cluster.slowStart"].includes(path);
  return isDuration && typeof value === "number" ? durationText(value) : value;
}
