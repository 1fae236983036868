import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Repetition } from "../../runner/experiment/repetition.ts";
import type { Stopping } from "../../runner/result/invocation.ts";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { LOOKS } from "../../runner/stats/confidence/sequential.ts";
import { emptyFolder, exits, Plateau, plateau } from "./plateau.ts";

/**
 * Waits make up nearly all of each answer, so that the runs of a busy machine are alike, too; and each
 * has its answers, though the machine stands still for a while.
 */
function experiment(
  repeat: string,
  { targets = "work: { app: work }", sleepMs = 20, ends = "requests: 20" }: {
    targets?: string;
    sleepMs?: number;
    ends?: string;
  },
): string {
  return `name: repeated
targets: { ${targets} }
scenarios: { wait: { get: "/?sleepTime=${sleepMs}" } }
load: { connections: 2, ${ends} }
repeat: ${repeat}
`;
}

function writeExperiment(
  folder: string,
  repeat: string,
  options: Parameters<typeof experiment>[1] = {},
): string {
  const file = join(folder, "repeated.yaml");
  Deno.writeTextFileSync(file, experiment(repeat, options));
  return file;
}

function readResults(folder: string): Results {
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

const UNTIL_100 = { until: 1, atMost: null, budget: null };

interface Replayed {
  readonly notes: readonly string[];
  readonly stopping: Stopping;
}

/** What the stored runs say at each look, and where they end the repetitions. */
function replayed(runs: readonly Run[]): Replayed {
  const repetition = new Repetition(UNTIL_100, { discardS: 0, figures: "whole" });
  const notes: string[] = [];
  for (const done of runs.map((run) => run.repetition)) { // there is one cell
    repetition.add(runs[done - 1]);
    const decision = repetition.decide(done, { elapsedMs: 0, blockMs: 1_000 });
    if (!decision.goesOn) return { notes, stopping: decision.stopping };
    if (decision.note !== null) notes.push(decision.note);
  }
  throw new Error(`${runs.length} runs do not end the repetitions`);
}

function notesIn(stderr: string): string[] {
  const [, ...told] = stderr.replaceAll(/\s+/g, " ").split(/(?=After \d+ repetitions )/);
  return told.map((text) => text.replace(/(: continuing to \d+).*/, "$1"));
}

Deno.test("repeat: until with a loose target ends at the look that finds it, and says what it reached", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, "until 100%");
  const { stdout, stderr } = await exits(0, ["run", file, "--out", folder.path]);
  const { runs, planned, stopping, state } = readResults(folder.path);
  // Whatever the machine did to the runs, they end the repetitions where they say so.
  const expected = replayed(runs);
  const made = expected.stopping.repetitions;
  assert.deepEqual(notesIn(stderr), expected.notes);
  assert.deepEqual([runs.length, planned, state], [made, made, "done"]);
  assert.ok(stopping !== undefined && stopping.halfWidth !== null);
  const { halfWidth, ...how } = stopping;
  // But for the last digit, in which the logarithms of two versions of V8 differ.
  assert.ok(Math.abs(halfWidth - (expected.stopping.halfWidth ?? NaN)) < 1e-12);
  assert.deepEqual(stopping, { ...expected.stopping, halfWidth });
  assert.deepEqual(how, { repetitions: made, target: 1, reason: "precision" });
  assert.ok(halfWidth > 0 && halfWidth <= 1 && LOOKS.some((look) => look === made));
  assert.match(stderr, /Repeats until the widest interval is ± 100 %, checked after 5, 7, 10/);
  assert.match(
    stdout.replaceAll(/\s+/g, " "),
    new RegExp(`Stopped after ${made} repetitions: every interval .* within ± 100 %`),
  );
  assert.match(
    readFileSync(join(folder.path, "report.html"), "utf8"),
    new RegExp(`Stopped after ${made} repetitions`),
  );
});

