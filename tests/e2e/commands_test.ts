import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import config from "../../deno.json" with { type: "json" };
import { emptyFolder, exits, plateau, serve } from "./plateau.ts";

const COMMANDS = [
  ...["run", "bench", "serve", "report", "compare", "list", "init", "check", "schema", "doctor"],
  ...["setup", "ab", "agent", "agents", "capacity", "completions", "plan"],
];
const SMALL = join(import.meta.dirname ?? "", "fixtures/small.yaml");

Deno.test("--version prints the version and nothing else", async () => {
  const { stdout } = await exits(0, ["--version"]);
  assert.match(stdout, new RegExp(`^(?:plateau )?${config.version.replaceAll(".", "\\.")}\n$`));
});

Deno.test("--help names every command, and each command explains its options", async () => {
  const { code, stdout } = await plateau(["--help"]);
  assert.equal(code, 0);
  assertNarrow(stdout);
  await Promise.all(COMMANDS.map(async (command) => {
    assert.match(stdout, new RegExp(`^ +${command}\\b`, "m"));
    const help = await exits(0, [command, "--help"]);
    assert.equal(help.stderr, "");
    assert.match(help.stdout, new RegExp(`plateau ${command}`));
    assertNarrow(help.stdout);
  }));
});

/** A terminal of 80 columns breaks no line of it. */
function assertNarrow(help: string): void {
  assert.deepEqual(help.split("\n").filter((line) => line.length > 80), []);
}

Deno.test("list names what ships", async () => {
  assert.match((await plateau(["list", "experiments"])).stdout, /^\s*quick\b/m);
  const { stdout } = await plateau(["list", "apps"]);
  for (const app of ["api", "work", "user", "wiki", "site", "streams"]) {
    assert.match(stdout, new RegExp(`^\\s*${app}\\b`, "m"));
  }
});

Deno.test("init writes a file that check accepts", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  assert.equal((await plateau(["init", file])).code, 0);
  assert.match(readFileSync(file, "utf8"), /^ *#/m);
  await exits(0, ["check", file]);
});

Deno.test("init writes a schema beside its files, which their first line names", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const line = "# yaml-language-server: $schema=.plateau/experiment.schema.json\n";
  const [flag, url] = ["--url", "http://127.0.0.1:1/a"];
  await exits(0, ["init", "url.yaml", flag, url], { cwd });
  await exits(0, ["init", "command.yaml", "--command", "sh -c {port}", "--path", "/b"], { cwd });
  for (const file of ["url.yaml", "command.yaml"]) {
    assert.ok(readFileSync(join(cwd, file), "utf8").startsWith(line), file);
    await exits(0, ["check", file], { cwd });
  }
  const path = join(cwd, ".plateau/experiment.schema.json");
  const { stdout } = await exits(0, ["schema"]);
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), JSON.parse(stdout));
  const printed = await exits(0, ["init", "-", flag, url], { cwd });
  assert.equal(
    printed.stdout.replaceAll("experiment.yaml", "url.yaml"), // the name that - stands for
    readFileSync(join(cwd, "url.yaml"), "utf8"),
  );
  assert.match(printed.stderr, /^Note: the first line names a schema .* plateau schema > /);

  Deno.writeTextFileSync(path, "{}");
  await exits(0, ["init", "again.yaml", flag, url], { cwd });
  assert.equal(readFileSync(path, "utf8"), "{}");
  assert.ok(!readFileSync(join(cwd, "again.yaml"), "utf8").includes("$schema"));
});

Deno.test("init measures what the folder holds, and a built-in server where it holds none", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const none = await exits(2, ["init", "--detect"], { cwd });
  assert.match(none.stderr, /^--detect: Cannot find a server here: .*--command/s);
  const pathAlone = await exits(2, ["init", "x.yaml", "--path", "/x"], { cwd });
  assert.match(
    pathAlone.stderr,
    /^--path: Cannot request this path: .*--url, --command or --detect/s,
  );
  const example = await exits(0, ["init", "example.yaml"], { cwd });
  assert.match(
    example.stdout,
    /^Wrote example\.yaml, an example of a built-in server\. .*\nNote: To measure your own server.*--command/s,
  );
  Deno.writeTextFileSync(join(cwd, "package.json"), '{ "scripts": { "start": "node a.js" } }');
  const plain = await exits(0, ["init", "plain.yaml"], { cwd });
  assert.match(plain.stdout, /^Wrote plain\.yaml for your server \(package\.json: node a\.js\)\. /);
  await exits(0, ["init", "--detect"], { cwd });
  for (const file of ["plain.yaml", "experiment.yaml"]) {
    assert.match(readFileSync(join(cwd, file), "utf8"), /command: \[node, a\.js\]/);
  }
  const twice = await exits(2, ["init", "--detect"], { cwd });
  assert.match(twice.stderr, /Cannot overwrite an existing file.*remove it first/s);
  const both = await exits(2, ["init", "x.yaml", "--detect", "--url", "http://a"], { cwd });
  assert.match(both.stderr, /^--detect: Cannot use this with --url: only one of them/);
  const typesToo = await exits(2, ["init", "--types", "--url", "http://a", "--path", "/x"], {
    cwd,
  });
  assert.match(typesToo.stderr, /^--url: Cannot be combined with --types/m);
  assert.match(typesToo.stderr, /^--path: Cannot be combined with --types/m);
  assert.deepEqual(["node_modules", "x.yaml"].filter((name) => existsSync(join(cwd, name))), []);
});

