import assert from "node:assert/strict";
import { readStat } from "../../base/system/processes.ts";
import { goOf, runtimeOf, startedBy } from "../../targets/launch/runtime.ts";
import { cleanEnv } from "../../targets/launch/environment.ts";
import { startTarget } from "../../targets/launchers.ts";
import { launchContext, program, targetFrom } from "./fixtures/launch_context.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";

const here = { env: cleanEnv(), cwd: Deno.cwd() };

testWith(["node"], "the runtime of a command is its program with its version", async () => {
  assert.match(await runtimeOf(["node", "server.js"], here) ?? "", /^node v\d+\.\d+\.\d+$/);
  const through = ["env", "PORT=1", "node", "server.js"];
  assert.match(await runtimeOf(through, here) ?? "", /^node v\d+/);
});

testWith(["python"], "Python tells its own", async () => {
  assert.match(await runtimeOf(["python3", "-m", "http.server"], here) ?? "", /^Python 3\.\d+/);
});

testWith(["nginx"], "nginx tells its own, on standard error", async () => {
  assert.match(await runtimeOf(["nginx", "-g", "x"], here) ?? "", /^nginx\/\d+\.\d+\.\d+$/);
});

testWith(["linux"], "the PATH that env sets is the one in which its program is asked", async () => {
  using folder = emptyFolder();
  const { env } = fakeNode(folder.path, "echo v1.2.3");
  assert.equal(await runtimeOf(["env", `PATH=${env.PATH}`, "node"], here), "node v1.2.3");
});

testWith(["linux"], "a runtime is asked with the variables that its target inherits", async () => {
  using folder = emptyFolder();
  fakeNode(
    folder.path,
    `[ "$1" = --version ] && exec echo "v1.2.$PLATEAU_TESTED"; exec ${Deno.execPath()} "$@"`,
  );
  const [, ...args] = program("serve");
  Deno.env.set("PLATEAU_TESTED", "20987");
  try {
    const lines = { command: [`${folder.path}/node`, ...args], inherit: ["PLATEAU_TESTED"] };
    const target = await startTarget(targetFrom(lines), launchContext());
    await target.stop();
    assert.equal(target.runtime, "node v1.2.20987");
  } finally {
    Deno.env.delete("PLATEAU_TESTED");
  }
});

Deno.test("of programs that are not known nothing is told", async () => {
  assert.equal(await runtimeOf(["./server"], here), null);
  assert.equal(await runtimeOf(["npx", "node"], here), null);
});

Deno.test("env only sets variables: the program comes after them", () => {
  assert.deepEqual(startedBy(["env", "A=b=c", "C=d e", "node", "x=y"]), {
    program: "node",
    variables: { A: "b=c", C: "d e" },
  });
  const none = { variables: {} };
  assert.deepEqual(startedBy(["/usr/bin/env", "node"]), { program: "node", ...none });
  assert.deepEqual(startedBy(["node", "A=b"]), { program: "node", ...none });
  assert.deepEqual(startedBy(["env", "-i", "node"]), { program: "-i", ...none });
  assert.deepEqual(startedBy(["env", "A=b"]), { program: "env", ...none });
});

/**
 * A folder with a `node` that does this. Another process writes it: what this one has open for writing its
 * children have for a moment, too, those of other tests, and meanwhile nobody can run it (ETXTBSY).
 */
function fakeNode(
  folder: string,
  script: string,
  name = "node",
): { env: Record<string, string>; cwd: string } {
  const write = `printf "%s" "$0" > ${name} && chmod 755 ${name}`;
  const args = ["-c", write, `#!/bin/sh\n${script}\n`];
  assert.ok(new Deno.Command("sh", { args, cwd: folder }).outputSync().success);
  return { env: cleanEnv({ PATH: `${folder}:${Deno.env.get("PATH")}` }), cwd: folder };
}

testWith(["linux"], "a program is found in the target's environment, and asked once", async () => {
  using folder = emptyFolder();
  const place = fakeNode(folder.path, 'echo "v1.2.$(echo >> asked; wc -l < asked)"');
  assert.equal(await runtimeOf(["node", "a.js"], place), "node v1.2.1");
  assert.equal(await runtimeOf(["node", "b.js"], place), "node v1.2.1");
});

testWith(["linux"], "go tells which Go compiled a program, and nothing of others", async () => {
  using folder = emptyFolder();
  const place = fakeNode(
    folder.path,
    '[ "$1 $2" = "version ./server" ] && echo "$2: go1.26.8"',
    "go",
  );
  assert.equal(await goOf("./server", place), "go 1.26.8");
  assert.equal(await goOf("./other", place), null);
  assert.equal(await goOf("./server", { ...place, env: { PATH: "/nowhere" } }), null);
});

testWith(["linux"], "a program that does not tell its version has none", async () => {
  using folder = emptyFolder();
  assert.equal(await runtimeOf(["node"], fakeNode(folder.path, "echo hello")), null);
});

testWith(["linux"], "a program that takes too long is not waited for", async () => {
  using folder = emptyFolder();
  assert.equal(await runtimeOf(["node"], fakeNode(folder.path, "exec sleep 60")), null);
});

testWith(["linux"], "nothing is left of a program that takes too long", async () => {
  using folder = emptyFolder();
  const place = fakeNode(folder.path, "sleep 600 & echo $! > pid; wait");
  assert.equal(await runtimeOf(["node"], place), null);
  const pid = Number(Deno.readTextFileSync(`${folder.path}/pid`));
  assert.equal(readStat(pid), null, `process ${pid} lives`);
});
