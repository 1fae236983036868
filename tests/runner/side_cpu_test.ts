/** CPU time of both sides between two readings. */
import assert from "node:assert/strict";
import { cpuPerRequestUs } from "../../report/figures/resources.ts";
import type { TargetUse } from "../../runner/result/generator.ts";
import { loadClock, whileLoaded } from "../../runner/host/load_clock.ts";
import { ownEvidence, ownUse } from "../../runner/slices/own_use.ts";
import { slicesOf } from "../../runner/slices/session.ts";
import {
  type Reading,
  readingUs,
  type SlotUse,
  usedBetween,
  usesBetween,
} from "../../runner/slices/side_cpu.ts";
import { EMPTY } from "../../runner/stats/histogram/histogram.ts";
import { bottleneckOf } from "../../runner/trust/bottleneck.ts";
import { Turns, turnsOf } from "../../scenarios/pace/slices.ts";
import { slicedSides } from "../report/sliced.ts";

Deno.test("CPU time of a side is what its processes used since the reading before", () => {
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130], [2, 9]])), 32);
  assert.equal(usedBetween(new Map([[1, 100], [2, 7]]), new Map([[1, 130]])), 30);
  assert.equal(usedBetween(new Map([[1, 100]]), new Map()), null);
});

Deno.test("a process that was found late puts no time of earlier slices into the one at hand", () => {
  assert.equal(usedBetween(new Map([[1, 100]]), new Map([[1, 130], [2, 400]])), null);
  assert.equal(usedBetween(new Map([[1, 130], [2, 400]]), new Map([[1, 160], [2, 450]])), 80);
});

Deno.test("a bottleneck in slices has the CPU time of a request that its figures have", () => {
  const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 40, ratio: 1, restless: 0.1 });
  assert.ok(run.slices);
  const ownUs = cpuPerRequestUs(run) ?? NaN;
  // Over both sides' turns it is less than half.
  const cpu = 0.4 * run.rate * ownUs / 1e6;
  const use = { processes: 1, cores: 2, cpu, waiting: 0.2 * cpu, nice: 0, throttled: null };
  const generator = ownEvidence({ ...run.generator, target: use }, run.slices);
  const { cpuPerRequest = NaN } = bottleneckOf({ ...run, generator });
  assert.ok(Math.abs(1_000 * cpuPerRequest / ownUs - 1) < 0.01, `${cpuPerRequest} ${ownUs}`);
  const { target } = generator;
  assert.ok(target && Math.abs(target.waiting / target.cpu - 0.2) < 1e-9);
});

/** A side that serves one request after another. */
interface SimulatedSide {
  /** CPU time of a request. */
  readonly costMs: number;
  readonly connections: number;
}

/**
 * The CPU time per request in µs that two sides show, each of which has a request in flight on every connection when its
 * slices end.
 */
function simulated(sides: readonly SimulatedSide[], pauseMs: number): (number | null)[] {
  const sliceMs = 165;
  const lengths = { sliceUs: 1_000 * sliceMs, cutUs: 5_000, shiftUs: 0, pauseUs: 1_000 * pauseMs };
  const spec = turnsOf(lengths, { pairs: 20, seed: 3 });
  const turns = sides.map((_, side) => new Turns({ ...spec, side: side === 0 ? 0 : 1 }));
  const busyMsOf = ({ costMs, connections }: SimulatedSide): number =>
    sliceMs + costMs * connections;
  const usedMs = (side: number, atUs: number): number =>
    Array.from({ length: spec.pairs }, (_, pair) => {
      const passedMs = (atUs - turns[side].startUs(pair)) / 1_000;
      return Math.min(busyMsOf(sides[side]), Math.max(0, passedMs));
    }).reduce((sum, ms) => sum + ms);
  const readings = Array.from({ length: 2 * spec.pairs + 1 }, (_, slot): Reading => {
    const atUs = readingUs(slot, spec);
    const cpuMs = sides.map((_, side) => new Map([[side, usedMs(side, atUs)]]));
    return { atUs, cpuMs, machine: null, ownMs: null };
  });
  const used = usesBetween(readings, spec);
  return sides.map((one, side) => {
    const all = Array.from({ length: spec.pairs }, () => busyMsOf(one) / one.costMs);
    const worker = {
      ...{ completed: all, failed: all.map(() => 0), serviceSumUs: all, served: all },
      ...{ latency: EMPTY, censored: EMPTY },
    };
    const slices = slicesOf([worker], { turns: turns[side].spec, partner: "other", used });
    const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 1, ratio: 1 });
    return cpuPerRequestUs({ ...run, slices });
  });
}

