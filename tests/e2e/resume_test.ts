/** `run --resume` on an experiment that was killed. */
import assert from "node:assert/strict";
import { exits } from "./plateau.ts";
import { Site } from "./site.ts";

/** Each run has its answers, though the machine stands still for a while. */
const EXPERIMENT = `name: long
targets: { dead: { command: [sh, -c, exit 9] }, work: { app: work } }
scenarios: { wait: { get: "/?sleepTime=20", expect: { status: [200, 403] } } }
load: { connections: 2, requests: 20 }
order: sequential
repeat: 2
`;

Deno.test("what failed is not tried again, and costs exit code 3 still", async () => {
  using site = new Site(EXPERIMENT);
  await site.interrupted(1, { signal: "SIGKILL" });
  const before = site.saved();
  await exits(3, site.resume());
  const { runs, missing, state } = site.saved() ?? {};
  assert.deepEqual(runs?.map(({ repetition }) => repetition), [1, 2]);
  assert.deepEqual(missing?.map(({ repetition }) => repetition), [null]); // all of them
  assert.deepEqual([missing?.[0], state], [before?.missing[0], "done"]);
});
