/**
 * Turns every target in an experiment's data into two, `base` and `head`, each started from a folder of its own. Where
 * the data named the target, it then names both. Claims, thresholds and published figures are left out, because they
 * refer to the original targets.
 */
import { join, resolve } from "node:path";
import { UserError } from "../../base/errors.ts";
import { withReference } from "../../base/target/references.ts";

/** For each side, the folder to which the paths of its targets are relative. */
export interface PairedFolders {
  readonly base: string;
  readonly head: string;
}

/** The two names that a target of the file gets. */
export interface PairedName {
  readonly base: string;
  readonly head: string;
}

const SIDES = ["base", "head"] as const;

/** Keys to leave out, because they refer to targets by their original names. */
const OF_THE_FILE = ["claims", "published", "thresholds", "compare", "base"];

/**
 * The names are `base` and `head` for a single target, or of the form `base-express` and `head-express` for several.
 */
export function pairedNames(targets: readonly string[]): Map<string, PairedName> {
  const isOne = targets.length === 1;
  return new Map(targets.map((name) => [
    name,
    isOne ? { base: "base", head: "head" } : { base: `base-${name}`, head: `head-${name}` },
  ]));
}

/**
 * Throws a UserError if none of the targets is started from files in a folder, because both sides would then be the
 * same.
 */
export function refuseUnbuilt(targets: Readonly<Record<string, unknown>>): void {
  if (Object.values(targets).some((spec) => isOfFolder(mapOf(spec)))) return;
  throw new UserError([NOTHING_BUILT]);
}

/** @param data The data of a valid file, with parameters filled in. */
export function pairedData(data: unknown, folders: PairedFolders): unknown {
  const { targets, scenarios, ...rest } = mapOf(data);
  const specs = Object.entries(mapOf(targets));
  const names = pairedNames(specs.map(([name]) => name));
  const kept = Object.entries(rest).filter(([key]) => !OF_THE_FILE.includes(key));
  return {
    ...Object.fromEntries(kept),
    targets: Object.fromEntries(specs.flatMap(([name, spec]) =>
      SIDES.map((side) => [
        names.get(name)?.[side] ?? name,
        inFolder(
          mapOf(withReference(spec, (other) => names.get(other)?.[side] ?? other)),
          folders[side],
        ),
      ])
    )),
    scenarios: Object.fromEntries(
      Object.entries(mapOf(scenarios)).map(([name, spec]) => [name, withBoth(mapOf(spec), names)]),
    ),
  };
}

const NOTHING_BUILT = {
  place: "targets",
  message: "Cannot compare commits by these targets: none is started from the repository's files",
  fix: "write a target with command: […], and with build: […] if it must be built",
};

function isOfFolder(spec: Readonly<Record<string, unknown>>): boolean {
  return "command" in spec || typeof mapOf(spec.nginx).root === "string";
}

/** The target with its program and static files in the given folder. */
function inFolder(
  spec: Readonly<Record<string, unknown>>,
  folder: string,
): Record<string, unknown> {
  const { nginx, cwd = "." } = spec;
  const { root } = mapOf(nginx);
  return {
    ...spec,
    ...("command" in spec && { cwd: resolve(folder, String(cwd)) }),
    ...(typeof root === "string" && { nginx: { ...mapOf(nginx), root: join(folder, root) } }),
  };
}

function withBoth(
  scenario: Readonly<Record<string, unknown>>,
  names: ReadonlyMap<string, PairedName>,
): Record<string, unknown> {
  const { targets, ...rest } = scenario;
  if (!Array.isArray(targets)) return { ...scenario };
  const both = targets.flatMap((name) => SIDES.map((side) => names.get(name)?.[side] ?? name));
  return { ...rest, targets: both };
}

function mapOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}
