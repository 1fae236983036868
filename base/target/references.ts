/** References from targets that stand in front of others, and whether they are valid. */
import { didYouMean } from "../suggest.ts";
import { valuesOf } from "./settings.ts";
import type { TargetSpec, WrittenTarget } from "./target_shape.ts";
import { isUrl } from "./gateway_shape.ts";
import { quotedOpenly } from "../secrets.ts";

/** Targets as written, keyed by name. Any part may be invalid; that is reported elsewhere. */
type WrittenTargets = Readonly<Record<string, unknown>>;

interface ReferenceConflict {
  /** Path below `targets`. */
  readonly path: string[];
  readonly message: string;
}

/** Keys of a target that may name another target. */
const PLACES = [["proxy", "origin"], ["cluster", "of"], ["nginx", "proxy"]] as const;

interface Reference {
  readonly path: readonly [kind: string, key: string];
  readonly name: string;
}

function referenceIn(spec: unknown): Reference | null {
  for (const path of PLACES) {
    const name = valueIn(spec, path);
    if (typeof name === "string" && !isUrl(name)) return { path, name };
  }
  return null;
}

function valueIn(spec: unknown, path: readonly string[]): unknown {
  return path.reduce((value: unknown, key) => Reflect.get(Object(value), key), spec);
}

/**
 * A gateway's spec, with the name of the target behind it replaced by what `renamed` returns; any other spec unchanged.
 */
export function withReference(spec: unknown, renamed: (name: string) => string): unknown {
  const reference = referenceIn(spec);
  if (reference === null) return spec;
  const { path: [kind, key], name } = reference;
  return { ...Object(spec), [kind]: { ...Object(valueIn(spec, [kind])), [key]: renamed(name) } };
}

/** The name of the target that `spec` stands in front of; null if `spec` names none. */
export function nameBehind(spec: TargetSpec | WrittenTarget): string | null {
  return referenceIn(spec)?.name ?? null;
}

/** The target itself, and all targets behind it. */
export function withThoseBehind(
  spec: TargetSpec,
  others: Readonly<Record<string, TargetSpec>>,
): TargetSpec[] {
  const name = nameBehind(spec);
  if (name === null || !Object.hasOwn(others, name)) return [spec];
  return [spec, ...withThoseBehind(others[name], others)];
}

/** Problems with references: missing targets, circles, and targets that the gateway can't stand in front of. */
export function referenceConflicts(targets: WrittenTargets): ReferenceConflict[] {
  return Object.entries(targets).flatMap(([target, spec]) => {
    const reference = referenceIn(spec);
    if (reference === null) return [];
    const message = whyNot(reference.name, targets, target) ??
      whyNotBefore(reference, targets, spec);
    return message === null ? [] : [{ path: [target, ...reference.path], message }];
  });
}

function whyNot(name: string, targets: WrittenTargets, target: string): string | null {
  const known = Object.keys(targets);
  if (!known.includes(name)) {
    const fix = didYouMean(name, known) ?? `the targets are ${known.join(", ")}`;
    return `Cannot find target ${quotedOpenly(name)}: ${fix}`;
  }
  const circle = circleFrom(target, targets);
  return circle === null ? null : `Cannot put a target in front of itself: ${circle.join(" → ")}`;
}

/**
 * The circle of references from `start` back to itself, such as `cache`, `balancer`, `cache`; null if there is none.
 */
function circleFrom(start: string, targets: WrittenTargets): string[] | null {
  const chain = [start];
  while (chain.length <= Object.keys(targets).length) {
    const next = referenceIn(targets[chain[chain.length - 1]])?.name;
    if (next === undefined || !Object.hasOwn(targets, next)) return null;
    chain.push(next);
    if (next === start) return chain;
  }
  return null; // the circle is elsewhere, and is reported there
}

function whyNotBefore(
  { path: [kind], name }: Reference,
  targets: WrittenTargets,
  spec: unknown,
): string | null {
  if (valuesOf(valueIn(targets[name], ["ready"])).includes("grpc")) {
    return `Cannot put a gateway in front of ${
      quotedOpenly(name)
    }: gateways speak HTTP/1.1 to the target behind them, ` +
      "and ready: grpc is for HTTP/2 servers; load the server directly, or give ready a path";
  }
  if (kind === "nginx") return whyNotPlain(name, targets[name]);
  if (kind === "proxy" && valueIn(targets[name], ["httpProxy"]) !== undefined) {
    return `Cannot put a caching proxy in front of ${
      quotedOpenly(name)
    }, which is reached through an HTTP proxy`;
  }
  return kind === "cluster" ? whyNotSeveral(name, targets, spec) : null;
}

function whyNotPlain(name: string, spec: unknown): string | null {
  const isTls = String(valueIn(spec, ["url"])).startsWith("https:");
  const special = ["unix", "resolve", "httpProxy"];
  if (!isTls && special.every((key) => valueIn(spec, [key]) === undefined)) return null;
  return `Cannot put nginx in front of ${
    quotedOpenly(name)
  }: it can reach only http://host:port, ` +
    "not https, a unix socket, another address or a proxy";
}

function whyNotSeveral(name: string, targets: WrittenTargets, spec: unknown): string | null {
  if (valueIn(targets[name], ["url"]) !== undefined) {
    return `Cannot start instances of ${quotedOpenly(name)}: it is a server that already runs`;
  }
  const port = isSeveral(spec) ? fixedPortOf(name, targets) : null;
  if (port !== null) {
    return `Cannot start instances of ${quotedOpenly(name)}: they would all have port ${port}; ` +
      'write PORT: "{port}" in its env, and leave port out';
  }
  const shares = valuesOf(valueIn(spec, ["cluster", "balancer"])).includes("reuseport");
  if (!shares || valueIn(targets[name], ["app"]) !== undefined) return null;
  return `Cannot share a port between instances of ${
    quotedOpenly(name)
  }: only built-in apps can; ` +
    "use balancer: builtin or nginx";
}

function isSeveral(spec: unknown): boolean {
  const instances = valuesOf(valueIn(spec, ["cluster", "instances"]));
  return instances.some((count) => count !== 1) || valueIn(spec, ["cluster", "add"]) !== undefined;
}

/** The fixed port of the target, or of a target behind it. */
function fixedPortOf(name: string, targets: WrittenTargets): string | null {
  let behind: string | undefined = name;
  for (const _ of Object.keys(targets)) {
    if (behind === undefined) return null;
    const ports = [["port"], ["env", "PORT"]]
      .flatMap((path) => valuesOf(valueIn(targets[behind ?? ""], path))).map(String);
    const fixed = ports.find((port) => /^\d+$/.test(port));
    if (fixed !== undefined) return fixed;
    behind = referenceIn(targets[behind])?.name;
  }
  return null;
}