Deno.test("a time budget ends the repetitions before the target is reached", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, "{ until: 0.1%, budget: 2s }");
  const { stdout } = await exits(0, ["run", file, "--out", folder.path]);
  const { runs, planned, stopping } = readResults(folder.path);
  assert.ok(stopping !== undefined);
  assert.equal(stopping.reason, "budget");
  assert.ok(runs.length >= 2 && runs.length < 12, `${runs.length} runs`);
  assert.deepEqual([stopping.repetitions, planned], [runs.length, runs.length]);
  assert.match(stdout.replaceAll(/\s+/g, " "), /another would have exceeded the time budget/);
});

Deno.test("a target that can't be measured does not hold up repeat: until", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(
    folder.path,
    "until 100%",
    { targets: "work: { app: work }, dead: { command: [sh, -c, exit 9] }" },
  );
  const { stderr } = await exits(3, ["run", file, "--out", folder.path]);
  const { runs, missing, planned, stopping } = readResults(folder.path);
  const expected = replayed(runs);
  const made = expected.stopping.repetitions;
  assert.deepEqual(notesIn(stderr), expected.notes);
  assert.deepEqual({
    runs: runs.length,
    missing: missing.map(({ repetition }) => repetition),
    planned,
    repetitions: stopping?.repetitions,
    why: stopping?.reason,
  }, {
    runs: made,
    missing: [null], // all of them: what can't start is tried once
    planned: 2 * made,
    repetitions: made,
    why: "precision",
  });
});

Deno.test("Ctrl-C ends repeat: until, and what was measured is saved", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, "until 0.1%");
  await using program = new Plateau(["run", file, "--out", folder.path]);
  await program.prints(/\[2\/5\]/);
  program.kill("SIGINT");
  await exits(130, program.ended);
  const { runs, planned, stopping, state } = readResults(folder.path);
  assert.deepEqual({ planned, reached: stopping, state }, {
    planned: 5,
    reached: undefined,
    state: "interrupted",
  });
  assert.ok(runs.length >= 2);
  assert.ok(existsSync(join(folder.path, "report.html")));
});

Deno.test("check says how it will be decided, and --repeat takes the place of the file's", async () => {
  using folder = emptyFolder();
  const file = writeExperiment(folder.path, "5", { ends: "duration: 300ms" });
  const fixed = await plateau(["check", file]);
  assert.match(fixed.stdout, /^5 runs of 1 cell, about 4 s:$/m);
  const until = await plateau(["check", file, "--repeat", "until 2%"]);
  assert.match(
    until.stdout,
    /^1 cell, until the widest interval is ± 2 %, checked after 5, 7, 10, .*, 56 repetitions: from 5 runs, about .*, to 56 runs, .*:$/m,
  );
  const wrong = await exits(2, ["check", file, "--repeat", "until 2"]);
  assert.match(wrong.stderr, /--repeat: Cannot read "2" as a width: write 2%/);
});

Deno.test("what discard leaves out is missing in the report, and not in the results", async () => {
  using folder = emptyFolder();
  // Nothing is answered in the first 100 ms, so that without them the rate can only be higher.
  const file = writeExperiment(folder.path, "1", { sleepMs: 120, ends: "duration: 700ms" });
  Deno.writeTextFileSync(file, `${Deno.readTextFileSync(file)}interval: 100ms\ndiscard: 100ms\n`);
  const csv = join(folder.path, "runs.csv");
  await exits(0, ["run", file, "--out", folder.path, "--csv", csv]);
  const [{ timeline, rate }] = readResults(folder.path).runs;
  const [first, ...rest] = timeline.points;
  const completed = rest.reduce((sum, point) => sum + point.completed, 0);
  const expected = completed / (timeline.points[timeline.points.length - 1].endS - first.endS);
  const [head, values] = readFileSync(csv, "utf8").split("\r\n").map((line) => line.split(","));
  const reported = Number(values[head.indexOf("ratePerSec")]);
  assert.ok(Math.abs(reported / expected - 1) < 1e-9, `${reported}, not ${expected}`);
  assert.ok(reported > rate, `${reported}, whole ${rate}`);
  assert.match(
    readFileSync(join(folder.path, "report.html"), "utf8"),
    /The first 0\.1\s?s of every run are left out/,
  );
});
