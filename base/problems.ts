/** Turns the issues that a schema reports into findings, one for each problem that the user has to fix. */
import type * as z from "zod";
import { closest } from "./suggest.ts";

type Issue = z.core.$ZodIssue;
export type Path = readonly PropertyKey[];

/** A conflict between two parts of the data, each of which is valid alone. The path is that of one of them. */
export interface Conflict {
  readonly path: PropertyKey[];
  readonly message: string;
}

export interface PathProblem {
  readonly path: Path;
  /** Whether the key itself is wrong, rather than its value. */
  readonly isKey: boolean;
  readonly message: string;
}

/**
 * @param issues The issues of a parse with `explain` as its error map.
 * @param data The parsed data, which shows which branch of a union was meant.
 */
export function findingsOf(issues: readonly Issue[], data: unknown): PathProblem[] {
  const findings = issues.flatMap((issue) => unfold(issue, data));
  return findings.filter((finding) => !isMisspelt(finding, findings, data));
}

function unfold(issue: Issue, data: unknown): PathProblem[] {
  const { path, message } = issue;
  switch (issue.code) {
    case "unrecognized_keys": {
      const messages = message.split("\n");
      return issue.keys.map((key, at) => ({
        path: [...path, key],
        isKey: true,
        message: messages[at],
      }));
    }
    case "invalid_key":
      return issue.issues.map(({ message }) => ({ path, isKey: true, message }));
    case "invalid_union": {
      // The discriminator's value belongs to no branch of the union.
      if (issue.errors.length === 0) return [{ path, isKey: false, message: ofNoKind(data, path) }];
      const meant = meantBranch(issue.errors, valueAt(data, path));
      return meant.flatMap((inner) => unfold({ ...inner, path: [...path, ...inner.path] }, data));
    }
    default:
      return [{ path, isKey: false, message }];
  }
}

function ofNoKind(data: unknown, path: Path): string {
  const kind = valueAt(data, path);
  return kind === undefined
    ? "Cannot leave out this key, because it says of which kind the entry is"
    : `Cannot use ${
      (JSON.stringify(kind) ?? String(kind)).slice(0, 60)
    }: it is not one of the kinds`;
}

/**
 * The issues of the branch of a union that the user meant: the first branch without a missing key, or else the one that
 * knows most of the keys that are present. If several know equally many, one issue lists the keys to choose from.
 */
function meantBranch(branches: readonly (readonly Issue[])[], value: unknown): readonly Issue[] {
  const ofThisType = branches.filter((issues) =>
    !issues.some((issue) => isWrongType(issue, value))
  );
  if (ofThisType.length === 0) return branches[0];
  const missing = ofThisType.map((issues) => issues.flatMap((issue) => missingKey(issue, value)));
  const complete = ofThisType.find((_, at) => missing[at].length === 0);
  if (complete) return complete;
  const unknown = ofThisType.map(unknownKeyCount);
  const fewest = Math.min(...unknown);
  const closestOnes = ofThisType.filter((_, at) => unknown[at] === fewest);
  if (closestOnes.length === 1) return closestOnes[0];
  return [undecided(missing.map(([key]) => key), value)];
}

function unknownKeyCount(issues: readonly Issue[]): number {
  return issues.flatMap((issue) => issue.code === "unrecognized_keys" ? issue.keys : []).length;
}

function isWrongType(issue: Issue, value: unknown): boolean {
  const { code, path } = issue;
  if (path.length > 0) return false;
  if (code === "invalid_union" && issue.errors.length > 0) {
    return issue.errors.every((inner) => inner.some((issue) => isWrongType(issue, value)));
  }
  return code === "invalid_type" || (code === "invalid_value" && typeof value === "object");
}

function missingKey({ code, path }: Issue, value: unknown): string[] {
  const isMissing = code !== "custom" && path.length === 1 && valueAt(value, path) === undefined;
  return isMissing ? [String(path[0])] : [];
}

function undecided(keys: readonly string[], value: unknown): Issue {
  const [meant] = Object.keys(value ?? {}).flatMap((key) => closest(key, keys) ?? []);
  const isSqueezed = Object.entries(value ?? {}).some(([key, inner]) =>
    inner === null && /^[\w.-]+:\S/.test(key)
  );
  const fix = meant
    ? `; did you mean "${meant}"?`
    : isSqueezed
    ? "; a space is missing after a colon"
    : "";
  const message = `Cannot tell of which kind this is: write one of the keys ${
    keys.join(", ")
  }${fix}`;
  return { code: "custom", path: [], message, input: value };
}

/** Whether the problem is a missing key whose misspelt form is reported already. */
function isMisspelt(
  { path, isKey }: PathProblem,
  all: readonly PathProblem[],
  data: unknown,
): boolean {
  if (isKey || path.length === 0 || valueAt(data, path) !== undefined) return false;
  const key = String(path[path.length - 1]);
  return all.some((other) =>
    other.isKey && startsWith(other.path, path.slice(0, -1)) && other.path.length === path.length &&
    closest(String(other.path[path.length - 1]), [key]) !== null
  );
}

export function startsWith(path: Path, start: Path): boolean {
  return start.every((step, at) => path[at] === step);
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      typeof value === "object" && value !== null ? Reflect.get(value, step) : undefined,
    data,
  );
}
