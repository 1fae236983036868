/**
 * The page of a running experiment: its report so far, with a progress bar and a client that loads newer versions of
 * the page. Only this page may send requests, and only to its own server; the saved file sends none.
 */
import type { Document } from "../../document.ts";
import { markup } from "../../writing/html.ts";
import type { Written } from "../../writing/written.ts";
import css from "./live.css" with { type: "text" };
import script from "../../client/live_client.js" with { type: "text" };
import { type Live, liveFigures } from "../live_figures.ts";
import { type LiveName, type LivePoint, type LiveStatus, remainingText } from "./live_status.ts";
import { renderReportPage } from "./page.ts";
import type { Progress } from "../../../runner/result/progress.ts";
import { atMostText } from "../../writing/units.ts";
import { counted } from "../../writing/words.ts";
import { trialSentence } from "../../subjects/capacity.ts";
import { cellLabel } from "../../cells/cell_label.ts";

/** @param page Number of this page among all pages rendered for the experiment. */
export function renderLivePage(
  documents: readonly Document[],
  { page, status }: { readonly page: number; readonly status: LiveStatus },
): Written<"html"> {
  const { done, runs, text, leftMs } = status;
  const left = leftMs === null ? "" : remainingText(leftMs);
  // The client updates the texts in this bar.
  const bar = markup`<aside class="live" id="live" aria-label="Progress" data-page="${page}">
<progress aria-label="Runs that ended" max="${Math.max(1, runs)}" value="${done}"></progress>
<p role="status">${text}</p> <p class="left">${left}</p>
<div class="now" role="img" aria-label="Rate and p99 of the run in progress">${
    Object.entries(NOW_FIGURES).map(([figure, label]) =>
      markup`<p data-figure="${figure}"><span>${label}</span> <b>–</b> ${CHART} <span class="scale"></span></p>`
    )
  }</div></aside>
`;
  return renderReportPage(documents, { bar, script, css });
}

/** Labels to show until the first interval arrives. */
const NOW_FIGURES = { rate: "Requests/s", p99: "p99" } satisfies Record<LiveName, string>;
const CHART = markup`<svg viewBox="0 0 1 1" preserveAspectRatio="none"><path d=""/></svg>`;

// Turns the events of a running experiment into its progress in words. Pure.

export const GETTING_READY: LiveStatus = {
  done: 0,
  runs: 0,
  text: "Getting ready",
  leftMs: null,
  isOver: false,
};

/** Separates the text about a capacity search from the sentence about its latest trial. */
const BEFORE_TRIAL = "; trial ";

/** The progress after an event. Returns the same object if nothing changes. */
export function advanceStatus(status: LiveStatus, event: Progress): LiveStatus {
  switch (event.kind) {
    case "planned":
      return { ...status, runs: status.done + event.runs, leftMs: event.expectedMs };
    case "starting": {
      const { order, runs, mayEndEarly, scenario, repetition, partner, remainingMs } = event;
      const turns = partner === undefined ? "" : `, alternating with ${partner}`;
      const place = `Run ${order} of ${atMostText(`${runs}`, mayEndEarly)}`;
      const text = `${place}: ${scenario}, ${cellLabel(event)}, run ${repetition}${turns}`;
      return { ...status, done: order - 1, runs, text, leftMs: remainingMs };
    }
    case "trial": {
      const [run] = status.text.split(BEFORE_TRIAL);
      return { ...status, text: `${run}${BEFORE_TRIAL}${trialSentence(event)}` };
    }
    case "measured": {
      const done = event.order + (event.partner === undefined ? 0 : 1);
      return { ...status, done, leftMs: event.remainingMs ?? null };
    }
    case "missing":
      return event.missing.repetition === null ? status : { ...status, done: status.done + 1 };
    default:
      return status;
  }
}

/**
 * The status after the end of the experiment.
 * @param path Where the final page is saved.
 */
export function endedStatus(
  { done, runs }: LiveStatus,
  { isWhole, path }: { readonly isWhole: boolean; readonly path: string },
): LiveStatus {
  const ended = isWhole ? "Done" : `Interrupted after ${done} of ${counted(runs, "run")}`;
  const text = `${ended}: this page no longer changes. It is saved as ${path}`;
  return { done, runs: isWhole ? done : runs, text, leftMs: null, isOver: true };
}

/** The status after an error stopped the experiment, so that no final page is made. */
export function brokenStatus(status: LiveStatus): LiveStatus {
  const text = "Stopped by an error (see the terminal): this page no longer changes. " +
    "Completed runs are in results.json";
  return { ...status, text, leftMs: null, isOver: true };
}

export function pointOf(live: Live): LivePoint {
  const [rate, , p99] = liveFigures(live).map(({ label, of }) => ({ label, value: of(live) }));
  return { endMs: live.elapsedMs, rate, p99 };
}
