/** The head of a report: whether anything was measured, the verdict, which runs to doubt, what was measured where, and what a reader must know before believing a number. */
import { type Block, list, text } from "../blocks.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { noResponseCaveats, stoppedCaveats, warningsOf } from "../findings/caveats.ts";
import { isValid, type TrustModel, trustOfRuns } from "../findings/trust.ts";
import { otherStatusesText } from "../findings/statuses.ts";
import { capitalized } from "../writing/words.ts";
import { agentsText } from "./agents/agents.ts";
import { factsOf } from "./method/method.ts";
import type { ReportContext, Subject } from "./subject.ts";

/** Comes before every figure and the verdict: they are of nothing. */
export function unanswered({ runs }: Pick<MeasuredRuns, "runs">): Block[] {
  return noResponseCaveats(runs).map((silent) => text(silent.code, silent.text, "warning"));
}

/** Comes before them, too, where there is one run: it may be of nothing but error pages. */
export function otherStatuses({ runs }: Pick<MeasuredRuns, "runs">): Block[] {
  const said = runs.length === 1 ? otherStatusesText(runs[0]) : "";
  return said === "" ? [] : [text("statuses", `${said}.`, "warning")];
}

export const about: Subject<ReportContext> = {
  id: "about",
  title: "",
  depth: "summary",
  build: ({ results, asWritten }) => {
    const { runs, experiment } = results;
    const source = experiment?.source;
    const agents = agentsText(runs);
    return [
      { ...text("source", typeof source === "string" ? source : "", "note"), forms: ["page"] },
      ...trustBlocks(trustOfRuns(runs), { isCarded: !runs.some(isValid) }),
      { kind: "facts", facts: factsOf(results), forms: ["page", "markdown"] },
      { ...text("agents", agents && `Agents: ${agents}`), forms: ["terminal"] },
      ...stoppedCaveats(results, asWritten).map((stopped) => text(stopped.code, stopped.text)),
      ...warningsOf(results, asWritten).map((one) => text(one.code, one.text, "warning")),
    ];
  },
};

/**
 * Why runs are not valid; where all are, a word for those who have no card with it.
 *
 * @param isCarded Whether a card above has said all but why; a terminal shows it last.
 */
export function trustBlocks(trust: TrustModel | null, { isCarded = false } = {}): Block[] {
  if (trust === null) return [];
  const { level, reasons } = trust;
  const title = `${capitalized(level)}: ${trust.text}`;
  if (reasons.length === 0) {
    return [{ ...text(`trust.${level}`, title), forms: ["terminal", "markdown"] }];
  }
  const reasonsUnder = (title: string): Block =>
    list(reasons.map((text) => ({ code: `trust.${level}`, text })), { title, fold: level });
  return isCarded
    ? [
      { ...reasonsUnder(title), forms: ["terminal"] },
      { ...reasonsUnder("Why, run by run"), forms: ["page", "markdown"] },
    ]
    : [reasonsUnder(title)];
}
