import assert from "node:assert/strict";
import { join } from "node:path";
import { calibrate, calibrationOf } from "../../runner/calibration/calibration.ts";
import {
  type CalibrationKey,
  calibrationKey,
  readCalibration,
  refutes,
  rememberCalibration,
  rememberedCalibration,
  undercuts,
  writeCalibration,
} from "../../runner/host/calibration_cache.ts";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import { measureLoad } from "../../runner/measure/measure.ts";
import { type Measurement, measurement } from "../../runner/result/result.ts";
import { turnsOf } from "../../scenarios/pace/slices.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { freshCache } from "../e2e/caches.ts";
import { emptyFolder, plateau, serve } from "../e2e/plateau.ts";
import { measurementFixture } from "../report/fixture.ts";

const SUBJECT: CalibrationKey = {
  cpu: "Some CPU @ 2.40GHz",
  arch: "x86_64",
  cores: 4,
  kernel: "6.1.0",
  plateau: "0.1.0",
  deno: "2.9.6",
  driver: "epoll",
};
const NOW = new Date("2026-11-28T12:00:00Z");
const FOUND = { peakThroughput: 123_456.7, baselineLatency: 0.031 };

Deno.test("a calibration is remembered, and nothing else is left in the folder", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "not/yet/there");
  await writeCalibration(path, SUBJECT, FOUND, NOW);
  assert.deepEqual(readCalibration(path, SUBJECT, NOW), FOUND);
  assert.equal([...Deno.readDirSync(path)].length, 1);
  await writeCalibration(path, SUBJECT, { ...FOUND, peakThroughput: 1 }, NOW);
  assert.equal(readCalibration(path, SUBJECT, NOW)?.peakThroughput, 1);
});

Deno.test("with another machine, architecture, version or driver it is not the same calibration", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND, NOW);
  const others: Partial<CalibrationKey>[] = [
    { cpu: "another" },
    { arch: "aarch64" },
    { cores: 8 },
    { kernel: "6.2.0" },
    { plateau: "0.2.0" },
    { deno: "2.6.10" },
    { driver: "tcp" },
  ];
  for (const other of others) {
    assert.equal(readCalibration(folder.path, { ...SUBJECT, ...other }, NOW), null);
  }
});

Deno.test("a broken file is as good as none", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND, NOW);
  const [{ name }] = [...Deno.readDirSync(folder.path)];
  const path = join(folder.path, name);
  const text = Deno.readTextFileSync(path);
  for (
    const broken of [
      "",
      "{}",
      text.slice(0, -5),
      ...["-1", "0", "null"].map((peak) => text.replace("123456.7", peak)),
    ]
  ) {
    Deno.writeTextFileSync(path, broken);
    assert.equal(readCalibration(folder.path, SUBJECT, NOW), null, broken);
  }
});

Deno.test("a folder that can't be written to is no failure", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "a file");
  Deno.writeTextFileSync(file, "");
  await writeCalibration(file, SUBJECT, FOUND, NOW);
  assert.equal(readCalibration(file, SUBJECT, NOW), null);
});

function slice(
  rate: number,
  medianMs: number,
  generator: Partial<Measurement["generator"]> = {},
): ReturnType<typeof measurementFixture> {
  const measured = measurementFixture({ target: "null", scenario: "null", medianMs: 1 });
  const percentiles = { ...measured.service.percentiles, "50": medianMs };
  return {
    ...measured,
    rate,
    service: { ...measured.service, percentiles },
    generator: { ...measured.generator, ...generator },
  };
}

Deno.test("the highest rate counts, as a busy moment only makes a generator slower, and the median latency, as luck makes one faster", () => {
  const full = [slice(100, 1), slice(300, 2), slice(200, 1)];
  const single = [slice(5, 0.4), slice(5, 0.2), slice(5, 0.3)];
  assert.deepEqual(calibrationOf({ full, single }), { peakThroughput: 300, baselineLatency: 0.3 });
  assert.equal(calibrationOf({ full: [slice(0, 1)], single }), null);
});

Deno.test("a calibration holds for a month", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND, NOW);
  const readAt = (day: string) => readCalibration(folder.path, SUBJECT, new Date(day));
  assert.deepEqual(readAt("2026-12-27T12:00:00Z"), FOUND);
  assert.equal(readAt("2026-12-29T12:00:00Z"), null);
  assert.equal(readAt("2026-11-27T12:00:00Z"), null, "measured in the future");
});

