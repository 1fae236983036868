/**
 * The laws of the house that a machine can check. A failing test lists every offending place.
 */
import assert from "node:assert/strict";
import {
  files,
  folderOf,
  foreign,
  imports,
  program,
  sources,
  surveyOf,
} from "./architecture/sources.ts";
import { type Edge, readText } from "./architecture/tree.ts";
import type { Finding } from "./architecture/survey.ts";

/** What each room may import from besides itself and deno.json; `bench` and `tests` may everything. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "main.ts": ["cli", "report", "runner", "targets", "scenarios", "base"],
  release: ["cli", "base"],
  cli: ["report", "runner", "targets", "scenarios", "base"],
  report: ["runner/result", "runner/stats", "base"],
  runner: ["targets", "scenarios", "base"],
  targets: ["base"],
  scenarios: ["base"],
  base: [],
};

/** What knows no socket, clock, timer or randomness: time and seed are arguments. */
const PURE = [
  ...["base/http", "base/figures", "runner/stats", "scenarios/plan", "scenarios/pace", "report"],
];
const IMPURE = ["report/client"];

sources.forEach(surveyOf);

const REGISTRY_HOST =
  /npmjs\.(?:org|com)|yarnpkg\.com|jsr\.io|deno\.land|pypi\.org|pythonhosted\.org|golang\.org|crates\.io/;

Deno.test("imports between rooms point one way", () => {
  assertNone(imports.filter(isForbidden).map(({ from, to }) => `${from} imports ${to}`));
});

Deno.test("no file imports itself through others", () => {
  const importsOf = Map.groupBy(imports, ({ from }) => from);
  assertNone(sources.flatMap((file) => findCycle(file, importsOf) ?? []));
});

const BENCH = "cli/commands/bench.ts";
const MOST_OF_BENCH = 120;

Deno.test(`bench loads at most ${MOST_OF_BENCH} modules before it begins, and no reader of files`, () => {
  const loaded = loadedWith(BENCH);
  assertNone(["scenarios/file/disk_files.ts"].filter((file) => loaded.has(file)));
  assert.ok(loaded.size <= MOST_OF_BENCH, `${loaded.size} modules`);
  assert.ok(
    imports.some(({ from, to }) => from === BENCH && to === "scenarios/file/disk_files.ts"),
  );
});

Deno.test("a worker begins without the reader of what users write, and without streams and WebSockets", () => {
  const loaded = loadedWith("runner/load/worker/worker.ts");
  assertNone([...loaded].filter((file) => /zod|\/(?:streams|sockets|websocket)\b/.test(file)));
});

/** Files and packages without which it can't run. */
function loadedWith(file: string): Set<string> {
  const atOnce = Map.groupBy(imports.filter(({ isAtOnce }) => isAtOnce), ({ from }) => from);
  const loaded = new Set([file]);
  for (const from of loaded) for (const { to } of atOnce.get(from) ?? []) loaded.add(to);
  return loaded;
}

Deno.test("pure rooms use no socket, clock, timer, randomness or await", () => {
  const pure = program.filter((file) => isIn(file, PURE) && !isIn(file, IMPURE));
  assert.notEqual(pure.length, 0);
  assertNone(pure.flatMap((file) => places(file, surveyOf(file).impurities)));
});

Deno.test("base/system alone calls libc and reads /proc and control groups", () => {
  const reads = /\bDeno\.dlopen\b|["'`]\/proc(?:\/|["'`])|["'`]\/sys\/fs\/cgroup/;
  const others = program.filter((file) => !isIn(file, ["base/system"]));
  assertNone(others.filter((file) => reads.test(readText(file))));
});

/** Starts nothing while users' experiments run. */
const OWN_TOOLS = ["cli/compiled", "report/client/build.ts"];

Deno.test("programs are started under a supervisor alone, which leaves nothing of them", () => {
  const starters = ["targets/launch/child.ts", "targets/launch/supervisor.ts"];
  const waitsAtOnce = ["base/system/process_table.ts"]; // for ps, which ends by itself
  const others = program.filter((file) => !isIn(file, [...starters, ...waitsAtOnce, ...OWN_TOOLS]));
  assertNone(others.filter((file) => /\bDeno\.Command\b|child_process/.test(readText(file))));
});

Deno.test("no any, no double assertion, no non-null assertion, no note for later", () => {
  assertNone(sources.flatMap((file) => places(file, surveyOf(file).evasions)));
});

Deno.test("no two folders import each other, but a family's members and its contract above them", () => {
  const edges = new Map(
    imports.filter(({ from, to }) => program.includes(from) && program.includes(to))
      .map((edge) => [`${folderOf(edge.from)} → ${folderOf(edge.to)}`, edge]),
  );
  const both = [...edges.values()].filter(({ from, to }) =>
    folderOf(from) < folderOf(to) && !folderOf(to).startsWith(`${folderOf(from)}/`) &&
    edges.has(`${folderOf(to)} → ${folderOf(from)}`)
  );
  assertNone(
    both.map(({ from, to }) => `${folderOf(from)} and ${folderOf(to)}, by ${from} and ${to}`),
  );
});

Deno.test("files are named after their one thing, in snake_case", () => {
  const barrel = /(?:^|\/)(?:utils?|helpers?|types?|common|index|mod)\.ts$/;
  const snakeCase = /^(?:[a-z0-9_]+\/)*[a-z0-9_]+\.ts$/;
  assertNone(sources.filter((file) => barrel.test(file) || !snakeCase.test(file)));
});

Deno.test("every dependency is pinned exactly, imported, and explained in docs/dependencies.md", () => {
  const { imports: pins } = JSON.parse(readText("deno.json")) as {
    imports: Record<string, string>;
  };
  const page = readText("docs/dependencies.md");
  const pinned = /^npm:(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+$/;
  assertNone(Object.entries(pins).filter(([, pin]) => !pinned.test(pin)).map(String));
  assertNone(Object.values(pins).filter((pin) => !imports.some(({ to }) => to.startsWith(pin))));
  assertNone(Object.keys(pins).filter((name) => !page.includes(`\n| \`${name}\` `)));
});

