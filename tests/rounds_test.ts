/** How the tests are run: every file once, and what is counted of it. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { listedCommands } from "../cli/registry.ts";
import { firstWordsIn } from "./called_commands.ts";
import { callsBinary, isSlow, type Job, roundsOf, takingFrom } from "./rounds.ts";
import { describeLeftOut, strangersIn } from "./run.ts";
import {
  countsOfBoth,
  readFailures,
  readSummary,
  readTimes,
  slowestLines,
  sumOf,
  type Took,
} from "./tally.ts";

const at = (name: string): string => join(import.meta.dirname ?? "", name);

Deno.test("every command is called end to end by what always runs", () => {
  const endToEnd = readdirSync(at("e2e"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("_test.ts") && !isSlow(name)).map((name) => `e2e/${name}`);
  const called = firstWordsIn([...endToEnd, "cli/completions_test.ts"].map(at));
  assert.deepEqual(
    listedCommands().map(({ name }) => name).filter((name) => !called.has(name)),
    [],
  );
});

Deno.test("a command is called only by what a test runs, not by all that a helper could", () => {
  const [test, helper] = ["e2e/of_test.ts", "e2e/helper.ts"].map(at);
  const texts = new Map([[
    test,
    `import { unused, used } from "./helper.ts"; // ["comment"]
    const text = '["text"'; function never() { unused(); }
    Deno.test(text, () => { assert.deepEqual(used(), ["expected"]); exits(2, ["own"]); });`,
  ], [
    helper,
    `export const used = () => inner(); export const unused = () => plateau(["unused"]);
    const ARGS = ["named", "-q"]; function inner() { plateau([...["inner"], "x"]); return ARGS; }`,
  ]]);
  const called = firstWordsIn([test], (path) => texts.get(path) ?? assert.fail(path));
  assert.deepEqual(called, new Set(["own", "inner", "named"]));
});

Deno.test("what is left out is said with the way to run it", () => {
  assert.equal(
    describeLeftOut(9),
    "left out 9 files that take most CPU time (deno task test --all runs them)",
  );
});

const ALIKE = (): number => 1;

Deno.test("the end of a file's name says beside what it runs, and what is slow starts first", () => {
  const names = ["http/a", "e2e/b_alone", "e2e/c", "e2e/d_slow", "http/e", "faults/f_waits_slow"];
  const files = [...names, "fleet/g_waits"].map((name) => at(`${name}_test.ts`));
  const shape = ({ files, manner }: Job): unknown => [manner, files];
  const rounds = roundsOf(files, 2, ALIKE).map((queues) =>
    queues.map(({ atOnce, jobs }) => [atOnce, ...jobs.map(shape)])
  );
  const [a, b, c, d, e, f, g] = files;
  assert.deepEqual(rounds, [
    [
      [1, ["shares", [a, e]]],
      [3, ["computes", [d]], ["computes", [c]]],
      [2, ["waits", [f]], ["waits", [g]]],
    ],
    [[1, ["alone", [b]]]],
  ]);
});

Deno.test("of files that run by themselves the longest starts first, but after what is slow", () => {
  const bytes = { "e2e/a": 1, "e2e/b_slow": 2, "e2e/c": 4, "hostile/d": 3 };
  const files = new Map(
    Object.entries(bytes).map(([name, size]) => [at(`${name}_test.ts`), size]),
  );
  const [[{ jobs }]] = roundsOf([...files.keys()], 2, (file) => files.get(file) ?? 0);
  assert.deepEqual(jobs.map(({ files: [file] }) => files.get(file)), [2, 4, 3, 1]);
});

Deno.test("short files of a folder share a process that is as long as the longest file, but for slow ones", () => {
  const bytes = {
    ...{ "e2e/long": 9, "e2e/medium": 5, "e2e/short": 4, "e2e/shorter": 3, "e2e/shortest": 2 },
    ...{ "e2e/looks_apart": 1, "e2e/takes_slow": 1, "hostile/other": 1 },
  };
  const files = new Map(
    Object.entries(bytes).map(([name, size]) => [at(`${name}_test.ts`), size]),
  );
  const [[{ jobs }]] = roundsOf([...files.keys()], 2, (file) => files.get(file) ?? 0);
  const nameOf = (file: string): string => basename(file, "_test.ts");
  assert.deepEqual(jobs.map(({ files }) => files.map(nameOf)), [
    ["takes_slow"],
    ["long"],
    ["medium", "short"],
    ["shorter", "shortest"],
    ["looks_apart"],
    ["other"],
  ]);
});

Deno.test("a place for what waits never computes, and the others help it", () => {
  const names = ["e2e/a", "e2e/b", "e2e/c_waits", "e2e/d_waits"];
  const [queues] = roundsOf(names.map((name) => at(`${name}_test.ts`)), 2, ALIKE);
  const [computing, waiting] = queues;
  const next = takingFrom(queues);
  const manners = [waiting, waiting, waiting].map((place) => next(place)?.manner);
  assert.deepEqual(manners, ["waits", "waits", undefined]);
  assert.equal(next(computing)?.manner, "computes");
  const helping = takingFrom(queues);
  const helped = new Array(5).fill(computing).map((place) => helping(place)?.manner);
  assert.deepEqual(helped, ["computes", "computes", "waits", "waits", undefined]);
});

Deno.test("files without programs share some processes, each once, but for those that stay apart", () => {
  const apart = ["cli/x_apart_test.ts", "cli/y_apart_test.ts"].map(at);
  const sharing = (count: number): string[] =>
    Array.from({ length: count }, (_, i) => at(`report/${i}_test.ts`));
  for (const [count, sizes] of [[41, [14, 14, 13]], [200, [50, 50, 50, 50]]] as const) {
    const files = [...sharing(count), ...apart];
    const [[{ jobs }]] = roundsOf(files, 2, ALIKE);
    assert.deepEqual(jobs.map(({ files }) => files.length), [...sizes, ...apart.map(() => 1)]);
    assert.deepEqual(jobs.flatMap(({ files }) => files), files);
  }
});

Deno.test("a folder that shares a browser is one process, the first", () => {
  const browser = Array.from({ length: 30 }, (_, i) => at(`browser/${i}_test.ts`));
  const [[{ jobs }]] = roundsOf([at("base/a_test.ts"), ...browser, at("cli/b_test.ts")], 2, ALIKE);
  assert.deepEqual(jobs.map(({ files }) => files), [
    browser,
    [at("base/a_test.ts"), at("cli/b_test.ts")],
  ]);
});

Deno.test("end-to-end tests call the binary where there is one, and no others", () => {
  assert.ok(callsBinary([at("e2e/run_test.ts")]) && callsBinary([at("e2e/pages/fleet_test.ts")]));
  assert.ok(!callsBinary([at("hostile/kills_test.ts")]) && !callsBinary([at("cli/main_test.ts")]));
});

const OUTPUT = `running 3 tests from ./tests/e2e/a_test.ts
one ... \x1b[0m\x1b[32mok\x1b[0m \x1b[0m\x1b[38;5;245m(1m2s)\x1b[0m
two ... FAILED (500ms)
  a step of it ... ok (400ms)
  another ... ok (5ms)
three ... ok (20ms)

 ERRORS 

two ... a step of it => ./tests/e2e/a_test.ts:4:43
error: Error: x => y

 FAILURES 

two ... a step of it => ./tests/e2e/a_test.ts:4:43
two ... another => ./tests/e2e/a_test.ts:9:1
\x1b[1mfour (a) => b\x1b[0m => \x1b[2m../needs.ts:102:8\x1b[0m

FAILED | 2 passed | 1 failed | 3 ignored (1m3s)
`;

Deno.test("the last summary counts, and a test run without any has failed", () => {
  const counts = { passed: 2, failed: 1, skipped: 3 };
  assert.deepEqual(readSummary(OUTPUT), counts);
  const none = readSummary("error: Module not found");
  assert.deepEqual(none, { passed: 0, failed: 1, skipped: 0 });
  assert.deepEqual(sumOf([counts, none]), { passed: 2, failed: 2, skipped: 3 });
});

Deno.test("a test that failed is named once, whichever of its steps did", () => {
  assert.deepEqual(readFailures(OUTPUT), ["two", "four (a) => b"]);
  assert.deepEqual(readFailures("error: Module not found"), []);
});

Deno.test("what failed counts as it did when it ran again, and what was not listed has failed", () => {
  const first = { counts: { passed: 5, failed: 2, skipped: 1 }, failures: ["a", "b"] };
  const again = (passed: number, failed: number): Pick<Took, "counts"> => ({
    counts: { passed, failed, skipped: 0 },
  });
  assert.deepEqual(countsOfBoth(first, again(2, 0)), { passed: 7, failed: 0, skipped: 1 });
  assert.deepEqual(countsOfBoth(first, again(1, 1)), { passed: 6, failed: 1, skipped: 1 });
  assert.deepEqual(countsOfBoth(first, again(1, 0)), { passed: 6, failed: 1, skipped: 1 });
  const died = { counts: { passed: 0, failed: 1, skipped: 0 }, failures: [] };
  assert.deepEqual(countsOfBoth(died, again(9, 0)), { passed: 9, failed: 0, skipped: 0 });
});

Deno.test("the time of a test is that of all its steps", () => {
  assert.deepEqual([...readTimes(OUTPUT)], [["one", 62], ["two", 0.5], ["three", 0.02]]);
});

Deno.test("the slowest processes come first, with their CPU time and manner, then the slowest tests", () => {
  const took = (tookS: number, cpuS: number, files: string[], times: [string, number][]): Took => ({
    ...{ files, manner: "waits", tookS, cpuS, times: new Map(times) },
    counts: { passed: 1, failed: 0, skipped: 0 },
    failures: [],
  });
  const lines = slowestLines([
    took(1, 0.5, ["a", "b", "c"], [["one", 0.25], ["two", 0.75]]),
    took(12.34, 2, ["e2e/d"], [["three", 12]]),
  ]);
  assert.deepEqual(lines.filter((line) => !line.includes("took")), [
    "   12.3 s     2.0 s  waits     e2e/d",
    "    1.0 s     0.5 s  waits     3: a to c",
    "   13.3 s     2.5 s            all 2 processes",
    "   12.0 s  three",
    "    0.8 s  two",
    "    0.3 s  one",
  ]);
});

Deno.test("words that name no file are told from options and their values", () => {
  const isPath = (arg: string): boolean => arg === "tests/http";
  const found = (...args: string[]): string[] => strangersIn(args, isPath);
  assert.deepEqual(found("tests/http", "--all", "--filter", "histogram", "--seed=7"), []);
  assert.deepEqual(found("tests/htpp"), ["tests/htpp"]);
  assert.deepEqual(found("--again", "tests/htpp", "--filter=sum", "sums"), ["tests/htpp", "sums"]);
});
