/**
 * A server faster than the generator, as the schedulers under a driver are put to the test only then.
 */
import assert from "node:assert/strict";
import { startNginx } from "../../bench/stage/nginx.ts";
import { runPlateau } from "../../bench/stage/plateau.ts";
import { testWith } from "../needs.ts";
import { assertNothingLost, load } from "./loading.ts";
import { PLAIN_WAYS } from "./ways.ts";

for (const way of PLAIN_WAYS) {
  testWith(
    ["nginx"],
    `${way.name}: at full speed no connection waits while others are served`,
    async () => {
      await using nginx = await startNginx();
      const { hostname, port } = new URL(nginx.origin);
      const endpoint = { hostname, port: Number(port) };
      const loaded = await load(way, { endpoint }, { durationUs: 3_000_000, connections: 400 });
      assertNothingLost(loaded);
      const slowestMs = loaded.totals.service.maxUs / 1_000;
      assert.ok(slowestMs < 1_000, `somebody waited for ${slowestMs} ms`);
    },
  );

  testWith(
    ["nginx", "linux"],
    `${way.name}: on a core of its own no connection of a thousand waits while others are served`,
    async () => {
      await using nginx = await startNginx();
      const flags = `--driver ${way.driver} -w 1 -c 1000 -d 3s`.split(" ");
      const { requests, service } = await runPlateau(`${nginx.origin}/`, flags);
      assert.equal(requests.failed, 0);
      assert.ok(service.max < 1_000, `somebody waited for ${service.max} ms`);
    },
  );
}
