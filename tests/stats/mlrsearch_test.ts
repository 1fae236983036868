import assert from "node:assert/strict";
import { QUEUES, type Terms } from "../../bench/capacity/servers.ts";
import { simulateSearch } from "../../bench/capacity/simulation.ts";
import { MlrSearch } from "../../bench/mlrsearch/peer.ts";
import { MLR_GOALS, simulateMlrSearch } from "../../bench/mlrsearch/simulated.ts";
import { pythonWith } from "../../bench/stage/python.ts";
import { needing } from "../needs.ts";

const { test } = needing("mlrsearch");
const TERMS: Terms = { perSec: 10_000, limitS: 0.01, allowed: 0.01 };
/** Those whose trials of a minute are much longer than the memory of the queue. */
const KINDS = QUEUES.filter(({ name }) => ["M/M/1", "M/D/1", "D/M/1", "M/M/8"].includes(name));
/** Each of the two intervals is 4 % wide. */
const APART = 0.04;

for (const kind of KINDS) {
  test(`${kind.name}: the search finds the capacity that MLRsearch finds`, async () => {
    await using peer = new MlrSearch(pythonWith("MLRsearch") ?? "");
    const goal = MLR_GOALS["1 × 60 s"];
    const { low, high } = await simulateMlrSearch(peer, { kind, terms: TERMS, goal }, 1);
    assert.ok(low !== null && high !== null, "MLRsearch has no interval");
    const { estimate, end } = simulateSearch({ kind, terms: TERMS, capacity: 0 }, 1);
    assert.equal(end, "found");
    const apart = (estimate?.value ?? 0) / Math.sqrt(low * high) - 1;
    assert.ok(Math.abs(apart) < APART, `${estimate?.value} beside ${low} to ${high}`);
  });
}
