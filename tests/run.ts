// deno-lint-ignore-file no-console -- printing the tally is what this program is for
/**
 * `deno task test`: the tests, or those of the given paths (`deno task test tests/http`), as rounds.ts has
 * them beside one another. Without paths it leaves out what takes most CPU time, unless it may not skip any;
 * `--all` runs them. `--slowest` shows where the time goes, and `--installs` has tests install what they
 * need; `--again` runs what failed beside others once more, alone, and names what passes then. Many tests that
 * start the program call its bundle, with `--sources` main.ts itself. Other options go to `deno test` as they are. The
 * last line is `N passed, N failed, N skipped`, for scripts.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { EXIT } from "../base/errors.ts";
import { rememberCalibration, rememberedCalibration } from "../runner/host/calibration_cache.ts";
import { bundledProgram } from "./bundled_program.ts";
import { mayNotSkip, requiredNeeds, type Skip, toGet } from "./needs.ts";
import { OwnFolder } from "./own_folder.ts";
import {
  callsBinary,
  isSlow,
  type Job,
  type Manner,
  type Queue,
  roundsOf,
  takingFrom,
} from "./rounds.ts";
import {
  countsOfBoth,
  cpuSinceLast,
  readFailures,
  readSummary,
  readTimes,
  slowestLines,
  sumOf,
  type Took,
} from "./tally.ts";

const TESTS = resolve(import.meta.dirname ?? "");

/** One line for each set of missing needs: how many tests it cost, and how to get it. */
export function describeSkips(skips: readonly Skip[]): string[] {
  const byNeeds = Map.groupBy(skips, ({ needs }) => needs.map(toGet).join(" and "));
  return [...byNeeds].map(([needs, { length }]) =>
    `skipped ${length} test${length === 1 ? "" : "s"} for want of ${needs}`
  );
}

/** One line for the files that are left out, and how to run them. Counting their tests takes half a minute of CPU time. */
export function describeLeftOut(files: number): string {
  return `left out ${files} files that take most CPU time (deno task test --all runs them)`;
}

/** The test files at `path`, a file or a folder. */
function findTests(path: string): string[] {
  if (statSync(path).isFile()) return [resolve(path)];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith("_test.ts")).map((name) => resolve(path, name))
    .sort();
}

/** What all jobs have in common. */
interface Given {
  readonly folder: string;
  /** Options of `deno test`. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What tests of such a job call in place of main.ts; "" for main.ts. */
  readonly programFor: (manner: Manner) => Promise<string>;
}

