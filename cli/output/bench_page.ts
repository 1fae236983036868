/** The report page of a single measurement. */
import { describeMachine } from "../../base/system/describe.ts";
import { reportModel } from "../../report/model/model.ts";
import type { Grouped } from "../../report/model/runs/cells.ts";
import { type BenchCommand, measuredAlone } from "../../report/model/runs/measured.ts";
import { renderReportPage } from "../../report/page/page.ts";
import type { Written } from "../../report/writing/written.ts";
import { hashSettings } from "../../runner/experiment/provenance.ts";
import type { Measurement } from "../../runner/result/result.ts";

/** What the measurement itself does not hold. */
export interface BenchInvocation extends BenchCommand {
  readonly baseline: Grouped | null;
  /** The seed that the command used, given or drawn. */
  readonly seed: number;
}

export function renderBenchPage(
  measurement: Measurement,
  { baseline, seed, args, thresholds }: BenchInvocation,
): Written<"html"> {
  const { url, load } = measurement;
  const measured = measuredAlone(measurement, {
    bench: { args, thresholds },
    finishedAt: new Date(),
    machine: describeMachine(),
    seed,
    settings: hashSettings({ url, load }),
  });
  return renderReportPage([reportModel(measured, baseline)]);
}
