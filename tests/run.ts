// deno-lint-ignore-file no-console -- printing the tally is what this program is for
/**
 * `deno task test`: all tests, or those of the given paths (`deno task test tests/http`); options go
 * to `deno test` as they are. Tests that start programs or measure time run one file after the other,
 * the rest side by side. The last line is `N passed, N failed, N skipped`, for scripts.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { requiredNeeds, type Skip, toGet } from "./needs.ts";

const TESTS = resolve(import.meta.dirname ?? "");

/** Folders whose files run one after the other. */
const SERIAL = ["conformance", "faults", "hostile", "e2e", "studies"].map((folder) =>
  join(TESTS, folder)
);

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const SUMMARY =
  /\| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/g;

/** The counts in the last summary of `deno test`; one failure when it ended without any. */
export function readSummary(output: string): Counts {
  // deno-lint-ignore no-control-regex
  const last = [...output.replaceAll(/\x1b\[[\d;]*m/g, "").matchAll(SUMMARY)].at(-1);
  if (!last) return { passed: 0, failed: 1, skipped: 0 };
  const [passed, failed, skipped] = last.slice(1).map((digits) => Number(digits ?? 0));
  return { passed, failed, skipped };
}

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

/** The arguments of each round of `deno test` that the command line asks for. */
function planRounds(args: readonly string[]): string[][] {
  const paths = args.filter((arg) => statSync(arg, { throwIfNoEntry: false }));
  const options = args.filter((arg) => !paths.includes(arg));
  const files = (paths.length > 0 ? paths : [TESTS]).flatMap(findTests);
  const isSerial = (file: string) => SERIAL.some((folder) => file.startsWith(folder));
  const serial = files.filter(isSerial);
  const parallel = files.filter((file) => !isSerial(file));
  const rounds = [];
  if (parallel.length > 0) rounds.push(["--parallel", ...options, ...parallel]);
  if (serial.length > 0) rounds.push([...options, ...serial]);
  return rounds;
}

/** Runs `deno test` once and passes its output on as it comes. Types are `deno task check`'s part. */
async function runRound(args: readonly string[], skipFile: string): Promise<Counts> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", "--no-check", ...args],
    env: { PLATEAU_SKIPPED: skipFile, ...(Deno.stdout.isTerminal() ? {} : { NO_COLOR: "1" }) },
    stdout: "piped",
  }).spawn();
  const [shown, read] = child.stdout.tee();
  const [output] = await Promise.all([
    new Response(read).text(),
    shown.pipeTo(Deno.stdout.writable, { preventClose: true }),
  ]);
  const { success } = await child.status;
  const counts = readSummary(output);
  return success ? counts : { ...counts, failed: Math.max(1, counts.failed) };
}

async function main(args: readonly string[]): Promise<number> {
  requiredNeeds();
  const skipFile = await Deno.makeTempFile();
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const round of planRounds(args)) {
    const counts = await runRound(round, skipFile);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  const skips = readFileSync(skipFile, "utf8").trim().split("\n").filter(Boolean);
  await Deno.remove(skipFile);
  for (const line of describeSkips(skips.map((skip) => JSON.parse(skip)))) console.log(line);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
