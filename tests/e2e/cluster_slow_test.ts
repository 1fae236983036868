/** Clusters under a real load: who gets how much, and who joins. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { type Need, needing, testWith } from "../needs.ts";
import { emptyFolder, type Ended, exits, plateau } from "./plateau.ts";

/** Who makes the folder `slow` first is slow; a file of each has an octet for every request. */
const COUNTED = `
  let slow = true;
  try { Deno.mkdirSync("slow"); } catch { slow = false; }
  const file = (slow ? "slow" : "quick") + "-" + Deno.args[0] + ".count";
  Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, async () => {
    Deno.writeTextFileSync(file, "1", { append: true });
    await new Promise((resolve) => setTimeout(resolve, slow ? 60 : 3));
    return new Response("a");
  });
`;

interface Outcome extends Ended {
  readonly saved: Results;
  readonly slow: number[];
  readonly quick: number[];
}

/** @param env Of Plateau itself. */
async function runCluster(
  cluster: Record<string, unknown>,
  { load, env, optional }: { load?: unknown; env?: Record<string, string>; optional?: string[] } =
    {},
): Promise<Outcome> {
  using folder = emptyFolder();
  const { path } = folder;
  const experiment = {
    name: "a",
    targets: {
      counted: { command: [Deno.execPath(), "eval", COUNTED, "{port}"] },
      several: { cluster: { of: "counted", ...cluster } },
    },
    scenarios: { a: { get: "/", targets: ["several"] } },
    load: load ?? { connections: 12, requests: 300 },
    repeat: 1,
    optional,
  };
  Deno.writeTextFileSync(join(path, "a.json"), JSON.stringify(experiment));
  const ended = await plateau(["run", join(path, "a.json"), "--out", path], { env });
  const counts = (kind: string): number[] =>
    readdirSync(path).filter((name) => name.startsWith(`${kind}-`))
      .map((name) => statSync(join(path, name)).size);
  const saved = results.parse(JSON.parse(readFileSync(join(path, "results.json"), "utf8")));
  return { ...ended, saved, slow: counts("slow"), quick: counts("quick") };
}

