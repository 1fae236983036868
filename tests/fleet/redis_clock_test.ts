import assert from "node:assert/strict";
import fc from "fast-check";
import {
  clockFrom,
  type ClockSample,
  readClock,
  startHereMs,
} from "../../runner/fleet/protocol/redis_link.ts";
import { connectRedis } from "../../targets/redis/client.ts";
import { needing } from "../needs.ts";
import { startRedis } from "../targets/fixtures/own_redis.ts";
import { forAll } from "../for_all.ts";

const withRedis = needing("redis");

const SEED = 20_261_121;

/** Redis's clock in whole microseconds, cut, as TIME tells it. */
const TIME_STEP_MS = 0.001;

Deno.test("the offset is the middle of the fastest question, give or take half of it", () => {
  const samples = [
    { sentMs: 1_000, redisMs: 5_040, receivedMs: 1_100 },
    { sentMs: 1_200, redisMs: 5_201, receivedMs: 1_204 },
    { sentMs: 1_300, redisMs: 5_390, receivedMs: 1_310 },
  ];
  assert.deepEqual(clockFrom(samples), { offsetMs: 3_999, uncertaintyMs: 2 });
});

Deno.test("a start that Redis's clock has moved by an hour is refused, a late one is not", () => {
  const hourMs = 3_600_000;
  assert.equal(startHereMs(1_000_150, 1_000_000), 1_000_150);
  assert.equal(startHereMs(999_000, 1_000_000), 999_000);
  assert.throws(
    () => startHereMs(hourMs, 0),
    /a start 3600 s in the future: Redis's clock was changed/,
  );
  assert.throws(
    () => startHereMs(0, hourMs),
    /a start 3600 s in the past: Redis's clock was changed/,
  );
});

Deno.test("whatever the way there and back takes, the true offset is within the uncertainty", () => {
  const delayMs = fc.double({ min: 0, max: 10_000, noNaN: true });
  const asked = fc.record({ thereMs: delayMs, backMs: delayMs, pauseMs: delayMs });
  const asks = fc.array(asked, { minLength: 1, maxLength: 20 });
  const offset = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  forAll([asks, offset], (asks, trueOffsetMs) => {
    const { offsetMs, uncertaintyMs } = clockFrom(samplesOf(asks, trueOffsetMs));
    assert.ok(Math.abs(offsetMs - trueOffsetMs) <= uncertaintyMs + TIME_STEP_MS);
  }, { seed: SEED });
});

Deno.test("more questions never make the clock less certain", () => {
  const delayMs = fc.double({ min: 0, max: 10_000, noNaN: true });
  const asked = fc.record({ thereMs: delayMs, backMs: delayMs, pauseMs: delayMs });
  forAll([fc.array(asked, { minLength: 2, maxLength: 20 })], (asks) => {
    const samples = samplesOf(asks, 0);
    const fewer = clockFrom(samples.slice(0, -1));
    assert.ok(clockFrom(samples).uncertaintyMs <= fewer.uncertaintyMs);
  }, { seed: SEED });
});

interface Ask {
  readonly thereMs: number;
  readonly backMs: number;
  readonly pauseMs: number;
}

/** Questions one after the other, as clocks `offsetMs` apart see them. */
function samplesOf(asks: readonly Ask[], offsetMs: number): ClockSample[] {
  let nowMs = 1_795_000_000_000;
  return asks.map(({ thereMs, backMs, pauseMs }) => {
    const sentMs = nowMs;
    const receivedMs = sentMs + thereMs + backMs;
    nowMs = receivedMs + pauseMs;
    return { sentMs, redisMs: sentMs + thereMs + offsetMs, receivedMs };
  });
}

withRedis.test("a Redis on this machine has this machine's clock, to the microsecond", async () => {
  await using redis = await startRedis();
  const client = await connectRedis(redis.url);
  try {
    // This program's clock may be off the system's, which Redis tells, by what was set since it began.
    // A pause of the machine between the two readings makes it look smaller than it is.
    const driftMs = Math.max(
      ...Array.from(
        { length: 50 },
        () => Date.now() - (performance.timeOrigin + performance.now()),
      ),
    );
    const { offsetMs, uncertaintyMs } = await readClock(client);
    assert.ok(Math.abs(offsetMs - driftMs) <= uncertaintyMs + 1, `${offsetMs} ± ${uncertaintyMs}`);
    const readings = [await readClock(client, 1), await readClock(client, 1)];
    assert.ok(readings.some(({ offsetMs }) => offsetMs % 1 !== 0), "it has fractions");
  } finally {
    client.destroy();
  }
});
