/**
 * One suite over all that stands in front of other targets (proxy, cluster with each balancer, nginx):
 * however the target behind it behaves, it is started, told of, and stopped with it.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { TargetError } from "../../base/errors.ts";
import { Certificates } from "../../base/target/access.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { descendantsOf } from "../../base/system/processes.ts";
import { startTarget } from "../../targets/launchers.ts";
import type { TargetSpec } from "../../base/target/target_shape.ts";
import { certificates } from "../certificates.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { type Need, needing, testWith } from "../needs.ts";
import { launchContext, program, targetFrom } from "../targets/fixtures/launch_context.ts";

const withOpenssl = needing("openssl");
const withNginx = needing("nginx");

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
  const others = { behind: targetFrom(behind) };
  return startTarget(targetFrom(lines), launchContext({ others, readyTimeoutMs }));
}

function assertNothingLeft(): void {
  assert.deepEqual(descendantsOf(Deno.pid), []);
}

async function textOf(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

const HABITS = ["serve", "slow", "stubborn-daemon"]; // the others: launchers_test.ts, orphans_waits_test.ts

const MISHAPS: { what: string; lines: Lines; says: RegExp; readyTimeoutMs?: number }[] = [
  {
    what: "dead",
    lines: { command: program("talk") },
    says:
      /^Cannot start target behind( \(instance \d\))?: it exited with code 3 before it responded/,
  },
  {
    what: "silent",
    lines: { command: program("silent") },
    says: /^Cannot start target behind( \(instance \d\))?: no response to GET \/ in 0\.5 s/,
    readyTimeoutMs: 500,
  },
];

for (const { name, needs, lines, instances } of FRONTS) {
  for (const habit of HABITS) {
    testWith(["linux", ...needs], `${name} in front of a target that is ${habit}`, async () => {
      const target = await startBefore({ command: program(habit) }, lines);
      assert.match(await textOf(target.origin), /"PORT":"\d+"/);
      const behind = target.parts?.().filter(({ role, name }) =>
        role === "upstream" && name === "behind"
      );
      assert.equal(behind?.length, instances);
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
    const target = await startBefore({ command: ["sh", "-c", ENDING, "{port}"] }, lines);
    await textOf(`${target.origin}/end`).catch(() => {}); // it may end before it has answered
    const { code } = await target.exited;
    assert.equal(code, 7);
    assert.deepEqual(target.lastLines(), ["that was it"]);
    await target.stop();
    assertNothingLeft();
  });
}

/** Serves, and ends when it is asked to. */
const ENDING = `exec "${Deno.execPath()}" eval \\
  "Deno.serve({ port: Number(Deno.args[0]), hostname: '127.0.0.1', onListen() {} }, ({ url }) => {
     if (!url.endsWith('/end')) return new Response('a');
     console.log('that was it'); Deno.exit(7);
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

withNginx.test("nginx in front of https is an error that says so", async () => {
  const failed = startBefore({ url: "https://127.0.0.1:1" }, { nginx: { proxy: "behind" } });
  await assert.rejects(failed, /^TargetError: Cannot start target tested: .* only .*http:/);
  assertNothingLeft();
});

Deno.test("a proxy in front of a server that is not there is an error at once", async () => {
  for (const behind of ["behind", "http://127.0.0.1:1"]) {
    const failed = startBefore({ url: "http://127.0.0.1:1" }, { proxy: { origin: behind } });
    await assert.rejects(
      failed,
      /^TargetError: Cannot start target tested: http:\/\/127\.0\.0\.1:1 can't be reached: .*refused/,
    );
    assertNothingLeft();
  }
});

/** Through a proxy in front of that server: an answer that was fetched, then the kept one. */
async function assertProxied(behind: TargetSpec): Promise<void> {
  const others = { behind };
  const proxy = targetFrom({ proxy: { origin: "behind" } });
  const target = await startTarget(proxy, launchContext({ others }));
  for (const word of ["miss", "hit"]) {
    const answer = await fetch(`${target.origin}/a`);
    assert.equal(await answer.text(), "from behind");
    assert.equal(answer.headers.get("x-cache"), word);
  }
  await target.stop();
  assertNothingLeft();
}

withOpenssl.test("a proxy stands in front of https, with the certificates that it trusts", async () => {
  const { signed, authority } = certificates();
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve({ ...quiet, ...signed }, () => new Response("from behind"));
  const url = `https://localhost:${server.addr.port}`;
  await assertProxied({ url, insecure: true });
  await assertProxied({ url, insecure: false, cacert: new Certificates("ca.pem", authority) });
  await assert.rejects(
    assertProxied({ url, insecure: false }),
    /can't be reached: the certificate is not signed by an authority that this machine trusts/,
  );
});

Deno.test("a proxy stands in front of a unix socket", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "socket");
  await using _server = Deno.serve({ path, onListen: () => {} }, () => new Response("from behind"));
  await assertProxied({ url: "http://localhost", insecure: false, unix: path });
});

Deno.test("a proxy forgets what was asked before its first load, and keeps what the loads have left", async () => {
  const target = await startBefore({ app: "work" }, { proxy: { origin: "behind" } });
  const ask = async (): Promise<string | null> => {
    const answer = await fetch(target.origin);
    await answer.body?.cancel();
    return answer.headers.get("x-cache");
  };
  assert.deepEqual([await ask(), await ask()], ["miss", "hit"]);
  target.onLoadStart?.(Date.now());
  while (await ask() !== "miss");
  target.onLoadStart?.(Date.now());
  for (let n = 0; n < 500; n++) assert.equal(await ask(), "hit");
  await target.stop();
  assertNothingLeft();
});

withNginx.test("nginx serves a folder with its types, and says what is not there", async () => {
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
    /^TargetError: Cannot start target tested: there is no folder ".*nowhere": "\.\/nowhere" is relative to /,
  );
  assertNothingLeft();
});

withNginx.test("nginx serves files of which the experiment has the text", async () => {
  const files = { "/": "<p>ü", "/a/": "inner", "/a/b.json": "{}", "/static": "as it is" };
  const target = await startBefore({ app: "work" }, { nginx: { files } });
  const types: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const answer = await fetch(target.origin + path);
    assert.equal(await answer.text(), text);
    types.push(answer.headers.get("content-type") ?? "");
  }
  const plain = "application/octet-stream";
  assert.deepEqual(types, ["text/html", "text/html", "application/json", plain]);
  await target.stop();
  assertNothingLeft();
});

testWith(["linux"], "fronts may stand in front of fronts", async () => {
  const others = {
    behind: targetFrom({ app: "work" }),
    several: targetFrom({ cluster: { of: "behind", instances: 2 } }),
  };
  const lines = targetFrom({ proxy: { origin: "several" } });
  const target = await startTarget(lines, launchContext({ others }));
  const answer = await fetch(target.origin);
  assert.equal(await answer.text(), "Hello World!");
  assert.equal(answer.headers.get("x-cache"), "miss");
  assert.deepEqual(target.parts?.().map(({ role, name }) => [role, name]), [
    ["gateway", "proxy"],
    ["gateway", "balancer"],
    ["upstream", "behind"],
    ["upstream", "behind"],
  ]);
  await target.stop();
  assertNothingLeft();
});
