/**
 * Doubles every target in an experiment's data: one from a folder as `base`, and one from another folder as `head`. A
 * key that named a target then names both. Claims, thresholds and published figures are left out, because they name the
 * targets of the original file.
 */
import { join, resolve } from "node:path";
import { UserError } from "../../base/errors.ts";
import { withReference } from "../../base/target/references.ts";

/** Folders that relative paths of targets refer to, for each side. */
export interface PairedFolders {
  readonly base: string;
  readonly head: string;
}

/** The two names of a target of the file. */
export interface PairedName {
  readonly base: string;
  readonly head: string;
}

const SIDES = ["base", "head"] as const;

/** Keys that are left out, because they refer to targets by their names in the file. */
const OF_THE_FILE = ["claims", "published", "thresholds", "compare", "base"];

/** `base` and `head` for a single target, `base-express` and `head-express` for several. */
export function pairedNames(targets: readonly string[]): Map<string, PairedName> {
  const isOne = targets.length === 1;
  return new Map(targets.map((name) => [
    name,
    isOne ? { base: "base", head: "head" } : { base: `base-${name}`, head: `head-${name}` },
  ]));
}

/** Throws a UserError if no target depends on a folder, so that both sides would be the same. */
export function refuseUnbuilt(targets: Readonly<Record<string, unknown>>): void {
  if (Object.values(targets).some((spec) => isOfFolder(mapOf(spec)))) return;
  throw new UserError([NOTHING_BUILT]);
}

/** @param data Data of a valid file, with parameters filled in. */
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

/** The target, with the paths of its program and of static files moved into the folder. */
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
