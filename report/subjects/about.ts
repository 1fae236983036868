/**
 * The head of a report: whether anything was measured, the verdict, which runs to doubt, what was measured and where,
 * and what a reader must know before believing a number.
 */
import { type Block, list, text } from "../blocks.ts";
import type { Run } from "../../runner/result/result.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import {
  incompleteCaveats,
  noResponseCaveats,
  stoppedCaveats,
  warningsOf,
} from "../findings/caveats.ts";
import { isValid, type TrustModel, trustOfRuns } from "../findings/trust.ts";
import { otherStatusesText } from "../findings/no_response.ts";
import { capitalized } from "../writing/words.ts";
import { agentsText } from "./agents/agents.ts";
import { factsOf } from "./method/method.ts";
import type { ReportContext } from "./subject.ts";

/**
 * A warning if runs got no response. It comes before all figures and the verdict, because they then describe nothing.
 */
export function unanswered({ runs }: Pick<MeasuredRuns, "runs">): Block[] {
  return noResponseCaveats(runs).map((silent) => text(silent.code, silent.text, "warning"));
}

/**
 * A warning about unexpected statuses of a single run. It comes before the run's figures, because the run may consist
 * of nothing but error pages.
 */
export function otherStatuses({ runs }: Pick<MeasuredRuns, "runs">): Block[] {
  const said = runs.length === 1 ? otherStatusesText(runs[0]) : "";
  return said === "" ? [] : [text("statuses", `${said}.`, "warning")];
}

export function about({ results, asWritten }: ReportContext): Block[] {
  const { runs, experiment } = results;
  const source = experiment?.source;
  const agents = agentsText(runs);
  return [
    { ...text("source", typeof source === "string" ? source : "", "note"), forms: ["page"] },
    ...incompleteCaveats(results).map((one) => text(one.code, one.text, "warning")),
    ...doubtsOf(runs),
    { kind: "facts", facts: factsOf(results), forms: ["page", "markdown"] },
    { ...text("agents", agents && `Agents: ${agents}`), forms: ["terminal"] },
    ...stoppedCaveats(results, asWritten).map((stopped) => text(stopped.code, stopped.text)),
    ...warningsOf(results, asWritten).map((one) => text(one.code, one.text, "warning")),
  ];
}

/** Why runs are not valid. If no run is valid, the card above says so, and the title does not repeat it. */
function doubtsOf(runs: readonly Run[]): Block[] {
  const trust = trustOfRuns(runs);
  if (trust === null) return [];
  return [reasonsList(trust, runs.some(isValid) ? titleOf(trust) : WHY_TITLE)];
}

/** Title of the reasons for doubt, for a report whose card already states everything else. */
export const WHY_TITLE = "Runs in doubt";

function titleOf({ level, text }: TrustModel): string {
  return `${capitalized(level)}: ${text}`;
}

function reasonsList({ level, reasons }: TrustModel, title: string): Block {
  const items = reasons.map((text) => ({ code: `trust.${level}`, text }));
  return list(items, { title, fold: level });
}

/**
 * Trust in a single measurement, whose report has no card: its level, what that means and, if there are any, the
 * reasons.
 */
export function trustBlock(trust: TrustModel): Block {
  const title = titleOf(trust);
  return trust.reasons.length === 0
    ? text(`trust.${trust.level}`, title)
    : reasonsList(trust, title);
}
