/** The npm packages, installed by npm from their files, with a program that stands for the real one. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder } from "../e2e/plateau.ts";
import { keep } from "../kept.ts";
import { needing } from "../needs.ts";
import { readText } from "../architecture/tree.ts";
import { npmPackage, platformPackage } from "../../release/packages/npm.ts";
import type { Companions } from "../../release/packages/system.ts";
import { platformNamed } from "../../release/platforms.ts";
import { VERSION } from "../../release/product.ts";

const HERE = platformNamed(`linux-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`);
/** Prints its arguments and the name that it runs under, waits half a minute for a signal when told to, and ends with 7. */
const PROGRAM = `#!/bin/sh
echo "$0 $*"
[ "$1" = wait ] || exit 7
trap 'echo ended; exit 7' TERM
echo ready
for _ in $(seq 600); do sleep 0.05; done
exit 7
`;
const COMPANIONS: Companions = {
  license: "MIT\n",
  notices: "others\n",
  completions: { bash: "", zsh: "", fish: "" },
  manual: new Map(),
};
const SCRIPTS = {
  launch: readText("release/npm/launch.cjs"),
  install: readText("release/npm/install.cjs"),
  program: readText("release/npm/program.cjs"),
};

/** Installs them for all users of a folder, and resolves with the command's path. */
function install(folder: string, ...options: string[]): string {
  const [main, own] = [join(folder, "plateau.tgz"), join(folder, "own.tgz")];
  Deno.writeFileSync(main, npmPackage([HERE], SCRIPTS, "", COMPANIONS, 1e9));
  const program = new TextEncoder().encode(PROGRAM);
  Deno.writeFileSync(own, platformPackage(HERE, program, COMPANIONS, 1e9));
  const { success, stderr } = new Deno.Command("npm", {
    args: ["install", "--global", "--offline", "--prefix", folder, ...options, main, own],
    env: { HOME: folder, npm_config_cache: join(folder, "cache") },
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return join(folder, "bin/plateau");
}

const withNpm = needing("npm", "linux");

const withoutScripts = keep(["npm", "linux"], () => {
  const folder = emptyFolder();
  return Promise.resolve({
    path: folder.path,
    command: install(folder.path, "--ignore-scripts"),
    [Symbol.asyncDispose]: () => Promise.resolve(folder[Symbol.dispose]()),
  });
});

function run(command: string, ...args: string[]): { code: number; stdout: string } {
  const { code, stdout } = new Deno.Command(command, { args }).outputSync();
  return { code, stdout: new TextDecoder().decode(stdout) };
}

withNpm.test("npm installs the program itself as the command", () => {
  using folder = emptyFolder();
  const command = install(folder.path);
  assert.deepEqual(run(command, "a", "b c"), { code: 7, stdout: `${command} a b c\n` });
  const own = join(folder.path, `lib/node_modules/@plateau/${HERE.name}/plateau`);
  assert.equal(Deno.statSync(command).ino, Deno.statSync(own).ino);
  assert.match(readText("deno.json"), new RegExp(`"version": "${VERSION}"`));
});

withNpm.test("what npm installs has the types of experiments", () => {
  const { path } = withoutScripts();
  const installed = join(path, "lib/node_modules/plateau");
  const { exports } = JSON.parse(Deno.readTextFileSync(join(installed, "package.json")));
  for (const { types, default: code } of Object.values<Record<string, string>>(exports)) {
    for (const file of [types, code]) assert.ok(Deno.statSync(join(installed, file)).isFile);
  }
  assert.match(
    Deno.readTextFileSync(join(installed, "index.d.ts")),
    /export function experiment\(/,
  );
});

withNpm.test("without scripts of packages, Node starts the program, and passes signals on", async () => {
  const { command } = withoutScripts();
  assert.match(run(command, "a").stdout, /@plateau\/[\w-]+\/plateau a\n$/);
  assert.equal(run(command, "a").code, 7);
  await assertEndsBySignal(command);
});

/** Node as it is where the machine halts when the program has just been started. */
const HALTING = `
const processes = require("node:child_process");
const { spawn } = processes;
processes.spawn = (...given) => {
  const child = spawn(...given);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  return child;
};
`;

withNpm.test("a signal that comes while Node starts the program reaches it, too", async () => {
  const { path, command } = withoutScripts();
  const halting = join(path, "halting.cjs");
  Deno.writeTextFileSync(halting, HALTING);
  await assertEndsBySignal(command, { NODE_OPTIONS: `--require ${halting}` });
});

/** Sends it a signal as soon as it is ready. */
async function assertEndsBySignal(
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const child = new Deno.Command(command, { args: ["wait"], env, stdout: "piped" }).spawn();
  let printed = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (!printed.includes("ready") && (printed + text).includes("ready")) child.kill("SIGTERM");
    printed += text;
  }
  assert.match(printed, /ready\nended\n$/);
  assert.equal((await child.status).code, 7);
}

withNpm.test("a command without its program says which package is missing", () => {
  const { path, command } = withoutScripts();
  const [there, away] = ["@plateau", "away"].map((name) => join(path, "lib/node_modules", name));
  Deno.renameSync(there, away);
  const { code, stderr } = new Deno.Command(command).outputSync();
  Deno.renameSync(away, there);
  assert.equal(code, 3);
  assert.match(
    new TextDecoder().decode(stderr),
    new RegExp(`^Cannot find @plateau/${HERE.name}: `),
  );
});
