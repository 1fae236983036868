/**
 * A server faster than the generator, as the schedulers under a driver are put to the test only then. What they
 * see to in the tcp driver is held by `tests/load/read_scheduler_test.ts`; this holds what comes of it under a Deno
 * that holds nobody up itself. Under 2.6.10, of 1,000 connections one waited for 6 to 40 rounds with them, and for 26
 * without: there this shows nothing, and is not run.
 */
import assert from "node:assert/strict";
import { startNginx } from "../../bench/stage/nginx.ts";
import { runPlateau } from "../../bench/stage/plateau.ts";
import { mergeSlowest } from "../../runner/load/recording/slowest.ts";
import { needing } from "../needs.ts";
import { assertNothingLost, load } from "./loading.ts";
import { PLAIN_WAYS } from "./ways.ts";

const withNginx = needing("nginx");
const withNginxAndLinux = needing("nginx", "linux");

const INTERVAL_MS = 50;

/** So often all others may be served while one waits: 1 is what was measured at most. */
const MOST_ROUNDS = 20;
/** Of a whole load. */
const ROUNDS = 120;
/** A machine that stands still may hold up one connection more than the others; it does not each time. */
const ATTEMPTS = 3;

interface Paced {
  readonly connections: number;
  /** Interval by interval: its end in seconds, and the answers in it. */
  readonly points: readonly { readonly endS: number; readonly completed: number }[];
  readonly slowest: readonly { readonly dueS: number; readonly latency: number }[];
}

async function assertFair(measure: () => Promise<Paced>): Promise<void> {
  const longest: number[] = [];
  while (longest.length < ATTEMPTS) {
    longest.push(longestWaitOf(await measure()));
    if (longest[longest.length - 1] < MOST_ROUNDS) return;
  }
  assert.fail(`somebody waited for ${longest.join(", ")} rounds`);
}

/** By answers, not by time: a machine that stands still holds everybody up alike. */
function longestWaitOf({ connections, points, slowest }: Paced): number {
  assert.ok(slowest.length > 0);
  return Math.max(...slowest.map(({ dueS, latency }) => {
    const end = dueS + latency / 1_000;
    const meanwhile = points.filter(({ endS }) =>
      endS - INTERVAL_MS / 1_000 >= dueS && endS <= end
    );
    return meanwhile.reduce((sum, { completed }) => sum + completed, 0) / connections;
  }));
}

for (const way of PLAIN_WAYS) {
  withNginx.test(`${way.name}: at full speed no connection waits while others are served`, async () => {
    await using nginx = await startNginx();
    const { hostname, port } = new URL(nginx.origin);
    const endpoint = { hostname, port: Number(port) };
    const connections = 400;
    const requests = ROUNDS * connections;
    const wish = { requests, intervalUs: INTERVAL_MS * 1_000, connections };
    await assertFair(async () => {
      const loaded = await load(way, { endpoint }, wish);
      assertNothingLost(loaded);
      return {
        connections,
        points: loaded.parts.map(({ index, completed }) => ({
          endS: (index + 1) * INTERVAL_MS / 1_000,
          completed,
        })),
        slowest: mergeSlowest([loaded.totals.slowest], [connections]),
      };
    });
  });

  withNginxAndLinux.test(`${way.name}: on a core of its own no connection of a thousand waits while others are served`, async () => {
    await using nginx = await startNginx();
    const connections = 1_000;
    const flags = `--driver ${way.driver} -w 1 -c ${connections} -n ${ROUNDS * connections} ` +
      `--interval ${INTERVAL_MS}ms`;
    await assertFair(async () => {
      const { requests, timeline, slowest = [] } = await runPlateau(
        `${nginx.origin}/`,
        flags.split(" "),
      );
      assert.equal(requests.failed, 0);
      return { connections, points: timeline.points, slowest };
    });
  });
}
