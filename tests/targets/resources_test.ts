import assert from "node:assert/strict";
import {
  descendantsOf,
  processCpuMs,
  readStat,
  TICKS_PER_SEC,
} from "../../base/system/processes.ts";
import { openRedisUse, parseInfo, RedisInfo } from "../../targets/observe/redis_watch.ts";
import { TreeUse } from "../../targets/observe/tree_use.ts";
import type { WatchedUse } from "../../targets/observe/use_series.ts";
import { watchResources } from "../../targets/observe/watch_resources.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { pause, until } from "../e2e/patience.ts";
import { needing, testWith } from "../needs.ts";
import { startRedis } from "./fixtures/own_redis.ts";

const withLinuxAndPython = needing("linux", "python");
const withLinux = needing("linux");

processCpuMs(Deno.pid); // opens libc for good: no test has opened it

/** Runs `body` beside a program that has printed a line, and ends it with all that it started. */
async function beside(
  [program, ...args]: readonly string[],
  body: (pid: number) => Promise<void>,
): Promise<void> {
  const child = new Deno.Command(program, { args, stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  try {
    await body(child.pid);
  } finally {
    for (const pid of [child.pid, ...descendantsOf(child.pid)]) Deno.kill(pid, "SIGKILL");
    await child.status;
    await reader.cancel();
  }
}

const BUSY = "while :; do :; done";
const TWO_BUSY = ["sh", "-c", `sh -c '${BUSY}' & sh -c 'echo up; ${BUSY}'; true`];

function cpuSec(pid: number): number {
  const { userTicks = 0, systemTicks = 0 } = readStat(pid) ?? {};
  return (userTicks + systemTicks) / TICKS_PER_SEC;
}

function secondsOf(
  points: WatchedUse["resources"],
  of: (point: WatchedUse["resources"][number]) => number,
): number {
  return points.reduce(
    (sum, point, i) => sum + of(point) * (point.endS - (points[i - 1]?.endS ?? 0)),
    0,
  );
}

withLinux.test("two processes that compute are seen as user time of their tree", async () => {
  await beside(TWO_BUSY, async (pid) => {
    const busy = descendantsOf(pid);
    assert.equal(busy.length, 2);
    const used = (): number => busy.reduce((sum, one) => sum + cpuSec(one), 0);
    // They go on while this test is held up: what was used is at least that from after the first look.
    const before = used();
    const sinceMs = performance.now();
    const watch = watchResources({ pid, supervised: false }, { intervalMs: 100, sinceMs });
    const since = used();
    await pause(350);
    await until("they have computed", () => used() - since > 0.2);
    const leastSec = used() - since;
    const { resources: points, parts } = await watch.stop();
    const mostSec = used() - before;
    const elapsedMs = performance.now() - sinceMs;
    assert.deepEqual(parts, []);
    assert.ok(
      points.length >= 1 && points.length <= elapsedMs / 100 + 1,
      `${points.length} points`,
    );
    assert.ok(points.every(({ endS }, i) => endS > (points[i - 1]?.endS ?? 0)));
    const countedSec = secondsOf(points, ({ cpu }) => cpu);
    assert.ok(
      countedSec >= leastSec - 0.06 && countedSec <= mostSec + 0.06,
      `${countedSec} of ${leastSec} to ${mostSec}`,
    );
    const userSec = secondsOf(points, ({ user = 0 }) => user);
    assert.ok(userSec > 0.7 * countedSec, `${userSec} of ${countedSec}`);
    for (const { cpu, user = 0, system = 0, memory, threads, files } of points) {
      assert.ok(Math.abs(user + system - cpu) < 1e-9);
      assert.equal(threads, 3);
      assert.ok(files !== undefined && files >= 6 && files < 40);
      assert.ok(memory > 1_500_000 && memory < 150_000_000);
    }
  });
});

const HOLDER = `
import threading, time
held = [open("/dev/null") for _ in range(37)]
def wait():
  while True: time.sleep(0.005)
for _ in range(6): threading.Thread(target=wait, daemon=True).start()
print("up", flush=True)
threading.Event().wait()
`;

withLinuxAndPython.test("threads, open files and the context switches of all threads are seen", async () => {
  await beside(["python3", "-c", HOLDER], async (pid) => {
    const sinceMs = performance.now();
    const watch = watchResources({ pid, supervised: false }, { intervalMs: 100, sinceMs });
    await pause(350);
    const { resources: points } = await watch.stop();
    const [point] = points.slice(-1);
    assert.equal(point.threads, 7);
    assert.ok(point.files !== undefined && point.files >= 40 && point.files <= 45);
    const count = secondsOf(points, ({ switches }) => switches?.voluntary ?? 0);
    assert.ok(count > 30 && count < point.endS * 6 * 400, `${count} in ${point.endS} s`);
  });
});

withLinux.test("CPU time of processes that start and end between two looks counts", async () => {
  const compute = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done";
  const script = `echo up; sleep 0.2; for n in 1 2 3; do sh -c '${compute}'; done; sleep 60`;
  await beside(["sh", "-c", script], async (pid) => {
    const tree = new TreeUse({ pid, supervised: false });
    const told = [];
    const waited = (): number => (readStat(pid)?.waitedUserTicks ?? 0) / TICKS_PER_SEC;
    while (descendantsOf(pid).length === 0 || waited() === 0) {
      await pause(20);
      told.push(tree.take().cpuMs);
    }
    await pause(300);
    const { waitedUserTicks = 0, waitedSystemTicks = 0 } = readStat(pid) ?? {};
    told.push(tree.take().cpuMs); // after it: another may end in between
    const endedMs = (waitedUserTicks + waitedSystemTicks) * 1_000 / TICKS_PER_SEC;
    const toldMs = told.reduce((sum, ms) => sum + ms, 0);
    assert.ok(toldMs >= endedMs - 25, `${toldMs} of ${endedMs} ms`);
    assert.ok(told.every((ms) => ms >= 0));
  });
});

withLinux.test("a supervisor's own use is left out", async () => {
  await beside(TWO_BUSY, async (pid) => {
    const [busy, other] = descendantsOf(pid);
    const [whole, without] = [true, false].map((own) => new TreeUse({ pid, supervised: !own }));
    const children = [busy, other].map((child) => new TreeUse({ pid: child, supervised: false }));
    await pause(0);
    assert.ok(whole.take().memoryBytes > without.take().memoryBytes);
    assert.equal(
      without.take().threads,
      children.reduce((sum, child) => sum + (child.take().threads ?? 0), 0),
    );
  });
});

withLinux.test("a tree that has ended uses nothing", async () => {
  const trees: TreeUse[] = [];
  await beside(TWO_BUSY, (pid) => {
    trees.push(new TreeUse({ pid, supervised: false }));
    return Promise.resolve();
  });
  assert.deepEqual(trees[0].take(), {
    cpuMs: 0,
    systemMs: 0,
    memoryBytes: 0,
    processes: 0,
    threads: 0,
    files: 0,
    filesLeft: null,
    switches: { voluntary: 0, involuntary: 0 },
  });
});

Deno.test("a target without a process of ours has no points", async () => {
  const times = { intervalMs: 1, sinceMs: performance.now() };
  const watch = watchResources({ pid: null, supervised: false }, times);
  assert.deepEqual(await watch.stop(), { resources: [], parts: [] });
});

withLinux.test("the parts of a target are seen apart, and together", async () => {
  await beside(TWO_BUSY, async (pid) => {
    const [one, other] = descendantsOf(pid);
    const parts = [
      { pid: one, supervised: false, role: "gateway", name: "nginx" },
      { pid: other, supervised: false, role: "upstream", name: "api" },
    ] as const;
    const watch = watchResources({ ...parts[0], parts: () => parts }, {
      intervalMs: 100,
      sinceMs: performance.now(),
    });
    await pause(250);
    const used = await watch.stop();
    assert.deepEqual(used.parts.map(({ role, name }) => [role, name]), [
      ["gateway", "nginx"],
      ["upstream", "api"],
    ]);
    const [front, behind] = used.parts.map(({ points }) => points);
    for (const [i, { endS, cpu, threads }] of used.resources.entries()) {
      assert.deepEqual([front[i].endS, behind[i].endS], [endS, endS]);
      assert.ok(Math.abs(front[i].cpu + behind[i].cpu - cpu) < 1e-9);
      assert.equal(threads, 2);
    }
  });
});

Deno.test("what Redis says of itself is read with its ended children, or not at all", () => {
  const lines = [
    ...["# CPU", "used_cpu_sys:1.500000", "used_cpu_user:2.250000"],
    ...["used_cpu_sys_children:0.100000", "used_cpu_user_children:0.150000"],
    ...["used_cpu_sys_main_thread:1.4", "# Memory", "used_memory:1000", "used_memory_rss:14000000"],
  ];
  assert.deepEqual(parseInfo(lines.join("\r\n")), {
    cpuMs: 4_000,
    systemMs: 1_600,
    memoryBytes: 14_000_000,
  });
  assert.equal(parseInfo(lines.slice(0, 5).join("\r\n")), null);
});

testWith(["redis"], "a Redis that is somebody else's tells what it uses under a load", async () => {
  await using redis = await startRedis();
  const { url } = redis;
  const use = await openRedisUse({ url, pid: null, supervised: false });
  assert.ok(use instanceof RedisInfo);
  const client = await connectRedis(url);
  try {
    const times = { intervalMs: 50, sinceMs: performance.now() };
    const watch = watchResources({ pid: null, supervised: false }, { ...times, redis: use });
    for (let i = 0; i < 3_000; i++) await client.set(`key ${i % 7}`, "a");
    const { resources, parts } = await watch.stop();
    assert.deepEqual(resources, []);
    assert.deepEqual(parts.map(({ role, name }) => [role, name]), [["redis", "Redis"]]);
    const [{ points }] = parts;
    assert.ok(secondsOf(points, ({ cpu }) => cpu) > 0);
    assert.ok(points.every(({ cpu, memory }) => cpu >= 0 && cpu < 2 && memory > 1_000_000));
  } finally {
    client.destroy();
    use.close();
  }
});

Deno.test("a Redis that does not answer tells nothing", async () => {
  assert.equal(
    await openRedisUse({ url: "redis://127.0.0.1:1", pid: null, supervised: false }),
    null,
  );
});
