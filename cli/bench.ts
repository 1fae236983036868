/** `plateau bench URL`: one measurement, in the manner of wrk and oha. */
import { measureUrl } from "../runner/bench.ts";
import type { Measurement } from "../runner/result.ts";
import { EXIT } from "../scenarios/errors.ts";
import { benchConflicts, benchParts, benchRequest } from "./bench_flags.ts";
import { defineCommand } from "./define.ts";
import { interruptible } from "./interrupt.ts";
import { judgeMeasurement } from "./judge.ts";
import { type Renderers, takesStdout, writeOutputs } from "./outputs.ts";
import { print, progressView, terminalOptions } from "./terminal.ts";

export const bench = defineCommand({
  parts: benchParts,
  conflicts: benchConflicts,
  more: `Examples:
  plateau bench http://127.0.0.1:8080/ -c 100 -d 30s
  plateau bench http://127.0.0.1:8080/login -m post -H "content-type: application/json" -b '{"user":"a"}'
  plateau bench http://127.0.0.1:8080/ -n 10000 --expect-status 200 --json -`,
  run(values): Promise<number> {
    return interruptible(async (signal) => {
      const { onProgress, stop } = await progressView(values.quiet);
      const measurement = await measureUrl(benchRequest(values), { onProgress, signal }).finally(
        stop,
      );
      await writeOutputs(values, renderersOf(measurement));
      if (!takesStdout(values)) await print(await summaryOf(measurement));
      if (!signal.aborted) judgeMeasurement(measurement);
      return EXIT.done;
    });
  },
});

function renderersOf(measurement: Measurement): Renderers {
  return {
    json: () => JSON.stringify(measurement, null, 2) + "\n",
    csv: async () => (await import("../report/csv.ts")).renderMeasurementCsv(measurement),
    markdown: async () =>
      (await import("../report/markdown.ts")).renderMeasurementMarkdown(measurement),
    html: async () => (await import("./bench_page.ts")).renderBenchPage(measurement),
  };
}

async function summaryOf(measurement: Measurement): Promise<string> {
  const { renderMeasurement } = await import("../report/terminal/measurement.ts");
  return renderMeasurement(measurement, terminalOptions());
}
