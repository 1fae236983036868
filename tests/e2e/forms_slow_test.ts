/** What real runs write for scripts: valid by the published schemas, and alike in every form. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { parse } from "csv-parse/sync";
import * as hdr from "hdr-histogram-js";
import {
  type Measurement,
  measurement,
  results as resultsSpec,
} from "../../runner/result/result.ts";
import { needing } from "../needs.ts";
import { around } from "../report/rates.ts";
import { resultsOn } from "../report/trended.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";
import { startWitness } from "./witness.ts";

const onLinux = needing("linux");

type Row = Readonly<Record<string, string>>;

async function assertValid(text: string, shape: "results" | "bench"): Promise<void> {
  const schema: Schema = JSON.parse((await plateau(["schema", shape])).stdout);
  const { errors } = new Validator(schema, "2020-12").validate(JSON.parse(text));
  assert.deepEqual(
    errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`),
    [],
  );
}

function experimentAt(origin: string, load: Record<string, unknown>): string {
  return JSON.stringify({
    name: "forms",
    targets: { here: { url: origin } },
    scenarios: { s: { get: "/" } },
    load: { connections: [1, 2], ...load },
    interval: "100ms",
    repeat: 2,
  });
}

Deno.test("run writes JSON that keeps to its schema, and the same numbers in both CSVs", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  await Deno.writeTextFile(at("forms.json"), experimentAt(witness.origin, { duration: "600ms" }));
  const args = ["run", at("forms.json"), "--out", at("out"), "-q", "--csv", at("out/runs.csv")];
  const { stdout } = await exits(0, [...args, "--csv-intervals", "-"]);
  const text = await Deno.readTextFile(at("out/results.json"));
  await assertValid(text, "results");
  const { runs } = resultsSpec.parse(JSON.parse(text));
  const rows: Row[] = parse(await Deno.readTextFile(at("out/runs.csv")), { columns: true });
  const intervals: Row[] = parse(stdout, { columns: true });
  assert.equal(intervals.length, runs.flatMap(({ timeline }) => timeline.points).length);
  for (const { order, requests, drain, parameters } of runs) {
    const ofRun = (some: readonly Row[]): Row[] =>
      some.filter((row) => row.order === String(order));
    const completed = ofRun(intervals).reduce((sum, row) => sum + Number(row.completed), 0);
    const inTime = requests.completed - (drain?.completed ?? 0);
    assert.deepEqual([completed, ofRun(rows)[0].completed], [inTime, String(requests.completed)]);
    assert.ok(ofRun(intervals).every((row) => row.connections === String(parameters.connections)));
  }
});

onLinux.test("where a form can't be written, the others and the summary are, and the exit code is 3", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const csv = join(folder.path, "a.csv");
  const args = ["bench", witness.origin, "-n", "10", "-c", "1", "--json", "/dev/full"];
  const { stdout, stderr } = await exits(3, [...args, "--csv", csv]);
  assert.match(stderr, /^Cannot write \/dev\/full: /m);
  assert.equal(parse(await Deno.readTextFile(csv), { columns: true }).length, 1);
  assert.match(stdout, /\n[\d.,]+\/s · p50 /);
});

Deno.test("bench writes JSON that keeps to its schema, and its intervals", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const csv = join(folder.path, "intervals.csv");
  const args = ["bench", witness.origin, "-c", "2", "-d", "600ms", "--interval", "100ms", "-q"];
  const forms = ["--csv-intervals", csv, "--json", "-"];
  const { stdout } = await exits(0, [...args, ...forms]);
  await assertValid(stdout, "bench");
  const { timeline } = JSON.parse(stdout);
  const rows: Row[] = parse(await Deno.readTextFile(csv), { columns: true });
  assert.deepEqual(
    rows.map(({ endS, completed }) => [Number(endS), Number(completed)]),
    timeline.points.map(({ endS, completed }: { endS: number; completed: number }) => [
      endS,
      completed,
    ]),
  );
});

/** Of a histogram log, the sum of its intervals by tag. */
function sumsOf(log: string): Map<string, hdr.Histogram> {
  const reader = new hdr.HistogramLogReader(log);
  const sums = new Map<string, hdr.Histogram>();
  for (let next = reader.nextIntervalHistogram(); next; next = reader.nextIntervalHistogram()) {
    const sum = sums.get(next.tag);
    if (sum === undefined) sums.set(next.tag, next);
    else sum.add(next);
  }
  return sums;
}

