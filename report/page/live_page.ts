/**
 * The report of a running experiment: the same page, with a progress bar, and a client that puts in newer
 * parts. Only this page may send requests, to its own server; the saved file sends none.
 */
import type { ReportModel } from "../model/model.ts";
import { type Markup, markup } from "../writing/html.ts";
import type { Written } from "../writing/written.ts";
import css from "./live.css" with { type: "text" };
import script from "./live_client.js" with { type: "text" };
import { type LiveStatus, remainingText } from "./live_status.ts";
import { renderReportPage } from "./page.ts";

export interface LiveState {
  /** The number of this page among those of the experiment. */
  readonly page: number;
  readonly status: LiveStatus;
}

export function renderLivePage(models: readonly ReportModel[], state: LiveState): Written<"html"> {
  return renderReportPage(models, { bar: barMarkup(state), script, css });
}

/** Its client changes its texts as the experiment goes on. */
function barMarkup({ page, status }: LiveState): Markup {
  const { done, runs, text, leftMs } = status;
  const left = leftMs === null ? "" : remainingText(leftMs);
  return markup`<aside class="live" id="live" aria-label="Progress" data-page="${page}">
<progress aria-label="Runs that ended" max="${Math.max(1, runs)}" value="${done}"></progress>
<p role="status">${text}</p> <p class="left">${left}</p></aside>
`;
}
