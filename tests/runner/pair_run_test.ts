/** Two runs at the same time, by loaders that load nothing. */
import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import type { Loader } from "../../runner/measure/loader.ts";
import {
  carryOutPair,
  keyOf,
  type PairContext,
  type PlannedPair,
} from "../../runner/experiment/pair_run.ts";
import { SideLoaders } from "../../runner/slices/session.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import type { Cell, PlannedRun } from "../../scenarios/plan/plan.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { pause } from "../e2e/patience.ts";

const ORIGIN = "http://127.0.0.1:9";
const REQUEST = requestScenarioSpec.parse({ get: "/" });
const LENGTHS = { sliceUs: 50_000, cutUs: 5_000, shiftUs: 1_000, pauseUs: 4_000 };

function plannedRun(target: string): PlannedRun {
  const load = loadOf({ connections: 1, duration: 1_000, timeout: 1_000, keepAlive: true });
  const cell: Cell = {
    ...{ target, others: {}, scenario: "hello", request: REQUEST, load, parameters: {} },
    targetSpec: { url: ORIGIN, insecure: false },
  };
  return { cell, repetition: 1, order: 1 };
}

const PAIR: PlannedPair = [plannedRun("one"), plannedRun("two")];

function runningTarget({ addr }: Deno.HttpServer<Deno.NetAddr>): RunningTarget {
  return {
    ...{
      origin: `http://127.0.0.1:${addr.port}`,
      access: {},
      pid: null,
      supervised: false,
      startUpMs: null,
    },
    ...{ runtime: null, readyPath: null, exited: new Promise(() => {}), lastLines: () => [] },
    stop: () => Promise.resolve(),
  };
}

/** Loaders whose loads wait for each other, as those of slices do before they start. */
class Waiting extends SideLoaders {
  loads = 0;

  override together(): ReturnType<SideLoaders["together"]> {
    const start = Promise.withResolvers<never>();
    start.promise.catch(() => {});
    const loader: Loader = {
      load: () => {
        this.loads++;
        return start.promise;
      },
      close: () => Promise.resolve(),
    };
    return { loaders: [loader, loader], cancel: start.reject };
  }
}

function contextOf(change: Partial<PairContext> & Pick<PairContext, "open">): PairContext {
  return {
    ...{ loaders: new Waiting(), loader: new Waiting().together().loaders[0], seed: 1 },
    ...{ workers: 1, intervalMs: 250, logFolder: null, scripted: {}, preflights: null },
    lengths: new Map(),
    onProgress: () => {},
    signal: new AbortController().signal,
    reopen: (target) => Promise.resolve(target),
    close: () => {},
    earlierCapacity: () => null,
    redisUse: () => Promise.resolve(null),
    pids: () => () => [],
    ...change,
  };
}

/** Each response takes a moment, which leaves the cores to others. */
function server(): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => pause(1).then(() => new Response("Hello")),
  );
}

Deno.test("a side that fails before its load ends the other, which waits for it", async () => {
  await using served = server();
  const loaders = new Waiting();
  const context = contextOf({
    open: () => Promise.resolve(runningTarget(served)),
    loaders,
    lengths: new Map([[keyOf(PAIR), LENGTHS]]),
    redisUse: ({ cell }) =>
      cell.target === "one"
        ? Promise.reject(new TargetError("Redis is gone"))
        : Promise.resolve(null),
  });
  await assert.rejects(carryOutPair(PAIR, context), /Redis is gone/);
  assert.equal(loaders.loads, 1);
});

Deno.test("the processes whose load shows the lengths are not those that are measured", async () => {
  await using served = server();
  const loaders = new SideLoaders();
  const events: string[] = [];
  const context = contextOf({
    loaders,
    open: ({ cell }) => {
      events.push(`open ${cell.target}`);
      return Promise.resolve(runningTarget(served));
    },
    close: () => events.push("close"),
  });
  const runs = await carryOutPair(PAIR, context).finally(() => loaders.close());
  const pair = ["open one", "open two", "close", "close"];
  assert.deepEqual(events, [...pair, ...pair]);
  assert.ok(runs.every(({ slices }) => slices !== undefined && slices.items.pair.length >= 8));
});

Deno.test("reports of runtimes are read up to the end of both sides' turns", async () => {
  await using served = server();
  const loaders = new SideLoaders();
  const untilMs: number[] = [];
  const leftOut = { processes: 0, bytes: 0, lines: 0, collections: 0, stalls: 0 };
  const counters = {
    begin: () => {},
    take: (endMs: number) => {
      untilMs.push(endMs);
      return Promise.resolve({ processes: [], leftOut });
    },
  };
  const context = contextOf({
    loaders,
    open: () => Promise.resolve({ ...runningTarget(served), counters }),
    lengths: new Map([[keyOf(PAIR), LENGTHS]]),
  });
  const runs = await carryOutPair(PAIR, context).finally(() => loaders.close());
  assert.equal(untilMs.length, 2);
  for (const { loadStartedAt, elapsedS, slices } of runs) {
    const pairs = 1 + (slices?.items.pair.at(-1) ?? 0); // the first of them is in no figure
    const lastsMs = 2 * pairs * 54;
    assert.ok(lastsMs > 2_000 * elapsedS);
    const endMs = Date.parse(loadStartedAt ?? "") + lastsMs;
    assert.ok(untilMs.every((until) => Math.abs(until - endMs) <= 1), `${untilMs} ${endMs}`);
  }
});
