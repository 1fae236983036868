/** Whether thresholds held: throws the error whose exit code scripts wait for. Loaded after the load. Pure. */
import { CheckError, InconclusiveError } from "../../base/errors.ts";
import { GLUE } from "../../report/model/numbers/units.ts";
import type { GateOutcome } from "../../report/model/gates/gates.ts";
import { gateText } from "../../report/model/gates/table.ts";

/** What failed comes before what could not be decided. */
export function judgeGates(gates: readonly GateOutcome[]): void {
  const linesOf = (wanted: GateOutcome["outcome"]): string[] =>
    gates.filter(({ outcome }) => outcome === wanted).map((gate) =>
      gateText(gate).replaceAll(GLUE, " ")
    );
  const failed = linesOf("fail");
  if (failed.length > 0) {
    throw new CheckError(`${failed.length} of ${gates.length} thresholds failed`, failed);
  }
  const unsure = linesOf("inconclusive");
  if (unsure.length > 0) {
    const message = `${unsure.length} of ${gates.length} thresholds are inconclusive: ` +
      "there is not enough evidence for a verdict";
    throw new InconclusiveError(message, unsure);
  }
}
