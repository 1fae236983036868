import assert from "node:assert/strict";
import { limitsOf, parseCpuMax, parseMemoryLimit, parseQuota } from "../../base/system/cgroup.ts";

/** Reads from these files, by path. */
function reader(files: Record<string, string>): (path: string) => string | null {
  return (path) => files[path] ?? null;
}

const V2_MOUNT = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

/** Version 1 as Docker shows it: each controller's own folder is mounted as the top. */
const V1_MOUNTS =
  `743 742 0:30 /docker/4f1c /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:11 - cgroup cgroup rw,cpu,cpuacct
744 742 0:33 /docker/4f1c /sys/fs/cgroup/memory ro,nosuid master:14 - cgroup cgroup rw,memory
`;
const V1_GROUPS = `9:memory:/docker/4f1c
4:cpu,cpuacct:/docker/4f1c
0::/
`;

Deno.test("version 2: the limits stand in the group's folder", () => {
  const read = reader({
    "/sys/fs/cgroup/user.slice/job.scope/cpu.max": "150000 100000\n",
    "/sys/fs/cgroup/user.slice/job.scope/memory.max": "536870912\n",
  });
  const limits = limitsOf({ mounts: V2_MOUNT, groups: "0::/user.slice/job.scope\n" }, read);
  assert.deepEqual(limits, { cores: 1.5, memory: 536_870_912 });
});

Deno.test("version 2: the limits of the groups above hold too, and the least counts", () => {
  const read = reader({
    "/sys/fs/cgroup/cpu.max": "400000 100000\n",
    "/sys/fs/cgroup/a.slice/cpu.max": "200000 100000\n",
    "/sys/fs/cgroup/a.slice/memory.max": "1000000\n",
    "/sys/fs/cgroup/a.slice/b.scope/cpu.max": "max 100000\n",
    "/sys/fs/cgroup/a.slice/b.scope/memory.max": "max\n",
  });
  const limits = limitsOf({ mounts: V2_MOUNT, groups: "0::/a.slice/b.scope\n" }, read);
  assert.deepEqual(limits, { cores: 2, memory: 1_000_000 });
});

Deno.test("version 2 in a container: the group is the top of what it sees", () => {
  const read = reader({ "/sys/fs/cgroup/cpu.max": "50000 100000\n" });
  const limits = limitsOf({ mounts: V2_MOUNT, groups: "0::/\n" }, read);
  assert.deepEqual(limits, { cores: 0.5, memory: null });
});

Deno.test("version 1: the limits stand in the folder of each controller", () => {
  const read = reader({
    "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "250000\n",
    "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
  });
  const limits = limitsOf({ mounts: V1_MOUNTS, groups: V1_GROUPS }, read);
  assert.deepEqual(limits, { cores: 2.5, memory: 268_435_456 });
});

Deno.test("without control groups there are no limits", () => {
  assert.deepEqual(limitsOf({ mounts: null, groups: null }, () => "1"), {
    cores: null,
    memory: null,
  });
});

Deno.test("each file has its own way to say that there is no limit", () => {
  assert.equal(parseCpuMax("max 100000\n"), null);
  assert.equal(parseQuota("-1\n", "100000\n"), null);
  assert.equal(parseMemoryLimit("max\n"), null);
  assert.equal(parseMemoryLimit("9223372036854771712\n"), null);
  assert.equal(parseCpuMax(null), null);
  assert.equal(parseQuota(null, null), null);
  assert.equal(parseMemoryLimit(null), null);
});
