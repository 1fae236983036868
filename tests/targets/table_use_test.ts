import assert from "node:assert/strict";
import type { TableRow } from "../../base/system/process_table.ts";
import { readStat, readThreadStates, TICKS_PER_SEC } from "../../base/system/processes.ts";
import { TableUse } from "../../targets/observe/table_use.ts";
import { treeSightOn, watchResources } from "../../targets/observe/watch_resources.ts";
import { until } from "../e2e/patience.ts";
import { psHere } from "../machine/ps_here.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

function row(pid: number, parent: number, more: Partial<TableRow> = {}): TableRow {
  return {
    ...{ pid, parent, group: null, name: "p", start: pid, cpuMs: 100, systemMs: 40 },
    ...{ memoryBytes: 1_000, threads: 3 },
    ...more,
  };
}

Deno.test("a tree has used what its processes have since the last look, and new ones altogether", () => {
  let rows = [row(2, 1), row(3, 2), row(9, 1)];
  const tree = new TableUse({ pid: 2, supervised: false }, () => rows);
  rows = [row(2, 1, { cpuMs: 150, systemMs: 50 }), row(3, 2), row(4, 3), row(9, 1, { cpuMs: 900 })];
  assert.deepEqual(tree.take(), {
    cpuMs: 150,
    systemMs: 50,
    memoryBytes: 3_000,
    processes: 3,
    threads: 9,
    files: null,
    filesLeft: null,
    switches: null,
  });
});

Deno.test("a supervisor's own use is left out, and a tree that was never there is not seen", () => {
  const rows = [row(2, 1), row(3, 2, { threads: null })];
  const tree = new TableUse({ pid: 2, supervised: true }, () => rows);
  rows[1] = row(3, 2, { cpuMs: 130, threads: null });
  const { cpuMs, processes, threads } = tree.take();
  assert.deepEqual([cpuMs, processes, threads, tree.isSeen], [30, 1, null, true]);
  assert.equal(new TableUse({ pid: 7, supervised: false }, () => rows).isSeen, false);
});

Deno.test("what has ended takes its last part along, and never makes less of what the rest used", () => {
  let rows = [row(2, 1), row(3, 2, { cpuMs: 5_000 })];
  const tree = new TableUse({ pid: 2, supervised: false }, () => rows);
  rows = [row(2, 1, { cpuMs: 120 })];
  assert.deepEqual([tree.take().cpuMs, tree.take().cpuMs], [20, 0]);
});

Deno.test("a later process with the number of an ended one has used all of its own", () => {
  let rows = [row(2, 1), row(3, 2, { cpuMs: 5_000 })];
  const tree = new TableUse({ pid: 2, supervised: false }, () => rows);
  rows = [row(2, 1), row(3, 2, { start: 99, cpuMs: 70 })];
  assert.equal(tree.take().cpuMs, 70);
});

Deno.test("macOS is looked at once a second at most, as each look is a process of its own", () => {
  assert.equal(treeSightOn("darwin", () => []).shortestMs, 1_000);
  assert.deepEqual([treeSightOn("windows", () => []).shortestMs, treeSightOn("linux").shortestMs], [
    0,
    0,
  ]);
});

withLinux.test("a process that computes is seen by a table as by /proc", async () => {
  const busy = new Deno.Command("sh", { args: ["-c", "while :; do :; done"] }).spawn();
  try {
    const sinceMs = performance.now();
    const root = { pid: busy.pid, supervised: false };
    const options = { intervalMs: 100, sinceMs };
    const sight = { ...treeSightOn("darwin", psHere), shortestMs: 100 };
    const watch = watchResources(root, options, sight);
    // By /proc, as each ps takes a process and tens of milliseconds.
    const ownS = (): number => {
      const { userTicks = 0, systemTicks = 0 } = readStat(busy.pid) ?? {};
      return (userTicks + systemTicks) / TICKS_PER_SEC;
    };
    await until("it has computed for more than a second", () => ownS() >= 1.2);
    busy.kill("SIGSTOP"); // so that the last look finds what /proc has
    await until("it has stopped", () => readThreadStates(busy.pid, 1).includes("T"));
    const { resources } = await watch.stop();
    const seconds = resources.reduce(
      (sum, { cpu, endS }, i) => sum + cpu * (endS - (resources[i - 1]?.endS ?? 0)),
      0,
    );
    const wholeS = Math.floor(ownS()); // as ps here counts
    assert.ok(Math.abs(seconds - wholeS) < 0.01, `${seconds} of ${wholeS} s`);
  } finally {
    busy.kill("SIGKILL");
    await busy.status;
  }
});
