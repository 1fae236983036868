/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { resultsFixture } from "../report/fixture.ts";
import { onEveryScreen, violationsOf } from "./accessibility.ts";
import { allDrawn, chromiumTest, inkOf } from "./chromium.ts";
import { CHARTS, DESKTOP, MODEL, PAGE, PHONE, SPEC, SUMMARY_CHARTS, TABLES } from "./sample.ts";

async function assertDrawn(page: Page, charts: number): Promise<void> {
  await allDrawn(page);
  const ink = Object.entries(await inkOf(page));
  assert.equal(ink.length, charts);
  for (const [id, share] of ink) assert.ok(share > 0.01, `${id}: ${share}`);
}

const MOST_WITHOUT_CHARTS = 0.8;
/** Of A4 between its margins. */
const PAPER_PX = 703;
const LEAST_TABLE_SCALE = 0.7;

chromiumTest("how the report looks", {
  ...onEveryScreen("every chart is drawn", {
    html: PAGE,
    opens: "on wide screens",
    look: (page) => assertDrawn(page, CHARTS),
  }),
  "a phone scrolls tables, never the page": {
    html: PAGE,
    options: PHONE,
    look: async (page) => {
      const [content, screen] = await page.evaluate(() => {
        for (const details of document.querySelectorAll("details")) details.open = true;
        return [document.documentElement.scrollWidth, innerWidth];
      });
      assert.equal(content, screen);
    },
  },
  "nothing moves while the page loads": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => assert.equal(await layoutShiftOf(page), 0),
  },
  "charts follow when the system turns dark": {
    html: PAGE,
    options: { ...DESKTOP, colorScheme: "light" },
    look: async (page) => {
      const light = await page.evaluate(() => document.querySelector("canvas")?.toDataURL());
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForFunction(
        (before) => document.querySelector("canvas")?.toDataURL() !== before,
        light,
      );
    },
  },
  "print from the dark is light and as wide as the paper, and afterwards all is as before": {
    html: PAGE,
    options: { ...DESKTOP, colorScheme: "dark" },
    look: async (page) => {
      const before = await page.evaluate(() => document.querySelector("canvas")?.toDataURL());
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      const { background, widths } = await page.evaluate(() => ({
        background: getComputedStyle(document.body).backgroundColor,
        widths: [...document.querySelectorAll("canvas")].filter((canvas) =>
          canvas.checkVisibility()
        )
          .map((canvas) => canvas.clientWidth),
      }));
      assert.equal(background, "rgb(255, 255, 255)");
      assert.equal(widths.length, SUMMARY_CHARTS);
      assert.ok(Math.max(...widths) <= 703 && Math.min(...widths) > 250, `${widths}`);
      const ink = Object.entries(await inkOf(page)).filter(([id]) => id.startsWith("e1-tradeoff"));
      assert.equal(ink.filter(([, share]) => share > 0.01).length, SUMMARY_CHARTS);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      const after = await page.evaluate(() => document.querySelector("canvas")?.toDataURL());
      assert.equal(after, before);
    },
  },
  "on paper every table has room, so that nothing of the page is shrunk": {
    html: PAGE,
    options: { viewport: { width: PAPER_PX, height: 900 } },
    look: async (page) => {
      await page.locator(".depth label", { hasText: "Everything" }).click();
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), PAPER_PX);
      const scales = await page.evaluate(() => {
        const tables = document.querySelectorAll<HTMLElement>(".scroll table");
        return [...tables].map(({ style }) => Number(style.zoom || 1));
      });
      assert.equal(scales.length, TABLES);
      assert.ok(Math.min(...scales) > LEAST_TABLE_SCALE, `${scales}`);
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.equal(await page.locator("table[style*=zoom]").count(), 0);
    },
  },
  "on paper a row of the card is one line, its interval whole however many digits it has": {
    html: PAGE,
    options: { viewport: { width: PAPER_PX, height: 900 } },
    look: async (page) => {
      await page.emulateMedia({ media: "print" });
      const [isWithin, lines] = await page.evaluate(() => {
        const margins = [...document.querySelectorAll(".winners tbody td:nth-of-type(2)")];
        for (const margin of margins) margin.replaceChildren("0.001112× [0.001012, 0.001241]");
        const tops = margins.map((margin) => {
          const text = document.createRange();
          text.selectNodeContents(margin);
          return new Set([...text.getClientRects()].map(({ top }) => top)).size;
        });
        const box = document.querySelector(".winners .scroll");
        return [box !== null && box.scrollWidth <= box.clientWidth, tops] as const;
      });
      assert.ok(isWithin);
      assert.ok(lines.length > 0 && lines.every((count) => count === 1), `${lines}`);
    },
  },
  "on paper the trust light and the shades of the matrix are printed, too": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => {
      await page.emulateMedia({ media: "print" });
      const printed = await page.evaluate(() =>
        [[".reliance li", "::before"], ["#e1-matrix td", null]].map(([selector, part]) => {
          const drawn = document.querySelector(selector ?? "");
          return drawn && getComputedStyle(drawn, part).getPropertyValue("print-color-adjust");
        })
      );
      assert.deepEqual(printed, ["exact", "exact"]);
    },
  },
  "a PDF holds the charts": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => {
      await page.locator(".depth label", { hasText: "Everything" }).click();
      const whole = (await page.pdf({ format: "A4" })).length;
      await page.evaluate(() =>
        document.querySelectorAll(".chart").forEach((chart) => chart.remove())
      );
      const bare = (await page.pdf({ format: "A4" })).length;
      assert.ok(bare < MOST_WITHOUT_CHARTS * whole, `${bare} of ${whole} bytes`);
    },
  },
  "two experiments share a page": {
    html: renderReportPage([MODEL, reportModel(resultsFixture({ ...SPEC, name: "second" }))]),
    options: DESKTOP,
    look: async (page) => {
      await assertDrawn(page, 2 * CHARTS);
      assert.deepEqual(await violationsOf(page), []);
    },
  },
  "an experiment without a run says what happened": {
    html: renderReportPage([
      reportModel(resultsFixture({ ...SPEC, cells: [], state: "interrupted" })),
    ]),
    options: DESKTOP,
    look: async (page) => {
      assert.match(await page.locator("main").innerText(), /Interrupted: 0 of 1 planned run/);
      assert.deepEqual(await violationsOf(page), []);
    },
  },
});

/** How far content has moved since the page began to load. */
function layoutShiftOf(page: Page): Promise<number> {
  return page.evaluate(() =>
    new Promise<number>((resolve) => {
      let total = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) total += Reflect.get(entry, "value");
      }).observe({ type: "layout-shift", buffered: true });
      requestAnimationFrame(() => requestAnimationFrame(() => resolve(total)));
    })
  );
}
