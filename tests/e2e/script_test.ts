/** Experiments in TypeScript, from the file to the results, their types, and what they become as YAML. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder, exits } from "./plateau.ts";
import { resultsIn, script, SIGNING, signingServer, writeScript } from "./signing.ts";

const EXAMPLES = join(import.meta.dirname ?? "", "../../examples/code");

Deno.test("a TypeScript experiment signs every request with what setup got, and ends its session", async () => {
  await using server = await signingServer();
  using folder = emptyFolder();
  const file = writeScript(folder.path, script(server.url, SIGNING));
  const out = join(folder.path, "out");
  await exits(0, ["run", file, "--out", out, "--quiet"]);
  const { runs, experiment, source } = resultsIn(out);
  assert.deepEqual(runs.map(({ status }) => status), [{ 200: 200 }, { 200: 200 }]);
  // One more a run is that of the preflight.
  assert.deepEqual(server.seen, { logins: 2, logouts: 2, signed: 402, unsigned: 0 });
  for (const { hooks } of runs) {
    assert.equal(hooks?.calls, 200);
    assert.ok(hooks.timeS > 0 && hooks.timeS < 60, String(hooks.timeS));
  }
  assert.match(source, /interface User/);
  assert.deepEqual(Object.keys(Object(experiment.script).files), ["signed.ts", "lib/signed.ts"]);

  // What it becomes is a whole experiment file of its own.
  const { stdout } = await exits(0, ["check", file, "--as", "yaml"]);
  const yaml = join(folder.path, "expanded.yaml");
  writeFileSync(yaml, stdout);
  await exits(0, ["run", yaml, "--out", join(folder.path, "again"), "--quiet"]);
  assert.deepEqual(server.seen, { logins: 4, logouts: 4, signed: 804, unsigned: 0 });
});

/** Each wrong line must be an error: the check fails where one is right. */
const WRONG = `import { experiment } from "plateau";
export default experiment({
  name: "wrong",
  targets: { api: { app: "api" } },
  scenarios: {
    one: {
      get: "/",
      // @ts-expect-error -- a misspelt key
      befor() {},
      after(response) {
        // @ts-expect-error -- a response is only read
        response.status = 200;
      },
    },
  },
  // @ts-expect-error -- no number
  load: { connections: true, duration: "1s" },
});
`;

Deno.test("init --types writes the types by which an editor checks every key and hook", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  await exits(0, ["init", "--types"], { cwd });
  const examples = ["signed.ts", "login.ts", "checkout.ts"];
  for (const name of examples) cpSync(join(EXAMPLES, name), join(cwd, name));
  writeFileSync(join(cwd, "wrong.ts"), WRONG);
  writeFileSync(join(cwd, "package.json"), "{}");
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--node-modules-dir=manual", "wrong.ts", ...examples],
    cwd,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
});

Deno.test("init --types leaves the package alone that npm has installed", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const manifest = join(cwd, "node_modules/plateau/package.json");
  Deno.mkdirSync(dirname(manifest), { recursive: true });
  const written = JSON.stringify({ name: "plateau", bin: { plateau: "bin/plateau" } });
  writeFileSync(manifest, written);
  const { stdout } = await exits(0, ["init", "--types"], { cwd });
  assert.match(stdout, /node_modules.plateau was installed by npm, and has the types already/);
  assert.deepEqual([...Deno.readDirSync(dirname(manifest))].map(({ name }) => name), [
    "package.json",
  ]);
  assert.equal(readFileSync(manifest, "utf8"), written);
});

Deno.test("a default export that is a function gets the parameters of --set", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "of.ts");
  writeFileSync(
    file,
    `export default ({ connections = 1, path = "/" }: { connections?: number; path?: string }) => ({
  name: "of",
  targets: { api: { app: "api" } },
  scenarios: { one: { get: path } },
  load: { connections, duration: "1s" },
});
`,
  );
  const { stdout } = await exits(0, [
    "check",
    file,
    "--set",
    "connections=7",
    "--set",
    "path=/static",
  ]);
  assert.match(stdout, /Load: 7 connections/);
  const { stdout: yaml } = await exits(0, ["check", file, "--as", "yaml", "--set", "path=/static"]);
  assert.match(yaml, /get: \/static/);
});
