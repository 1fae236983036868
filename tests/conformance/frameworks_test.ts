/**
 * One suite over all servers of the frameworks study, and over the built-in app `api`, which is their
 * measure: the same requests, the same answers; the same switch for the log; the same end.
 */
import assert from "node:assert/strict";
import { install, installedAt, missingPrograms } from "../../targets/frameworks/install.ts";
import {
  type FrameworkName,
  frameworkNamed,
  frameworkNames,
} from "../../targets/frameworks/registry.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { startTarget } from "../../targets/launch/registry.ts";
import { provideRedis } from "../../targets/redis.ts";
import { targetSpec } from "../../targets/spec.ts";
import { until } from "../e2e/patience.ts";
import { type Need, testWith } from "../needs.ts";
import { launchContext } from "../targets/fixtures/launch_context.ts";
import { assertAnswers, EXCHANGES, OWN_WORDS } from "./study_endpoints.ts";

const never = new AbortController().signal;

/** Program on PATH → what `testWith` calls it. */
const NEEDS: Record<string, Need> = { node: "node", npm: "npm", python3: "python", go: "go" };

function needsOf(name: FrameworkName): Need[] {
  if (installedAt(name) !== null) return [];
  const programs = frameworkNamed(name).toolchain.programs.map((program) => NEEDS[program]);
  return missingPrograms(name).length > 0 ? programs : [...programs, "network"];
}

/** Starts it, does `work`, and stops it: it has ended without being killed, and printed the lines that it gives. */
async function withServer(
  lines: Record<string, unknown>,
  redisUrl: string | null,
  work: (target: RunningTarget) => Promise<void>,
): Promise<readonly string[]> {
  const target = await startTarget(targetSpec.parse(lines), launchContext({ redisUrl }));
  try {
    await work(target);
  } finally {
    await target.stop();
  }
  assert.notEqual((await target.exited).signal, "SIGKILL");
  return target.lastLines();
}

/** Every exchange, with a Redis. */
async function assertSuite(lines: Record<string, unknown>): Promise<void> {
  const redis = await provideRedis({ url: null, signal: never });
  assert.ok(redis);
  try {
    await withServer(lines, redis.url, async ({ origin }) => {
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

for (const name of frameworkNames) {
  const needs = needsOf(name);

  testWith(needs, `framework ${name} is installed from its lock file`, async () => {
    const { folder } = await install(name, never);
    assert.equal(installedAt(name), folder);
    assert.deepEqual(await install(name, never), { folder, fresh: false });
  });

  testWith([...needs, "redis"], `framework ${name} answers as app api does`, () => {
    return assertSuite({ framework: name });
  });

  testWith(
    needs,
    `framework ${name} prints nothing, and says 503 where it lacks Redis`,
    async () => {
      const printed = await withServer({ framework: name }, null, async ({ origin }) => {
        await assertAnswers(origin, ["no Redis", "/redis", 503, OWN_WORDS]);
        for (const path of ["/static", "/validation", "/error/1", "/no-such-path"]) {
          await statusOf(origin + path);
        }
      });
      assert.deepEqual(printed, []);
    },
  );

  testWith([...needs, "linux"], `framework ${name} serves this machine only`, async () => {
    await withServer({ framework: name }, null, async ({ origin }) => {
      await assert.rejects(fetch(origin.replace("127.0.0.1", "127.0.0.2")));
    });
  });

  testWith(needs, `framework ${name} logs requests when its log is on`, async () => {
    const lines = { framework: name, set: { logging: "on" } };
    await withServer(lines, null, async ({ origin, lastLines }) => {
      await statusOf(`${origin}/error/1`);
      await statusOf(`${origin}/static?some=query`);
      await until("it logs", () => /\/static\b/.test(lastLines().join("\n")));
    });
  });
}
