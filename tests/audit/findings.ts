/**
 * What the audit tools printed → what is known of the packages that they were asked about. Their outputs differ, and so
 * does how they fail: pip-audit ends with success and "no known vulnerabilities" where it could look nothing up. Pure.
 */
import * as z from "zod";

/** How a tool ended. */
export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Findings {
  /** Known holes of severity high or more, and those of tools that give no severity: a line each. */
  readonly holes: readonly string[];
  /** How many are known of a lower severity. */
  readonly milder: number;
  /** Why some or all could not be looked up; null when all were. */
  readonly unknown: string | null;
}

const SEVERE = ["high", "critical"];

/** Text for people, a box for each hole: `deno audit` has no other form. */
export function denoFindings({ code, stdout, stderr }: Printed): Findings {
  // deno-lint-ignore no-control-regex -- colours
  const text = stdout.replaceAll(/\x1b\[[\d;]*m/g, "");
  const boxes = [...text.matchAll(/^╭ (.*)\n│ Severity: +(\w+)\n│ Package: +(\S+)/gm)];
  if (boxes.length === 0 && code !== 0) return nothing(firstLine(stderr));
  return sorted(
    boxes.map(([, title, severity, name]) => ({ line: `${name}: ${title}`, severity })),
  );
}

const npmReport = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      // A name stands for a package that is in the report itself.
      via: z.array(z.union([z.string(), z.object({ title: z.string(), severity: z.string() })])),
    }),
  ),
});

/** By the holes themselves; packages that are only affected by those of others are not counted again. */
export function npmFindings({ stdout, stderr }: Printed): Findings {
  const report = npmReport.safeParse(jsonOf(stdout)).data;
  if (report === undefined) return nothing(npmError(stdout) || lastLine(stderr));
  return sorted(
    Object.entries(report.vulnerabilities).flatMap(([name, { via }]) =>
      via.flatMap((hole) =>
        typeof hole === "string"
          ? []
          : [{ line: `${name}: ${hole.title}`, severity: hole.severity }]
      )
    ),
  );
}

function npmError(stdout: string): string {
  return z.object({ message: z.string() }).safeParse(jsonOf(stdout)).data?.message ?? "";
}

const pipReport = z.object({
  dependencies: z.array(z.object({
    name: z.string(),
    version: z.string().optional(),
    skip_reason: z.string().optional(),
    vulns: z.array(z.object({ id: z.string(), fix_versions: z.array(z.string()) })).default([]),
  })),
});

export function pipFindings({ stdout, stderr }: Printed): Findings {
  const report = pipReport.safeParse(jsonOf(stdout)).data;
  if (report === undefined) return nothing(lastLine(stderr));
  const all = report.dependencies;
  const skipped = all.flatMap(({ skip_reason }) => skip_reason ?? []);
  const holes = all.flatMap(({ name, version, vulns }) =>
    vulns.map(({ id, fix_versions }) => `${name} ${version}: ${id}${fixedIn(fix_versions)}`)
  );
  const unknown = skipped.length === 0
    ? null
    : `${skipped.length} of ${all.length} packages were not looked up: ${skipped[0]}`;
  return { holes, milder: 0, unknown };
}

const goMessage = z.object({
  finding: z.object({
    osv: z.string(),
    fixed_version: z.string().optional(),
    trace: z.array(z.object({ module: z.string(), version: z.string().optional() })),
  }).optional(),
});

/** A stream of objects, each of which ends with a brace in the first column. */
export function goFindings({ code, stdout, stderr }: Printed): Findings {
  if (code !== 0) return nothing(lastLine(stderr));
  const messages = stdout.split(/^(?=\{)/m).flatMap((text) =>
    goMessage.safeParse(jsonOf(text)).data ?? []
  );
  const lines = messages.flatMap(({ finding }) => {
    if (finding === undefined) return [];
    const [{ module, version }] = finding.trace;
    return `${module} ${version}: ${finding.osv}${fixedIn([finding.fixed_version ?? ""])}`;
  });
  return messages.length === 0
    ? nothing("it printed nothing")
    : { holes: [...new Set(lines)], milder: 0, unknown: null };
}

function fixedIn([version = ""]: readonly string[]): string {
  return version === "" ? "" : `, fixed in ${version}`;
}

function sorted(holes: readonly { line: string; severity: string }[]): Findings {
  const severe = holes.filter(({ severity }) => SEVERE.includes(severity));
  return {
    holes: severe.map(({ line }) => line),
    milder: holes.length - severe.length,
    unknown: null,
  };
}

/** Nothing is known. */
export function nothing(why: string): Findings {
  return { holes: [], milder: 0, unknown: why || "it did not say why" };
}

/** Two ends of an audit are not good: a known hole (1), and where nothing could be looked up (3). */
export function exitCodeOf(all: readonly Findings[]): number {
  if (all.some(({ holes }) => holes.length > 0)) return 1;
  return all.some(({ unknown }) => unknown === null) ? 0 : 3;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0];
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}

/** One subject in lines for people: a verdict first, then the holes. */
export function linesOf(what: string, { holes, milder, unknown }: Findings): string[] {
  const few = milder === 0 ? "" : `, ${milder} of lower severity`;
  const known = holes.length === 0
    ? `${what}: no known hole of severity high or more${few}`
    : `${what}: ${holes.length} known${few}`;
  return [
    ...(unknown === null || holes.length > 0 ? [known, ...holes.map((hole) => `  ${hole}`)] : []),
    ...(unknown === null ? [] : [`Could not check ${what}: ${unknown}`]),
  ];
}
