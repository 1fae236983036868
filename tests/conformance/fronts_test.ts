/**
 * One suite over all that stands in front of other targets (proxy, cluster with each balancer, nginx):
 * however the target behind it behaves, it is started, told of, and stopped with it.
 */
import assert from "node:assert/strict";
import { TargetError } from "../../scenarios/errors.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { descendantsOf } from "../../targets/launch/proc.ts";
import { startTarget } from "../../targets/launch/registry.ts";
import { targetSpec } from "../../targets/spec.ts";
import { type Need, testWith } from "../needs.ts";
import { launchContext, program } from "../targets/fixtures/launch_context.ts";

type Lines = Record<string, unknown>;

const FRONTS: { name: string; needs: Need[]; lines: Lines; instances: number }[] = [
  { name: "proxy", needs: [], lines: { proxy: { origin: "behind" } }, instances: 1 },
  {
    name: "builtin balancer",
    needs: [],
    lines: { cluster: { of: "behind", instances: 2 } },
    instances: 2,
  },
  {
    name: "nginx as balancer",
    needs: ["nginx"],
    lines: { cluster: { of: "behind", instances: 2, balancer: "nginx" } },
    instances: 2,
  },
  { name: "nginx", needs: ["nginx"], lines: { nginx: { proxy: "behind" } }, instances: 1 },
];

function startBefore(behind: Lines, lines: Lines, readyTimeoutMs = 20_000): Promise<RunningTarget> {
  const others = { behind: targetSpec.parse(behind) };
  return startTarget(targetSpec.parse(lines), launchContext({ others, readyTimeoutMs }));
}

function assertNothingLeft(): void {
  assert.deepEqual(descendantsOf(Deno.pid), []);
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

const HABITS = ["serve", "slow", "stubborn", "daemon", "stubborn-daemon"];

const MISHAPS: { what: string; lines: Lines; says: RegExp; readyTimeoutMs?: number }[] = [
  {
    what: "dead",
    lines: { command: program("talk") },
    says: /^Cannot start target behind( \(instance \d\))?: it exited with code 3 before answering/,
  },
  {
    what: "silent",
    lines: { command: program("silent") },
    says: /^Cannot start target behind( \(instance \d\))?: no answer to GET \/ in 1\.5 s/,
    readyTimeoutMs: 1_500,
  },
];

for (const { name, needs, lines, instances } of FRONTS) {
  for (const habit of HABITS) {
    testWith(["linux", ...needs], `${name} in front of a target that is ${habit}`, async () => {
      const target = await startBefore({ command: program(habit) }, lines);
      assert.match(await textOf(target.origin), /"PORT":"\d+"/);
      assert.equal(target.alongside?.().length, instances);
      await target.stop();
      await assert.rejects(fetch(target.origin));
      assertNothingLeft();
    });
  }

  for (const { what, lines: behind, says, readyTimeoutMs } of MISHAPS) {
    testWith(
      needs,
      `${name} in front of a target that is ${what} is an error that says so`,
      async () => {
        const failed = startBefore(behind, lines, readyTimeoutMs);
        const error = await failed.then(() => assert.fail("it started"), (error) => error);
        assert.ok(error instanceof TargetError, String(error));
        assert.match(error.message, says);
        assertNothingLeft();
      },
    );
  }

  testWith(needs, `${name} has ended when the target behind it has`, async () => {
    const target = await startBefore({ command: ["sh", "-c", SHORT_LIVED, "{port}"] }, lines);
    const { code } = await target.exited;
    assert.equal(code, 7);
    assert.deepEqual(target.lastLines(), ["that was it"]);
    await target.stop();
    assertNothingLeft();
  });
}

/** Serves, and ends 1.5 s after it was asked. */
const SHORT_LIVED = `exec "${Deno.execPath()}" eval \\
  "Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1', onListen() {} }, () => {
     setTimeout(() => { console.log('that was it'); Deno.exit(7); }, 1_500);
     return new Response('a');
   })" "$0"`;

Deno.test("instances of a target whose own port is fixed are an error: the second finds it taken", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const PORT = String(listener.addr.port);
  const behind = { command: program("serve"), env: { PORT } };
  const failed = startBefore(behind, { cluster: { of: "behind" } });
  await assert.rejects(
    failed,
    /^TargetError: Cannot start target behind \(instance \d\): its port \d+ is in use/,
  );
  assertNothingLeft();
});

for (const { name, needs, lines } of FRONTS.filter(({ instances }) => instances === 1)) {
  testWith(needs, `${name} in front of https is an error that says so`, async () => {
    const failed = startBefore({ url: "https://127.0.0.1:1" }, lines);
    await assert.rejects(failed, /^TargetError: Cannot start target tested: .* only .*http:/);
    assertNothingLeft();
  });
}

testWith(
  ["nginx"],
  "nginx serves a folder with its types, and says what is not there",
  async () => {
    const target = await startBefore({ app: "work" }, { nginx: { root: "./public folder" } });
    const page = await fetch(target.origin);
    assert.equal(page.headers.get("content-type"), "text/html");
    assert.equal(await page.text(), "served by nginx\n");
    const missing = await fetch(`${target.origin}/nothing`);
    await missing.body?.cancel();
    assert.equal(missing.status, 404);
    await target.stop();
    const failed = startBefore({ app: "work" }, { nginx: { root: "./nowhere" } });
    await assert.rejects(
      failed,
      /^TargetError: Cannot start target tested: there is no folder ".*nowhere"$/,
    );
    assertNothingLeft();
  },
);

testWith(["linux"], "fronts may stand in front of fronts", async () => {
  const others = {
    behind: targetSpec.parse({ app: "work" }),
    several: targetSpec.parse({ cluster: { of: "behind", instances: 2 } }),
  };
  const lines = targetSpec.parse({ proxy: { origin: "several" } });
  const target = await startTarget(lines, launchContext({ others }));
  const answer = await fetch(target.origin);
  assert.equal(await answer.text(), "Hello World!");
  assert.equal(answer.headers.get("x-cache"), "miss");
  assert.equal(target.alongside?.().length, 3);
  await target.stop();
  assertNothingLeft();
});