Deno.test("CPU time for requests that are still in flight when a slice ends is theirs, and none of the rest", () => {
  const sides = [{ costMs: 1, connections: 50 }, { costMs: 1.05, connections: 50 }];
  const found = simulated(sides, 54);
  sides.forEach(({ costMs }, side) => {
    const ratio = (found[side] ?? NaN) / 1_000 / costMs;
    assert.ok(Math.abs(ratio - 1) < 0.05, `${found}`);
  });
});

/** Four slices of 100 ms in a second, of each of which 80 ms are measured. */
const LENGTHS = { sliceUs: 100_000, cutUs: 20_000, shiftUs: 0, pauseUs: 25_000 };
const TURNS = { ...turnsOf(LENGTHS, { pairs: 4, seed: 1 }), side: 0 } as const;

/** What the system counts in that second. */
const COUNTED: TargetUse = {
  ...{ processes: 2, cores: 2, cpu: 0.4, waiting: 0.04, nice: 0, throttled: 100 },
  busiestThread: {
    ...{ name: "app", cpu: 0.38, processCpu: 0.4 },
    peers: { processes: 1, leastCpu: 0.2 },
  },
};

Deno.test("a target in slices is loaded in its own alone, and its figures are those of that time", () => {
  const clock = loadClock(TURNS, () => TURNS.durationUs);
  assert.deepEqual(clock.shares(), { loaded: 0.4, measured: 0.32 });
  const loaded = whileLoaded(COUNTED, clock.shares());
  assert.deepEqual(loaded, {
    ...COUNTED,
    ...{ cpu: 1, waiting: 0.1, throttled: 80 },
    busiestThread: {
      name: "app",
      cpu: 0.95,
      processCpu: 1,
      peers: { processes: 1, leastCpu: 0.5 },
    },
  });
  const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 4, ratio: 1 });
  const { thread, throttledShare } = bottleneckOf({
    ...{ ...run, elapsedS: 0.32 },
    generator: { ...run.generator, target: loaded },
  });
  assert.deepEqual([thread?.cpu, throttledShare], [0.95, 0.25]);
  assert.deepEqual(whileLoaded(COUNTED, loadClock(undefined, () => 0).shares()), COUNTED);
});

Deno.test("a reading that comes when a slice has begun leaves the CPU time on both sides of it unknown", () => {
  const { spec } = new Turns(TURNS);
  const knownWith = (lateUs: Readonly<Record<number, number>>): boolean[] => {
    const readings = Array.from({ length: 4 }, (_, slot): Reading => ({
      atUs: readingUs(slot, spec) + (lateUs[slot] ?? 0),
      cpuMs: [new Map([[1, slot]]), new Map([[2, slot]])],
      ...{ machine: null, ownMs: null },
    }));
    return usesBetween(readings, spec).map(({ cpuMs: [ms] }) => ms !== null);
  };
  assert.deepEqual(knownWith({}), [true, true, true]);
  assert.deepEqual(knownWith({ 0: -50_000 }), [true, true, true], "there is only rest before it");
  assert.deepEqual(knownWith({ 0: 5_000 }), [false, true, true]);
  assert.deepEqual(knownWith({ 1: 3_000 }), [true, true, true]);
  assert.deepEqual(knownWith({ 2: 5_000 }), [true, false, false]);
});

