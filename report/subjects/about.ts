/** The head of a report: whether anything was measured, the verdict, which runs to doubt, what was measured where, and what a reader must know before believing a number. */
import { type Block, list, text } from "../blocks.ts";
import type { MeasuredRuns } from "../cells/measured.ts";
import { caveatSentence } from "../findings/caveat_sentences.ts";
import { noResponseCaveat, stoppedCaveat, warningsOf } from "../findings/caveats.ts";
import { trustOfRuns } from "../findings/trust.ts";
import { capitalized } from "../writing/words.ts";
import { agentsText } from "./agents/agents.ts";
import { factsOf } from "./method/method.ts";
import type { ReportContext, Subject } from "./subject.ts";

/** Comes before every figure and the verdict: they are of nothing. */
export function unanswered({ runs }: Pick<MeasuredRuns, "runs">): Block[] {
  const silent = noResponseCaveat(runs);
  return silent === null ? [] : [text(silent.code, caveatSentence(silent), "warning")];
}

export const about: Subject<ReportContext> = {
  id: "about",
  title: "",
  depth: "summary",
  build: ({ results, asWritten }) => {
    const { runs, experiment } = results;
    const stopped = stoppedCaveat(results, asWritten);
    const source = experiment?.source;
    return [
      { ...text("source", typeof source === "string" ? source : "", "note"), forms: ["page"] },
      ...trustBlocks(runs),
      { kind: "facts", facts: factsOf(results), forms: ["page", "markdown"] },
      { ...text("agents", prefixed("Agents: ", agentsText(runs))), forms: ["terminal"] },
      ...stopped === null ? [] : [text("stopped", caveatSentence(stopped))],
      ...warningsOf(results, asWritten).map((caveat) =>
        text(caveat.code, caveatSentence(caveat), "warning")
      ),
    ];
  },
};

function prefixed(prefix: string, text: string): string {
  return text === "" ? "" : prefix + text;
}

/** Why runs are not valid; where all are, a word for those who have no card with it. */
function trustBlocks(runs: ReportContext["results"]["runs"]): Block[] {
  const trust = trustOfRuns(runs);
  if (trust === null) return [];
  const { level, reasons } = trust;
  const title = `${capitalized(level)}: ${trust.text}`;
  return reasons.length === 0
    ? [{ ...text(`trust.${level}`, title), forms: ["terminal", "markdown"] }]
    : [list(reasons.map((text) => ({ code: `trust.${level}`, text })), { title, fold: level })];
}
