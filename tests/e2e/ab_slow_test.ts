/** What `plateau ab` says of two commits, and what it leaves, whatever their builds do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { needing } from "../needs.ts";
import { ab, ONCE } from "./ab_of.ts";
import { exits, Plateau } from "./plateau.ts";
import { until } from "./patience.ts";
import { adoptOrphans, descendants } from "./processes.ts";
import { runGit, type ScratchRepository, scratchRepository } from "./scratch_repository.ts";

const withGit = needing("git", "node");

const onLinux = needing("git", "node", "linux");

if (Deno.build.os === "linux") adoptOrphans();

/** Processes of builds that still run. */
function builders(): string[] {
  return descendants(Deno.pid).map(({ command }) => command)
    .filter((command) => /build\.js|sleep 1000/.test(command));
}

function resultsOf({ path }: ScratchRepository): {
  experiment: { order: string; targets: Record<string, { cwd: string }> };
  runs: { target: string; order: number; repetition: number }[];
} {
  return JSON.parse(Deno.readTextFileSync(join(path, "../out/results.json")));
}

const SEES_ONE_CHANGE = ["--repeat", "5", "--duration", "800ms", "--confirm", "no"];

/** Each request waits for as long as the build says, which leaves the cores to other tests. */
const WAITING_SERVER = `
const waitMs = Number(require("fs").readFileSync(__dirname + "/built.txt", "utf8")) / 50;
require("http").createServer((request, response) => {
  setTimeout(() => response.end("ok"), waitMs);
}).listen(process.env.PORT, "127.0.0.1");
`;

withGit.test("a working tree ten times as slow is worse than its branch point, and nothing of the repository changes", async () => {
  using scratch = scratchRepository();
  scratch.write("server.js", WAITING_SERVER);
  scratch.git("commit", "--quiet", "--all", "--amend", "--no-edit");
  scratch.git("switch", "--quiet", "--create", "feature");
  scratch.write("burn.txt", "1000");
  scratch.write("new.txt", "untracked");
  scratch.write("ignored", "not a part of it");
  const before = scratch.state();
  const files = ["--markdown", "../ab.md", "--junit", "../ab.xml"];
  const { stdout, stderr } = await exits(1, ab(scratch, ...SEES_ONE_CHANGE, ...files));
  assert.match(stdout, /^base {5}the merge base with main \([0-9a-f]{7}\): first$/m);
  assert.match(stdout, /^head {5}the working tree \([0-9a-f]{7} with changes\)$/m);
  for (const file of ["ab.md", "ab.xml", "out/comparison.html"]) {
    const text = Deno.readTextFileSync(join(scratch.path, "..", file)).replaceAll("\\", "");
    assert.match(text, /base is the merge base with main \([0-9a-f]{7}\): first/);
    assert.match(text, /head is the working tree \([0-9a-f]{7} with changes\)/);
  }
  assert.match(stdout, /^Worse {4}root, server: (requests\/s|p99|CPU\/request)$/m);
  assert.match(stderr, /^Builds server at the working tree .*: node build\.js$/m);
  assert.deepEqual(scratch.state(), before);
  const { runs, experiment: { targets } } = resultsOf(scratch);
  const blocks = Map.groupBy(runs, ({ repetition }) => repetition);
  for (const block of blocks.values()) {
    assert.deepEqual(block.map(({ target }) => target).sort(), ["base", "head"]);
  }
  const [base, head] = [targets.base.cwd, targets.head.cwd];
  assert.equal(Deno.readTextFileSync(join(base, "built.txt")), "100");
  assert.equal(Deno.readTextFileSync(join(head, "built.txt")), "1000");
  assert.equal(Deno.readTextFileSync(join(head, "new.txt")), "untracked");
  assert.throws(() => Deno.readTextFileSync(join(head, "ignored")), Deno.errors.NotFound);
  assert.ok(Deno.statSync(join(scratch.path, "../out/comparison.html")).size > 10_000);
});

/** Each request waits for half a second. */
const SLOW_SERVER = `
require("http").createServer((request, response) => {
  setTimeout(() => response.end("ok"), 500);
}).listen(process.env.PORT, "127.0.0.1");
`;

withGit.test("what is too slow for slices is measured in blocks, which ab says, unless slices were named", async () => {
  using scratch = scratchRepository();
  scratch.write("server.js", SLOW_SERVER);
  const args = ["--repeat", "1", "--duration", "700ms"];
  const { stderr } = await ab(scratch, ...args);
  assert.match(
    stderr,
    /^Measures in blocks: requests take \d+ ms, but slices are for requests of at most 333 ms/m,
  );
  const { runs, experiment } = resultsOf(scratch);
  assert.equal(experiment.order, "shuffled");
  assert.equal(runs.length, 2);
  const named = await exits(3, ab(scratch, ...args, "--order", "slices"));
  assert.match(named.stderr, /Cannot measure .* in slices: requests take/);
});

