/** `run --resume`: what an interrupted experiment made is kept, and the rest is made. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Results, Run } from "../../runner/result/result.ts";
import { drawBy } from "../../base/random.ts";
import { testWith } from "../needs.ts";
import { pause, until } from "./patience.ts";
import { exits, Plateau } from "./plateau.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { type Interruption, Site } from "./site.ts";

if (Deno.build.os === "linux") adoptOrphans();

const EXPERIMENT = `name: long
targets: { api: { app: api }, work: { app: work } }
scenarios:
  static: { get: /static, targets: [api], load: { connections: [1, 2], requests: 1000 } }
  wait: { get: "/?sleepTime=5", targets: [work] }
load: { connections: [1, 2], requests: 20 }
interval: 50ms
repeat: 2
`;
const RUNS = 8;

const FLAGS = ["--seed", "11"];

const KILLED: Interruption = { signal: "SIGKILL", more: FLAGS };

function placeOf({ target, scenario, parameters, repetition, order }: Run): string {
  return JSON.stringify({ order, repetition, target, scenario, parameters });
}

/** The plan's runs, as they were made. */
function placesOf({ runs }: Results): string[] {
  return runs.map(placeOf);
}

async function assertNothingLeft(): Promise<void> {
  const left = (): string[] => descendants(Deno.pid).map(({ command }) => command);
  await until(() => `these have ended: ${left().join("; ")}`, () => left().length === 0);
}

testWith(["linux"], "an experiment that is killed ten times makes every run once", async () => {
  using undisturbed = new Site(EXPERIMENT);
  assert.equal((await undisturbed.start(...FLAGS).ended).code, 0);
  using site = new Site(EXPERIMENT);
  const draw = drawBy(42);
  let before: readonly Run[] = [];
  const made = (): readonly Run[] => site.saved()?.runs ?? [];
  for (let kill = 0; kill < 10; kill++) {
    const args = site.saved() ? ["--resume", site.out] : [site.file, "--out", site.out, ...FLAGS];
    await using program = new Plateau(["run", ...args]);
    const { length } = before;
    const goesOn = (): boolean => made().length > length || length === RUNS;
    // Every other one dies early: while it starts, calibrates, or makes its first run.
    if (kill % 2 === 0) await program.until("it has made one more run", goesOn);
    await pause(draw(0, 700));
    program.kill("SIGKILL");
    await program.ended;
    await assertNothingLeft();
    assert.deepEqual(made().slice(0, length), before, "a run was lost or made again");
    before = made();
  }
  const { code, stderr } = await site.resume();
  assert.equal(code, 0, stderr);
  const [expected, saved] = [undisturbed.saved(), site.saved()];
  assert.ok(expected !== null && saved !== null);
  assert.deepEqual(placesOf(saved), placesOf(expected));
  assert.deepEqual([saved.state, saved.planned, saved.missing], ["done", RUNS, []]);
  assert.ok((saved.resumed?.length ?? 0) >= 1);
  const again = await exits(0, site.resume());
  assert.match(again.stderr, /Nothing is left to measure/);
  assert.deepEqual(site.saved(), saved);
  assert.deepEqual([...Deno.readDirSync(site.out)].map(({ name }) => name).sort(), [
    "long.yaml",
    "report.html",
    "results.json",
  ]);
  await assertNothingLeft();
});

