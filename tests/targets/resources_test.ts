import assert from "node:assert/strict";
import { descendantsOf, readStat, TICKS_PER_SEC } from "../../targets/launch/proc.ts";
import { TreeUse, watchResources } from "../../targets/resources.ts";
import { testWith } from "../needs.ts";

/** Runs `body` beside a shell whose child computes without end. */
async function besideBusyTree(body: (shell: number, busy: number) => Promise<void>): Promise<void> {
  const shell = new Deno.Command("sh", {
    args: ["-c", "sh -c 'echo up; while :; do :; done'; true"],
    stdout: "piped",
  }).spawn();
  const reader = shell.stdout.getReader();
  await reader.read();
  const [busy] = descendantsOf(shell.pid);
  try {
    await body(shell.pid, busy);
  } finally {
    for (const pid of [busy, shell.pid]) Deno.kill(pid, "SIGKILL");
    await shell.status;
    await reader.cancel();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

testWith(
  ["linux"],
  "watchResources() has a point per interval, with the CPU time of the whole tree",
  async () => {
    await besideBusyTree(async (pid, busy) => {
      const startMs = performance.now();
      const startTicks = readStat(busy)?.cpuTicks ?? 0;
      const watch = watchResources({ pid, supervised: false }, {
        intervalMs: 100,
        sinceMs: startMs,
      });
      await pause(560);
      const points = watch.stop();
      const usedSec = ((readStat(busy)?.cpuTicks ?? 0) - startTicks) / TICKS_PER_SEC;
      const elapsedSec = (performance.now() - startMs) / 1_000;
      assert.ok(points.length >= 2 && points.length <= 6, `${points.length} points`);
      const spans = points.map(({ t }, index) => t - (points[index - 1]?.t ?? 0));
      assert.ok(spans.every((span) => span > 0));
      const countedSec = points.reduce((sum, { cpu }, index) => sum + cpu * spans[index], 0);
      assert.ok(
        usedSec > 0.02 && Math.abs(countedSec - usedSec) <= 0.05,
        `${countedSec} of ${usedSec} s`,
      );
      assert.ok(countedSec <= elapsedSec + 0.05);
      assert.ok(points.every(({ memory }) => memory > 500_000 && memory < 50_000_000));
    });
  },
);

testWith(["linux"], "a supervisor's own use is left out", async () => {
  await besideBusyTree(async (pid, busy) => {
    const [whole, without] = [new TreeUse(pid, false), new TreeUse(pid, true)];
    const child = new TreeUse(busy, false);
    await pause(0);
    assert.ok(whole.take(0).memory > without.take(0).memory);
    assert.equal(without.take(0).memory, child.take(0).memory);
  });
});

testWith(["linux"], "a tree that has ended uses nothing", async () => {
  let tree: TreeUse | undefined;
  await besideBusyTree((pid) => Promise.resolve(tree = new TreeUse(pid, false)).then(() => {}));
  assert.deepEqual(tree?.take(1_000), { cpu: 0, memory: 0 });
});

Deno.test("a target without a process of ours has no points", () => {
  const watch = watchResources({ pid: null, supervised: false }, { intervalMs: 1, sinceMs: 0 });
  assert.deepEqual(watch.stop(), []);
});
