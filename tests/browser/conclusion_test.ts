/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The first screen: whether a stranger finds the verdict, its margin, the trust and the next step without scrolling. */
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { paperResults } from "../../bench/stage/paper.ts";
import { reportModel } from "../../report/model/model.ts";
import { renderReportPage } from "../../report/page/page.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest, type Look } from "./chromium.ts";
import { MODEL, PAGE, PHONE } from "./sample.ts";

const LAPTOP = { viewport: { width: 1366, height: 768 } } as const;
const PAPER = reportModel(paperResults({ runs: 3, duration: 2 }));
const PAPER_PAGE = renderReportPage([PAPER]);

const SCREENS: Record<string, BrowserContextOptions> = {
  "on a laptop": LAPTOP,
  "in the dark": { ...LAPTOP, colorScheme: "dark" },
  "on a phone": { ...PHONE, viewport: { width: 390, height: 844 } },
};

/** What of the card lies below the screen. */
function cutOff(page: Page): Promise<number> {
  return page.evaluate(() => {
    const bottom = document.querySelector(".card")?.getBoundingClientRect().bottom ?? Infinity;
    return Math.max(0, bottom - innerHeight);
  });
}

const views = Object.entries(SCREENS).map(([screen, options]): [string, Look] => [
  `${screen} the whole card is on the first screen, and nothing keeps anyone out`,
  {
    html: PAPER_PAGE,
    options,
    depth: "summary",
    look: async (page) => {
      assert.equal(await cutOff(page), 0);
      const card = page.locator(".card");
      const { sentence, figure, reliability, next } = PAPER.conclusion;
      for (const text of [sentence, figure?.text, reliability?.sentence, next[0].text]) {
        assert.ok(plain(await card.innerText()).includes(plain(text ?? "?")), text);
      }
      assert.deepEqual(await violationsOf(page), []);
    },
  },
]);

function plain(text: string): string {
  return text.replaceAll(/\s/g, " ");
}

const MOST_SCREENS = 6;
const MOST_SHEETS = 4;

chromiumTest("the first screen of the report", {
  ...Object.fromEntries(views),
  "the summary of nine targets in five scenarios is at most six screens and four sheets": {
    html: PAPER_PAGE,
    options: LAPTOP,
    depth: "summary",
    look: async (page) => {
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= MOST_SCREENS * LAPTOP.viewport.height, `${height} px`);
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
      assert.ok(sheets > 0 && sheets <= MOST_SHEETS, `${sheets} sheets`);
    },
  },
  "without scripts the card is there, too": {
    html: PAGE,
    options: { ...LAPTOP, javaScriptEnabled: false },
    look: async (page) => {
      const card = plain(await page.locator(".card").innerText());
      assert.ok(card.startsWith(plain(MODEL.conclusion.sentence)));
      const rows = MODEL.conclusion.forest?.rows.length ?? 0;
      assert.ok(rows > 0);
      assert.equal(await page.locator(".small-forest svg .dot").count(), rows);
    },
  },
  "a press on a cell of the matrix leads to its scenario": {
    html: PAGE,
    options: LAPTOP,
    depth: "summary",
    look: async (page) => {
      assert.equal(await page.locator("#e1-s2").isVisible(), false);
      await page.locator(".matrix tbody tr").first().locator("td a").nth(1).click();
      await page.locator("#e1-s2 h2").waitFor({ state: "visible" });
    },
  },
});
