/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { withoutGroups } from "../../report/writing/units.ts";
import type { Table } from "../../report/subjects/tables/table.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { hostileResults } from "../report/hostile.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP, MODEL, PAGE, RESULTS, SPEC, TABLES } from "./sample.ts";
import { tableIn } from "../report/said.ts";

const HOSTILE = hostileResults();

chromiumTest("what the report says", {
  "tables show the numbers of the results": async (page) => {
    for (const [i, { name, cells }] of MODEL.context.scenarios.entries()) {
      const runsTable = tableIn(MODEL, `s${i + 1}/runs`);
      await assertShown(page, tableIn(MODEL, `verdict/${i + 1}`));
      await assertShown(page, tableIn(MODEL, `s${i + 1}/percentiles`));
      await assertShown(page, tableIn(MODEL, `outcomes/${i + 1}`, "Outcomes"));
      await assertShown(page, runsTable);
      const shown = (await cellsOf(page, runsTable.caption)).map((row) => row[3]);
      const runs = cells.flatMap(({ label }) =>
        RESULTS.runs.filter((run) => run.scenario === name && run.target === label)
      );
      assert.deepEqual(shown.map(withoutGroups), runs.map(({ rate }) => String(rate)));
    }
  },
  "the intervals of a timeline open as a table": async (page) => {
    const details = page.locator("details.intervals").first();
    await details.locator("summary").click();
    const medians = details.locator("table").first().locator("tbody tr");
    await medians.first().waitFor();
    assert.equal(await medians.count(), 3 * RESULTS.runs[0].timeline.points.length);
    assert.equal(
      await medians.first().locator("th").textContent(),
      MODEL.context.scenarios[0].cells[0].label,
    );
    const rows = details.locator("table").nth(1).locator("tbody tr");
    await rows.first().waitFor();
    const [run, end, , , , , rate] = await rows.first().locator("th, td").allTextContents();
    const { endS, completed } = RESULTS.runs[0].timeline.points[0];
    assert.equal(run, "run 1");
    assert.equal(Number(end), endS);
    assert.ok(Math.abs(Number(rate.replaceAll(",", "")) / (completed / endS) - 1) < 0.001);
    assert.equal(await rows.count(), 3 * RESULTS.runs[0].timeline.points.length);
  },
  "without scripts every text and table is there": {
    html: PAGE,
    options: { ...DESKTOP, javaScriptEnabled: false },
    look: async (page) => {
      assert.equal(await page.locator("h1").textContent(), SPEC.title);
      assert.match(await page.locator(".verdict").first().innerText(), /^hono leads: /);
      assert.equal(await page.locator("table").count(), TABLES);
    },
  },
  "hostile texts are shown and do nothing": {
    html: renderReportPage([reportModel(HOSTILE)]),
    options: DESKTOP,
    look: async (page) => {
      await page.locator("details.intervals summary").click();
      assert.equal(await page.evaluate(() => Reflect.get(globalThis, "injected")), undefined);
      assert.equal(await page.locator("img").count(), 0);
      const heading = await page.locator("h1").textContent() ?? "";
      assert.equal(visible(heading), visible(HOSTILE.experiment.title ?? ""));
    },
  },
  "the keyboard reaches the skip link, the sections and every table": async (page) => {
    await page.keyboard.press("Tab");
    assert.equal(await focusedText(page), "Skip to the results");
    await page.keyboard.press("Tab");
    assert.equal(await focusedText(page), "Verdict");
    await page.keyboard.press("Enter");
    assert.match(page.url(), /#e1$/);
    assert.equal(await page.locator(".scroll[tabindex='0']").count(), TABLES);
  },
}, { html: PAGE, options: DESKTOP });

async function assertShown(page: Page, { caption, rows }: Table): Promise<void> {
  const expected = rows.map((row) =>
    row.map(({ text, value }) => String(value ?? withoutGroups(text)))
  );
  const shown = await cellsOf(page, caption);
  assert.deepEqual(shown.map((row) => row.map(withoutGroups)), expected, caption);
}

/** The number behind each cell of the table with the given caption, or its text. */
function cellsOf(page: Page, caption: string): Promise<string[][]> {
  return page.evaluate((text) => {
    const captions = [...document.querySelectorAll("caption")];
    const caption = captions.find(({ textContent }) => textContent === text);
    const rows = caption?.closest("table")?.tBodies[0].rows ?? [];
    return [...rows].map((row) =>
      [...row.cells].map((cell) => cell.dataset.v ?? cell.textContent ?? "")
    );
  }, caption);
}

/** What a page can show of a text: control characters are replaced, white space may differ. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\s\ufffd]+/gu, "");
}

function focusedText(page: Page): Promise<string | null | undefined> {
  return page.evaluate(() => document.activeElement?.textContent);
}
