/** `plateau bench URL`: one measurement, in the manner of wrk and oha. */
import type { Grouped } from "../report/cells.ts";
import type { GateOutcome } from "../report/gates.ts";
import { jsonText } from "../report/writing/json.ts";
import type { Written } from "../report/writing/written.ts";
import { measureUrl } from "../runner/measure/bench.ts";
import type { Measurement } from "../runner/result/result.ts";
import { EXIT, TargetError } from "../base/errors.ts";
import { withoutSecrets } from "../base/secrets.ts";
import type { Threshold } from "../scenarios/claims/threshold.ts";
import type { Asked } from "./bench_page.ts";
import { benchConflicts, benchParts } from "./bench_flags.ts";
import { benchRequest } from "./bench_request.ts";
import type { Command } from "./command.ts";
import { defineCommand } from "./define.ts";
import { hostname } from "./environment.ts";
import { loaderFor } from "./fleet_flags.ts";
import { tellGithub } from "./github.ts";
import { keepGivenSecrets } from "./given_secrets.ts";
import { interruptible } from "./interrupt.ts";
import { judgeMeasurement, judgeTrust } from "./judge.ts";
import { type Renderers, takesStdout, writeOutputs } from "./outputs.ts";
import { print, printError, progressView, terminalOptions } from "./terminal.ts";
import { readBaseline } from "./threshold_flags.ts";

const command = defineCommand({
  parts: benchParts,
  conflicts: benchConflicts,
  more: `By default each connection asks again when it has its answer, until the time is
over. With --rate or --phases requests are due when the clock says so, however
busy the server is, and their latency counts from that moment.

Examples:
  plateau bench http://127.0.0.1:8080/ -c 100 -d 30s
  plateau bench http://127.0.0.1:8080/login -m post -H "content-type: application/json" -b '{"user":"a"}'
  plateau bench http://127.0.0.1:8080/ -n 10000 --expect-status 200 --json -`,
  async run(values, args): Promise<number> {
    const baseline = await readBaseline(values.threshold, values.baseline);
    return interruptible(async (signal) => {
      const { onProgress, stop } = await progressView(values.quiet);
      const onNote = (text: string): void => onProgress({ kind: "note", text });
      const loader = await loaderFor(values, onNote);
      const request = benchRequest(values);
      const measurement = await measureUrl(request, { loader, onProgress, signal })
        .finally(() => loader.close())
        .finally(stop);
      const gates = await gatesOf(measurement, values.threshold, baseline);
      const asked = {
        thresholds: values.threshold,
        baseline,
        args: args.map(withoutSecrets),
        seed: request.seed,
      };
      const renderers = renderersOf(measurement, asked, gates);
      await writeOutputs(values, renderers);
      if (!takesStdout(values)) await print(await summaryOf(measurement, gates));
      await tellGithub({
        markdown: renderers.markdown,
        annotations: async () =>
          (await import("./github_annotations.ts")).measurementAnnotations(measurement, gates),
      });
      if (values.like !== undefined && !values.quiet) {
        await tellDifferences(values.like, measurement);
      }
      const lost = loader.lostLog?.() ?? null;
      if (lost !== null) {
        throw new TargetError(`Cannot write all of the request log to "${values.log}": ${lost}`);
      }
      if (!signal.aborted) await judge(measurement, { gates, strict: values.strict });
      return EXIT.done;
    });
  },
});

/** `--like` stands for other arguments, which are put in its place before anything is read. */
export const bench: Command = {
  parts: benchParts,
  async execute(args, title): Promise<number> {
    keepGivenSecrets(args);
    const isLike = args.some((arg) => arg.startsWith("--like"));
    const given = isLike ? (await import("./like.ts")).withLikeness(args) : args;
    return await command.execute(given, title);
  },
};

async function tellDifferences(like: string, measurement: Measurement): Promise<void> {
  const { differencesOf } = await import("./like.ts");
  const { textLines } = await import("../report/writing/terminal.ts");
  printError(textLines(differencesOf(like, measurement), terminalOptions(Deno.stderr)));
}

/** What became of the thresholds. */
async function gatesOf(
  measurement: Measurement,
  thresholds: readonly Threshold[],
  baseline: Grouped | null,
): Promise<readonly GateOutcome[]> {
  if (thresholds.length === 0) return [];
  const { judgeCells } = await import("../report/gates.ts");
  const { gatedMeasurement } = await import("../report/gates/cells.ts");
  const cells = [gatedMeasurement(measurement, baseline)];
  return judgeCells(thresholds, cells, { hasBaseline: baseline !== null });
}

/** What a measurement that can't be trusted says of thresholds is nothing, so trust comes first. */
async function judge(
  measurement: Measurement,
  { gates, strict }: { gates: readonly GateOutcome[]; strict: boolean },
): Promise<void> {
  judgeMeasurement(measurement);
  if (strict) judgeTrust([measurement]);
  if (gates.length > 0) (await import("./judge_gates.ts")).judgeGates(gates);
}

function renderersOf(
  measurement: Measurement,
  asked: Asked,
  gates: readonly GateOutcome[],
): Renderers {
  return {
    json: () => jsonText(measurement, 2),
    csv: async () => (await import("../report/csv.ts")).renderMeasurementCsv(measurement),
    csvIntervals: async () =>
      (await import("../report/csv/intervals.ts")).renderMeasurementIntervalsCsv(measurement),
    markdown: async () =>
      (await import("../report/markdown.ts")).renderMeasurementMarkdown(measurement, gates),
    junit: async () => await junitOf(measurement, gates),
    html: async () => (await import("./bench_page.ts")).renderBenchPage(measurement, asked),
  };
}

async function junitOf(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Promise<Written<"xml">> {
  const { measurementSuite, renderJunit } = await import("../report/junit.ts");
  const startedAt = new Date(Date.now() - measurement.elapsedS * 1_000).toISOString();
  const about = { measurement, startedAt, hostname: hostname() };
  return renderJunit([measurementSuite(about, gates)]);
}

async function summaryOf(
  measurement: Measurement,
  gates: readonly GateOutcome[],
): Promise<Written<"terminal">> {
  const { renderMeasurement } = await import("../report/terminal/measurement.ts");
  return renderMeasurement(measurement, terminalOptions(), gates);
}
