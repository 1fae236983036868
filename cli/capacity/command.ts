/** `plateau capacity URL --within RULE`: the highest rate at which every rule holds. */
import {
  CheckError,
  EXIT,
  InconclusiveError,
  TargetError,
  UntrustedError,
} from "../../base/errors.ts";
import { capacitySentence } from "../../report/model/capacity.ts";
import { GLUE } from "../../report/model/numbers/units.ts";
import { renderCapacity } from "../../report/terminal/capacity.ts";
import { jsonText } from "../../report/writing/json.ts";
import { type CapacitySearch, findCapacity } from "../../runner/capacity/capacity.ts";
import type { CapacityResult } from "../../runner/result/capacity.ts";
import { loadOf } from "../../scenarios/load/load.ts";
import { defineCommand } from "../command_line/arguments.ts";
import { requestWith } from "../commands/bench.ts";
import { loaderFor } from "../flags/fleet_flags.ts";
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
      const found = await findCapacity(searchOf(values), { loader, onProgress, signal, nowMs })
        .finally(() => loader.close())
        .finally(stop);
      if ("unanswered" in found) {
        const { verifyMeasurement } = await import("../output/verify.ts");
        if (!signal.aborted) verifyMeasurement(found.unanswered);
        return EXIT.interrupted;
      }
      await writeOutputs(values, { json: () => jsonText(found, 2) });
      const isPrinted = !takesStdout(values);
      if (isPrinted) await print(renderCapacity(found, terminalOptions()));
      if (!signal.aborted) verifyCapacity(found, { isStrict: values.strict, isPrinted });
      return EXIT.done;
    }),
});

function searchOf(values: CapacityValues): CapacitySearch {
  const { connections, arrivals, workers, timeout, keepalive, width, trial } = values;
  const load = loadOf({
    ...{ connections, arrivals, workers, timeout, keepAlive: keepalive },
    rate: 1, // each trial has its own
  });
  if (load.kind !== "rate") throw new Error("A load with a rate is none");
  return {
    request: requestWith({ ...values, log: undefined }, load),
    objectives: values.within,
    widthRatio: width,
    trialS: trial,
    budgetS: values.budget / 1_000,
    recoverS: values.recover / 1_000,
  };
}

interface Verified {
  readonly isStrict: boolean;
  /** Whether the last line of the output says what was found, which the error then does not repeat. */
  readonly isPrinted: boolean;
}

/** Throws the error of whatever kept the search from its goal. */
export function verifyCapacity(result: CapacityResult, { isStrict, isPrinted }: Verified): void {
  const found = isPrinted ? [] : [capacitySentence(result).replaceAll(GLUE, " ")];
  switch (result.end) {
    case "nothing-holds":
      throw new CheckError("No rate was found at which every rule holds", found);
    case "not-recovered":
      throw new TargetError("Cannot go on: the target did not recover from a trial", found);
    case "budget":
      throw new InconclusiveError("The budget ended before the interval was narrow enough", found);
    case "disturbed":
      throw new InconclusiveError("The machine disturbed one trial after the other", found);
    case "generator":
      if (isStrict) throw new UntrustedError("The generator was the limit", found);
  }
}
