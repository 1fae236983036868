/** What `run --resume` decides about repetitions, failures, and what a cell needs. */
import assert from "node:assert/strict";
import { LOOKS } from "../../runner/stats/confidence/sequential.ts";
import { needing } from "../needs.ts";
import { Site } from "./site.ts";
import { exits } from "./plateau.ts";

const withNginx = needing("nginx");

/**
 * Waits make up nearly all of each answer, so that the runs of a busy machine are alike, too; and each
 * has its answers, though the machine stands still for a while.
 */
function experiment(repeat: string, targets = "work: { app: work }"): string {
  return `name: long
targets: { ${targets} }
scenarios: { wait: { get: "/?sleepTime=20", expect: { status: [200, 403] } } }
load: { connections: 2, requests: 20 }
order: sequential
repeat: ${repeat}
`;
}

Deno.test("repeat: until looks at the runs of before, too", async () => {
  using site = new Site(experiment("until 100%"));
  await site.interrupted(3, { signal: "SIGKILL" });
  const before = site.saved()?.runs.length ?? 0;
  const { stdout, stderr } = await exits(0, site.resume());
  const { runs = [], planned, stopping } = site.saved() ?? {};
  // Where the machine paused it may take more than the first look.
  const made = LOOKS.find((look) => look === runs.length);
  assert.deepEqual(runs.map(({ repetition }) => repetition), runs.map((_, i) => i + 1));
  assert.deepEqual([planned, stopping?.repetitions, stopping?.reason], [made, made, "precision"]);
  assert.match(stderr, new RegExp(`^\\[${before + 1}/5\\] wait, work`, "m"));
  assert.match(stdout.replaceAll(/\s+/g, " "), new RegExp(`Stopped after ${made} repetitions`));
});

Deno.test("a time budget counts the time before the interruption", async () => {
  using site = new Site(experiment("{ budget: 10m }"));
  await site.interrupted(2, { signal: "SIGINT" });
  const before = site.saved();
  assert.ok((before?.spent ?? 0) > 400, `${before?.spent}`); // ten answers of 20 ms, twice
  site.edit({ spent: 599_900 });
  await exits(0, site.resume());
  const after = site.saved();
  assert.deepEqual(after?.runs, before?.runs);
  assert.equal(after?.stopping?.reason, "budget");
});

const FILES = "files: { nginx: { root: . } }, work: { app: work }";

const NO_PROGRAMS = { env: { PATH: "/nonexistent" } };

withNginx.test("cells that lacked something are measured once it is there", async () => {
  using site = new Site(experiment("2", FILES), NO_PROGRAMS);
  await site.interrupted(1, { signal: "SIGKILL" });
  assert.deepEqual(site.saved()?.missing.map(({ target }) => target), ["files"]);
  await exits(0, site.resume());
  const { runs, missing } = site.saved() ?? {};
  assert.deepEqual(missing, []);
  assert.deepEqual(
    runs?.map(({ target, order }) => `${order} ${target}`).sort(),
    ["1 files", "2 work", "3 files", "4 work"],
  );
});

withNginx.test("nothing goes on without what earlier runs had", async () => {
  using site = new Site(experiment("2", FILES));
  await site.interrupted(1, { signal: "SIGKILL" });
  const before = site.saved();
  assert.equal(before?.runs[0].target, "files");
  const { stderr } = await exits(3, site.resumeIn(NO_PROGRAMS));
  assert.match(
    stderr,
    /Cannot resume: prerequisites that earlier runs had are missing now\n.*nginx/,
  );
  assert.deepEqual(site.saved(), before);
});
