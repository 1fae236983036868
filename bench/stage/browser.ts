/// <reference lib="dom" />
/** A headless Chromium that tells when a report is ready. */
import { chromium } from "playwright-core";
import { TargetError } from "../../base/errors.ts";
import { findProgram } from "../../targets/launch/environment.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--no-first-run",
];

export interface ReportBrowser extends AsyncDisposable {
  /** From the start of loading. */
  load(url: string): Promise<PageTimes>;
}

export interface PageTimes {
  /** Until all text of the verdict card is painted. */
  readonly verdictMs: number;
  /** Until the page says that its charts are drawn. */
  readonly readyMs: number;
}

export async function openBrowser(): Promise<ReportBrowser> {
  const here = { path: Deno.env.get("PATH") ?? "", cwd: Deno.cwd() };
  const executablePath = NAMES.map((name) => findProgram(name, here)).find((path) => path !== null);
  if (!executablePath) throw new TargetError("Cannot measure: chromium is not installed");
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  return {
    async load(url): Promise<PageTimes> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.addInitScript(noteTimes, CARD_TEXTS);
      await page.goto(url);
      const times = await page.waitForFunction(() => {
        const { readyMs, paintedMs = [] } = globalThis as Noted;
        const texts = document.querySelectorAll("[elementtiming]").length;
        return readyMs !== undefined && texts > 0 && paintedMs.length === texts
          ? { readyMs, verdictMs: Math.max(...paintedMs) }
          : null;
      });
      const noted = await times.jsonValue();
      await context.close();
      if (noted === null) throw new Error("Cannot measure: the page noted no times");
      return noted;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Each is a block of text, which Chromium reports once it is painted. */
const CARD_TEXTS = ".card .lead, .card .headline-figure strong, .card .reliance li";

/** In the page. */
type Noted = typeof globalThis & { paintedMs?: number[]; readyMs?: number };

/** Runs in the page, before anything of it. */
function noteTimes(texts: string): void {
  const paintedMs: number[] = [];
  Object.assign(globalThis, { paintedMs });
  new MutationObserver((_, observer) => {
    for (const text of document.querySelectorAll(texts)) text.setAttribute("elementtiming", "card");
    if (document.documentElement?.dataset.charts !== "drawn") return;
    observer.disconnect();
    Object.assign(globalThis, { readyMs: performance.now() });
  }).observe(document, {
    attributes: true,
    childList: true,
    subtree: true,
    attributeFilter: ["data-charts"],
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) paintedMs.push(entry.startTime);
  }).observe({ type: "element", buffered: true });
}
