/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { onEveryScreen } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { FAULTS_MODEL, FAULTS_PAGE } from "./faults_sample.ts";
import { DESKTOP } from "./sample.ts";
import { chartsIn, tablesIn } from "../report/said.ts";

/** The rest is looked at elsewhere. */
const OWN_SECTIONS = "#e1-compared, #e1-outcomes";
const FORESTS = chartsIn(FAULTS_MODEL, "compared", "rows").length;

async function assertDrawn(page: Page): Promise<void> {
  assert.equal(await page.locator("#e1-compared .ratios").count(), FORESTS);
}

chromiumTest("comparisons, errors and slowest requests", {
  ...onEveryScreen("every figure is drawn", {
    html: FAULTS_PAGE,
    parts: OWN_SECTIONS,
    opens: "always",
    look: assertDrawn,
  }),
  "the verdict comes first, then the comparison, the scenarios, what went wrong, and the method":
    async (page) => {
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
  "how to read a figure unfolds by keyboard": async (page) => {
    const reading = page.locator("#e1-compared .reading").first();
    assert.equal(await reading.locator("p").isVisible(), false);
    await reading.locator("summary").focus();
    await page.keyboard.press("Enter");
    assert.match(
      await reading.locator("p").innerText(),
      /^Each row compares a target with the reference/,
    );
  },
  "the tables hold what the figures show": async (page) => {
    const rowsOf = (caption: string): Promise<number> =>
      page.locator(`table:has(caption:text-is("${caption}")) tbody tr`).count();
    const tables = ["compared", "outcomes/1"].flatMap((path) => tablesIn(FAULTS_MODEL, path));
    for (const { caption, rows } of tables) assert.equal(await rowsOf(caption), rows.length);
  },
}, { html: FAULTS_PAGE, options: DESKTOP });
