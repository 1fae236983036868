/** Frameworks that are installed, asked for or missing, and installations that fail or are ended. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { descendantsOf, readStat } from "../../base/system/processes.ts";
import { needing, testWith } from "../needs.ts";
import { calibratedCache } from "./caches.ts";
import { until } from "./patience.ts";
import { COMMAND, emptyFolder, exits, Plateau } from "./plateau.ts";
import { Terminal } from "./terminal.ts";

const withNodeAndNpmAndInstalls = needing("node", "npm", "installs");
const withLinuxAndNode = needing("linux", "node");

/** The environment of a user who has installed nothing yet, with caches in `folder`. */
function fresh(folder: string, path = Deno.env.get("PATH") ?? ""): Record<string, string> {
  return { ...calibratedCache(folder), PATH: path };
}

/** What lies where frameworks are installed. */
function installedIn(folder: string): string[] {
  const place = join(folder, "plateau/frameworks");
  return existsSync(place) ? [...Deno.readDirSync(place)].map(({ name }) => name) : [];
}

/** Puts a program of that name into `folder`, and gives a PATH on which it comes first. */
function withProgram(folder: string, name: string, script: string): string {
  const path = join(folder, name);
  Deno.writeTextFileSync(path, `#!/bin/sh\n${script}\n`);
  Deno.chmodSync(path, 0o755);
  return [folder, Deno.env.get("PATH")].join(delimiter);
}

withNodeAndNpmAndInstalls.test("setup frameworks installs what is named, says where, and does nothing the second time", async () => {
  using folder = emptyFolder();
  const args = ["setup", "frameworks", "node-http"];
  const first = await exits(0, args, { env: fresh(folder.path) });
  assert.match(first.stdout, /^node-http +installed in \d+\.\d s: \S+\n$/);
  const [installed, ...others] = installedIn(folder.path);
  assert.match(installed, /^node-http-[0-9a-f]{16}$/);
  assert.deepEqual(others, []);
  const second = await exits(0, args, { env: fresh(folder.path) });
  assert.match(second.stdout, new RegExp(`^node-http +already installed: \\S+/${installed}\\n$`));
});

withLinuxAndNode.test("an installation that fails shows what its program said, leaves nothing, and stops no other", async () => {
  using folder = emptyFolder();
  const path = withProgram(folder.path, "npm", "echo out of luck >&2; exit 7");
  const { stdout } = await exits(3, ["setup", "frameworks", "express", "hapi"], {
    env: fresh(folder.path, path),
  });
  for (const name of ["express", "hapi"]) {
    assert.match(
      stdout,
      new RegExp(`Cannot install ${name}: npm ci .* exited with code 7\n  out of luck\n`),
    );
  }
  assert.deepEqual(installedIn(folder.path), []);
});

testWith(["linux"], "a runtime that is too old is a reason to skip", async () => {
  using folder = emptyFolder();
  withProgram(folder.path, "npm", "exit 7");
  const path = withProgram(folder.path, "node", "echo v18.19.1");
  const { stdout } = await exits(3, ["setup", "frameworks", "hapi"], {
    env: fresh(folder.path, path),
  });
  assert.match(stdout, /skipped: Cannot install hapi: node v18\.19\.1 is too old: install Node/);
});

withLinuxAndNode.test("an interrupted installation leaves nothing, exit code 130", async () => {
  using folder = emptyFolder();
  const path = withProgram(folder.path, "npm", "exec sleep 60");
  await using program = new Plateau(["setup", "frameworks", "express"], {
    env: fresh(folder.path, path),
  });
  await program.until("it installs", () => installedIn(folder.path).length === 1);
  program.kill("SIGINT");
  await exits(130, program.ended);
  assert.deepEqual(installedIn(folder.path), []);
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  withLinuxAndNode.test(`${signal} of an installation leaves neither processes nor a folder`, async () => {
    using folder = emptyFolder();
    const path = withProgram(folder.path, "npm", "sleep 600 & sleep 601");
    await using program = new Plateau(["setup", "frameworks", "express"], {
      env: fresh(folder.path, path),
    });
    const running = (): number[] => descendantsOf(program.pid);
    await program.until("its program and a child run", () => running().length >= 4);
    const pids = running();
    program.kill(signal);
    await program.ended;
    await until(
      "they have ended",
      () => !pids.some((pid) => (readStat(pid)?.state ?? "Z") !== "Z"),
    );
    assert.deepEqual(installedIn(folder.path), []);
  });
}

/** One cell of a framework that is not installed, in a file in `folder`. */
function writeMissing(folder: string, optional: string[] = []): string {
  const file = join(folder, "cells.json");
  const experiment = {
    name: "cells",
    targets: { one: { framework: "fastify" } },
    scenarios: { static: { get: "/static" } },
    load: { connections: 2, duration: "250ms" },
    repeat: 2,
    optional,
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  return file;
}

const WHY = "fastify is not installed: install it with plateau setup frameworks fastify";

for (const [optional, code, kind] of [[[], 3, "failed"], [["frameworks"], 3, "skipped"]] as const) {
  Deno.test(`cells of a framework that is not installed are ${kind} once, with what to do, and nothing is measured`, async () => {
    using folder = emptyFolder();
    const file = writeMissing(folder.path, [...optional]);
    const args = ["run", file, "--out", folder.path];
    await exits(code, args, { env: fresh(folder.path) });
    const saved = JSON.parse(readFileSync(join(folder.path, "results.json"), "utf8"));
    const missing = results.parse(saved).missing.map(({ kind, reason }) => ({ kind, reason }));
    assert.deepEqual(missing, [{ kind, reason: WHY }]);
  });
}

for (
  const [answer, sees] of [["y", /npm ci .*\n +out of luck/], ["", /failed: static, one/]] as const
) {
  testWith(["linux", "node", "tmux"], `run asks on a terminal, and obeys "${answer}"`, async () => {
    using folder = emptyFolder();
    const path = withProgram(folder.path, "npm", "echo out of luck >&2; exit 7");
    const command = [...COMMAND, "run", writeMissing(folder.path), "--out", folder.path];
    await using terminal = new Terminal(command, fresh(folder.path, path));
    await terminal.shows(/^fastify is not installed\. Install it now\? \[y\/N\]/m);
    await terminal.type(answer);
    await terminal.shows(sees);
    const screen = await terminal.shows(/Cannot measure the whole plan/);
    assert.equal(/out of luck/.test(screen), answer === "y");
    assert.deepEqual(installedIn(folder.path), []);
  });
}
