/** One suite over all policies, and what each of them promises. */
import { policyNames } from "../../base/target/gateway_shape.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Instance, makePolicy, SlowStart } from "../../targets/gateways/cluster/balancer.ts";
import { drawBy } from "../../base/random.ts";
import { forAll } from "../for_all.ts";

const busy = (...inFlight: number[]): Instance[] => inFlight.map((each) => ({ inFlight: each }));

/** Numbers from 0 to below 1 that repeat. */
function drawing(...numbers: number[]): () => number {
  let at = 0;
  return () => numbers[at++ % numbers.length];
}

for (const name of policyNames) {
  Deno.test(`policy ${name} picks one of the instances, also when there come more`, () => {
    forAll([
      fc.array(fc.array(fc.nat(9), { minLength: 1, maxLength: 8 }), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.array(fc.double({ min: 0, max: 0.999999, noNaN: true }), { minLength: 1 }),
    ], (rounds, draws) => {
      const policy = makePolicy(name, drawing(...draws));
      for (const round of rounds) {
        const index = policy.pick(busy(...round));
        assert.ok(Number.isInteger(index) && index >= 0 && index < round.length);
      }
    }, { seed: 19 });
  });

  Deno.test(`policy ${name} leaves no idle instance without requests`, () => {
    let at = 0;
    const policy = makePolicy(name, () => (at++ * 0.618034) % 1);
    const picked = new Set(Array.from({ length: 200 }, () => policy.pick(busy(0, 0, 0, 0))));
    assert.equal(picked.size, 4);
  });
}

Deno.test("round-robin gives each its turn, however busy", () => {
  const policy = makePolicy("round-robin");
  const picked = Array.from({ length: 6 }, () => policy.pick(busy(9, 0, 5)));
  assert.deepEqual(picked, [0, 1, 2, 0, 1, 2]);
});

Deno.test("least-connections picks the fewest, and equals in their turn", () => {
  const policy = makePolicy("least-connections");
  assert.deepEqual(Array.from({ length: 4 }, () => policy.pick(busy(1, 0, 0, 0))), [1, 2, 3, 1]);
  assert.equal(policy.pick(busy(5, 5, 5, 4)), 3);
});

Deno.test("random-two picks the less busy of two different ones", () => {
  const pick = (...draws: number[]): number =>
    makePolicy("random-two", drawing(...draws)).pick(busy(3, 1, 2));
  assert.equal(pick(0, 0), 1); // 0 against 1
  assert.equal(pick(0, 0.99), 2); // 0 against 2
  assert.equal(pick(0.5, 0.5), 1); // 1 against 2
  assert.equal(pick(0.99, 0), 2); // 2 against 0
});

Deno.test("a slow instance gets less from the policies that look, and its full share from round-robin", () => {
  const shares = policyNames.map((name) => [name, slowShare(name)] as const);
  const share = Object.fromEntries(shares);
  assert.equal(share["round-robin"], 0.25);
  assert.ok(share["least-connections"] < 0.1, String(share["least-connections"]));
  assert.ok(share["random-two"] < 0.15, String(share["random-two"]));
});

/** Share of the requests that the first of four gets, which takes 20 steps for one while others take 1. */
function slowShare(name: (typeof policyNames)[number]): number {
  const draw = drawBy(7);
  const policy = makePolicy(name, () => draw(0, 999_999) / 1_000_000);
  const ends = Array.from({ length: 4 }, (): number[] => []);
  let slow = 0;
  for (let step = 0; step < 4_000; step++) {
    for (const instance of ends) while (instance[0] <= step) instance.shift();
    const index = policy.pick(ends.map(({ length }) => ({ inFlight: length })));
    ends[index].push(step + (index === 0 ? 20 : 1));
    if (index === 0) slow++;
  }
  return slow / 4_000;
}

for (const name of policyNames) {
  Deno.test(`policy ${name} gives an instance that joins slowly its share at most`, () => {
    assert.ok(youngRatio(name, 0) < 0.15);
    assert.ok(youngRatio(name, 5_000) < 0.6);
  });
}

/** Requests of an instance that joined some time ago, with a slow start of 10 s, relative to three busy others. */
function youngRatio(name: (typeof policyNames)[number], agoMs: number): number {
  const draw = drawBy(11);
  const random = (): number => draw(0, 999_999) / 1_000_000;
  const policy = makePolicy(name, random);
  const slowStart = new SlowStart(10_000);
  const instances = [0, 0, 0, 0].map((inFlight) => ({ inFlight, requests: 0 }));
  slowStart.join(instances[3], 0);
  const sent: typeof instances = [];
  for (let n = 0; n < 40_000; n++) {
    const instance = instances[policy.pick(instances, slowStart.sharesAt(agoMs))];
    instance.inFlight++;
    instance.requests++;
    sent.push(instance);
    if (sent.length > 60) sent.splice(draw(0, 60), 1)[0].inFlight--;
  }
  const [a, b, c, young] = instances.map(({ requests }) => requests);
  return young / ((a + b + c) / 3);
}

Deno.test("the share of an instance that joins slowly grows from a tenth to the full one", () => {
  const [old, young] = busy(0, 0);
  const slowStart = new SlowStart(10_000);
  slowStart.join(young, 5_000);
  const sharesAt = (nowMs: number): number[] => [old, young].map(slowStart.sharesAt(nowMs));
  assert.deepEqual([5_000, 5_900, 7_500, 10_000, 15_000, 60_000].map(sharesAt), [
    ...[[1, 0.1], [1, 0.1], [1, 0.25], [1, 0.5]],
    ...[[1, 1], [1, 1]],
  ]);
});

Deno.test("without a slow start an instance that joins is like the others at once", () => {
  const all = busy(0, 0);
  const slowStart = new SlowStart(0);
  slowStart.join(all[1], 0);
  assert.deepEqual(all.map(slowStart.sharesAt(0)), [1, 1]);
});
