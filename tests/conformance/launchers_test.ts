/**
 * One suite over all launchers: each turns its lines of an experiment file into a server that answers,
 * and back into nothing (targets/launch/launcher.ts); then, for those that start processes, the ways
 * in which targets misbehave. What becomes of them when Plateau is killed: orphans_test.ts.
 */
import assert from "node:assert/strict";
import { TargetError } from "../../scenarios/errors.ts";
import type { LaunchContext, RunningTarget } from "../../targets/launch/launcher.ts";
import { descendantsOf } from "../../targets/launch/proc.ts";
import { startTarget } from "../../targets/launch/registry.ts";
import { freePort } from "../../targets/launch/surroundings.ts";
import { targetSpec } from "../../targets/spec.ts";
import { type Need, testWith } from "../needs.ts";
import { launchContext, program } from "../targets/fixtures/launch_context.ts";

type Lines = Record<string, unknown>;

function start(lines: Lines, changes?: Partial<LaunchContext>): Promise<RunningTarget> {
  return startTarget(targetSpec.parse(lines), launchContext(changes));
}

/** The error of a start that must fail. */
async function failure(lines: Lines, changes?: Partial<LaunchContext>): Promise<TargetError> {
  const error = await start(lines, changes).then(() => assert.fail("it started"), (error) => error);
  assert.ok(error instanceof TargetError, String(error));
  return error;
}

/** On Linux: nothing that was started is left. */
function assertNothingLeft(): void {
  assert.deepEqual(descendantsOf(Deno.pid), []);
}

