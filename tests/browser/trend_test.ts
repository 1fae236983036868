/// <reference lib="dom" />
import assert from "node:assert/strict";
import type { BrowserContextOptions } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { trendsOf } from "../../report/subjects/trend.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { until } from "../e2e/patience.ts";
import { around, resultsAt } from "../report/rates.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest, drawForPrint, inkOf, type Look, openAll } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";

const RATES = [1_000, 1_010, 1_005, 880, 900, 1_200];

const REPORTED = RATES.map((rate, i) => {
  const results = {
    ...resultsAt({ hono: around(rate, i / 10_000), express: around(600, i / 10_000) }),
    startedAt: `2031-05-0${i + 1}T10:18:00.000Z`,
    commit: { hash: `${i}b5d9f3`.padEnd(40, "0"), dirty: false },
  };
  return { results, model: reportModel(results) };
});
const [{ document: TREND }] = trendsOf(REPORTED);
const PAGE = renderReportPage([TREND, REPORTED[0].model]);

const VIEWS: Record<string, BrowserContextOptions> = {
  "on a wide screen": { ...DESKTOP, colorScheme: "light" },
  "in the dark": { ...DESKTOP, colorScheme: "dark" },
  "on a phone": { ...PHONE, colorScheme: "light" },
};

const views = Object.entries(VIEWS).map(([view, options]): [string, Look] => [
  `${view} both figures are drawn and nothing keeps anyone out`,
  {
    html: PAGE,
    options,
    look: async (page) => {
      await openAll(page);
      assert.deepEqual(await violationsOf(page), []);
      const [content, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.ok(content <= screen, `${content} px on ${screen}`);
      await drawForPrint(page);
      const inks = Object.entries(await inkOf(page));
      const ids = inks.map(([id]) => id).filter((id) => id.startsWith("t1-s1-"));
      assert.deepEqual(ids, ["t1-s1-1-1", "t1-s1-1-2"]);
      for (const [id, share] of inks) assert.ok(share > 0.01, `${id}: ${share}`);
    },
  },
]);

chromiumTest("a trend", {
  ...Object.fromEntries(views),
  "pointing at a result tells its commit and figure": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => {
      const canvas = page.locator("#t1-s1-1-1");
      const box = await canvas.boundingBox();
      assert.ok(box);
      const before = await canvas.screenshot();
      await page.mouse.move(box.x + box.width - 30, box.y + box.height / 2);
      await until("the tooltip is drawn", async () => !before.equals(await canvas.screenshot()));
    },
  },
});
