// deno-lint-ignore-file no-console -- printing the tally is what this program is for
/**
 * `deno task test`: all tests, or those of the given paths (`deno task test tests/http`), as rounds.ts has
 * them beside one another. `--slowest` names the files that took longest; other options go to `deno test` as
 * they are. The last line is `N passed, N failed, N skipped`, for scripts.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { requiredNeeds, type Skip, toGet } from "./needs.ts";
import { type Round, roundsOf } from "./rounds.ts";
import { type Counts, readSummary, readTimes, sumOf } from "./tally.ts";

const TESTS = resolve(import.meta.dirname ?? "");

/** One line for each set of missing needs: how many tests it cost, and how to get it. */
export function describeSkips(skips: readonly Skip[]): string[] {
  const byNeeds = Map.groupBy(skips, ({ needs }) => needs.map(toGet).join(" and "));
  return [...byNeeds].map(([needs, { length }]) =>
    `skipped ${length} test${length === 1 ? "" : "s"} for want of ${needs}`
  );
}

/** The test files at `path`, a file or a folder. */
function findTests(path: string): string[] {
  if (statSync(path).isFile()) return [resolve(path)];
  const names = readdirSync(path, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith("_test.ts")).map((name) => resolve(path, name))
    .sort();
}

interface Outcome {
  readonly counts: Counts;
  /** Seconds by file. */
  readonly times: ReadonlyMap<string, number>;
}

/** Runs `deno test` once. Types are `deno task check`'s part. @param show Is given what it prints. */
async function runTests(
  args: readonly string[],
  skipFile: string,
  show: (printed: ReadableStream<Uint8Array>) => Promise<void>,
): Promise<Outcome> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--no-check", ...args],
    env: { PLATEAU_SKIPPED: skipFile, ...(Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" }) },
    stdout: "piped",
  }).spawn();
  const [shown, read] = child.stdout.tee();
  const [output] = await Promise.all([new Response(read).text(), show(shown)]);
  const { success } = await child.status;
  const counts = readSummary(output);
  return {
    counts: success ? counts : { ...counts, failed: Math.max(1, counts.failed) },
    times: readTimes(output),
  };
}

/** As it comes. */
async function showNow(printed: ReadableStream<Uint8Array>): Promise<void> {
  await printed.pipeTo(Deno.stdout.writable, { preventClose: true });
}

/** Whole, so that two neighbours do not mix. */
async function showWhole(printed: ReadableStream<Uint8Array>): Promise<void> {
  const bytes = await new Response(printed).bytes();
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

async function runRound(
  { how, files }: Round,
  options: readonly string[],
  skipFile: string,
): Promise<Outcome[]> {
  if (how !== "pairs") {
    const beside = how === "shared" ? ["--parallel"] : [];
    return [await runTests([...beside, ...options, ...files], skipFile, showNow)];
  }
  const outcomes: Outcome[] = [];
  const left = [...files];
  const runSome = async (): Promise<void> => {
    for (let file = left.shift(); file !== undefined; file = left.shift()) {
      outcomes.push(await runTests([...options, file], skipFile, showWhole));
    }
  };
  await Promise.all([runSome(), runSome()]);
  return outcomes;
}

const SHOWN_FILES = 20;

function slowestLines(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap(({ times }) => [...times]).sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN_FILES)
    .map(([file, seconds]) => `${seconds.toFixed(1).padStart(6)} s  ${relative(".", file)}`);
}

async function main(args: readonly string[]): Promise<number> {
  requiredNeeds();
  const paths = args.filter((arg) => statSync(arg, { throwIfNoEntry: false }));
  const options = args.filter((arg) => !paths.includes(arg) && arg !== "--slowest");
  const skipFile = await Deno.makeTempFile();
  const outcomes: Outcome[] = [];
  for (const round of roundsOf((paths.length > 0 ? paths : [TESTS]).flatMap(findTests))) {
    outcomes.push(...await runRound(round, options, skipFile));
  }
  const skips = readFileSync(skipFile, "utf8").trim().split("\n").filter(Boolean);
  await Deno.remove(skipFile);
  if (args.includes("--slowest")) console.log(slowestLines(outcomes).join("\n"));
  for (const line of describeSkips(skips.map((skip) => JSON.parse(skip)))) console.log(line);
  const { passed, failed, skipped } = sumOf(outcomes.map(({ counts }) => counts));
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
