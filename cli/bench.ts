/** `plateau bench URL`: one measurement, in the manner of wrk and oha. */
import { measureUrl } from "../runner/bench.ts";
import type { Measurement } from "../runner/result.ts";
import { CheckError, EXIT, TargetError } from "../scenarios/errors.ts";
import { benchConflicts, benchParts, benchRequest } from "./bench_flags.ts";
import { defineCommand } from "./define.ts";
import { interruptible } from "./interrupt.ts";
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
      if (!signal.aborted) judge(measurement);
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

/** Throws where the exit code is not 0. Slow is not dead: time-outs are a result, as in wrk. */
function judge({ url, requests, errors, reasons, checks }: Measurement): void {
  const broken = requests.failed - (errors.timeout ?? 0);
  if (requests.completed === 0 && broken > 0) {
    throw new TargetError(
      `Cannot measure ${url}: no request got an answer`,
      Object.keys(reasons).slice(0, 5),
    );
  }
  if (checks.failed > 0) {
    const answers = checks.passed + checks.failed;
    throw new CheckError(`${checks.failed} of ${answers} answers of ${url} are not as expected`);
  }
}
