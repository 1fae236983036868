import assert from "node:assert/strict";
import {
  parsePs,
  parsePsTime,
  processTableOn,
  type TableRow,
  treeIn,
} from "../../base/system/process_table.ts";
import { needing } from "../needs.ts";
import { psHere } from "./ps_here.ts";

const MAC =
  `    1     0     1 Ss    13712   4:03.27   1:05.20 Fri Nov 27 09:15:02 2026     /sbin/launchd
  502     1   502 S     33008   0:01.50   0:01.20 Sat Nov 28 10:00:00 2026     /Applications/My App.app/Contents/MacOS/My App
  510   502   510 Z         0   0:00.00   0:00.00 Sat Nov 28 10:00:01 2026     (sh)
  511   502   502 R+   120000 123:45.67 100:00.00 Sat Nov 28 10:00:01 2026     node
`;

Deno.test("what ps of macOS prints are processes; one that nobody has waited for is none", () => {
  const [launchd, app, node, ...others] = parsePs(MAC);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [launchd, app, node].map(({ pid, parent, group, name }) => [pid, parent, group, name]),
    [
      [1, 0, 1, "launchd"],
      [502, 1, 502, "My App"],
      [511, 502, 502, "node"],
    ],
  );
  assert.deepEqual([launchd.cpuMs, launchd.systemMs], [243_270, 178_070]);
  assert.deepEqual([node.cpuMs, node.memoryBytes, node.threads], [7_425_670, 122_880_000, null]);
  assert.ok(launchd.start < app.start && app.start < node.start);
  assert.deepEqual(parsePs("no process\n"), []);
});

Deno.test("times of ps are with and without hours and days", () => {
  const times = ["0:00.03", "4:03.27", "00:00:09", "1-02:04:03"];
  assert.deepEqual(times.map(parsePsTime), [30, 243_270, 9_000, 93_843_000]);
});

function row(pid: number, parent: number, more: Partial<TableRow> = {}): TableRow {
  return {
    ...{ pid, parent, group: null, name: `p${pid}`, start: pid, cpuMs: 0, systemMs: 0 },
    ...{ memoryBytes: 0, threads: null },
    ...more,
  };
}

Deno.test("a tree is a process with all under it, whoever stands first in the table", () => {
  const rows = [row(9, 5), row(5, 2), row(2, 1), row(3, 1), row(6, 2)];
  assert.deepEqual(treeIn(rows, 2).map(({ pid }) => pid), [2, 5, 6, 9]);
  assert.deepEqual(treeIn(rows, 7), []);
});

Deno.test("whoever was there before its parent is the child of another, whose number that has", () => {
  assert.deepEqual(treeIn([row(5, 1), row(6, 5, { start: 4 })], 5).map(({ pid }) => pid), [5]);
});

Deno.test("an orphan belongs to the tree whose group it is in", () => {
  const rows = [row(5, 1, { group: 5 }), row(6, 1, { group: 5 }), row(7, 1, { group: 7 })];
  assert.deepEqual(treeIn(rows, 5).map(({ pid }) => pid), [5, 6]);
});

Deno.test("a process may be its own parent, or in a ring, and is there once", () => {
  assert.deepEqual(treeIn([row(4, 4)], 4).length, 1);
  assert.deepEqual(treeIn([row(4, 5, { start: 1 }), row(5, 4, { start: 1 })], 4).length, 2);
});

Deno.test("Linux has no table, as /proc shows more", () => {
  assert.equal(processTableOn("linux"), null);
  assert.notEqual(processTableOn("darwin"), null);
  assert.notEqual(processTableOn("windows"), null);
});

Deno.test("ps that can't be run shows nobody", () => {
  const path = Deno.env.get("PATH") ?? "";
  Deno.env.set("PATH", "/nowhere");
  try {
    assert.deepEqual(processTableOn("darwin")?.(), []);
  } finally {
    Deno.env.set("PATH", path);
  }
});

needing("linux").test("a real ps shows a process that was started, under this one", async () => {
  const child = new Deno.Command("sleep", { args: ["60"] }).spawn();
  try {
    const found = treeIn(psHere(), Deno.pid).find(({ pid }) => pid === child.pid);
    assert.equal(found?.parent, Deno.pid);
    assert.ok(found.memoryBytes > 100_000 && Math.abs(found.start - Date.now()) < 30_000);
  } finally {
    child.kill("SIGKILL");
    await child.status;
  }
});
