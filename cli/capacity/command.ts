/** `plateau capacity URL --within RULE`: the highest rate at which every rule holds. */
import { EXIT } from "../../base/errors.ts";
import type { Files } from "../../base/files.ts";
import { renderCapacity } from "../../report/terminal/capacity.ts";
import { jsonText } from "../../report/writing/json.ts";
import { type CapacitySearch, findCapacity } from "../../runner/capacity/capacity.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { filesFor, requestWith } from "../commands/bench.ts";
import { loaderFor } from "../flags/fleet_flags.ts";
import { verifyCapacities } from "../output/verify_capacity.ts";
import { takesStdout, writeOutputs } from "../flags/output_flags.ts";
import { interruptible } from "../terminal/process.ts";
import { print, progressView, terminalOptions } from "../terminal/terminal.ts";
import { capacityConflicts, capacityParts, type CapacityValues } from "./flags.ts";

export const capacityCommand = defineCommand({
  parts: capacityParts,
  conflicts: capacityConflicts,
  more:
    `Open-loop trials at many rates, short ones first, find where the first rule breaks. The last line
is the capacity with its 95 % interval. Where the generator is the limit, it is "at least".

Examples:
  plateau capacity http://127.0.0.1:8080/ --within "p99 < 50ms"
  plateau capacity http://127.0.0.1:8080/ --within "p99 < 50ms" --within "success >= 99.9%" --json -`,
  run: (values): Promise<number> =>
    interruptible(async (signal) => {
      const { onProgress, stop } = await progressView(values.quiet);
      const onNote = (text: string): void => onProgress({ kind: "note", text });
      const loader = await loaderFor(values, onNote);
      const nowMs = (): number => performance.now();
      const search = searchOf(values, await filesFor(values));
      const found = await findCapacity(search, { loader, onProgress, signal, nowMs })
        .finally(() => loader.close())
        .finally(stop);
      if ("unanswered" in found) {
        const { verifyMeasurement } = await import("../output/verify.ts");
        if (!signal.aborted) verifyMeasurement(found.unanswered);
        return EXIT.interrupted;
      }
      const isPrinted = !takesStdout(values);
      await writeOutputs(values, { json: () => jsonText(found, 2) }).finally(async () => {
        const isTerminal = Deno.stdout.isTerminal();
        if (isPrinted) await print(renderCapacity(found, { ...terminalOptions(), isTerminal }));
      });
      if (!signal.aborted) {
        verifyCapacities([{ place: "", search: found }], { isStrict: values.strict, isPrinted });
      }
      return EXIT.done;
    }),
});

function searchOf(values: CapacityValues, files: Files | null): CapacitySearch {
  const { connections, arrivals, workers, timeout, keepalive, http2, width, trial } = values;
  const load = loadOf({
    ...{ connections, arrivals, workers, timeout, keepAlive: keepalive, http2 },
    rate: 1, // each trial has its own
  });
  if (load.kind !== "rate" || load.arrivals === "recorded") {
    throw new Error("A load with a rate is none");
  }
  return {
    request: requestWith({ ...values, log: undefined, files }, load),
    objectives: values.within,
    widthRatio: width,
    trialS: trial,
    budgetS: values.budget / 1_000,
    recoverS: values.recover / 1_000,
  };
}
