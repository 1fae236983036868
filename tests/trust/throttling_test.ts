import assert from "node:assert/strict";
import { join } from "node:path";
import { foldersOf, parseThrottledMs, throttledMsOf } from "../../base/system/cgroup.ts";
import { emptyFolder } from "../e2e/plateau.ts";

const V1 = "31 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct";
const V2 = "42 23 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";

Deno.test("time that a CPU limit took is in microseconds in version 2, in nanoseconds in 1", () => {
  assert.equal(parseThrottledMs("usage_usec 5\nnr_throttled 2\nthrottled_usec 1500\n"), 1.5);
  assert.equal(parseThrottledMs("nr_periods 3\nnr_throttled 2\nthrottled_time 2500000\n"), 2.5);
  assert.equal(parseThrottledMs("usage_usec 5\nuser_usec 5\n"), null);
});

Deno.test("a group is held back by its own limit and by those of all groups above it", () => {
  const groups = "4:cpu,cpuacct:/pod/container\n0::/user.slice/a:b\n";
  const mounts = `${V1}\n${V2}\n`;
  assert.deepEqual(foldersOf("cpu", { mounts, groups }), [
    "/sys/fs/cgroup/cpu,cpuacct/pod/container",
    "/sys/fs/cgroup/cpu,cpuacct/pod",
    "/sys/fs/cgroup/cpu,cpuacct",
  ]);
  assert.deepEqual(foldersOf("", { mounts, groups }), [
    "/sys/fs/cgroup/user.slice/a:b",
    "/sys/fs/cgroup/user.slice",
    "/sys/fs/cgroup",
  ]);
});

Deno.test("times of all groups up the tree add up, and groups that say nothing are left out", () => {
  using folder = emptyFolder();
  const stats = {
    own: "throttled_usec 1500\n",
    parent: "throttled_usec 4500\n",
    top: "usage_usec 9\n",
  };
  const folders = Object.entries(stats).map(([name, stat]) => {
    const path = join(folder.path, name);
    Deno.mkdirSync(path);
    Deno.writeTextFileSync(join(path, "cpu.stat"), stat);
    return path;
  });
  assert.equal(throttledMsOf(folders), 6);
  assert.equal(throttledMsOf(folders.slice(2)), null);
  assert.equal(throttledMsOf([join(folder.path, "none")]), null);
});
