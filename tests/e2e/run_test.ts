import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

const PACED = join(import.meta.dirname ?? "", "fixtures/paced.yaml");
const BRIEF = join(import.meta.dirname ?? "", "fixtures/brief.yaml");

function readResults(folder: string): Results {
  return results.parse(JSON.parse(readFileSync(join(folder, "results.json"), "utf8")));
}

/** What makes a browser load something: nothing may, beyond `data:` and anchors in the page. */
function loadedAddresses(html: string): string[] {
  const addresses = html.matchAll(
    /(?:\ssrc|\shref|\saction|url\()\s*=?\s*["']?(?!data:|#)([\w/.]+:[^"')>\s]*)/g,
  );
  return [...addresses].map(([, address]) => address);
}

Deno.test("run writes every run of the plan, in the order of the seed, and says where", async () => {
  using folder = emptyFolder();
  const out = join(folder.path, "out");
  const { stdout } = await exits(0, ["run", PACED, "--out", out, "--seed", "7"]);
  assert.match(stdout, /report\.html/);
  const { state, seed, planned, runs, missing, machine, finishedAt } = readResults(out);
  assert.deepEqual({ state, seed, planned, missing }, {
    state: "done",
    seed: 7,
    planned: 4,
    missing: [],
  });
  assert.ok(finishedAt !== null && machine.cores >= 1);
  assert.deepEqual(runs.map(({ order }) => order), [1, 2, 3, 4]);
  assert.deepEqual(
    runs.map(({ scenario, repetition }) => `${scenario} ${repetition}`).sort(),
    ["static 1", "static 2", "validation 1", "validation 2"],
  );
  for (const { requests, checks, resources, startUp, timeline } of runs) {
    assert.equal(
      requests.due,
      requests.completed + requests.failed + requests.unfinished + requests.dropped,
    );
    assert.ok(requests.completed > 0 && checks.failed === 0);
    assert.ok(resources.length > 0 && startUp !== null && startUp > 0);
    assert.equal(timeline.points.length, 2);
  }
});

Deno.test("run --log writes a line for each request of each run, and refuses a place that is none", async () => {
  using folder = emptyFolder();
  const [out, log] = ["out", "logs/of it"].map((name) => join(folder.path, name));
  const args = ["run", PACED, "--out", out, "--log", log, "--duration", "450ms"];
  const { code, stderr } = await plateau(args);
  assert.equal(code, 0, stderr);
  const runs = readResults(out).runs;
  const names = runs.map(({ order, target, scenario, repetition }) =>
    `00${order}-${target}-${scenario}-${repetition}.csv`
  );
  assert.deepEqual([...Deno.readDirSync(log)].map(({ name }) => name).sort(), names);
  for (const [at, { requests, status }] of runs.entries()) {
    const [head, ...lines] = readFileSync(join(log, names[at]), "utf8").trimEnd().split("\n");
    assert.equal(head, "code;start;end;connection");
    assert.equal(lines.length, requests.due - requests.dropped);
    const codes = Map.groupBy(lines, (line) => line.split(";")[0]);
    assert.equal(codes.get("200")?.length, status["200"]);
  }
  const refused = await exits(2, ["run", PACED, "--log", join(log, names[0])]);
  assert.match(refused.stderr, /Cannot write request logs to/);
});

Deno.test("the same seed gives the same order, --only and --repeat cut the plan", async () => {
  using folder = emptyFolder();
  const args = ["run", PACED, "--only", "scenario=static", "--repeat", "1", "--duration", "450ms"];
  await exits(0, [...args, "--out", folder.path]);
  const { runs, planned } = readResults(folder.path);
  assert.equal(planned, 1);
  assert.equal(runs[0].scenario, "static");
  assert.ok(runs[0].elapsedS < 0.5);
});

Deno.test("report.html loads nothing, and report renders the same page again", async () => {
  using folder = emptyFolder();
  const args = ["run", BRIEF, "--out", folder.path];
  assert.equal((await plateau(args)).code, 0);
  const page = readFileSync(join(folder.path, "report.html"), "utf8");
  assert.match(page, /Content-Security-Policy/);
  assert.deepEqual(loadedAddresses(page), []);
  assert.ok(page.length < 1_000_000, `${page.length} bytes`);
  const again = join(folder.path, "again.html");
  await exits(0, ["report", join(folder.path, "results.json"), "-o", again]);
  assert.equal(readFileSync(again, "utf8"), page);
});

Deno.test("run works from another folder, with a path relative to it, and writes its results there", async () => {
  using folder = emptyFolder();
  Deno.copyFileSync(BRIEF, join(folder.path, "mine.yaml"));
  const args = ["run", "mine.yaml", "--only", "scenario=static"];
  await exits(0, args, { cwd: folder.path });
  const [time] = [...Deno.readDirSync(join(folder.path, "results/brief"))];
  assert.ok(existsSync(join(folder.path, "results/brief", time.name, "report.html")));
});

Deno.test("run --json - prints the results with their conclusion, and nothing else", async () => {
  using folder = emptyFolder();
  const args = ["run", BRIEF, "--out", folder.path];
  const { stdout } = await exits(0, [...args, "--json", "-"]);
  const printed = results.parse(JSON.parse(stdout));
  assert.deepEqual(printed, readResults(folder.path));
  assert.match(
    printed.conclusion?.sentence ?? "",
    /api serves [\d,]+ requests\/s|^Not to be trusted/,
  );
});

Deno.test("a target that does not start costs its own cells only, and exit code 3", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "half.yaml");
  Deno.writeTextFileSync(
    file,
    `name: half
targets:
  api: { app: api }
  dead: { command: [sh, -c, "echo it is broken >&2; exit 9"] }
scenarios: { static: { get: /static } }
load: { connections: 2, requests: 20 }
repeat: 3
`,
  );
  const { stderr } = await exits(3, ["run", file, "--out", folder.path]);
  assert.match(stderr, /Cannot start target dead: .*code 9/);
  assert.match(stderr, /it is broken/);
  const { runs, missing } = readResults(folder.path);
  assert.deepEqual(runs.map(({ target }) => target), ["api", "api", "api"]);
  // It is not tried again: what it printed stands there once.
  assert.deepEqual(missing.map(({ target, kind, repetition }) => ({ target, kind, repetition })), [{
    target: "dead",
    kind: "failed",
    repetition: null,
  }]);
  assert.equal(stderr.match(/it is broken/g)?.length, 1);
  assert.ok(existsSync(join(folder.path, "report.html")));
});