withGit.test("ab says which build a target lacks whose packages git ignores", async () => {
  using scratch = scratchRepository();
  const written = Deno.readTextFileSync(join(scratch.path, "experiment.yaml"));
  scratch.write("experiment.yaml", written.replace(", build: [[node, build.js]]", ""));
  scratch.write("package-lock.json", "{}");
  const { stderr } = await exits(3, ab(scratch, ...ONCE));
  assert.match(
    stderr,
    /^Checkouts have package-lock\.json but no node_modules, because git ignores node_modules; if target server needs its packages, write build: \[\[npm, ci\]\]$/m,
  );
});

withGit.test("ab says what a shallow clone lacks", async () => {
  using scratch = scratchRepository();
  scratch.write("burn.txt", "101");
  scratch.git("commit", "--quiet", "--all", "--message", "second");
  const path = join(scratch.path, "../shallow");
  runGit(scratch.path, ["clone", "--quiet", "--depth", "1", `file://${scratch.path}`, path]);
  const refused = await exits(2, ab({ path, env: scratch.env }, "HEAD~1..HEAD"));
  assert.match(refused.stderr, /this clone is shallow; run git fetch --unshallow/);
  const same = await ab({ path, env: scratch.env }, "HEAD..HEAD", ...ONCE);
  assert.match(same.stderr, /^BASE and HEAD have the same files/m, same.stderr);
});

withGit.test("submodules are checked out from the user's clone", async () => {
  using scratch = scratchRepository();
  const part = join(scratch.path, "../part");
  Deno.mkdirSync(part);
  runGit(part, ["init", "--quiet"]);
  Deno.writeTextFileSync(join(part, "burn.txt"), "200");
  runGit(part, ["add", "--all"]);
  runGit(part, ["commit", "--quiet", "--message", "part"]);
  scratch.git("submodule", "--quiet", "add", part, "part");
  scratch.write("build.js", `require("fs").copyFileSync("part/burn.txt", "built.txt");`);
  scratch.git("commit", "--quiet", "--all", "--message", "with a part");
  Deno.removeSync(part, { recursive: true });
  const { stderr } = await ab(scratch, "HEAD..HEAD", ...ONCE);
  assert.match(stderr, /^BASE and HEAD have the same files/m, stderr);
  const { experiment: { targets: { base } } } = resultsOf(scratch);
  assert.equal(Deno.readTextFileSync(join(base.cwd, "built.txt")), "200");
});

onLinux.test("the log of a build is its user's alone, without secrets", async () => {
  using scratch = scratchRepository();
  const text = Deno.readTextFileSync(join(scratch.path, "experiment.yaml"));
  const step = `{ command: [node, build.js], env: { TOK: "\${env.TOK}" } }`;
  scratch.write("experiment.yaml", text.replace("[[node, build.js]]", () => `[${step}]`));
  scratch.write(
    "build.js",
    `const { TOK } = process.env; // in two parts, as pipes may deliver it
process.stdout.write("of " + TOK.slice(0, 8));
setTimeout(() => console.log(TOK.slice(8) + "\\nfails"), 50);
process.exitCode = 7;`,
  );
  scratch.git("commit", "--quiet", "--all", "--message", "fails");
  const env = { ...scratch.env, TOK: "hunter2-hunter2" };
  const { stderr } = await exits(3, ab({ path: scratch.path, env }, "HEAD.."));
  const path = /all output of the build is in (.*)$/m.exec(stderr)?.[1] ?? "";
  assert.match(Deno.readTextFileSync(path), /^\$ node .*\nof \$\{env\.TOK\}\nfails\n$/);
  assert.equal((Deno.statSync(path).mode ?? 0) & 0o777, 0o600);
});

onLinux.test("killed while it builds, it leaves no child, and the next one begins anew", async () => {
  using scratch = scratchRepository();
  scratch.write("build.js", `console.log("builds"); setInterval(() => {}, 1000);`);
  const { path, env } = scratch;
  {
    await using program = new Plateau(["ab", "HEAD..", "--out", join(path, "../out")], {
      cwd: path,
      env,
    });
    await program.prints(/^Builds server at the working tree/m);
    program.kill("SIGKILL");
    await program.ended;
  }
  await until("its build has ended", () => builders().length === 0);
  const revisions = join(env.XDG_CACHE_HOME, "plateau/revisions");
  const [{ name }] = Deno.readDirSync(revisions);
  Deno.mkdirSync(join(revisions, name, ".snapshot-of-a-killed-one"));
  scratch.write("build.js", `require("fs").writeFileSync("built.txt", "100");`);
  const { code, stderr } = await ab(scratch, "HEAD..", ...ONCE);
  assert.notEqual(code, 3, stderr);
  assert.deepEqual(scratch.kept().filter((name) => name.startsWith(".snapshot-")), []);
});