/** Every value is in the log, and percentiles of it are those of the results: in an open loop, bounds count as values. */
function assertHolds(log: hdr.Histogram | undefined, { latency }: Measurement): void {
  assert.equal(log?.totalCount, latency.count);
  for (const [percentile, ms] of Object.entries(latency.percentiles)) {
    const us: number = log?.getValueAtPercentile(Number(percentile)) ?? NaN;
    assert.equal(Math.min(us, Math.round(1_000 * latency.max)), Math.round(1_000 * ms));
  }
}

Deno.test("a histogram log has every latency of bench, with what was late and never sent", async () => {
  await using witness = startWitness({ delayMs: 300 });
  using folder = emptyFolder();
  const json = join(folder.path, "bench.json");
  const load = ["-c", "2", "-d", "700ms", "-r", "50/s", "-t", "200ms", "-q"];
  const args = ["bench", witness.origin, ...load, "--hlog", "-", "--json", json];
  const { stdout, stderr } = await plateau(args);
  const measured = measurement.parse(JSON.parse(await Deno.readTextFile(json)));
  assert.ok(measured.latency.censored > 0, stderr);
  const bounds = /^#\[(\d+) of (\d+) values are lower bounds: /m.exec(stdout)?.slice(1).map(Number);
  assert.deepEqual(bounds, [measured.latency.censored, measured.latency.count]);
  assertHolds(sumsOf(stdout).get("NO TAG"), measured);
});

Deno.test("a histogram log of run has a tag for each run, and report writes the same", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  await Deno.writeTextFile(
    at("forms.json"),
    experimentAt(witness.origin, { rate: "40/s", duration: "500ms" }),
  );
  const args = ["run", at("forms.json"), "--out", at("out"), "-q", "--hlog", at("runs.hlog")];
  await exits(0, args);
  const log = await Deno.readTextFile(at("runs.hlog"));
  const again = await plateau(["report", at("out"), "--hlog", "-"]);
  assert.equal(again.stdout, log);
  const { runs } = resultsSpec.parse(JSON.parse(await Deno.readTextFile(at("out/results.json"))));
  const sums = sumsOf(log);
  assert.equal(sums.size, 4);
  for (const run of runs) {
    const { connections } = run.parameters;
    assertHolds(sums.get(`here/s/connections=${connections}/${run.repetition}`), run);
  }
});

Deno.test("report of several results begins with their trend", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  await Deno.writeTextFile(at("forms.json"), experimentAt(witness.origin, { requests: 100 }));
  await Promise.all(["one", "two"].map(async (out) => {
    await exits(0, ["run", at("forms.json"), "--out", at(out), "-q"]);
  }));
  const args = ["report", at("two"), at("one"), "-o", at("page.html"), "--markdown", at("page.md")];
  const { stdout } = await exits(0, args);
  assert.match(stdout, /^Trend {4}forms over 2 results: .*\.\nReport {3}/);
  assert.match(await Deno.readTextFile(at("page.html")), /<h1>forms over 2 results<\/h1>/);
  assert.match(await Deno.readTextFile(at("page.md")), /^## forms over 2 results\n/);
});

Deno.test("report --fail-on-change fails where requests/s fell, and knows nothing of two results", async () => {
  using folder = emptyFolder();
  const dirs = Array.from({ length: 14 }, (_, i) => join(folder.path, `${i}`));
  await Promise.all(dirs.map(async (dir, i) => {
    await Deno.mkdir(dir);
    const rate = (i < 8 ? 1_000 : 900) * (1 + 0.005 * Math.sin(5 * i));
    const saved = resultsOn(i + 1, i.toString(16), { a: around(rate) });
    await Deno.writeTextFile(join(dir, "results.json"), JSON.stringify(saved));
  }));
  const guard = (some: readonly string[]) =>
    plateau(["report", ...some, "--fail-on-change", "-o", join(folder.path, "page.html")]);
  const [all, before, two] = await Promise.all(
    [dirs, dirs.slice(0, 8), dirs.slice(0, 2)].map(guard),
  );
  assert.deepEqual([all.code, before.code, two.code], [1, 0, 5]);
  assert.match(
    all.stdout,
    /\nChange {3}Worse between 7777777 and 8888888: static, a: requests\/s 0\.90/,
  );
  assert.doesNotMatch(before.stdout, /Change/);
});

Deno.test("several results, or two forms on standard output, are refused by their flags", async () => {
  const several = await exits(2, ["report", "a", "b", "--csv-intervals", "-", "--hlog", "b.hlog"]);
  assert.match(several.stderr, /--csv-intervals: Cannot write several results in this format/);
  assert.match(several.stderr, /--hlog: Cannot write several results in this format/);
  const both = await exits(2, ["bench", "http://h/", "--csv", "-", "--csv-intervals", "-"]);
  assert.match(
    both.stderr,
    /--csv-intervals: Cannot write to standard output: --csv already writes there/,
  );
});