Deno.test("what a side uses at rest is in none of its threads", () => {
  const [{ runs: [run] }] = slicedSides({ processes: 1, pairs: 40, ratio: 1 });
  assert.ok(run.slices);
  const of = (target: TargetUse): TargetUse | undefined =>
    ownEvidence({ ...run.generator, target }, run.slices ?? assert.fail()).target;
  const own = of(COUNTED);
  const times = (own?.cpu ?? 0) / COUNTED.cpu;
  assert.ok(times > 0 && times !== 1);
  assert.deepEqual(own?.busiestThread, {
    ...{ name: "app", cpu: Math.min(1, 0.38 * times), processCpu: 0.4 * times },
    peers: { processes: 1, leastCpu: Math.min(1, 0.2 * times) },
  });
});

Deno.test("what the parts of a side use is on its clock, too, and in proportion to the whole", () => {
  const [{ runs: [{ slices }] }] = slicedSides({ processes: 1, pairs: 4, ratio: 1 });
  assert.ok(slices);
  const items = {
    ...slices.items,
    ...{ measuredS: [0.08, 0.08, 0.08, 0.08], completed: [8, 8, 8, 8], served: [10, 10, 10, 10] },
    ...{ cpuMs: [90, 90, 90, 90], restCpuMs: [10, 10, 10, 10] },
  };
  // 80 ms in each slice, of which its measured part has eight in ten requests: 0.8 cores; of all the time it is 0.4.
  const pointsOf = (cpu: number) =>
    [0.25, 0.5, 0.75, 1].map((endS) => (
      { endS, cpu, user: cpu, system: 0, memory: 1, switches: { voluntary: 30, involuntary: 0 } }
    ));
  const { resources, parts } = ownUse(
    {
      resources: pointsOf(0.4),
      parts: [{ role: "redis", name: "redis", points: pointsOf(0.1), busy: 0.2 }],
    },
    { ...slices, items },
    TURNS,
  );
  const near = (one: number | undefined, other: number): void =>
    assert.ok(Math.abs((one ?? NaN) / other - 1) < 1e-9, `${one}, not ${other}`);
  for (const [points, cores] of [[resources, 0.8], [parts[0].points, 0.2]] as const) {
    assert.deepEqual(points.map(({ endS }) => endS), [0.08, 0.16, 0.24, 0.32]);
    for (const { cpu, switches } of points) {
      near(cpu, cores);
      near(switches?.voluntary, 60);
    }
  }
  near(parts[0].busy, 0.4);
});

Deno.test("slices begin after the pair that warms connections up, each with what was used in its own turn", () => {
  const spec = { ...turnsOf(LENGTHS, { pairs: 4, seed: 1, warmPairs: 1 }), side: 0 } as const;
  const used = Array.from({ length: 8 }, (_, slot): SlotUse => (
    { cpuMs: [10 * slot, 0], othersMs: slot }
  ));
  const worker = {
    ...{ completed: [0, 5, 6, 7], failed: [0, 0, 0, 0], serviceSumUs: [0, 1, 1, 1] },
    ...{ served: [9, 6, 7, 8], latency: EMPTY, censored: EMPTY },
  };
  const { items } = slicesOf([worker], { turns: spec, partner: "other", used });
  const turns = new Turns(spec);
  assert.deepEqual([items.pair, items.completed, items.served], [[1, 2, 3], [5, 6, 7], [6, 7, 8]]);
  items.pair.forEach((pair, at) => {
    const slot = 2 * pair + turns.place(pair);
    const rest = 2 * pair + 1 - turns.place(pair);
    assert.deepEqual(
      [items.place[at], items.cpuMs[at], items.restCpuMs[at], items.othersCpuMs?.[at]],
      [turns.place(pair), 10 * slot, 10 * rest, slot],
    );
  });
});
