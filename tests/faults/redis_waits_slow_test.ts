/** Redis restarting in the middle of a run. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { keep } from "../kept.ts";
import { needing, testWith } from "../needs.ts";
import { measured } from "../e2e/measured.ts";
import { pause, until } from "../e2e/patience.ts";
import { assertAsked, assertConserved } from "../e2e/fleet/conservation.ts";
import { Fleet } from "../e2e/fleet/fleet.ts";
import { emptyFolder, Plateau } from "../e2e/plateau.ts";
import { startWitness } from "../e2e/witness.ts";
import { endsWithin } from "./soon.ts";

const withRedis = needing("redis");

const INTERVALS_PER_SEC = 4;
const RATE_PER_SEC = 400;
const SECONDS = 3;
/** Some intervals are told in each of these, and much of the load is left for what was told meanwhile. */
const TOLD_MS = 600;
const AWAY_MS = 600;
/** Beside the load. An agent that is waited for in vain would take as long. */
const ENDING_MS = 7_500;
const MOST_MS = SECONDS * 1_000 + ENDING_MS;

const TWO = { agents: { a: {}, b: {} } };
const kept = keep(["redis"], () => Fleet.start(TWO));

for (const persistent of [false, true]) {
  const back = persistent ? "with all it had" : "empty";
  testWith(
    ["redis"],
    `a Redis that is killed and comes back ${back} loses no interval`,
    () =>
      endsWithin(MOST_MS, async () => {
        await using own = persistent ? await Fleet.start(TWO, { persistent }) : null;
        const fleet = own ?? kept();
        const before = fleet.arrivals.length;
        await using coordinator = fleet.bench(
          "-c",
          "41",
          "-r",
          `${RATE_PER_SEC}/s`,
          "-d",
          `${SECONDS}s`,
        );
        await fleet.loads(coordinator, before);
        const beganMs = performance.now();
        await pause(TOLD_MS);
        await fleet.redis.kill();
        await pause(AWAY_MS);
        await fleet.redis.start();
        const result = measured(await fleet.endOf(coordinator));
        const tookMs = performance.now() - beganMs;
        const asked = assertAsked(result, RATE_PER_SEC, SECONDS);
        assert.equal(await fleet.witness.settledCount() - before, asked);
        const { points } = result.timeline;
        assert.equal(points.length, SECONDS * INTERVALS_PER_SEC);
        await fleet.isFree();
        return tookMs;
      }),
  );
}

withRedis.test("after a Redis that came back empty the same agents load again", async () => {
  const fleet = kept();
  await fleet.redis.kill();
  await fleet.redis.start();
  await fleet.isFree();
  const before = fleet.arrivals.length;
  const result = await fleet.measure("-c", "3", "-n", "301");
  assertConserved(result);
  assert.equal(await fleet.witness.settledCount() - before, 301);
});

/** So long the target takes to prove its answer: the load begins no sooner after it is first asked. */
const PROOF_MS = 300;

/** An experiment of `repeat` runs whose Redis is killed before the first load, and started again by `back`. */
async function withoutRedis(
  repeat: number,
  back: (saved: () => Results | null) => Promise<void>,
): Promise<{ code: number; stderr: string; results: Results; hasReport: boolean }> {
  using folder = emptyFolder();
  const fleet = kept();
  await fleet.isFree();
  const asked = Promise.withResolvers<void>();
  const onRequest = (): void => asked.resolve();
  await using witness = startWitness({ delayMs: PROOF_MS, onRequest });
  const file = join(folder.path, "experiment.json");
  const out = join(folder.path, "out");
  const experiment = {
    name: "away",
    targets: { witness: { url: witness.origin } },
    scenarios: { any: { get: "/" } },
    load: { connections: 5, requests: 5 },
    repeat,
  };
  Deno.writeTextFileSync(file, JSON.stringify(experiment));
  const flags = ["--agents", "1", "--redis", fleet.redis.url];
  await using coordinator = new Plateau(["run", file, "--out", out, ...flags]);
  const saved = (): Results | null => {
    try {
      return results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
    } catch {
      return null;
    }
  };
  await Promise.race([asked.promise, fleet.endOf(coordinator)]);
  await fleet.redis.kill();
  await back(saved);
  await fleet.redis.start();
  const { code, stderr } = await fleet.endOf(coordinator);
  const whole = saved();
  assert.ok(whole, stderr);
  return { code, stderr, results: whole, hasReport: existsSync(join(out, "report.html")) };
}

withRedis.test("a run waits for a Redis that is away when its load begins", async () => {
  const { code, stderr, results } = await withoutRedis(1, () => pause(PROOF_MS + 1_200));
  assert.equal(code, 0, stderr);
  assert.deepEqual(results.runs.map(({ requests }) => requests.completed), [5]);
});

withRedis.test("a run without Redis is missing, and the next is measured", async () => {
  const { code, stderr, results, hasReport } = await withoutRedis(
    2,
    (saved) => until("a run is missing", () => saved()?.missing.length === 1).then(() => {}),
  );
  assert.equal(code, 3, stderr);
  assert.match(
    results.missing[0].reason,
    /^Cannot load from the fleet: its Redis was unusable/,
  );
  assert.deepEqual(results.runs.map(({ requests }) => requests.completed), [5]);
  assert.ok(hasReport);
});
