import assert from "node:assert/strict";
import { sumOfUses, type UseSample, UseSeries } from "../../targets/observe/use_series.ts";

const USE: UseSample = {
  cpuMs: 100,
  systemMs: 25,
  memoryBytes: 1_000,
  processes: 2,
  threads: 4,
  files: 20,
  filesLeft: 1_004,
  switches: { voluntary: 50, involuntary: 5 },
};

Deno.test("a series has rates over the time since the look before, and what is held at the moment", () => {
  const series = new UseSeries({ intervalMs: 250, sinceMs: 1_000 });
  series.add(1_000, { ...USE, cpuMs: 9_000 });
  series.add(1_250, USE);
  assert.deepEqual(series.points(), [{
    endS: 0.25,
    cpu: 0.4,
    memory: 1_000,
    user: 0.3,
    system: 0.1,
    processes: 2,
    threads: 4,
    files: 20,
    filesLeft: 1_004,
    switches: { voluntary: 200, involuntary: 20 },
  }]);
});

Deno.test("a short rest is joined to the interval before, and a longer one is one of its own", () => {
  const ended = (restMs: number): number[][] => {
    const series = new UseSeries({ intervalMs: 200, sinceMs: 0 });
    for (const atMs of [0, 200, 200 + restMs]) series.add(atMs, USE);
    return series.points().map(({ endS, cpu }) => [endS, cpu]);
  };
  assert.deepEqual(ended(50), [[0.25, 0.8]]);
  assert.deepEqual(ended(100), [[0.2, 0.5], [0.3, 1]]);
});

Deno.test("a day of looks is kept as some thousand points with the same CPU time, and the peaks", () => {
  const series = new UseSeries({ intervalMs: 250, sinceMs: 0 });
  const looks = 4 * 86_400;
  series.add(0, USE);
  for (let at = 1; at <= looks; at++) {
    const isPeak = at === 200_000;
    series.add(250 * at, {
      ...USE,
      ...isPeak && { cpuMs: 250, memoryBytes: 5_000, threads: 40, files: 500, filesLeft: 4 },
    });
  }
  const points = series.points();
  assert.equal(points.length, looks / 256);
  assert.equal(points.at(-1)?.endS, 86_400);
  const cpuS = points.reduce((sum, { cpu }) => sum + 64 * cpu, 0);
  assert.ok(Math.abs(cpuS - (0.1 * (looks - 1) + 0.25)) < 1e-6);
  const [peak, ...others] = points.filter(({ threads }) => threads === 40);
  assert.deepEqual(others, []);
  const { peakCpu, memory, files, filesLeft } = peak;
  assert.deepEqual([peakCpu, memory, files, filesLeft], [1, 5_000, 500, 4]);
});

Deno.test("a series of one look has no point", () => {
  const series = new UseSeries({ intervalMs: 200, sinceMs: 0 });
  series.add(0, USE);
  assert.deepEqual(series.points(), []);
});

Deno.test("a sum says nothing of what one of its parts does not tell", () => {
  assert.deepEqual(
    sumOfUses([
      USE,
      { ...USE, threads: null, files: 1, filesLeft: 3, switches: null },
      { ...USE, files: 0, filesLeft: null },
    ]),
    {
      cpuMs: 300,
      systemMs: 75,
      memoryBytes: 3_000,
      processes: 6,
      threads: null,
      files: 21,
      filesLeft: 3,
      switches: null,
    },
  );
  const unknown = { processes: null, threads: null, files: null, filesLeft: null };
  const silent = { ...USE, ...unknown, switches: null };
  const series = new UseSeries({ intervalMs: 100, sinceMs: 0 });
  for (const atMs of [0, 100]) series.add(atMs, silent);
  assert.deepEqual(Object.keys(series.points()[0]), ["endS", "cpu", "memory", "user", "system"]);
});