/** A module of them all, or the only one. */
function moduleOf(files: readonly string[], folder: string): string {
  if (files.length === 1) return files[0];
  const first = relative(TESTS, files[0]).replaceAll(/[/\\]/g, "-");
  const module = join(folder, `${basename(first, "_test.ts")}_and_others_test.ts`);
  const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(file).href)};\n`);
  Deno.writeTextFileSync(module, imports.join(""));
  return module;
}

/** What one process may take: several times the longest on two cores, so that a test that hangs fails in time. */
const LIMIT_MS = 10 * 60_000;

/** What programs that outlive their test may hold the output open for. */
const GRACE_MS = 10_000;

/** Of the objects of tests most are soon dead: with more room for young ones, those of reports take a tenth less CPU time. */
const ROOMY = "--v8-flags=--min-semi-space-size=64,--max-semi-space-size=64";

/** Deno takes them once. */
function hasV8Flags(options: readonly string[]): boolean {
  return options.some((option) => option.startsWith("--v8-flags"));
}

/** Runs `deno test` once. Types are `deno task check`'s part. @param isAlone Shows its lines as they come. */
async function runJob(
  { files, manner }: Job,
  { options, env, folder, programFor }: Given,
  isAlone: boolean,
): Promise<Took> {
  const program = await programFor(manner);
  const began = performance.now();
  const ended = new AbortController();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--allow-all", "--no-check", "--unstable-lazy-dynamic-imports"],
      ...(manner === "shares" && !hasV8Flags(options) ? [ROOMY] : []),
      ...[...options, moduleOf(files, folder)],
    ],
    env: {
      ...env,
      PLATEAU_MAIN: program,
      ...(callsBinary(files) ? {} : { PLATEAU_BINARY: "" }),
      ...(Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" }),
    },
    stdout: "piped",
    signal: ended.signal,
  }).spawn();
  const timer = setTimeout(() => ended.abort(), LIMIT_MS);
  const over = child.status.finally(() => clearTimeout(timer));
  const output = await printedBy(child.stdout, over, isAlone);
  const { success } = await over;
  if (ended.signal.aborted) {
    console.log(`killed after ${LIMIT_MS / 60_000} minutes: ${files.join(" ")}`);
  }
  const counts = readSummary(output);
  return {
    files: files.map((file) => relative(".", file)),
    manner,
    tookS: (performance.now() - began) / 1_000,
    cpuS: cpuSinceLast(),
    counts: success ? counts : { ...counts, failed: Math.max(1, counts.failed) },
    failures: readFailures(output),
    times: readTimes(output),
  };
}

/** What it prints until it is over, shown as it comes, or whole, so that neighbours do not mix. */
async function printedBy(
  stdout: ReadableStream<Uint8Array>,
  over: Promise<unknown>,
  isAlone: boolean,
): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
  void over.then(() => setTimeout(() => void reader.cancel(), GRACE_MS));
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (isAlone) print(part.value);
    text += decoder.decode(part.value, { stream: true });
  }
  if (!isAlone) print(new TextEncoder().encode(text));
  return text;
}

function print(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** Queues beside one another. */
async function runRound(queues: readonly Queue[], given: Given): Promise<Took[]> {
  const took: Took[] = [];
  const places = queues.flatMap((queue) => new Array<Queue>(queue.atOnce).fill(queue));
  const isAlone = Math.min(places.length, queues.flatMap(({ jobs }) => jobs).length) === 1;
  const next = takingFrom(queues);
  await Promise.all(places.map(async (queue) => {
    for (let job = next(queue); job !== undefined; job = next(queue)) {
      took.push(await runJob(job, given, isAlone));
    }
  }));
  return took;
}

/** More than so many failures are no accident of neighbours. */
const MOST_AGAIN = 20;

/** All of them; what failed ran once more, alone, and counts as it did then. Each that passes is named. */
async function runAgain(took: readonly Took[], given: Given): Promise<Took[]> {
  const hasFailed = ({ counts }: Took): boolean => counts.failed > 0;
  if (sumOf(took.filter(hasFailed).map(({ counts }) => counts)).failed > MOST_AGAIN) {
    return [...took];
  }
  const settled: Took[] = [];
  for (const first of took) {
    settled.push(hasFailed(first) ? await runFailures(first, given) : first);
  }
  return settled;
}

async function runFailures(first: Took, given: Given): Promise<Took> {
  const files = first.files.map((file) => resolve(file));
  const only = first.failures.length === 0 ? [] : ["--filter", namesExactly(first.failures)];
  const options = [...given.options, ...only];
  const again = await runJob({ files, manner: "alone" }, { ...given, options }, true);
  const counts = countsOfBoth(first, again);
  if (counts.failed === 0) {
    const what = only.length > 0 ? first.failures : first.files;
    for (const each of what) console.log(`failed at first, passed alone: ${each}`);
  }
  return { ...first, tookS: first.tookS + again.tookS, counts };
}

/** An expression for `--filter`. */
function namesExactly(names: readonly string[]): string {
  return `/^(?:${names.map((name) => name.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})$/`;
}

/** From so many files on whose tests may start the program, it pays to make one that starts sooner. */
const MANY_FILES = 8;

const HAS_BINARY = Boolean(Deno.env.get("PLATEAU_BINARY"));

/** Whether many files start main.ts, or what is made of it. */
function isOftenStarted(rounds: readonly Queue[][]): boolean {
  const jobs = rounds.flat().flatMap(({ jobs }) => jobs).filter(({ manner, files }) =>
    manner !== "shares" && !(HAS_BINARY && callsBinary(files))
  );
  return jobs.flatMap(({ files }) => files).length >= MANY_FILES;
}

/**
 * Measures the generator for all that follow, while nothing runs beside it, and remembers it in the folder of this run even
 * if another program disturbed it: each `run` of each test would take a second or two to measure it again.
 */
async function calibrateOnce(): Promise<void> {
  const { chooseDriver } = await import("../runner/load/transports/choose_driver.ts");
  const { driver } = await chooseDriver("auto", { hostname: "127.0.0.1", port: 80 });
  if (rememberedCalibration(driver) !== null) return;
  const { calibrate } = await import("../runner/calibration/calibration.ts");
  const found = await calibrate({ driver, signal: new AbortController().signal });
  if (found !== null) await rememberCalibration(driver, found);
}

/** What tests are to call in place of main.ts; "" for main.ts. */
async function makeProgram(rounds: readonly Queue[][], args: readonly string[]): Promise<string> {
  if (args.includes("--sources") || !isOftenStarted(rounds)) return "";
  try {
    return await bundledProgram();
  } catch (error) {
    console.log(`Tests start the program from its sources, which takes longer: ${error}`);
    return "";
  }
}

/** Begins to make the program. Files that share processes start it rarely, so that they need not wait for it. */
function programBeingMade(
  rounds: readonly Queue[][],
  args: readonly string[],
): Given["programFor"] {
  const making = makeProgram(rounds, args);
  let made = "";
  void making.then((program) => made = program);
  return (manner) => manner === "shares" ? Promise.resolve(made) : making;
}

const OWN_OPTIONS = ["--all", "--slowest", "--installs", "--again", "--sources"];

/** Words that name nothing: neither a path nor an option, nor, as far as is known, the value of one. */
export function strangersIn(args: readonly string[], isPath: (arg: string) => boolean): string[] {
  return args.filter((arg, at) => {
    const [before = ""] = args.slice(at - 1, at);
    const isValue = before.startsWith("-") && !before.includes("=") &&
      !OWN_OPTIONS.includes(before);
    return !arg.startsWith("-") && !isPath(arg) && !isValue;
  });
}

function isPath(arg: string): boolean {
  return statSync(arg, { throwIfNoEntry: false }) !== undefined;
}

async function main(args: readonly string[]): Promise<number> {
  const strangers = strangersIn(args, isPath);
  for (const stranger of strangers) {
    console.error(`Cannot find tests at ${stranger}: there is no such file or folder`);
  }
  if (strangers.length > 0) return EXIT.usage;
  requiredNeeds();
  const paths = args.filter(isPath);
  await using own = await OwnFolder.enter({
    installs: args.includes("--installs") || mayNotSkip(),
  });
  const folder = join(own.path, "run");
  Deno.mkdirSync(folder);
  const skipFile = join(folder, "skipped");
  Deno.writeTextFileSync(skipFile, "");
  const found = [...new Set((paths.length > 0 ? paths : [TESTS]).flatMap(findTests))];
  const isWhole = paths.length > 0 || args.includes("--all") || mayNotSkip();
  const leftOut = isWhole ? [] : found.filter(isSlow);
  const files = found.filter((file) => !leftOut.includes(file));
  const inOrder = roundsOf(files, navigator.hardwareConcurrency, (file) => statSync(file).size);
  // The first start of a binary calibrates its generator for all that follow, and so must be alone.
  const rounds = HAS_BINARY ? inOrder.toReversed() : inOrder;
  if (isOftenStarted(rounds)) await calibrateOnce();
  const given = {
    folder,
    options: args.filter((arg) => !paths.includes(arg) && !OWN_OPTIONS.includes(arg)),
    env: {
      PLATEAU_SKIPPED: skipFile,
      ...(args.includes("--installs") ? { PLATEAU_INSTALLS: "1" } : {}),
    },
    programFor: programBeingMade(rounds, args),
  };
  let took: Took[] = [];
  for (const queues of rounds) took.push(...await runRound(queues, given));
  if (args.includes("--again")) took = await runAgain(took, given);
  const skips = readFileSync(skipFile, "utf8").trim().split("\n").filter(Boolean);
  if (args.includes("--slowest")) console.log(slowestLines(took).join("\n"));
  for (const line of describeSkips(skips.map((skip) => JSON.parse(skip)))) console.log(line);
  if (leftOut.length > 0) console.log(describeLeftOut(leftOut.length));
  const { passed, failed, skipped } = sumOf(took.map(({ counts }) => counts));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
