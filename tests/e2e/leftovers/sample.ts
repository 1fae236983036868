// deno-lint-ignore-file no-console -- its test waits for what it prints
/** A small run of the tests that would leave something of each kind, ten times: see `../leftovers_waits_slow_test.ts`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { TemporaryFolder } from "../../../base/system/temporary_folder.ts";
import { rememberCalibration } from "../../../runner/host/calibration_cache.ts";
import { emptyFolder, Plateau } from "../plateau.ts";

/** Names the test at which the run stays until it is killed. */
const HALTS_AT = "PLATEAU_HALTS_AT";

function halt(moment: number): Promise<never> {
  console.log(`halts at ${moment}`);
  return new Promise(() => setInterval(() => {}, 1_000));
}

for (let moment = 1; moment <= 10; moment++) {
  Deno.test({
    name: `moment ${moment}`,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn(): Promise<void> {
      writeFileSync(join(emptyFolder().path, "file"), "text");
      writeFileSync(Deno.makeTempFileSync(), "text");
      TemporaryFolder.make("leftover").write("file", "text");
      await rememberCalibration("epoll", { peakThroughput: moment, baselineLatency: 1 });
      if (moment % 3 === 1) await new Plateau(["serve", "api"]).prints(/^listening /m);
      if (String(moment) === Deno.env.get(HALTS_AT)) await halt(moment);
    },
  });
}
