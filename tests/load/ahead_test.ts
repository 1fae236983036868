/** When hooks are called: for first requests of users in open loops before they are due, and for many users one after the other. */
import assert from "node:assert/strict";
import { Hooks } from "../../runner/load/hooks/hooks.ts";
import type { StepSpec } from "../../runner/load/engine/flow.ts";
import type { PacerSpec } from "../../runner/load/engine/job.ts";
import { pacerOf } from "../../runner/load/engine/pacers.ts";
import { ask, type SessionStage, sessionStage } from "./session_stage.ts";
import { OK, opened, play, received, SECOND, tick } from "./stage.ts";

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
  { lookUs = LOOK_US, ...wish }: Parameters<typeof sessionStage>[0] & { lookUs?: number } = {},
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
    nowUs: () => clock.us += lookUs,
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

Deno.test("users who are made ahead arrive in their order, each with a number that nobody else has", async () => {
  const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 2_000, { lookUs: 1 });
  play(stage, tick(0));
  assert.equal(hooks.use.calls, 3); // there are three numbers
  play(stage, opened(0, 10), tick(500), opened(1, 510), received(0, 520), received(1, 530));
  for (let tries = 0; tries < 9; tries++) stage.loop.onTick(540);
  assert.equal(hooks.use.calls, 5);
  play(stage, tick(1_000), received(0, 1_010), tick(1_500), received(1, 1_510), tick(2_000));
  assert.deepEqual(pathsOf(stage), ["/0-0", "/1-0", "/2-0", "/1-1", "/0-1"]);
  // Numbers say which rows of a table were used, and not the two connections.
  const { places, mostOfPlace } = stage.sessions.totals();
  assert.deepEqual([places, mostOfPlace], [3, 2]);
});

Deno.test("users are made ahead many at a time, however few connections are open", async () => {
  const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 2_000, {
    ...{ lookUs: 1, job: { connections: 40 } },
  });
  const calls: number[] = [];
  for (let arrival = 0; arrival <= 24; arrival++) {
    const us = 500 * arrival;
    play(stage, tick(us), ...arrival === 0 ? [opened(0, 10)] : [], received(0, us + 20));
    calls.push(hooks.use.calls);
  }
  assert.equal(stage.driver.sent.length, 25);
  // The first of all, and 16 after it; then 12 each time that 4 of these are left.
  assert.deepEqual(calls, [...Array(12).fill(17), ...Array(12).fill(29), 41]);
});

