/** First requests of users that hooks make before they are due, in open loops. */
import assert from "node:assert/strict";
import { Hooks } from "../../runner/load/hooks/hooks.ts";
import type { StepSpec } from "../../runner/load/engine/flow.ts";
import { ask, type SessionStage, sessionStage } from "./session_stage.ts";
import { OK, opened, play, received, tick } from "./stage.ts";

/** Each look at the clock takes so long, and so does a call of a hook. */
const LOOK_US = 500;

interface Hooked {
  readonly stage: SessionStage;
  readonly hooks: Hooks;
  readonly clock: { us: number };
}

async function hooked(
  source: string,
  steps: readonly StepSpec[],
  perSec: number,
  wish: Parameters<typeof sessionStage>[0] = {},
): Promise<Hooked> {
  const code = {
    entry: "script.js",
    files: { "script.js": `export default { ${source} };` },
    parameters: {},
    env: {},
    data: null,
  };
  const clock = { us: 0 };
  const hooks = await Hooks.open(code, {
    seed: 1,
    first: 0,
    stride: 1,
    nowUs: () => clock.us += LOOK_US,
  });
  return { hooks, clock, stage: sessionStage({ steps, perSec, sharedPool: true, hooks, ...wish }) };
}

function hookedStep(before: string, after: string | null = null): StepSpec {
  return ask({ hooks: { before, after } });
}

const PATHS = "before(request, user) { request.path = '/' + user.id + '-' + user.iteration }";

function pathsOf({ driver }: SessionStage): string[] {
  return driver.sent.map((text) => text.split(" ")[1]);
}

Deno.test("a first request is made before it is due, so its hook is not in its latency", async () => {
  const lags = [];
  for (const isEarly of [true, false]) {
    const { stage, hooks, clock } = await hooked(PATHS, [hookedStep("before")], 2);
    play(stage, tick(0), opened(0, 10), received(0, 20));
    assert.equal(hooks.use.calls, 1);
    if (isEarly) play(stage, tick(495_000), tick(495_000));
    assert.equal(hooks.use.calls, isEarly ? 2 : 1);
    assert.deepEqual(pathsOf(stage), ["/0-0"]);
    clock.us = 500_000;
    play(stage, tick(500_000), received(0, 503_000));
    assert.deepEqual(pathsOf(stage), ["/0-0", "/0-1"]);
    const { totals, sessions } = stage.end(1_010_000);
    assert.deepEqual(sessions, [2, 2, 0]);
    lags.push(totals.lag.maxUs);
  }
  assert.deepEqual(lags, [10, 2 * LOOK_US]);
});

Deno.test("users who are made ahead arrive in their order, and each on its place", async () => {
  const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 2_000);
  // Two connections are open, and free.
  play(
    stage,
    tick(0),
    opened(0, 10),
    tick(500),
    opened(1, 510),
    received(0, 520),
    received(1, 530),
  );
  for (let tries = 0; tries < 9; tries++) stage.loop.onTick(540);
  assert.equal(hooks.use.calls, 4);
  play(stage, tick(1_000), tick(1_500));
  assert.deepEqual(pathsOf(stage), ["/0-0", "/1-0", "/0-1", "/1-1"]);
});

Deno.test("without shared connections each user who is made ahead dials when it comes", async () => {
  const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 2_000, {
    sharedPool: false,
  });
  play(stage, tick(0), opened(0, 10), received(0, 20));
  for (let tries = 0; tries < 9; tries++) stage.loop.onTick(30);
  assert.equal(hooks.use.calls, 4); // there are three places
  play(
    stage,
    tick(500),
    opened(1, 510),
    tick(1_000),
    opened(2, 1_010),
    tick(1_500),
    opened(0, 1_510),
  );
  assert.deepEqual(pathsOf(stage), ["/0-0", "/1-0", "/2-0", "/0-1"]);
});

Deno.test("nothing is made ahead in a closed loop, far from its moment, or when something is due at once", async () => {
  const far = await hooked(PATHS, [hookedStep("before")], 1);
  play(far.stage, tick(0), opened(0, 10), received(0, 20), tick(30), tick(900_000));
  assert.equal(far.hooks.use.calls, 1);
  const near = await hooked(PATHS, [hookedStep("before")], 100);
  play(near.stage, tick(0), opened(0, 10), received(0, 20), tick(9_950));
  assert.equal(near.hooks.use.calls, 1);
  const closed = await hooked(PATHS, [hookedStep("before")], 1, {
    job: { pacer: { kind: "closed", requests: 1 } },
  });
  play(closed.stage, tick(0), opened(0, 10), received(0, 20), tick(30));
  assert.equal(closed.hooks.use.calls, 1);
});

Deno.test("a request that depends on the response before it is made after that", async () => {
  const { stage } = await hooked(
    `${PATHS}, after(response, user) { user.vars.status = response.status },
     second(request, user) { request.path = "/second-" + user.vars.status }`,
    [hookedStep("before", "after"), hookedStep("second")],
    100,
  );
  play(stage, tick(0), opened(0, 10), tick(20), tick(20));
  assert.deepEqual(pathsOf(stage), ["/0-0"]);
  stage.loop.onBytes(0, OK, OK.length, 30);
  assert.deepEqual(pathsOf(stage), ["/0-0", "/second-200"]);
});

Deno.test("a connection that closes while its user is awaited is dialed when the user comes", async () => {
  const { stage } = await hooked(PATHS, [hookedStep("before")], 2);
  play(stage, tick(0), opened(0, 10), received(0, 20), tick(495_000), tick(495_000));
  stage.loop.onEnd(0, null, 496_000);
  play(stage, tick(500_000), opened(0, 500_100), received(0, 500_200));
  assert.deepEqual(pathsOf(stage), ["/0-0", "/0-1"]);
  const { sessions } = stage.end(1_010_000);
  assert.deepEqual(sessions, [2, 2, 0]);
});

Deno.test("a hook that fails ahead fails its request when that is due", async () => {
  const { stage } = await hooked(
    "before(request, user) { if (user.iteration === 1) throw new Error('no') }",
    [hookedStep("before")],
    100,
  );
  play(stage, tick(0), opened(0, 10), received(0, 20), tick(1_000), tick(1_000));
  const before = stage.sessions.totals();
  assert.deepEqual([before.created, before.failed], [1, 0]);
  play(stage, tick(10_000), tick(11_100));
  const after = stage.sessions.totals();
  assert.deepEqual([after.created, after.failed], [2, 1]);
});
