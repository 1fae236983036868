import assert from "node:assert/strict";
import { join } from "node:path";
import { calibrationOf } from "../../runner/calibration/calibration.ts";
import {
  type CalibrationKey,
  calibrationKey,
  readCalibration,
  refutes,
  writeCalibration,
} from "../../runner/host/calibration_cache.ts";
import { measurement } from "../../runner/result/result.ts";
import { freshCache } from "../e2e/caches.ts";
import { emptyFolder, plateau, serve } from "../e2e/plateau.ts";
import { measurementFixture } from "../report/fixture.ts";

const SUBJECT: CalibrationKey = {
  cpu: "Some CPU @ 2.40GHz",
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

Deno.test("with another machine, version or driver it is not the same calibration", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND, NOW);
  const others: Partial<CalibrationKey>[] = [
    { cpu: "another" },
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

Deno.test("the highest rate counts, as a busy moment only makes a generator slower, and the median latency, as luck makes one faster", () => {
  const slice = (rate: number, medianMs: number) => {
    const measured = measurementFixture({ target: "null", scenario: "null", medianMs: 1 });
    const percentiles = { ...measured.service.percentiles, "50": medianMs };
    return { ...measured, rate, service: { ...measured.service, percentiles } };
  };
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

Deno.test("a peak that a load exceeds reaches no result, and is forgotten", async () => {
  const key = calibrationKey("epoll");
  if (key === null) return; // nothing is remembered here
  await using api = await serve("api");
  using cache = emptyFolder();
  const folder = join(cache.path, "plateau");
  const falsePeak = { peakThroughput: 1, baselineLatency: 0.02 };
  for (const driver of ["epoll", "tcp"] as const) {
    await writeCalibration(folder, { ...key, driver }, falsePeak, new Date());
  }
  const { stdout } = await plateau(
    ["bench", `${api.origin}/static`, "-d", "300ms", "--json", "-"],
    { env: freshCache(cache.path) },
  );
  assert.equal(measurement.parse(JSON.parse(stdout)).generator.peakThroughput, null);
  assert.equal([...Deno.readDirSync(folder)].length, 1, "the other driver's is kept");
});
