/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The report of a running experiment in a real Chromium; its runs come in when the test says so. */
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { LiveReport } from "../../cli/live/report.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import type { Results } from "../../runner/result/result.ts";
import { violationsOf } from "./accessibility.ts";
import { browserTest, drawnBox, setDepth } from "./chromium.ts";
import { DESKTOP, RESULTS } from "./sample.ts";
import { shownAs } from "./selection.ts";
import { LIVE } from "../report/progress_events.ts";

/** As they come in: block after block, the second scenario of the file first. */
const RUNS = RESULTS.runs.toSorted((a, b) =>
  a.repetition - b.repetition || a.scenario.localeCompare(b.scenario)
);

/** The experiment when so many of its runs were in. */
function after(runs: number): Results {
  const isDone = runs === RUNS.length;
  return {
    ...RESULTS,
    runs: RUNS.slice(0, runs),
    state: isDone ? "done" : "running",
    finishedAt: isDone ? RESULTS.finishedAt : null,
  };
}

const WHOLE = after(RUNS.length);
const FILE = "results/fixture/report.html";

class Live implements AsyncDisposable {
  readonly report = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });

  constructor(readonly page: Page, private readonly forbidden: readonly string[]) {}

  static async open(browser: Browser, runs: number): Promise<Live> {
    const context = await browser.newContext(DESKTOP);
    const page = await context.newPage();
    await setDepth(page, "everything");
    const forbidden: string[] = [];
    const live = new Live(page, forbidden);
    const { url } = live.report;
    const own = [url, `${url}events`, `${url}shown`, "data:,"];
    page.on("console", (message) => forbidden.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => forbidden.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (!own.includes(request.url())) forbidden.push(`request: ${request.url()}`);
    });
    await live.saved(runs);
    const isListening = page.waitForResponse(`${url}events`);
    await page.goto(url);
    await page.waitForSelector("html[data-charts=drawn][data-page=read]");
    await isListening; // what is said before that, nobody hears
    return live;
  }

  async saved(runs: number): Promise<void> {
    await this.report.onSaved(after(runs));
  }

  /** Resolves when the page shows them. */
  async shows(runs: number): Promise<void> {
    await this.saved(runs);
    await this.page.locator("header .warning", { hasText: `: ${runs} of ` }).waitFor();
    await this.page.waitForSelector("html[data-charts=drawn][data-page=read]");
  }

  async end(): Promise<void> {
    await this.report.end([reportModel(WHOLE)], { isWhole: true, path: FILE });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close(); // first: a page that finds nobody any more says so
    await this.report[Symbol.asyncDispose]();
    assert.deepEqual(this.forbidden, []);
  }
}

/** Everything that a page shows, without what its client adds; scripts stand elsewhere in a page that is saved. */
function contentOf(page: Page, html: string | null): Promise<Record<string, string>> {
  return page.evaluate(async (html) => {
    const shown = html === null
      ? document.documentElement.cloneNode(true)
      : new DOMParser().parseFromString(html.replace(/<style>.*?<.style>/s, ""), "text/html")
        .documentElement;
    if (!(shown instanceof HTMLElement)) throw new Error("Cannot find the page");
    for (const tools of shown.querySelectorAll(".tools, .targets, .choice")) tools.remove();
    for (const read of shown.querySelectorAll("output")) read.textContent = "";
    for (const button of shown.querySelectorAll(".legend button")) {
      const name = document.createElement("span");
      name.append(...button.childNodes);
      button.replaceWith(name);
    }
    for (const linked of shown.querySelectorAll<HTMLElement>(".panel, .rows li, [data-of]")) {
      for (const name of ["of", "label"]) delete linked.dataset[name];
    }
    for (const button of shown.querySelectorAll("thead button")) {
      button.replaceWith(...button.childNodes);
    }
    for (const drawn of shown.querySelectorAll("canvas, section")) {
      for (const name of ["style", "width", "height", "data-heat"]) drawn.removeAttribute(name);
    }
    const data = Object.fromEntries(
      [...shown.querySelectorAll<HTMLElement>("script[type]")]
        .map(({ id, textContent }) => [id, JSON.parse(textContent ?? "")]),
    );
    const { "more-charts": deflated, ...others } = data;
    if (deflated !== undefined) {
      const bytes = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      Object.assign(others.charts, await new Response(stream).json());
    }
    for (const script of shown.querySelectorAll("main script")) {
      const { nextSibling } = script;
      if (nextSibling instanceof Text) nextSibling.data = nextSibling.data.replace("\n", "");
      script.remove();
    }
    return {
      title: shown.querySelector("title")?.textContent ?? "",
      nav: shown.querySelector("nav")?.outerHTML ?? "",
      main: shown.querySelector("main")?.outerHTML ?? "",
      ...others,
    };
  }, html);
}

