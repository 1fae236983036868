/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest, drawForPrint, drawnBox, inkOf, type Look, openAll } from "./chromium.ts";
import { FAULTS_MODEL, FAULTS_PAGE } from "./faults_sample.ts";
import { DESKTOP, PHONE } from "./sample.ts";
import { chartsIn, tablesIn } from "../report/said.ts";

const VIEWS: Record<string, BrowserContextOptions> = {
  "on a wide screen": { ...DESKTOP, colorScheme: "light" },
  "in the dark": { ...DESKTOP, colorScheme: "dark" },
  "on a phone": { ...PHONE, colorScheme: "light" },
};

/** The rest is looked at elsewhere. */
const OWN_SECTIONS = "#e1-compared, #e1-outcomes";
const FORESTS = chartsIn(FAULTS_MODEL, "compared", "rows").length;
const FAULTS = chartsIn(FAULTS_MODEL, "outcomes", "xy").length;

async function assertDrawn(page: Page): Promise<void> {
  await drawForPrint(page);
  const ink = Object.entries(await inkOf(page));
  const forests = ink.filter(([id]) => id.startsWith("e1-compared-"));
  const faults = ink.filter(([id]) => id.startsWith("e1-outcomes-"));
  assert.deepEqual([forests.length, faults.length], [FORESTS, FAULTS]);
  for (const [id, share] of [...forests, ...faults]) assert.ok(share > 0.02, `${id}: ${share}`);
}

const views = Object.entries(VIEWS).map(([view, options]): [string, Look] => [
  `${view} every figure is drawn and nothing keeps anyone out`,
  {
    html: FAULTS_PAGE,
    options,
    look: async (page) => {
      await openAll(page);
      assert.deepEqual(await violationsOf(page, OWN_SECTIONS), []);
      const [content, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.equal(content, screen, "tables scroll, never the page");
      await assertDrawn(page);
    },
  },
]);

chromiumTest("comparisons, errors and slowest requests", {
  ...Object.fromEntries(views),
  "the verdict comes first, then the comparison, the scenarios, what went wrong, and the method": {
    html: FAULTS_PAGE,
    options: DESKTOP,
    look: async (page) => {
      assert.equal(
        await page.locator("header .card .lead").textContent(),
        FAULTS_MODEL.card.sentence,
      );
      assert.deepEqual(await page.locator("h2").allTextContents(), [
        "Every result against the best",
        "Requests per second",
        "Throughput against tail latency",
        "Relative comparison",
        "static GET /static",
        "user GET /user",
        "Runs in time",
        "Settling time",
        "Errors and slowest requests",
        "Machine and method",
      ]);
    },
  },
  "how to read a figure unfolds by keyboard": {
    html: FAULTS_PAGE,
    options: DESKTOP,
    look: async (page) => {
      const reading = page.locator("#e1-compared .reading").first();
      assert.equal(await reading.locator("p").isVisible(), false);
      await reading.locator("summary").focus();
      await page.keyboard.press("Enter");
      assert.match(
        await reading.locator("p").innerText(),
        /^Each row compares a target with the reference/,
      );
    },
  },
  "the tables hold what the figures show": {
    html: FAULTS_PAGE,
    options: DESKTOP,
    look: async (page) => {
      const rowsOf = (caption: string): Promise<number> =>
        page.locator(`table:has(caption:text-is("${caption}")) tbody tr`).count();
      const tables = ["compared", "outcomes/1"].flatMap((path) => tablesIn(FAULTS_MODEL, path));
      for (const { caption, rows } of tables) assert.equal(await rowsOf(caption), rows.length);
    },
  },
  "pointing at a row of a comparison tells its ratio": {
    html: FAULTS_PAGE,
    options: DESKTOP,
    look: async (page) => {
      await assertPointed(page, "e1-compared-1-1");
      await assertPointed(page, "e1-outcomes-1-2-1");
    },
  },
});

/** A tooltip changes the drawing. */
async function assertPointed(page: Page, id: string): Promise<void> {
  const box = await drawnBox(page, id);
  const before = await page.locator(`#${id}`)
    .evaluate((element) => element instanceof HTMLCanvasElement ? element.toDataURL() : "");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction(
    ([id, image]) => document.querySelector<HTMLCanvasElement>(`#${id}`)?.toDataURL() !== image,
    [id, before],
  );
}
