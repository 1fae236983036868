/**
 * One suite over all servers of the frameworks study, and over the built-in app `api`, which is their
 * measure: the same requests, the same answers; the same switch for the log; the same end.
 */
import {
  type FrameworkName,
  frameworkNames,
  installedRuntimeNames,
  runsOnNode,
} from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import {
  install,
  installable,
  type InstallableName,
  installedAt,
  missingPrograms,
  notInstalled,
} from "../../targets/frameworks/install.ts";
import { frameworkNamed } from "../../targets/frameworks/registry.ts";
import type { LaunchContext, RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launchers.ts";
import { hostAndPort } from "../../base/net/listen.ts";
import { provideRedis } from "../../targets/redis/provide.ts";
import { until } from "../e2e/patience.ts";
import { type Need, testWith } from "../needs.ts";
import { launchContext, targetFrom } from "../targets/fixtures/launch_context.ts";
import { assertAnswers, EXCHANGES, OWN_WORDS } from "./study_endpoints.ts";

const never = new AbortController().signal;

/** Program on PATH → what `testWith` calls it. */
const NEEDS: Record<string, Need> = { node: "node", npm: "npm", python3: "python", go: "go" };

function needsOf(name: InstallableName): Need[] {
  if (installedAt(name) !== null) return [];
  const programs = installable(name).toolchain.programs.map((program) => NEEDS[program]);
  return missingPrograms(name).length > 0 ? programs : [...programs, "installs"];
}

/** Starts it, does `work`, and stops it: it has ended without being killed, and printed the lines that it gives. */
async function withServer(
  lines: Record<string, unknown>,
  changes: Partial<LaunchContext>,
  work: (target: RunningTarget) => Promise<void>,
): Promise<readonly string[]> {
  const target = await startTarget(targetFrom(lines), launchContext(changes));
  try {
    await work(target);
  } finally {
    await target.stop();
  }
  assert.notEqual((await target.exited).signal, "SIGKILL");
  return target.lastLines();
}

/** A frame of a stack, as V8, Python and Go print it; in JSON or by itself. */
const TRACE_LINE = /\bat .*\.(?:js|ts):\d+:\d+|File ".*", line \d+|\.go:\d+/;

/** Every exchange, with a Redis. */
async function assertSuite(lines: Record<string, unknown>): Promise<void> {
  const redis = await provideRedis({ url: null, signal: never });
  assert.ok(redis);
  try {
    await withServer(lines, { redisUrl: redis.url }, async ({ origin }) => {
      for (const exchange of EXCHANGES) await assertAnswers(origin, exchange);
      assert.equal(await statusOf(`${origin}/no-such-path`), 404);
    });
  } finally {
    await redis.stop();
  }
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
}

testWith(["redis"], "app api answers the requests of the study", () => assertSuite({ app: "api" }));

/** How many at once: they wait for the network, each for itself. */
const LANES = 3;

/** All that are missing and can be had; who can't is told of when it is tested, and tried again. */
async function installMissing(): Promise<void> {
  const missing = frameworkNames.filter((name) =>
    installedAt(name) === null && missingPrograms(name).length === 0
  );
  const folderOf = (name: FrameworkName): string => frameworkNamed(name).folder;
  // The last first: the compiler of Go takes longest.
  const waiting = [...new Map(missing.map((name) => [folderOf(name), name])).values()];
  const lane = async (): Promise<void> => {
    for (let name = waiting.pop(); name; name = waiting.pop()) {
      await install(name, never).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

for (const name of frameworkNames) {
  const needs = needsOf(name);

  testWith(needs, `framework ${name} is installed from its lock file`, async () => {
    if (installedAt(name) === null) await installMissing();
    const { folder } = await install(name, never);
    assert.equal(installedAt(name), folder);
    assert.deepEqual(await install(name, never), { folder, fresh: false });
  });

  testWith([...needs, "redis"], `framework ${name} answers as app api does`, () => {
    return assertSuite({ framework: name });
  });

  testWith(
    needs,
    `framework ${name} prints nothing, serves this machine only, and says 503 where it lacks Redis`,
    async () => {
      const printed = await withServer({ framework: name }, {}, async ({ origin }) => {
        await assert.rejects(fetch(origin.replace("127.0.0.1", "127.0.0.2")));
        await assertAnswers(origin, ["no Redis", "/redis", 503, OWN_WORDS]);
        for (const path of ["/static", "/validation", "/error/1", "/no-such-path"]) {
          await statusOf(origin + path);
        }
      });
      assert.deepEqual(printed, []);
    },
  );

  testWith(needs, `framework ${name} tells its runtime and its own version`, async () => {
    const { version, folder, toolchain: { programs: [runtime] } } = frameworkNamed(name);
    const own = version === "" ? [] : [`${folder} ${version}`];
    await withServer({ framework: name }, {}, ({ runtime: told }) => {
      const [first = "", ...others] = told?.split(", ") ?? [];
      assert.ok(first.toLowerCase().startsWith(runtime.replace(/\d$/, "")), first);
      assert.match(first, /\d+\.\d+/);
      assert.deepEqual(others, own);
      return Promise.resolve();
    });
  });

  testWith([...needs, "ipv6"], `framework ${name} listens where it is told`, async () => {
    await withServer({ framework: name }, { host: "::1" }, async ({ origin }) => {
      assert.equal(new URL(origin).host, hostAndPort("::1", Number(new URL(origin).port)));
      assert.equal(await statusOf(`${origin}/static`), 200);
      await assert.rejects(fetch(`http://127.0.0.1:${new URL(origin).port}`));
    });
  });

  testWith(
    needs,
    `framework ${name} logs requests without traces, or traces without requests`,
    async () => {
      const printedBy = async (set: Record<string, string>, sign: RegExp): Promise<string> => {
        let seen = "";
        await withServer({ framework: name, set }, {}, async ({ origin, lastLines }) => {
          await statusOf(`${origin}/static?some=query`);
          await statusOf(`${origin}/error/1`);
          await until(`it prints ${sign}`, () => sign.test(seen = lastLines().join("\n")));
        });
        return seen;
      };
      const requests = await printedBy({ logging: "on" }, /\/error\/1\b/);
      assert.match(requests, /\/static\b/);
      assert.doesNotMatch(requests, TRACE_LINE);
      const traces = await printedBy({ trace: "on" }, TRACE_LINE);
      assert.doesNotMatch(traces, /\/static\b/);
    },
  );
}

for (const runtime of installedRuntimeNames) {
  testWith(
    [...needsOf(runtime), ...needsOf("express"), "redis"],
    `each framework for Node that is installed answers as app api does on ${runtime}, which it tells`,
    async () => {
      await install(runtime, never);
      await install("express", never);
      const here = frameworkNames.filter((name) => runsOnNode(name) && installedAt(name) !== null);
      const [program, major] = runtime.split("@");
      for (const framework of here) {
        await assertSuite({ framework, runtime });
        await withServer({ framework, runtime }, {}, ({ runtime: told }) => {
          assert.match(told ?? "", new RegExp(`^${program} v?${major}\\.`));
          return Promise.resolve();
        });
      }
    },
  );
}

Deno.test("a runtime that is not installed is named with what installs it", () => {
  assert.match(
    notInstalled("bun@1"),
    /^bun@1 is not installed: .* plateau setup frameworks bun@1$/,
  );
});