const steps: Record<string, (browser: Browser) => Promise<void>> = {
  "it grows from no run to all of them, and ends as the report that stays": async (browser) => {
    await using live = await Live.open(browser, 0);
    const { page } = live;
    assert.match(await page.locator(".facts").first().innerText(), /hono.*static \(GET \/static\)/);
    assert.deepEqual(await violationsOf(page), []);
    for (const runs of [1, 4, RUNS.length - 1]) {
      await live.shows(runs);
      assert.deepEqual(
        await contentOf(page, null),
        await contentOf(page, renderReportPage([reportModel(after(runs))])),
      );
    }
    await live.end();
    // A busy browser may show it later than Plateau waits for.
    const done = `Done: this page no longer changes. It is saved as ${FILE}`;
    await page.locator("#live [role=status]", { hasText: done }).waitFor();
    await page.locator("header .warning", { hasText: "Still running" }).waitFor({
      state: "detached",
    });
    await page.waitForSelector("html[data-charts=drawn][data-page=read]");
    assert.deepEqual(
      await contentOf(page, null),
      await contentOf(page, renderReportPage([reportModel(WHOLE)])),
    );
    assert.deepEqual(await violationsOf(page), []);
  },
  "its bar says what runs, and how much is left": async (browser) => {
    await using live = await Live.open(browser, 2);
    const cell = { target: "hono", scenario: "static", parameters: {}, repetition: 2 };
    live.report.onProgress({
      kind: "starting",
      order: 3,
      runs: 18,
      mayEndEarly: false,
      repetitions: 3,
      ...cell,
      remainingMs: 155_000, // half a minute until there is one less,
    });
    const bar = live.page.locator("#live");
    await bar.getByText("Run 3 of 18: static, hono, run 2").waitFor();
    assert.match(await bar.locator(".left").innerText(), /^About 2.min \d+.s left$/);
    const progress = bar.locator("progress");
    assert.deepEqual([await progress.getAttribute("max"), await progress.getAttribute("value")], [
      "18",
      "2",
    ]);
  },
  "the intervals of the run in progress are drawn as they come, each run anew": async (browser) => {
    await using live = await Live.open(browser, 2);
    const { page, report } = live;
    const starting = {
      kind: "starting",
      order: 3,
      runs: 18,
      mayEndEarly: false,
      repetitions: 3,
    } as const;
    const cell = { target: "hono", scenario: "static", parameters: {}, repetition: 2 };
    const rate = page.locator("#live [data-figure=rate]");
    const steps = () => rate.locator("path").evaluate((path) => path.getAttribute("d") ?? "");
    report.onProgress({ ...starting, ...cell, remainingMs: 60_000 });
    for (const [i, ratePerSec] of [1_000, 4_000, 2_000].entries()) {
      report.onProgress({ ...LIVE, elapsedMs: (i + 1) * 250, ratePerSec });
    }
    await rate.locator("b", { hasText: "2,000" }).waitFor();
    assert.equal(await rate.locator(".scale").innerText(), "0–4,000");
    assert.equal(
      await steps(),
      "M0.0000 0.7500H0.0250V0.0000H0.0500V0.5000H0.0750",
    );
    const p99 = page.locator("#live [data-figure=p99]");
    assert.match(await p99.innerText(), /4\.56.ms\s+0–4\.56.ms/);
    assert.deepEqual(await violationsOf(page, "#live"), []);
    report.onProgress({ ...starting, order: 4, ...cell, remainingMs: 30_000 });
    report.onProgress({ ...LIVE, elapsedMs: 250, ratePerSec: 700 });
    await rate.locator(".scale", { hasText: "0–700" }).waitFor();
    assert.equal(await steps(), "M0.0000 0.0000H0.0250");
    await live.end();
    await rate.waitFor({ state: "hidden" });
  },
  "what somebody chose stays, and the page where it is": async (browser) => {
    await using live = await Live.open(browser, 3);
    const { page } = live;
    // The scenario "static" has no run yet: it comes in before this one.
    await page.locator("#e1-s1 h2", { hasText: "fib" }).waitFor();
    await page.locator(".targets").click();
    const target = page.locator(".choice li button:first-child").nth(1);
    const hidden = await target.textContent();
    await target.click();
    await page.keyboard.press("Escape");
    await page.locator("#e1-s1 input[name=from]").fill("1");
    await shownAs(page, /^1–3 s/);
    await page.waitForFunction(() => location.hash.startsWith("#view=e1-s1&range=1-3&hide="));
    await page.evaluate(() => scrollTo(0, 700));
    await live.shows(4);
    await page.locator(".filtered", { hasText: `Hidden: ${hidden}.` }).waitFor();
    assert.equal(
      await page.locator(`#e1-s1-timeline .panel[data-of="${hidden}"]`).isVisible(),
      false,
    );
    await shownAs(page, /^1–3 s/);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.depth), "everything");
    await page.waitForFunction(() => scrollY === 700);
  },
  "nobody is interrupted while dragging": async (browser) => {
    await using live = await Live.open(browser, 6);
    const { page } = live;
    const box = await drawnBox(page, "e1-s1-timeline-1");
    await page.mouse.move(box.x + box.width * 0.4, box.y + 50);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 55, { steps: 4 });
    await shownAs(page, /^[\d.]+–[\d.]+ s/);
    await live.saved(7);
    await page.locator("header .warning", { hasText: ": 6 of " }).waitFor();
    await page.mouse.up();
    await page.locator("header .warning", { hasText: ": 7 of " }).waitFor();
    await shownAs(page, /^[\d.]+–[\d.]+ s/);
  },
  "it says when the experiment broke off": async (browser) => {
    const live = await Live.open(browser, 2);
    await live.report[Symbol.asyncDispose]();
    await live.page.locator("#live [role=status]", { hasText: /^Stopped by an error/ }).waitFor();
    await live.page.context().close();
  },
};

browserTest(
  "the report of a running experiment",
  Object.fromEntries(
    Object.entries(steps).map(([sentence, step]) => [sentence, ({ browser }) => step(browser)]),
  ),
);
