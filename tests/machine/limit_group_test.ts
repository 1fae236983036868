import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  controllerLimits,
  joinLimitGroup,
  makeLimitGroup,
  removeLimitGroup,
} from "../../base/system/cgroup.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";

/** Mounts and groups as the kernel would show them, for a folder that stands for the hierarchy. */
function versionTwo(top: string, group: string): { mounts: string; groups: string } {
  return {
    mounts: `30 24 0:26 / ${top} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n`,
    groups: `0::${group}\n`,
  };
}

function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

Deno.test("version 2: the group is made under the nearest one that gives its controllers away", () => {
  using folder = emptyFolder();
  const slice = join(folder.path, "app.slice");
  mkdirSync(join(slice, "run.scope"), { recursive: true });
  writeFileSync(join(folder.path, "cgroup.subtree_control"), "cpuset cpu memory\n");
  writeFileSync(join(slice, "cgroup.subtree_control"), "cpu memory pids\n");
  writeFileSync(join(slice, "run.scope", "cgroup.subtree_control"), "\n");
  const texts = versionTwo(folder.path, "/app.slice/run.scope");
  const [group, ...others] = makeLimitGroup({ cores: 0.25, memory: 64_000_000 }, texts);
  assert.deepEqual(others, []);
  assert.equal(join(group, ".."), slice);
  joinLimitGroup([group], 4_711);
  assert.deepEqual(filesIn(group), {
    "cpu.max": "25000 100000",
    "memory.max": "64000000",
    "cgroup.procs": "4711",
  });
});

Deno.test("version 2: where no group gives the controllers away there are no limits, and nothing is left", () => {
  using folder = emptyFolder();
  writeFileSync(join(folder.path, "cgroup.subtree_control"), "memory\n");
  const texts = versionTwo(folder.path, "/");
  assert.throws(
    () => makeLimitGroup({ cores: 1, memory: 64_000_000 }, texts),
    /no control group here has cpu and memory in its cgroup\.subtree_control/,
  );
  assert.deepEqual(readdirSync(folder.path), ["cgroup.subtree_control"]);
});

Deno.test("version 2: the processes of a target that takes too much memory end together", () => {
  const [{ v2, optional }] = controllerLimits({ cores: null, memory: 64_000_000 });
  assert.equal(new Map(v2).get("memory.oom.group"), "1");
  assert.ok(optional.includes("memory.oom.group"), "kernels before 4.19 do not have it");
});

Deno.test("version 1: each controller has a group, and what can't be had takes the rest along", () => {
  using folder = emptyFolder();
  const [cpu, memory] = ["cpu", "memory"].map((name) => join(folder.path, name));
  mkdirSync(cpu);
  const texts = {
    mounts: [cpu, memory].map((at, i) =>
      `${31 + i} 24 0:${27 + i} / ${at} rw - cgroup cgroup rw,${
        i === 0 ? "cpu,cpuacct" : "memory"
      }\n`
    ).join(""),
    groups: "4:cpu,cpuacct:/\n5:memory:/\n",
  };
  const [group] = makeLimitGroup({ cores: 0.001, memory: null }, texts);
  assert.deepEqual(filesIn(group), { "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "1000" });
  assert.throws(() => makeLimitGroup({ cores: 1, memory: 64_000_000 }, texts), /ENOENT/);
});

testWith(["cgroups"], "a group of one whose maker is gone is removed by the next", async () => {
  const maker = new Deno.Command(Deno.execPath(), {
    args: [
      ...["eval", `--ext=ts`],
      `import { makeLimitGroup } from "${import.meta.resolve("../../base/system/cgroup.ts")}";
       console.log(JSON.stringify(makeLimitGroup({ cores: 1, memory: null })));`,
    ],
  });
  const { stdout, stderr } = await maker.output();
  const text = new TextDecoder();
  const [abandoned]: string[] = JSON.parse(text.decode(stdout) || text.decode(stderr));
  assert.ok(existsSync(abandoned));
  const own = makeLimitGroup({ cores: 1, memory: null });
  assert.ok(!existsSync(abandoned) && existsSync(own[0]));
  assert.ok(removeLimitGroup(own) && !existsSync(own[0]));
});
