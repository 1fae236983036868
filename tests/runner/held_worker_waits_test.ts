/** A measurement of which a worker was held. */
import assert from "node:assert/strict";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import { measurement } from "../../runner/result/result.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { heldPool } from "../load/held_pool.ts";

Deno.test({
  name: "a measurement says that its worker was ended, and is not to be trusted",
  sanitizeResources: false,
  sanitizeOps: false,
  async fn(): Promise<void> {
    using held = heldPool(["start"]);
    const request = {
      origin: "http://127.0.0.1:1",
      script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
      load: {
        kind: "rate",
        connections: 1,
        keepAlive: true,
        timeout: 100,
        workers: 1,
        ratePerSec: 100,
        arrivals: "uniform",
        durationMs: 200,
      },
      seed: 1,
      driver: "tcp",
      intervalMs: 100,
      logPath: null,
      implicitCheck: false,
    } as const;
    const measured = await measureLoad(request, {
      loader: new LocalLoader(held.pool),
      onProgress: () => {},
      onStart: () => {},
      signal: new AbortController().signal,
    });
    const { requests, generator } = measurement.parse(JSON.parse(JSON.stringify(measured)));
    assert.deepEqual(requests, { due: 20, completed: 0, failed: 0, unfinished: 0, dropped: 20 });
    assert.deepEqual(generator.ended, [{ worker: 0, knownUntil: 0 }]);
    assert.equal(generator.trust, "invalid");
    const codes = generator.findings.map(({ code }) => code);
    assert.deepEqual(codes.slice(0, 2), ["nothing-sent", "worker-ended"]);
  },
});
