import assert from "node:assert/strict";
import { ExperimentTargets } from "../../runner/experiment/targets.ts";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { type Plan, planCells, type PlannedRun } from "../../scenarios/plan/plan.ts";
import { program } from "../targets/fixtures/launch_context.ts";

const FIXTURES = new URL("../targets/fixtures/", import.meta.url).pathname;

/** The targets of an experiment with one run, and that run. */
function targetsOf(
  lines: Record<string, unknown>,
): { targets: ExperimentTargets; planned: PlannedRun } {
  const experiment = experimentSpecWith().parse({
    name: "a",
    scenarios: { a: { get: "/" } },
    ...lines,
  });
  const [cell]: Plan["cells"] = planCells(experiment);
  const request = { experiment, baseDir: FIXTURES, host: "127.0.0.1" };
  return {
    targets: new ExperimentTargets(
      request,
      null,
      { signal: new AbortController().signal, onProgress: () => {} },
      { begin: () => Promise.resolve({ started: async () => {}, end: async () => {} }) },
    ),
    planned: { cell, repetition: 1, order: 1 },
  };
}

Deno.test("a kept target is opened once, and started again when it has ended", async () => {
  const { targets, planned } = targetsOf({ targets: { a: { app: "api" } }, fresh: false });
  try {
    const first = await targets.open(planned);
    await targets.close(first);
    assert.equal(await targets.open(planned), first);
    Deno.kill(first.pid ?? 0, "SIGKILL");
    await first.exited;
    const second = await targets.open(planned);
    assert.notEqual(second.pid, first.pid);
    assert.equal(
      (await fetch(`${second.origin}/static`).then((answer) => answer.text())).length,
      11,
    );
    assert.equal(await targets.open(planned), second);
  } finally {
    await targets.closeAll();
  }
});

Deno.test("a kept target that failed to start is tried again", async () => {
  const { targets, planned } = targetsOf({
    targets: { a: { command: program("talk") } },
    fresh: false,
  });
  const failures: unknown[] = [];
  for (const _run of [1, 2]) {
    await targets.open(planned).catch((error: unknown) => failures.push(error));
  }
  assert.equal(failures.length, 2);
  assert.notEqual(failures[0], failures[1]);
  await targets.closeAll();
});

Deno.test("a target has as long for its start as the file says", async () => {
  const { targets, planned } = targetsOf({
    targets: { a: { command: program("silent") } },
    startTimeout: "1s",
  });
  await assert.rejects(targets.open(planned), /no response to GET \/ in 1 s: /);
});