Deno.test("deno task plateau reads and writes files of the folder where it is called", async () => {
  using folder = emptyFolder();
  const config = join(import.meta.dirname ?? "", "../../deno.json");
  const { INIT_CWD: _, ...env } = Deno.env.toObject(); // of a task that runs the tests
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "--config", config, "plateau", "init", "of two words.yaml"],
    cwd: folder.path,
    ...{ env, clearEnv: true },
    stdin: "null",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.match(readFileSync(join(folder.path, "of two words.yaml"), "utf8"), /^targets:/m);
});

Deno.test("check accepts a right file and starts nothing", async () => {
  assert.equal((await plateau(["check", SMALL])).code, 0);
});

Deno.test("schema prints a JSON Schema of each shape", async () => {
  await Promise.all(["experiment", "results", "bench"].map(async (shape) => {
    const { stdout } = await exits(0, ["schema", shape]);
    assert.match(JSON.parse(stdout).$schema, /json-schema\.org/);
  }));
});

Deno.test("serve answers on the host and port that it prints", async () => {
  await using api = await serve("api");
  assert.match(api.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
  const answer = await fetch(`${api.origin}/static`);
  assert.deepEqual(await answer.json(), { ok: true });
});

Deno.test("serve takes settings of its app", async () => {
  await using site = await serve("site", "--set", "log=on", "--set", "gzip=off");
  const answer = await fetch(`${site.origin}/page1.html`);
  assert.equal(answer.headers.get("content-encoding"), null);
  assert.match(await answer.text(), /<html/);
  await site.program.prints(/GET \/page1\.html/);
});

Deno.test("check finds programs, folders and variables that are not there, all at once", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  Deno.writeTextFileSync(
    file,
    `name: mine
targets:
  right: { command: [sh, -c, "sleep 1"] }
  program: { command: [no-such-program] }
  folder: { command: [sh], cwd: ./nowhere }
  variable: { command: [sh], inherit: [PLATEAU_NOT_SET] }
scenarios: { s: { get: / } }
load: { duration: [1s, 2s] }
`,
  );
  const { stdout, stderr } = await exits(3, ["check", file]);
  assert.match(stdout, /^40 runs of 8 cells/m);
  const lines = stderr.trim().split("\n").map((line) => line.trim());
  assert.deepEqual(lines.map((line) => line.replace(/".*nowhere"/, "…")), [
    "Cannot start all targets of the experiment",
    'Cannot start target program: there is no program "no-such-program" on PATH',
    "Cannot start target folder: there is no folder … is relative to the folder of the experiment file",
    "Cannot start target variable: it inherits PLATEAU_NOT_SET, which is not set here; set it, or leave it out of inherit",
  ]);
});

Deno.test("check notes targets to which nothing passes {port}, and takes a program that setup builds", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "mine.yaml");
  Deno.writeTextFileSync(
    file,
    `name: mine
targets:
  silent: { command: [sh], env: { MODE: [a, b] } }
  argument: { command: [sh, "{port}"] }
  variable: { command: [sh], env: { LISTEN: ":{port}" } }
  own: { command: [sh], port: 20001 }
  built: { setup: [[sh, -c, "cp /bin/sh built"]], command: [./built, "{port}"] }
scenarios: { s: { get: / } }
`,
  );
  const { stdout } = await exits(0, ["check", file]);
  assert.deepEqual(stdout.split("\n").filter((line) => line.startsWith("Note: ")), [
    "Note: Nothing passes {port} to target silent, so it must read the variable PORT. If it does not, " +
    'write "{port}" in its command or env, or its fixed port, such as port: 3000',
  ]);
});