function serveHere(): Deno.HttpServer<Deno.NetAddr> {
  const where = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  return Deno.serve(where, () => new Response("here"));
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

/** What fronts stand in front of. */
const others = { behind: targetSpec.parse({ app: "work" }) };

interface Member {
  readonly name: string;
  readonly needs?: readonly Need[];
  /** @param port Of a server that runs. */
  lines(port: number): Lines;
  /** Whether its processes are ours. */
  readonly owned: boolean;
}

const MEMBERS: Member[] = [
  { name: "app", lines: () => ({ app: "work" }), owned: true },
  { name: "command", lines: () => ({ command: program("serve") }), owned: true },
  { name: "url", lines: (port) => ({ url: `http://127.0.0.1:${port}` }), owned: false },
  { name: "proxy of a target", lines: () => ({ proxy: { origin: "behind" } }), owned: true },
  {
    name: "proxy of a URL",
    lines: (port) => ({ proxy: { origin: `http://127.0.0.1:${port}` } }),
    owned: true,
  },
  {
    name: "cluster, builtin",
    lines: () => ({ cluster: { of: "behind", instances: 2 } }),
    owned: true,
  },
  {
    name: "cluster, reuseport",
    needs: ["linux"],
    lines: () => ({ cluster: { of: "behind", instances: 2, balancer: "reuseport" } }),
    owned: true,
  },
  {
    name: "cluster, nginx",
    needs: ["nginx"],
    lines: () => ({ cluster: { of: "behind", instances: 2, balancer: "nginx" } }),
    owned: true,
  },
  {
    name: "nginx of a folder",
    needs: ["nginx"],
    lines: () => ({ nginx: { root: "./public folder" } }),
    owned: true,
  },
  {
    name: "nginx of a target",
    needs: ["nginx"],
    lines: () => ({ nginx: { proxy: "behind" } }),
    owned: true,
  },
  {
    name: "nginx of a URL",
    needs: ["nginx"],
    lines: (port) => ({ nginx: { proxy: `http://127.0.0.1:${port}` } }),
    owned: true,
  },
];

for (const { name, needs = [], lines, owned } of MEMBERS) {
  testWith(
    needs,
    `launcher ${name} starts a target that answers, and stops what it started`,
    async () => {
      await using server = serveHere();
      const target = await start(lines(server.addr.port), { others });
      assert.match(target.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
      assert.equal(await statusOf(target.origin), 200);
      assert.equal(target.pid !== null, owned);
      assert.equal((target.startUpMs ?? 0) > 0, owned);
      await Promise.all([target.stop(), target.stop()]);
      if (owned) await assert.rejects(fetch(target.origin));
      else assert.equal(await statusOf(target.origin), 200);
      assertNothingLeft();
    },
  );

  testWith(needs, `launcher ${name} starts nothing after an interruption`, async () => {
    const signal = AbortSignal.abort(new Error("interrupted"));
    await assert.rejects(start(lines(1), { signal, others }), /^Error: interrupted$/);
    assertNothingLeft();
  });
}

Deno.test("an interruption ends the wait for a target, and the target", async () => {
  const interruption = new AbortController();
  const waiting = start({ command: program("silent") }, { signal: interruption.signal });
  setTimeout(() => interruption.abort(new Error("interrupted")), 200);
  await assert.rejects(waiting, /^Error: interrupted$/);
  assertNothingLeft();
});

const DEAD: { what: string; lines: Lines; says: RegExp; readyTimeoutMs?: number }[] = [
  {
    what: "that ends at once",
    lines: { command: program("talk"), ready: "/static" },
    says: /^Cannot start target tested: it exited with code 3 before answering GET \/static$/,
  },
  {
    what: "that is killed",
    lines: { command: ["sh", "-c", "kill -9 $$"] },
    says: /^Cannot start target tested: it was ended by SIGKILL before answering GET \/$/,
  },
  {
    what: "that never listens",
    lines: { command: program("silent") },
    readyTimeoutMs: 1_500,
    says: /^Cannot start target tested: no answer to GET \/ in 1\.5 s: .*ECONNREFUSED/,
  },
  {
    what: "that answers wrong",
    lines: { command: program("broken") },
    readyTimeoutMs: 1_500,
    says: /^Cannot start target tested: no answer to GET \/ in 1\.5 s: it answers with status 500$/,
  },
  {
    what: "whose program is not there",
    lines: { command: ["no-such-program", "{port}"] },
    says: /^Cannot start target tested: there is no program "no-such-program"$/,
  },
  {
    what: "whose program is a folder",
    lines: { command: ["./"] },
    says: /^Cannot start target tested: there is no program "\.\/"$/,
  },
  {
    what: "whose folder is not there",
    lines: { command: program("serve"), cwd: "./no-such-folder" },
    says: /^Cannot start target tested: there is no folder ".*\/fixtures\/no-such-folder"$/,
  },
  {
    what: "whose Redis is not there",
    lines: { app: "api" },
    says: /^Cannot start target tested: it exited with code 3 before answering GET \/static$/,
  },
];

for (const { what, lines, says, readyTimeoutMs = 20_000 } of DEAD) {
  Deno.test(`a target ${what} is an error that says so, and leaves no process`, async () => {
    const redisUrl = "redis://:secret@127.0.0.1:1";
    const { message, evidence } = await failure(lines, { redisUrl, readyTimeoutMs });
    assert.match(message, says);
    assert.doesNotMatch(evidence.join("\n"), /secret/);
    assertNothingLeft();
  });
}

Deno.test("the error holds the target's last 20 lines, safe to print", async () => {
  const { evidence } = await failure({ command: program("talk") });
  const printed = Array.from({ length: 1_000 }, (_, index) => `line ${index + 1}`);
  assert.deepEqual(evidence, [...printed, "out of luck"].slice(-20));
});

Deno.test("a target whose own port is taken is not started, as another would answer for it", async () => {
  await using server = serveHere();
  const env = { PORT: String(server.addr.port) };
  const { message } = await failure({ command: program("serve"), env });
  assert.match(
    message,
    /^Cannot start target tested: its port \d+ is in use; write PORT: "\{port\}"/,
  );
});

Deno.test("a target may have a port of its own", async () => {
  const port = freePort();
  const target = await start({ command: program("serve"), env: { PORT: String(port) } });
  assert.equal(target.origin, `http://127.0.0.1:${port}`);
  await target.stop();
});

Deno.test("a target sees a clean environment, what the file says, and nothing else", async () => {
  Deno.env.set("SOME_SECRET", "hidden");
  const env = { GREETING: "hello {port}" };
  const target = await start({ command: program("serve"), env }, { redisUrl: "redis://r:1" });
  const seen = await (await fetch(target.origin)).json();
  await target.stop();
  const port = new URL(target.origin).port;
  const { GREETING, PORT, REDIS_URL, ...rest } = seen;
  assert.deepEqual([GREETING, PORT, REDIS_URL], [`hello ${port}`, port, "redis://r:1"]);
  assert.ok(rest.PATH);
  const inherited = new Set([
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "SystemRoot",
    "USERPROFILE",
    "TEMP",
    "TMP",
  ]);
  assert.deepEqual(Object.keys(rest).filter((name) => !inherited.has(name)), []);
});

for (const habit of ["stubborn", "daemon", "stubborn-daemon"]) {
  testWith(
    ["linux"],
    `a target that is a ${habit} is served from, and gone after stop`,
    async () => {
      const target = await start({ command: program(habit) });
      assert.equal(await statusOf(target.origin), 200);
      await target.stop();
      await assert.rejects(fetch(target.origin));
      assertNothingLeft();
    },
  );
}
