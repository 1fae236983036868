import assert from "node:assert/strict";
import { DisturbedRates } from "../../runner/capacity/disturbed_rates.ts";
import type { TrialPlan } from "../../runner/stats/capacity/search.ts";

function planAt(ratePerSec: number, plannedS = 5): TrialPlan {
  return { ratePerSec, plannedS, startS: 0.5, burst: null };
}

const AT = { widthRatio: 0.02, shortTrial: (ratePerSec: number) => planAt(ratePerSec) };

/** Searches a target of 1,000/s beside a neighbour: each broken trial is disturbed, each that holds counts. */
function searched(start: number, serves: (rate: number) => number): number[] {
  const rates = new DisturbedRates();
  const held: number[] = [];
  const tried: number[] = [];
  for (let planned = start; tried.length < 12;) {
    const { ratePerSec } = rates.steered(planAt(planned), { ...AT, held });
    tried.push(ratePerSec);
    if (ratePerSec <= 1_000) {
      held.push(ratePerSec);
      planned = ratePerSec * 1.1;
    } else {
      rates.add({ ratePerSec, servedPerSec: serves(ratePerSec) }, "disturbed");
      planned = ratePerSec;
    }
  }
  return tried;
}

Deno.test("a disturbed overload is not tried again at the same rate, but near what was served", () => {
  const [first, second, third] = searched(13_424, () => 950);
  assert.equal(first, 13_424);
  assert.ok(second < 4_000, `${second}`);
  assert.ok(third <= 1_000, `${third}`);
});

Deno.test("the search closes in on where it holds, though every broken trial is disturbed", () => {
  const tried = searched(5_000, () => 980);
  const highest = Math.max(...tried.filter((rate) => rate <= 1_000));
  assert.ok(highest > 950, `${tried}`);
});

Deno.test("a rate that was nearly served is tried again before the search turns down", () => {
  const rates = new DisturbedRates();
  const planned = planAt(1_000, 30);
  rates.add({ ratePerSec: 1_000, servedPerSec: 960 }, "disturbed");
  assert.deepEqual(rates.steered(planned, { ...AT, held: [900] }), planned);
  rates.add({ ratePerSec: 1_000, servedPerSec: 960 }, "disturbed");
  assert.ok(rates.steered(planned, { ...AT, held: [900] }).ratePerSec < 1_000);
});

Deno.test("a ceiling is tried again once a rate just below it holds", () => {
  const rates = new DisturbedRates();
  rates.add({ ratePerSec: 1_000, servedPerSec: 500 }, "disturbed");
  const planned = planAt(1_000, 30);
  assert.deepEqual(rates.steered(planned, { ...AT, held: [990] }), planned);
});

Deno.test("a search that goes down is not given up, one that stays is", () => {
  const [down, stays] = [new DisturbedRates(), new DisturbedRates()];
  for (let i = 0; i < 6; i++) {
    down.add({ ratePerSec: 1_000 / 1.1 ** i, servedPerSec: 500 }, "disturbed");
  }
  assert.ok(!down.isHopeless);
  for (let i = 0; i < 5; i++) stays.add({ ratePerSec: 1_000, servedPerSec: 980 }, "disturbed");
  assert.ok(stays.isHopeless);
});

Deno.test("trials that count in between begin the row anew, but not for ever", () => {
  const rates = new DisturbedRates();
  for (let i = 0; i < 11; i++) {
    rates.add({ ratePerSec: 1_000, servedPerSec: 980 }, "disturbed");
    rates.add({ ratePerSec: 900, servedPerSec: 900 }, null);
    assert.ok(!rates.isHopeless);
  }
  rates.add({ ratePerSec: 1_000, servedPerSec: 980 }, "disturbed");
  assert.ok(rates.isHopeless);
});

Deno.test("without a rate that holds, the steps down grow", () => {
  const rates = new DisturbedRates();
  let ratePerSec = 1_000;
  const tried = Array.from({ length: 6 }, () => {
    rates.add({ ratePerSec, servedPerSec: ratePerSec * 0.99 }, "disturbed");
    rates.add({ ratePerSec, servedPerSec: ratePerSec * 0.99 }, "disturbed");
    const { ratePerSec: next } = rates.steered(planAt(1_000), {
      ...AT,
      held: [],
    });
    const step = ratePerSec / next;
    ratePerSec = next;
    return step;
  });
  assert.ok(tried.every((step, i) => i === 0 || step >= tried[i - 1]), `${tried}`);
  assert.ok(tried[3] > 1.3 && tried[5] <= 4.001, `${tried}`);
});