Deno.test("a load that is faster than the peak refutes it, unless it is pipelined or a burst", () => {
  const load = { completedPerSec: 1_001, elapsedS: 1, workers: 2, pipeline: 1 };
  assert.ok(refutes(load, { peakThroughput: 500 }));
  assert.ok(!refutes(load, { peakThroughput: 501 }));
  assert.ok(!refutes({ ...load, pipeline: 2 }, { peakThroughput: 500 }));
  assert.ok(!refutes({ ...load, elapsedS: 0.05 }, { peakThroughput: 500 }));
});

/** Faster than any load, so that none refutes it. */
const ABSURD = { peakThroughput: 1e12, baselineLatency: 0.02 };

const RATE = {
  kind: "rate",
  arrivals: "uniform",
  connections: 4,
  workers: 1,
  keepAlive: true,
  timeout: 5_000,
} as const;

Deno.test("figures that a load exceeds reach no result, and are forgotten", async () => {
  const key = calibrationKey("epoll");
  if (key === null) return; // nothing is remembered here
  await using api = await serve("api");
  using cache = emptyFolder();
  const folder = join(cache.path, "plateau");
  for (const figures of [{ ...ABSURD, peakThroughput: 1 }, { ...ABSURD, baselineLatency: 1e6 }]) {
    for (const driver of ["epoll", "tcp"] as const) {
      await writeCalibration(folder, { ...key, driver }, figures, new Date());
    }
    const { stdout } = await plateau(
      ["bench", `${api.origin}/static`, "-d", "300ms", "--json", "-"],
      { env: freshCache(cache.path) },
    );
    const { peakThroughput, baselineLatency } = measurement.parse(JSON.parse(stdout)).generator;
    assert.deepEqual([peakThroughput, baselineLatency], [null, null]);
    assert.equal([...Deno.readDirSync(folder)].length, 1, "the other driver's is kept");
  }
});

Deno.test("a side that loads by turns refutes the peak by the rate of its turns", async () => {
  const key = calibrationKey("tcp");
  if (key === null) return; // nothing is remembered here
  await using api = await serve("api");
  await withOwnCache(async () => {
    // In its turns, a side has 1,000 requests/s: over the time of both, fewer than 500.
    await rememberCalibration("tcp", { ...ABSURD, peakThroughput: 700 });
    const lengths = { sliceUs: 100_000, cutUs: 10_000, shiftUs: 0, pauseUs: 10_000 };
    const turns = { ...turnsOf(lengths, { pairs: 4, seed: 1 }), side: 0 as const };
    const loader = new LocalLoader();
    const { generator } = await measureLoad({
      origin: api.origin,
      script: scriptOf(requestScenarioSpec.parse({ get: "/static" }), 0),
      load: { ...RATE, ratePerSec: 1_000, durationMs: turns.durationUs / 1_000 },
      turns,
      seed: 0,
      driver: "tcp",
      intervalMs: 100,
      logPath: null,
      implicitCheck: false,
    }, { loader, signal: new AbortController().signal, onProgress: () => {} })
      .finally(() => loader.close());
    assert.equal(generator.peakThroughput, null);
    assert.equal(rememberedCalibration("tcp"), null);
  });
});

/** Caches of its own for this process, as long as `act` takes. */
async function withOwnCache<T>(act: () => Promise<T>): Promise<T> {
  using cache = emptyFolder();
  const before = Deno.env.get("XDG_CACHE_HOME");
  Deno.env.set("XDG_CACHE_HOME", cache.path);
  try {
    return await act();
  } finally {
    if (before === undefined) Deno.env.delete("XDG_CACHE_HOME");
    else Deno.env.set("XDG_CACHE_HOME", before);
  }
}

const QUIET = { waiting: 0, cpu: 0.95 };
const BUSY: Readonly<Record<string, Partial<Measurement["generator"]>>> = {
  "stood in line for a core": { waiting: 0.3, cpu: 0.95 },
  "waited for the server": { waiting: 0, cpu: 0.4 },
};

