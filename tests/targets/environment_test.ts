import assert from "node:assert/strict";
import { startTarget } from "../../targets/launchers.ts";
import {
  cleanEnv,
  findProgram,
  freePort,
  joinEnv,
  ownEnv,
  variablesNamed,
} from "../../targets/launch/environment.ts";
import { launchContext, program, targetFrom } from "./fixtures/launch_context.ts";

const IS_WINDOWS = Deno.build.os === "windows";
/** What Wine gives every process. */
const OF_WINE = IS_WINDOWS ? /^(?:WINE|PROCESSOR_ARCHITECTURE$)/ : /^$/;

Deno.test("a target sees a clean environment, what the file says, and nothing else", async () => {
  Deno.env.set("SOME_SECRET", "hidden");
  const env = { GREETING: "hello {port} at {host}" };
  const lines = targetFrom({ command: program("serve"), env });
  const target = await startTarget(lines, launchContext({ redisUrl: "redis://r:1" }));
  const seen = await (await fetch(target.origin)).json();
  await target.stop();
  const port = new URL(target.origin).port;
  const { GREETING, PORT, REDIS_URL, ...rest } = seen;
  assert.deepEqual([GREETING, PORT, REDIS_URL], [
    `hello ${port} at 127.0.0.1`,
    port,
    "redis://r:1",
  ]);
  assert.ok(rest.PATH);
  const inherited = new Set([
    ...["PATH", "HOME", "LANG", "TMPDIR", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE"],
    ...["WINDIR", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"],
  ]);
  const names = Object.keys(rest).map((name) => IS_WINDOWS ? name.toUpperCase() : name);
  assert.deepEqual(names.filter((name) => !inherited.has(name) && !OF_WINE.test(name)), []);
});

Deno.test("instances that join later never have the same port, whatever chance draws", () => {
  const draws = (): () => number => {
    let drawn = 0;
    return () => drawn++ / 1_000;
  };
  const port = freePort({ draw: draws() });
  assert.notEqual(freePort({ others: [port], draw: draws() }), port);
});

const OF_WINDOWS = {
  Path: "C:\\Windows;C:\\node",
  SystemRoot: "C:\\Windows",
  ComSpec: "C:\\Windows\\cmd.exe",
  Api_Token: "t",
};

Deno.test("Path of Windows is PATH, with which programs are found", () => {
  const ours = ownEnv(OF_WINDOWS, "windows");
  assert.equal(ours.PATH, OF_WINDOWS.Path);
  assert.deepEqual(cleanEnv({ Path: "D:\\bin", port: "1" }, { os: "windows", ours }), {
    PATH: "D:\\bin",
    SYSTEMROOT: "C:\\Windows",
    COMSPEC: "C:\\Windows\\cmd.exe",
    PORT: "1",
  });
  assert.deepEqual(variablesNamed(["api_token", "NONE"], ours, "windows"), {
    api_token: "t",
    NONE: null,
  });
});

Deno.test("elsewhere names differ by their case", () => {
  const given = { Path: "other", PATH: "/bin", HOME: "/root" };
  assert.deepEqual(ownEnv(given, "linux"), given);
  assert.deepEqual(joinEnv([given, { path: "third" }], "darwin"), { ...given, path: "third" });
  assert.deepEqual(cleanEnv({}, { os: "linux", ours: given }), { PATH: "/bin", HOME: "/root" });
  assert.deepEqual(variablesNamed(["path"], given, "linux"), { path: null });
});

Deno.test("the node that Deno puts on PATH is none of Windows' folders either", () => {
  const Path = "C:\\deno\\node_compat_bin;C:\\node";
  assert.equal(ownEnv({ Path }, "windows").PATH, "C:\\node");
});

/** As it is found on a Windows that has these files. */
function foundOnWindows(name: string, files: readonly string[], cwd = "C:\\app"): string | null {
  return findProgram(name, { path: OF_WINDOWS.Path, cwd }, {
    os: "windows",
    pathExt: ".COM;.EXE;.BAT;.CMD",
    isProgram: (path) => files.includes(path),
  });
}

const NODE_FOLDER = ["C:\\node\\npm", "C:\\node\\npm.cmd", "C:\\node\\node.exe"];

const FOUND: [what: string, name: string, files: string[], found: string | null][] = [
  ["npm is npm.cmd, not the script for other shells", "npm", NODE_FOLDER, "C:\\node\\npm.cmd"],
  ["node is node.exe", "node", NODE_FOLDER, "C:\\node\\node.exe"],
  ["a whole name is that file", "npm.cmd", NODE_FOLDER, "C:\\node\\npm.cmd"],
  ["its ending is in any case", "NODE.EXE", ["C:\\node\\NODE.EXE"], "C:\\node\\NODE.EXE"],
  [
    "a program with another ending is found last",
    "run.bin",
    ["C:\\node\\run.bin"],
    "C:\\node\\run.bin",
  ],
  ["the first folder counts", "a", ["C:\\node\\a.com", "C:\\Windows\\a.bat"], "C:\\Windows\\a.bat"],
  ["a path is not looked for on PATH", ".\\server", ["C:\\app\\server.exe"], "C:\\app\\server.exe"],
  [
    "a path may have the slashes of others",
    "bin/server",
    ["C:\\app\\bin\\server.cmd"],
    "C:\\app\\bin\\server.cmd",
  ],
  ["what is not there is not found", "go", NODE_FOLDER, null],
];

for (const [what, name, files, found] of FOUND) {
  Deno.test(`on Windows, ${what}`, () => assert.equal(foundOnWindows(name, files), found));
}

Deno.test("elsewhere a program has its whole name", () => {
  const files = ["/usr/bin/npm.cmd", "/bin/npm"];
  const system = {
    os: "linux" as const,
    pathExt: ".CMD",
    isProgram: (path: string) => files.includes(path),
  };
  assert.equal(findProgram("npm", { path: "/usr/bin:/bin", cwd: "/" }, system), "/bin/npm");
  assert.equal(findProgram("./npm", { path: "", cwd: "/bin" }, system), "/bin/npm");
});
