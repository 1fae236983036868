/// <reference lib="dom" />
import assert from "node:assert/strict";
import type { BrowserContextOptions, Page } from "playwright-core";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest, drawForPrint, inkOf, type Look, openAll } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";
import { chartsIn, tableIn } from "../report/said.ts";
import { SWEEP_PAGE, SWEEPS } from "./sweep_sample.ts";

const VIEWS: Record<string, BrowserContextOptions> = {
  "on a wide screen": { ...DESKTOP, colorScheme: "light" },
  "in the dark": { ...DESKTOP, colorScheme: "dark" },
  "on a phone": { ...PHONE, colorScheme: "light" },
};

const DRAWN = Object.values(SWEEPS).flatMap((model) => chartsIn(model, "sweeps", "xy")).length;

/** As print does: everything is drawn, wherever it stands. */
async function drawAll(page: Page): Promise<void> {
  await drawForPrint(page);
}

async function assertDrawn(page: Page): Promise<void> {
  const sweeps = Object.entries(await inkOf(page)).filter(([id]) => id.includes("-sweeps-"));
  assert.equal(sweeps.length, DRAWN);
  for (const [id, share] of sweeps) assert.ok(share > 0.01, `${id}: ${share}`);
}

const views = Object.entries(VIEWS).map(([view, options]): [string, Look] => [
  `${view} every figure is drawn and nothing keeps anyone out`,
  {
    html: SWEEP_PAGE,
    options,
    look: async (page) => {
      await openAll(page);
      assert.deepEqual(await violationsOf(page, "section[id$=sweeps]"), []);
      await drawAll(page);
      await assertDrawn(page);
    },
  },
]);

chromiumTest("sweeps", {
  ...Object.fromEntries(views),
  "a phone scrolls tables, never the page": {
    html: SWEEP_PAGE,
    options: PHONE,
    look: async (page) => {
      const [content, screen] = await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        return [document.documentElement.scrollWidth, innerWidth];
      });
      assert.equal(content, screen);
    },
  },
  "the navigation leads to them, and the table has what the figure shows": {
    html: SWEEP_PAGE,
    options: DESKTOP,
    look: async (page) => {
      await page.locator("nav a[href='#e1-sweeps']").click();
      const rows = await page.locator("#e1-sweeps caption").first().locator("xpath=..").locator(
        "tbody tr",
      )
        .count();
      assert.equal(rows, tableIn(SWEEPS.connections, "sweeps").rows.length);
    },
  },
  "pointing at a figure shows what is there": {
    html: SWEEP_PAGE,
    options: DESKTOP,
    look: async (page) => {
      const canvas = page.locator("#e1-sweeps-1-1-1-1");
      await canvas.scrollIntoViewIfNeeded();
      await page.waitForFunction(() => {
        const drawn = document.querySelector("#e1-sweeps-1-1-1-1");
        return drawn instanceof HTMLCanvasElement && drawn.width > 300;
      });
      const before = await canvas.evaluate((element: HTMLCanvasElement) => element.toDataURL());
      const box = await canvas.boundingBox();
      assert.ok(box);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForFunction(
        (image) =>
          document.querySelector<HTMLCanvasElement>("#e1-sweeps-1-1-1-1")?.toDataURL() !== image,
        before,
      );
    },
  },
});
