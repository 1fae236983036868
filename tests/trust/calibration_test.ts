import assert from "node:assert/strict";
import { join } from "node:path";
import { calibrationOf } from "../../runner/calibration/calibration.ts";
import {
  type CalibrationKey,
  readCalibration,
  writeCalibration,
} from "../../runner/host/calibration_cache.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { measurementFixture } from "../report/fixture.ts";

const SUBJECT: CalibrationKey = {
  cpu: "Some CPU @ 2.40GHz",
  cores: 4,
  kernel: "6.1.0",
  plateau: "0.1.0",
  deno: "2.9.6",
  driver: "epoll",
};
const FOUND = { peakThroughput: 123_456.7, baselineLatency: 0.031 };

Deno.test("a calibration is remembered, and nothing else is left in the folder", async () => {
  using folder = emptyFolder();
  const path = join(folder.path, "not/yet/there");
  await writeCalibration(path, SUBJECT, FOUND);
  assert.deepEqual(readCalibration(path, SUBJECT), FOUND);
  assert.equal([...Deno.readDirSync(path)].length, 1);
  await writeCalibration(path, SUBJECT, { ...FOUND, peakThroughput: 1 });
  assert.equal(readCalibration(path, SUBJECT)?.peakThroughput, 1);
});

Deno.test("with another machine, version or driver it is not the same calibration", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND);
  const others: Partial<CalibrationKey>[] = [
    { cpu: "another" },
    { cores: 8 },
    { kernel: "6.2.0" },
    { plateau: "0.2.0" },
    { deno: "2.6.10" },
    { driver: "tcp" },
  ];
  for (const other of others) {
    assert.equal(readCalibration(folder.path, { ...SUBJECT, ...other }), null);
  }
});

Deno.test("a broken file is as good as none", async () => {
  using folder = emptyFolder();
  await writeCalibration(folder.path, SUBJECT, FOUND);
  const [{ name }] = [...Deno.readDirSync(folder.path)];
  const path = join(folder.path, name);
  const text = Deno.readTextFileSync(path);
  for (const broken of ["", "{}", text.slice(0, -5), text.replace("123456.7", "-1")]) {
    Deno.writeTextFileSync(path, broken);
    assert.equal(readCalibration(folder.path, SUBJECT), null, broken);
  }
});

Deno.test("a folder that can't be written to is no failure", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "a file");
  Deno.writeTextFileSync(file, "");
  await writeCalibration(file, SUBJECT, FOUND);
  assert.equal(readCalibration(file, SUBJECT), null);
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