function assertAllRight({ saved, code, stderr }: Outcome): void {
  assert.equal(code, 0, stderr);
  const [{ requests, status }] = saved.runs;
  assert.deepEqual([requests.failed, requests.dropped], [0, 0]);
  assert.deepEqual(status, { "200": requests.completed });
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

const BALANCERS: { balancer: string; needs: Need[] }[] = [
  { balancer: "builtin", needs: [] },
  { balancer: "nginx", needs: ["nginx"] },
];

for (const { balancer, needs } of BALANCERS) {
  const { test } = needing(...needs);
  for (const policy of ["least-connections", "random-two"]) {
    test(`${balancer} with ${policy} sends a slow instance less`, async () => {
      const outcome = await runCluster({ balancer, policy, instances: 3 });
      assertAllRight(outcome);
      const { slow: [slow], quick } = outcome;
      assert.equal(quick.length, 2);
      // Less than half of their mean: any of them may be held up for a while.
      assert.ok(slow < sumOf(quick) / 4, `${slow} and ${quick}`);
    });
  }

  test(`${balancer} with round-robin sends a slow instance as much as others`, async () => {
    const outcome = await runCluster({ balancer, policy: "round-robin", instances: 3 });
    assertAllRight(outcome);
    const { slow: [slow], quick } = outcome;
    // Besides the load each was asked some times to see that it is there.
    assert.ok(quick.every((each) => Math.abs(each - slow) <= 10), `${slow} and ${quick}`);
  });

  test(`an instance joins behind ${balancer} while the load runs, and no request is lost`, async () => {
    const load = { connections: 12, duration: "3s" };
    const outcome = await runCluster({ balancer, instances: 2, add: { at: "100ms" } }, { load });
    assertAllRight(outcome);
    assert.equal(outcome.quick.length, 2);
    assert.ok(outcome.quick.every((each) => each > 10), String(outcome.quick));
  });
}

Deno.test("an instance is warmed up before it joins, at its rate, and takes its share slowly", async () => {
  const add = { at: "100ms", warmUp: { duration: "500ms", rate: "100/s" } };
  const load = { connections: 12, duration: "4s" };
  const outcome = await runCluster({ instances: 2, add, slowStart: "60s" }, { load });
  assertAllRight(outcome);
  const [{ requests: { completed }, instances = [] }] = outcome.saved.runs;
  const unmeasured = sumOf([...outcome.slow, ...outcome.quick]) - completed;
  // Besides the 50 the instances were asked some times to see that they are there.
  assert.ok(unmeasured >= 50 && unmeasured <= 80, String(unmeasured));
  const counts = instances.map(({ latency }) => latency.count);
  assert.equal(counts.length, 3);
  assert.equal(sumOf(counts), completed);
  // A tenth of the share of the others, whatever these are: by far less than half.
  assert.ok(counts[2] > 0 && counts[2] < counts[0] / 2, String(counts));
});

Deno.test("an instance that is started ahead joins at its time, and one whose time never comes ends, too", async () => {
  const load = { connections: 12, duration: "2s" };
  const joined = await runCluster({ instances: 2, add: { at: "100ms", ahead: true } }, { load });
  assertAllRight(joined);
  const [{ instances = [], requests: { completed } }] = joined.saved.runs;
  const counts = instances.map(({ latency }) => latency.count);
  assert.equal(counts.length, 3);
  assert.equal(sumOf(counts), completed);
  assert.ok(counts[2] > 10, String(counts));
  const waiting = await runCluster({ instances: 2, add: { at: "1h", ahead: true } }, { load });
  assertAllRight(waiting);
  assert.equal(waiting.saved.runs[0].instances?.length, 2);
});

testWith(["linux"], "instances that share a port all answer", async () => {
  using folder = emptyFolder();
  const experiment = {
    name: "a",
    targets: {
      app: { app: "work" },
      shared: { cluster: { of: "app", instances: 2, balancer: "reuseport", add: { at: "300ms" } } },
    },
    scenarios: { a: { get: "/", expect: { body: "Hello World!" }, targets: ["shared"] } },
    load: { connections: 20, duration: "2s" },
    repeat: 1,
  };
  const file = join(folder.path, "a.json");
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  await exits(0, ["run", file, "--out", folder.path]);
  const saved = results.parse(JSON.parse(readFileSync(join(folder.path, "results.json"), "utf8")));
  const [{ requests, resources }] = saved.runs;
  assert.equal(requests.failed, 0);
  const memory = resources.map((point) => point.memory);
  assert.ok(memory[memory.length - 1] > memory[0] * 1.3, "the third process is watched, too");
});

Deno.test("an instance that cannot join ends the run with the reason", async () => {
  using folder = emptyFolder();
  const once = 'if [ -e begun ]; then exit 9; fi; touch begun; exec "$0" eval "$1" "$2"';
  const experiment = {
    name: "a",
    targets: {
      once: { command: ["sh", "-c", once, Deno.execPath(), COUNTED, "{port}"] },
      several: { cluster: { of: "once", instances: 1, add: { at: "300ms" } } },
    },
    scenarios: { a: { get: "/", targets: ["several"] } },
    load: { connections: 2, duration: "3s" },
    repeat: 1,
  };
  const file = join(folder.path, "a.json");
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const { stderr } = await exits(3, ["run", file, "--out", folder.path]);
  assert.match(stderr, /Cannot start target once \(instance 2\): it exited with code 9/);
});

for (const optional of [["nginx"], []]) {
  const kind = optional.length > 0 ? "skipped" : "failed";
  Deno.test(`without nginx its cells are ${kind} with a line, and nothing is measured: exit code 3`, async () => {
    const env = { PATH: "/nonexistent" };
    const outcome = await runCluster({ balancer: "nginx" }, { env, optional });
    assert.equal(outcome.code, 3, outcome.stderr);
    assert.match(outcome.stderr, /No nginx on PATH: install it/);
    assert.deepEqual(outcome.saved.missing.map(({ target, kind }) => ({ target, kind })), [
      { target: "several", kind },
    ]);
  });
}