Deno.test("without shared connections each user who is made ahead dials when it comes", async () => {
  const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 2_000, {
    ...{ sharedPool: false, lookUs: 1 },
  });
  play(stage, tick(0), opened(0, 10), received(0, 20));
  for (let tries = 0; tries < 9; tries++) stage.loop.onTick(30);
  assert.equal(hooks.use.calls, 4); // there are three numbers
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
  // The next request is due when the hook of the first has just ended.
  const near = await hooked(PATHS, [hookedStep("before")], 100, { lookUs: 4_975 });
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

Deno.test("a connection that closes while a user is awaited is replaced when the user comes", async () => {
  const { stage } = await hooked(PATHS, [hookedStep("before")], 2);
  play(stage, tick(0), opened(0, 10), received(0, 20), tick(495_000), tick(495_000));
  stage.loop.onEnd(0, null, 496_000);
  play(stage, tick(500_000), opened(1, 500_100), received(1, 500_200));
  assert.deepEqual(pathsOf(stage), ["/0-0", "/0-1"]);
  const { sessions } = stage.end(1_010_000);
  assert.deepEqual(sessions, [2, 2, 0]);
});

Deno.test("a hook that fails ahead fails its request when that is due", async () => {
  const { stage } = await hooked(
    "before(request, user) { if (user.id === 1) throw new Error('no') }",
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

Deno.test("no request is made more than 10 ms before it is due, however users arrive", async () => {
  const arrivals = { seed: 1, first: 0, stride: 1 };
  const phase = (durationUs: number, perSec: number) => ({
    ...{ durationUs, fromPerSec: perSec, toPerSec: perSec },
  });
  const pacers: readonly PacerSpec[] = [
    {
      kind: "open",
      phases: [phase(20_000, 1_000), phase(980_000, 5)],
      arrivals: { kind: "uniform", ...arrivals },
    },
    { kind: "open", phases: [phase(SECOND, 100)], arrivals: { kind: "poisson", ...arrivals } },
  ];
  for (const pacer of pacers) {
    const wish = { lookUs: 1, sharedPool: false, job: { pacer, connections: 150 } };
    const { stage, hooks } = await hooked(PATHS, [hookedStep("before")], 1, wish);
    const dues: number[] = [];
    pacerOf(pacer).drop(SECOND, (dueUs) => dues.push(dueUs));
    for (let nowUs = 0; nowUs < SECOND; nowUs += 500) {
      for (let tries = 0; tries < 3; tries++) stage.loop.onTick(nowUs);
      const soon = dues.filter((dueUs) => dueUs <= nowUs + 10_000).length;
      assert.ok(hooks.use.calls <= soon, `${hooks.use.calls} at ${nowUs}, of ${soon}`);
    }
    assert.equal(hooks.use.calls, dues.length);
  }
});

Deno.test("the time of another user's hook is in the lag of a user who was made ahead", async () => {
  const dueUs = Float64Array.from([0, 500, 250_000]);
  const shared = new Float64Array(new SharedArrayBuffer(dueUs.byteLength));
  shared.set(dueUs);
  const { stage, hooks, clock } = await hooked(
    `${PATHS}, leaves(request, user) { if (user.id === 1) throw new Error("no"); }`,
    [
      hookedStep("before"),
      { kind: "think", us: 100_000 },
      hookedStep("leaves"),
      { kind: "think", us: 149_970 },
      hookedStep("before"),
    ],
    1,
    { job: { pacer: { kind: "recorded", dueUs: shared, first: 0, stride: 1 } } },
  );
  play(stage, tick(0), opened(0, 10), received(0, 20), tick(500), opened(1, 510), received(1, 520));
  play(stage, tick(100_020), received(0, 100_030), tick(100_520), tick(102_000));
  play(stage, tick(245_000), tick(245_000));
  assert.equal(hooks.use.calls, 5);
  const sent = stage.driver.sent.length;
  // The first user goes on when the third arrives, on the place of the second.
  clock.us = 250_000;
  play(stage, tick(250_000));
  assert.equal(hooks.use.calls, 6);
  assert.equal(stage.driver.sent.length, sent + 2);
  play(stage, received(0, 252_000), received(1, 252_000), tick(352_100), tick(354_000));
  const { lag } = stage.end(1_010_000).totals;
  // Twice the time of that hook, and what dialing took.
  assert.deepEqual([...lag.indices], [0, 10, 2 * LOOK_US]);
  assert.deepEqual([...lag.counts], [1, 2, 2]);
});

Deno.test("quick hooks are called for several users at a time, and again only when few are left", async () => {
  const { stage, hooks, clock } = await hooked(PATHS, [hookedStep("before")], 2_000, {
    ...{ lookUs: 4, sharedPool: false, job: { connections: 40 } },
  });
  /** How many calls there were, and whether it goes on at once. */
  const tickAt = (us: number): [number, boolean] => {
    clock.us = us;
    const nextUs = stage.loop.onTick(us);
    return [hooks.use.calls, nextUs <= us];
  };
  // The hook of the first arrival, then five in the 20 microseconds of a pass: each call takes 4.
  const passes = [0, 20, 20, 20].map(tickAt);
  assert.deepEqual(passes, [[6, true], [11, true], [16, true], [17, false]]);
  for (let arrival = 1; arrival <= 11; arrival++) assert.equal(tickAt(500 * arrival)[0], 17);
  assert.ok(tickAt(500 * 12)[0] > 18);
});

Deno.test("however many users have slow hooks, the end of the load is seen in time", async () => {
  for (const kind of ["closed", "open"] as const) {
    const { stage, hooks, clock } = await hooked(
      "before() { throw new Error('no') }",
      [hookedStep("before")],
      1_000,
      {
        lookUs: 50_000,
        job: {
          connections: 500,
          waitsForLast: false,
          ...kind === "closed" && { pacer: { kind, requests: Infinity } },
        },
      },
    );
    while (stage.loop.ending.totals === null) stage.loop.onTick(clock.us += 10);
    assert.ok(clock.us < 1.3 * SECOND, `${kind}: ${clock.us}`);
    const { totals } = stage.end(clock.us);
    assert.ok(hooks.use.calls >= 8 && hooks.use.calls <= 13, String(hooks.use.calls));
    assert.equal(totals.failed, hooks.use.calls);
    assert.equal(totals.due, kind === "closed" ? totals.failed : 1_000);
  }
});
