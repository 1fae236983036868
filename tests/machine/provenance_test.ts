import fc from "fast-check";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readStat } from "../../base/system/processes.ts";
import { Certificates } from "../../base/target/access.ts";
import { commitOf, hashSettings } from "../../runner/experiment/provenance.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { Table } from "../../scenarios/request/values.ts";
import { until } from "../e2e/patience.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { needing, testWith } from "../needs.ts";
import { forAll } from "../for_all.ts";

const withGit = needing("git");

const SEED = { seed: 20_261 };

function git(folder: string, ...args: string[]): string {
  const who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  const { success, stdout, stderr } = new Deno.Command("git", {
    args: ["-C", folder, ...who, ...args],
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

withGit.test("the commit is the last one of the folder's repository", async () => {
  using folder = emptyFolder();
  git(folder.path, "init", "-q");
  assert.equal(await commitOf(folder.path), null);
  Deno.writeTextFileSync(join(folder.path, "a.yaml"), "name: a\n");
  git(folder.path, "add", ".");
  git(folder.path, "commit", "-q", "-m", "first");
  const hash = git(folder.path, "rev-parse", "HEAD");
  assert.deepEqual(await commitOf(folder.path), { hash, dirty: false });
  Deno.mkdirSync(join(folder.path, "inner"));
  assert.deepEqual(await commitOf(join(folder.path, "inner")), { hash, dirty: false });
});

withGit.test("a changed file makes the folder dirty, a new one such as a result does not", async () => {
  using folder = emptyFolder();
  git(folder.path, "init", "-q");
  Deno.writeTextFileSync(join(folder.path, "a.yaml"), "name: a\n");
  git(folder.path, "add", ".");
  git(folder.path, "commit", "-q", "-m", "first");
  Deno.writeTextFileSync(join(folder.path, "results.json"), "{}");
  assert.equal((await commitOf(folder.path))?.dirty, false);
  Deno.writeTextFileSync(join(folder.path, "a.yaml"), "name: b\n");
  assert.equal((await commitOf(folder.path))?.dirty, true);
});

/** A repository with a commit, whose git runs this script by the setting. */
function repositoryWith(folder: string, setting: string, script: string): void {
  git(folder, "init", "-q");
  Deno.writeTextFileSync(join(folder, "a.yaml"), "name: a\n");
  git(folder, "add", ".");
  git(folder, "commit", "-q", "-m", "first");
  git(folder, "config", setting, script);
}

withGit.test("the user's monitor of files is not asked for changes", async () => {
  using folder = emptyFolder();
  repositoryWith(folder.path, "core.fsmonitor", `touch '${join(folder.path, "asked")}';:`);
  assert.equal((await commitOf(folder.path))?.dirty, false);
  assert.equal(existsSync(join(folder.path, "asked")), false);
});

testWith(["git", "linux"], "nothing is left of a git that takes too long", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "pid");
  repositoryWith(folder.path, "filter.slow.clean", `sleep 600 & echo $! > '${file}'; wait;:`);
  Deno.writeTextFileSync(join(folder.path, ".git/info/attributes"), "*.yaml filter=slow\n");
  Deno.writeTextFileSync(join(folder.path, "a.yaml"), "name: b\n");
  const late = new AbortController();
  const commit = commitOf(folder.path, late.signal);
  const pid = await until("the filter runs", () => {
    return existsSync(file) && Number(Deno.readTextFileSync(file));
  });
  late.abort();
  assert.equal(await commit, null);
  assert.equal(readStat(pid), null, `process ${pid} lives`);
});

Deno.test("a folder without a repository has no commit", async () => {
  using folder = emptyFolder();
  assert.equal(await commitOf(folder.path), null);
  assert.equal(await commitOf(join(folder.path, "missing")), null);
});

Deno.test("the hash of settings is SHA-256 of their JSON with sorted keys", () => {
  // printf '{"a":[1,{"c":null,"d":"é"}],"b":true}' | sha256sum
  const hash = hashSettings({ b: true, a: [1, { d: "é", c: null, e: undefined }] });
  assert.equal(hash, "47f93a44aba63c7259429d766b2137b9366b6a5015c66057a22f510970ca8c0a");
});

/** The same value with the keys of every object the other way round. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, of]) => [key, turned(of)]));
}

Deno.test("the order of keys does not change the hash", () => {
  forAll([fc.jsonValue()], (value) => {
    assert.equal(hashSettings(turned(value)), hashSettings(value));
  }, SEED);
});

Deno.test("different values have different hashes", () => {
  forAll([fc.jsonValue(), fc.jsonValue()], (a, b) => {
    fc.pre(JSON.stringify(turned(a)) !== JSON.stringify(turned(b)));
    assert.notEqual(hashSettings({ of: [a, 1] }), hashSettings({ of: [b, 1] }));
  }, SEED);
});

const WRITTEN = `name: a
targets: { api: { app: api } }
scenarios: { static: { get: /static } }
load: { connections: 10, duration: 1s }
`;

Deno.test("an experiment has one hash however it is written, and another after any change", () => {
  const hashOf = (text: string): string => hashSettings(parseExperiment(text, "a.yaml"));
  const hash = hashOf(WRITTEN);
  assert.equal(hashOf(WRITTEN.split("\n").reverse().join("\n")), hash);
  assert.equal(hashOf(WRITTEN.replace("1s", "1000ms") + "repeat: 5\n"), hash);
  for (
    const [from, to] of [["10", "11"], ["1s", "2s"], ["name: a", "name: b"], ["{ get", "{ head"]]
  ) {
    assert.notEqual(hashOf(WRITTEN.replace(from, to)), hash, `${from} → ${to}`);
  }
});

Deno.test("the hash tells what the files held, which itself is not in the settings", () => {
  const rows = (name: string) => new Table("u.csv", [{ name }]);
  const authority = (pem: string) => new Certificates("ca.pem", pem);
  for (const read of [rows, authority]) {
    assert.equal(hashSettings(read("ada")), hashSettings(read("ada")));
    assert.notEqual(hashSettings(read("ada")), hashSettings(read("eve")));
    assert.doesNotMatch(JSON.stringify(read("ada")), /ada/);
  }
});
