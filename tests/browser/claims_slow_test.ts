/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Claims in a browser: grouped by outcome, filtered by buttons, and cards on a phone. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { claimOf, RATES } from "../report/claimed.ts";
import { resultsAt } from "../report/rates.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";

const results = resultsAt(RATES);
results.experiment.claims = [
  claimOf("rate(hapi) > 1/s", { source: "the abstract", note: "which names no machine" }),
  claimOf("rate(slow) > rate(fast)"),
  claimOf("rate(fast) > 2 × rate(slow)"),
  claimOf("rate(fast) > 2.5 × rate(slow)"),
];
const html = renderReportPage([reportModel(results)]);

function shown(page: Page): Promise<string[]> {
  return page.locator(".judged tbody tr:visible th").allTextContents();
}

const REPRODUCED = ["rate(fast) > 2 × rate(slow)", "rate(fast) > 2.5 × rate(slow)"];
const NOT = "rate(slow) > rate(fast)";
const INCONCLUSIVE = "rate(hapi) > 1/s";
const ALL = [...REPRODUCED, NOT, INCONCLUSIVE];

chromiumTest("the claims of the report", {
  "buttons show and hide an outcome, and say which are shown": {
    html,
    options: DESKTOP,
    look: async (page) => {
      assert.deepEqual(await shown(page), ALL);
      const buttons = page.locator(".outcomes button");
      assert.deepEqual(
        (await buttons.allTextContents()).map((text) => text.replaceAll("\u00a0", " ")),
        ["✓ 2 reproduced", "✗ 1 not reproduced", "? 1 inconclusive"],
      );
      await buttons.nth(0).click();
      assert.deepEqual(await shown(page), [NOT, INCONCLUSIVE]);
      assert.equal(await buttons.nth(0).getAttribute("aria-pressed"), "false");
      await buttons.nth(1).press("Enter");
      assert.deepEqual(await shown(page), [INCONCLUSIVE]);
      await buttons.nth(2).press("Space");
      assert.deepEqual(await shown(page), ALL);
      assert.deepEqual(await violationsOf(page, ".judged"), []);
    },
  },
  "without scripts all are shown": {
    html,
    options: { ...DESKTOP, javaScriptEnabled: false },
    look: async (page) => {
      assert.deepEqual(await shown(page), ALL);
      assert.equal(await page.locator(".outcomes").isVisible(), false);
    },
  },
  "on a phone each is a card, and nothing of it is cut off": {
    html,
    options: { ...PHONE, viewport: { width: 390, height: 844 } },
    look: async (page) => {
      const cards = await page.evaluate(() =>
        [...document.querySelectorAll(".judged tbody tr")].map((card) => {
          const { left, right, height } = card.getBoundingClientRect();
          const inner = [...card.querySelectorAll("*")].filter((part) => part.checkVisibility());
          return {
            isWhole: inner.every((part) => {
              const box = part.getBoundingClientRect();
              return box.left >= left && box.right <= right && part.scrollWidth <= innerWidth;
            }),
            isOnScreen: left >= 0 && right <= innerWidth && height > 0,
          };
        })
      );
      assert.deepEqual(cards, ALL.map(() => ({ isWhole: true, isOnScreen: true })));
      assert.deepEqual(await violationsOf(page, ".judged"), []);
    },
  },
});
