/// <reference lib="dom" />
/** A headless Chromium that measures how soon a report is ready. */
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

interface ReportBrowser extends AsyncDisposable {
  /** The milliseconds from the start of loading until the page reports that its charts are drawn. */
  readyMs(url: string): Promise<number>;
}

export async function openBrowser(): Promise<ReportBrowser> {
  const here = { path: Deno.env.get("PATH") ?? "", cwd: Deno.cwd() };
  const executablePath = NAMES.map((name) => findProgram(name, here)).find((path) => path !== null);
  if (!executablePath) throw new TargetError("Cannot measure: chromium is not installed");
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  return {
    async readyMs(url): Promise<number> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      await page.addInitScript(noteReady);
      await page.goto(url);
      await page.waitForFunction(() => Reflect.has(globalThis, "readyMs"));
      const ms = await page.evaluate(() => Reflect.get(globalThis, "readyMs"));
      await context.close();
      return Number(ms);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Notes when the charts are drawn. Runs in the page, before any of the page's own code. */
function noteReady(): void {
  new MutationObserver((_, observer) => {
    if (document.documentElement?.dataset.charts !== "drawn") return;
    observer.disconnect();
    Reflect.set(globalThis, "readyMs", performance.now());
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-charts"] });
}