Deno.test("what Ctrl-C interrupted goes on, with the flags that it was asked for with", async () => {
  using site = new Site(EXPERIMENT);
  const asked = [
    ...FLAGS,
    "--only",
    "target=work",
    "--repeat",
    "3",
    "--threshold",
    "memory < 900GB",
  ];
  const { code, stdout } = await site.interrupted(1, { signal: "SIGINT", more: asked });
  assert.equal(code, 130);
  assert.match(stdout, /plateau run --resume \S+\/out$/m);
  const before = site.saved();
  // The command as it was typed, but for where the results go.
  const ended = await exits(0, site.resume(site.file, ...asked));
  assert.match(ended.stderr, /^Continues after \d of 6 runs$/m);
  assert.match(ended.stderr, /^\d runs? of \d cells?, about /m);
  assert.match(ended.stderr, /^\[6\/6\] wait, work/m);
  const after = site.saved();
  assert.ok(before !== null && after !== null);
  assert.deepEqual(after.runs.slice(0, before.runs.length), before.runs);
  assert.deepEqual(after.runs.map(({ order }) => order), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual([after.state, after.startedAt], ["done", before.startedAt]);
  assert.ok((after.spent ?? 0) > (before.spent ?? 0));
  const page = readFileSync(join(site.out, "report.html"), "utf8").replaceAll(/&quot;|&#34;/g, '"');
  assert.match(
    page,
    /plateau run long\.yaml --only target=work --repeat 3 --threshold "memory &lt; 900GB" --seed 11/,
  );
  assert.match(page, / in 2 sittings/);
});

Deno.test("what is done is not measured again, but judged and asked for as it was", async () => {
  using site = new Site(EXPERIMENT);
  const asked = ["--repeat", "1", "--threshold", "p99 < 1us", ...FLAGS];
  assert.equal((await site.start(...asked).ended).code, 1);
  const before = site.saved();
  const text = readFileSync(join(site.out, "results.json"), "utf8");
  Deno.removeSync(join(site.out, "report.html"));
  const { code, stderr } = await site.resume();
  assert.equal(code, 1, stderr);
  assert.match(stderr, /Nothing is left to measure/);
  assert.equal(readFileSync(join(site.out, "results.json"), "utf8"), text);
  assert.ok(existsSync(join(site.out, "report.html")));
  const again = await exits(1, site.resume(site.file, ...asked, "--csv", site.at("runs.csv")));
  assert.match(again.stderr, /(?:thresholds fail|The threshold fails)\n {2}p99 < 1us: /);
  assert.ok(existsSync(site.at("runs.csv")));
  const other = await exits(2, site.resume("--seed", "12", "--threshold", "p99 < 1s"));
  assert.match(other.stderr, /^--seed: .* to 12 .*: it was 11/m);
  assert.match(other.stderr, /^--threshold: .* to p99 < 1s .*: it was p99 < 1us/m);
  site.write("changed.yaml", EXPERIMENT.replace("requests: 20", "requests: 30"));
  assert.match((await site.resume(site.at("changed.yaml"))).stderr, /20 → 30/);
  assert.equal((await site.resume(site.at("nowhere.yaml"))).code, 2);
  assert.deepEqual(site.saved(), before);
  const doubted = (run: Run): Run => ({
    ...run,
    generator: { ...run.generator, trust: "invalid" },
  });
  site.edit({ runs: before?.runs.map(doubted) });
  assert.equal((await site.resume("--strict")).code, 4);
});

Deno.test("resume refuses other rows in a file of the same name", async () => {
  using site = new Site(EXPERIMENT.replace(
    "/static,",
    '"/static?{{ u.name }}", values: { u: { csv: u.csv } },',
  ));
  site.write("u.csv", "name\nada\nbob\n");
  await site.interrupted(1, KILLED);
  const before = site.saved();
  site.write("u.csv", "name\nada\neve\n");
  const { stderr } = await exits(2, site.resume());
  assert.match(stderr, /long\.yaml: scenarios\.static\.values\.u\.csv\.sha256: Cannot resume/);
  assert.deepEqual(site.saved(), before);
});

/** What an interrupted experiment refuses, which stays as it was. */
const REFUSED: Readonly<Record<string, (site: Site) => Promise<void>>> = {
  "what is not done is not begun anew in its folder": async (site) => {
    const { stderr } = await exits(2, site.start(...FLAGS).ended);
    assert.match(
      stderr,
      /: Cannot start a new experiment here: \d+ of 8 runs .* --resume \S+, .* --out\)$/m,
    );
  },

  "resume refuses what would make other runs, and names it": async (site) => {
    const refused = async (args: readonly string[], ...reasons: RegExp[]): Promise<void> => {
      const { stderr } = await exits(2, site.resume(...args));
      for (const reason of reasons) assert.match(stderr, reason);
    };
    const changed = EXPERIMENT.replace("requests: 20", "requests: 30").replace(
      "repeat: 2",
      "repeat: 4\nfresh: false",
    );
    site.write("changed.yaml", changed);
    const reasons = [
      /changed\.yaml: load\.requests: .*20 → 30/,
      /changed\.yaml: repeat: .*2 → 4/,
      /changed\.yaml: fresh: .*not there → false/,
    ];
    await refused([site.at("changed.yaml")], ...reasons);
    site.write("out/long.yaml", changed);
    await refused([], /long\.yaml: load\.requests: .*20 → 30/);
    Deno.removeSync(site.at("out/long.yaml"));

    await refused(["--repeat", "5"], /^--repeat: .* to 5 .*: it was not given \(leave it out\)$/m);
    await refused(["--seed", "12"], /^--seed: .* to 12 .*: it was 11/m);
    await refused(["--out", site.at("elsewhere")], /^--out: /m);
  },
};

Deno.test("an interrupted experiment stays as it was", async (t) => {
  using site = new Site(EXPERIMENT);
  await site.interrupted(1, KILLED);
  const before = site.saved();
  assert.ok(before !== null);
  for (const [sentence, isRefused] of Object.entries(REFUSED)) {
    await t.step(sentence, async () => {
      await isRefused(site);
      assert.deepEqual(site.saved(), before);
    });
  }

  await t.step(
    "resume refuses another machine, another version and a folder without results",
    async () => {
      site.edit({ version: "0.0.1", machine: { ...before.machine, cpu: "Abacus 1" } });
      const { code, stderr } = await site.resume();
      assert.equal(code, 2);
      assert.match(stderr, /an experiment that Plateau 0\.0\.1 began/);
      assert.match(stderr, /a different machine.*cpu: Abacus 1 → /);
      site.edit({ flags: undefined });
      assert.match((await site.resume()).stderr, /they do not contain the command line/);
      const nowhere = await exits(2, ["run", "--resume", site.at("nowhere")]);
      assert.match(nowhere.stderr, /nowhere/);
    },
  );
});

Deno.test("two can't measure into one folder at a time", async () => {
  using site = new Site(EXPERIMENT);
  await using program = site.start();
  await program.until("a run is in", () => (site.saved()?.runs.length ?? 0) > 0);
  const { stderr } = await exits(2, site.resume());
  assert.match(stderr, /another plateau process uses it/);
});

Deno.test("relative paths of an experiment start where they did", async () => {
  using site = new Site(
    EXPERIMENT.replace("{ app: work }", "{ command: [sh, ./start.sh, '{port}'], ready: / }"),
  );
  const answer = "() => new Response('a')";
  site.write(
    "start.sh",
    `exec "${Deno.execPath()}" eval "Deno.serve({ port: Number(Deno.args[0]) }, ${answer})" "$1"\n`,
  );
  await site.interrupted(1, { ...KILLED, more: ["--repeat", "1"] });
  await exits(0, site.resume());
  assert.equal(site.saved()?.runs.length, 4);
});