/** What is remembered after a calibration that found this rate, where `known` was remembered before. */
function rememberedAfter(
  rate: number,
  generator: Partial<Measurement["generator"]>,
  known = FOUND,
  ofSingle: Partial<Measurement["generator"]> = QUIET,
): Promise<{ readonly given: number | undefined; readonly remembered: number | undefined }> {
  return withOwnCache(async () => {
    await rememberCalibration("epoll", known);
    const slices = { full: [slice(rate, 1, generator)], single: [slice(5, 0.03, ofSingle)] };
    const given = await calibrate(
      { driver: "epoll", signal: new AbortController().signal },
      () => Promise.resolve(slices),
    );
    return {
      given: given?.peakThroughput,
      remembered: rememberedCalibration("epoll")?.peakThroughput,
    };
  });
}

Deno.test("a calibration on a quiet machine replaces what is remembered, be it higher or lower", async () => {
  if (calibrationKey("epoll") === null) return; // nothing is remembered here
  for (const rate of [FOUND.peakThroughput * 2, FOUND.peakThroughput / 2]) {
    assert.deepEqual(await rememberedAfter(rate, QUIET), { given: rate, remembered: rate });
  }
});

Deno.test("a calibration whose baseline stood in line for a core is not remembered", async () => {
  if (calibrationKey("epoll") === null) return; // nothing is remembered here
  const { peakThroughput } = FOUND;
  const lower = peakThroughput / 2;
  assert.deepEqual(
    await rememberedAfter(lower, QUIET, FOUND, { waiting: 0.3, cpu: 0.3 }),
    { given: lower, remembered: peakThroughput },
  );
});

Deno.test("a median far below the baseline refutes it, but the choice of cores does not", () => {
  assert.ok(undercuts(0.1, { baselineLatency: 0.5 }));
  assert.ok(!undercuts(0.02, { baselineLatency: 0.05 }));
  assert.ok(!undercuts(0, { baselineLatency: 0.5 }));
});

for (const [why, generator] of Object.entries(BUSY)) {
  Deno.test(`a calibration whose worker ${why} is not remembered, and refutes a peak that it exceeds`, async () => {
    if (calibrationKey("epoll") === null) return; // nothing is remembered here
    const { peakThroughput } = FOUND;
    const lower = peakThroughput / 2;
    assert.deepEqual(
      await rememberedAfter(lower, generator),
      { given: lower, remembered: peakThroughput },
    );
    const higher = peakThroughput * 2;
    assert.deepEqual(
      await rememberedAfter(higher, generator),
      { given: higher, remembered: undefined },
    );
  });
}

const DAY_MS = 24 * 3_600_000;

/** What may be in the place of this machine's calibration, and whether a result has it. */
const FILES: Readonly<Record<string, readonly [change: (text: string) => string, told: boolean]>> =
  {
    "as it was written": [(text) => text, true],
    "of a peak of zero": [(text) => text.replace("1000000000000", "0"), false],
    "of a machine without cores": [(text) => text.replace(/"cores":\d+/, '"cores":0'), false],
    "of another machine": [(text) => text.replace(/"cpu":"[^"]*"/, '"cpu":"another"'), false],
    "that is stale": [(text) => measuredAt(text, -31 * DAY_MS), false],
  };

function measuredAt(text: string, fromNowMs: number): string {
  const time = new Date(Date.now() + fromNowMs).toISOString();
  return text.replace(/"measuredAt":"[^"]*"/, `"measuredAt":"${time}"`);
}

Deno.test("a calibration that is stale, zero or of elsewhere reaches no result", async () => {
  const key = calibrationKey("epoll");
  if (key === null) return; // nothing is remembered here
  await using api = await serve("api");
  for (const [what, [change, told]] of Object.entries(FILES)) {
    using cache = emptyFolder();
    const folder = join(cache.path, "plateau");
    for (const driver of ["epoll", "tcp"] as const) {
      await writeCalibration(folder, { ...key, driver }, ABSURD, new Date());
    }
    for (const { name } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      Deno.writeTextFileSync(path, change(Deno.readTextFileSync(path)));
    }
    const { stdout } = await plateau(
      ["bench", `${api.origin}/static`, "-n", "20", "-c", "2", "--json", "-"],
      { env: freshCache(cache.path) },
    );
    const { peakThroughput, baselineLatency } = measurement.parse(JSON.parse(stdout)).generator;
    const expected = told ? [1e12, 0.02] : [null, null];
    assert.deepEqual([peakThroughput, baselineLatency], expected, `a file ${what}`);
  }
});