Deno.test("deno.lock holds the packages that are imported, and those that they need", () => {
  const { imports: pins } = JSON.parse(readText("deno.json")) as {
    imports: Record<string, string>;
  };
  const lock = JSON.parse(readText("deno.lock")) as Lock;
  assert.deepEqual(Object.keys(lock.specifiers).sort(), Object.values(pins).sort());
  const needed = new Set(
    Object.entries(lock.specifiers).map(([pin, version]) =>
      pin.replace(/^npm:/, "").replace(/@[^@]+$/, `@${version}`)
    ),
  );
  for (const id of needed) for (const need of needsOf(id, lock)) needed.add(need);
  assert.deepEqual(Object.keys(lock.npm).filter((id) => !needed.has(id)), []);
});

Deno.test("packages are imported by the name that deno.json pins", () => {
  assertNone(
    imports.filter(({ to }) => /^(?:jsr|https?):/.test(to)).map(({ from, to }) => `${from}: ${to}`),
  );
});

Deno.test("no text file names a download host", () => {
  const texts = files.filter((file) => /\.(?:ts|json|lock|md|ya?ml|css|html)$|^\.ci\//.test(file));
  const isGo = (file: string) => /\/go\.(?:mod|sum)$|\.go$/.test(file);
  const withoutModules = (text: string) =>
    text.replaceAll(/^(?:\t|require )?(?:google\.)?golang\.org\/\S+ v\d/gm, "")
      .replaceAll(/(?:"|pkg\.go\.dev\/)(?:google\.)?golang\.org\/\S+/g, "");
  const textOf = (file: string) => isGo(file) ? withoutModules(readText(file)) : readText(file);
  assertNone([...texts, ...foreign].filter((file) => REGISTRY_HOST.test(textOf(file))));
  assert.doesNotMatch(readText("deno.lock"), /https?:/);
});

Deno.test("frameworks are pinned by lock files that record no download address", () => {
  const npmLocks = foreign.filter((file) => file.endsWith("package-lock.json"));
  assert.notEqual(npmLocks.length, 0);
  assertNone(npmLocks.filter((file) => /"resolved"/.test(readText(file))));
});

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
  readonly npm: Readonly<
    Record<string, { dependencies?: readonly string[]; optionalDependencies?: readonly string[] }>
  >;
}

/** Keys in the lock; a need has its version where the lock has several. */
function needsOf(id: string, { npm }: Lock): string[] {
  const { dependencies = [], optionalDependencies = [] } = npm[id];
  return [...dependencies, ...optionalDependencies].flatMap((need) =>
    Object.keys(npm).filter((key) =>
      key === need || key.startsWith(`${need}_`) || key.slice(0, key.indexOf("@", 1)) === need
    )
  );
}

function isForbidden({ from, to }: Edge): boolean {
  const room = roomOf(from);
  if (!(room in MAY_IMPORT) || to.includes(":") || to === "deno.json") return false;
  return roomOf(to) !== room && !isIn(to, MAY_IMPORT[room]);
}

function roomOf(file: string): string {
  return file.split("/")[0];
}

function isIn(file: string, roots: readonly string[]): boolean {
  return roots.some((root) => file === root || file.startsWith(`${root}/`));
}

/** `a → b → a` when `start` imports itself through others, else null. */
function findCycle(start: string, importsOf: Map<string, Edge[]>): string | null {
  const seen = new Set<string>();
  const walk = (path: string[]): string | null => {
    for (const { to } of importsOf.get(path[path.length - 1]) ?? []) {
      if (to === start) return [...path, to].join(" → ");
      if (seen.has(to)) continue;
      seen.add(to);
      const cycle = walk([...path, to]);
      if (cycle) return cycle;
    }
    return null;
  };
  return walk([start]);
}

function places(file: string, findings: readonly Finding[]): string[] {
  return findings.map(({ line, what }) => `${file}:${line} ${what}`);
}

function assertNone(offences: readonly string[]): void {
  assert.deepEqual(offences, [], offences.join("\n"));
}
