/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { tableMarkdown } from "../../report/render/markdown.ts";
import { reportModel } from "../../report/model.ts";
import { GLUE } from "../../report/writing/units.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { resultsFixture } from "../report/fixture.ts";
import { hostileResults } from "../report/hostile.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP, MODEL, PAGE, PHONE } from "./sample.ts";
import { tableIn } from "../report/said.ts";

const SUMMARY = 'caption:text("Summary of")';
const summary = tableIn(MODEL, "verdict/1");

/** The scroll container of a table, by the id of its caption. */
function scrollOf(page: Page, caption: string): Locator {
  return page.locator(".scroll").filter({ has: page.locator(caption) }).first();
}

function namesOf(table: Locator): Promise<string[]> {
  return table.locator("tbody th").allTextContents();
}

async function copied(page: Page, caption: string, form: string): Promise<string> {
  const scroll = scrollOf(page, caption);
  await scroll.hover();
  const tools = scroll.locator("+ .tools");
  await tools.getByRole("button", { name: form }).click();
  const box = tools.locator("textarea");
  await box.waitFor();
  assert.ok(
    await box.evaluate((element) =>
      element instanceof HTMLTextAreaElement && element.selectionEnd === element.value.length
    ),
  );
  const text = await box.inputValue();
  await box.press("Escape");
  await box.waitFor({ state: "detached" });
  return text;
}

/** As on a page that was opened as a file, in browsers that keep the clipboard from it. */
async function withoutClipboard(page: Page): Promise<void> {
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
}

const LONG = ["one", "two"].map((end) =>
  `a-rather-long-name-that-others-begin-with-as-well-and-then-${end}`
);
const LONG_PAGE = renderReportPage([reportModel(resultsFixture({
  cells: LONG.map((target) => ({ target, scenario: "static", medianMs: 3, runs: 2 })),
}))]);

const FORMULAS = ["=HYPERLINK(1)", "@SUM(A1)", "-2+3"];

chromiumTest("what tables can do", {
  "a name that is too long wraps, so that its end is seen, and leaves room for a figure": {
    html: LONG_PAGE,
    options: PHONE,
    look: async (page) => {
      const names = scrollOf(page, SUMMARY).locator("tbody th");
      assert.deepEqual(await namesOf(scrollOf(page, SUMMARY)), LONG);
      const boxes = await names.evaluateAll((cells) =>
        cells.map(({ scrollWidth, clientWidth, clientHeight }) => [
          scrollWidth - clientWidth,
          clientWidth,
          clientHeight,
        ])
      );
      for (const [hidden, width, height] of boxes) {
        assert.ok(hidden === 0 && width > 120 && width < 220, `${hidden} of ${width}`);
        assert.ok(height < 140, `${height}`);
      }
    },
  },
  "the head of a column sorts by it, the other way, and back": async (page) => {
    const table = scrollOf(page, SUMMARY);
    const head = table.locator("thead th").nth(1);
    const written = await namesOf(table);
    const column = summary.rows.map((row) => Number(row[1].value));
    const byRate = [...written.keys()].sort((a, b) => column[b] - column[a]).map((i) => written[i]);
    for (
      const [sort, names] of [["descending", byRate], ["ascending", byRate.toReversed()], [
        null,
        written,
      ]] as const
    ) {
      await head.getByRole("button").click();
      assert.equal(await head.getAttribute("aria-sort"), sort);
      assert.deepEqual(await namesOf(table), names);
    }
  },
  "the keyboard sorts, too, and only one column at a time": async (page) => {
    const table = scrollOf(page, SUMMARY);
    const buttons = table.locator("thead button");
    await buttons.nth(0).focus();
    await page.keyboard.press("Enter");
    assert.deepEqual(await namesOf(table), ["express", "hono", "hono proxied"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    assert.equal(await table.locator("[aria-sort]").count(), 1);
    assert.deepEqual(await violationsOf(page, ".scroll, .tools"), []);
  },
  "a table is copied as it is sorted, for a sheet and as markdown": async (page) => {
    await withoutClipboard(page);
    const expected = `${tableMarkdown(summary).text}\n`.replaceAll(GLUE, " ");
    assert.equal(await copied(page, SUMMARY, "Copy as markdown"), expected);
    await scrollOf(page, SUMMARY).locator("thead button").first().click();
    const rows = (await copied(page, SUMMARY, "Copy for a spreadsheet")).trimEnd().split("\n")
      .map((line) => line.split("\t"));
    assert.deepEqual(rows.map(([name]) => name), ["Target", "express", "hono", "hono proxied"]);
    assert.ok(rows.every(({ length }) => length === rows[0].length));
    const rate = summary.rows[2][1].text.replaceAll(",", "");
    assert.equal(rows[1][1], rate);
  },
  "where the clipboard can be reached, the copy is told": {
    html: PAGE,
    options: { ...DESKTOP, permissions: ["clipboard-read", "clipboard-write"] },
    look: async (page) => {
      const scroll = scrollOf(page, SUMMARY);
      await scroll.hover();
      await scroll.locator("+ .tools").getByRole("button").first().click();
      await scroll.locator("+ .tools").getByText("Copied").waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^Target\t/);
    },
  },
  "hostile names stay text in a copy": {
    html: renderReportPage([reportModel(hostileResults())]),
    options: DESKTOP,
    look: async (page) => {
      await withoutClipboard(page);
      const markdown = await copied(page, SUMMARY, "Copy as markdown");
      assert.doesNotMatch(markdown, /<|[^\\]\[/);
      assert.equal(await page.locator("img").count(), 0);
    },
  },
  "names copied for a sheet are no formulas": {
    html: renderReportPage([reportModel(resultsFixture({
      cells: FORMULAS.map((target) => ({ target, scenario: "static", medianMs: 3, runs: 1 })),
    }))]),
    options: DESKTOP,
    look: async (page) => {
      await withoutClipboard(page);
      const sheet = await copied(page, SUMMARY, "Copy for a spreadsheet");
      const names = sheet.trimEnd().split("\n").slice(1).map((line) => line.split("\t")[0]);
      assert.deepEqual(names.toSorted(), FORMULAS.map((name) => `'${name}`).toSorted());
    },
  },
  "on a phone the first column of a wide table stays": {
    html: PAGE,
    options: PHONE,
    look: async (page) => {
      const table = scrollOf(page, 'caption:text-is("Latency of static")');
      await table.scrollIntoViewIfNeeded();
      await table.evaluate((element) => element.scrollLeft = 200);
      const lefts = await table.evaluate((element) =>
        ["thead th", "tbody th"].map((cell) =>
          Math.round(
            (element.querySelector(cell)?.getBoundingClientRect().left ?? -1) -
              element.getBoundingClientRect().left,
          )
        )
      );
      assert.deepEqual(lefts, [0, 0]);
    },
  },
}, { html: PAGE, options: DESKTOP });
