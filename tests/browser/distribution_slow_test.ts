/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The figure of latencies: a limit that reads shares, and which targets are drawn. */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { censoredResults, FROZEN, TIMED_OUT } from "../report/censored_results.ts";
import { resultsFixture } from "../report/fixture.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";

const NAMES = Array.from({ length: 8 }, (_, i) => `target ${i + 1}`);
const PAGE = renderReportPage([reportModel(resultsFixture({
  cells: NAMES.map((target, i) => ({ target, scenario: "s", medianMs: 2 + i, runs: 2 })),
}))]);

function formOf(page: Page): Locator {
  return page.locator("form.limit");
}

async function readOut(page: Page): Promise<string> {
  return (await formOf(page).locator("output").innerText()).replaceAll(/\s+/g, " ");
}

/** Per cent by target. */
async function sharesOf(page: Page): Promise<Map<string, number>> {
  const text = await readOut(page);
  return new Map(
    [...text.matchAll(/([\d.]+) % of (target \d)/g)].map((
      [, share, name],
    ) => [name, Number(share)]),
  );
}

function canvasOf(page: Page): Promise<string> {
  return page.locator("#e1-s1-density").evaluate((canvas) =>
    canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ""
  );
}

chromiumTest("the distributions of latency", {
  "a limit reads the share of each target within it, as it is written and by the keyboard": async (
    page,
  ) => {
    const limit = formOf(page).locator("[name=limit]");
    await limit.fill("4");
    const at4 = await sharesOf(page);
    assert.deepEqual([...at4.keys()], NAMES);
    assert.ok(Math.abs((at4.get("target 3") ?? 0) - 50) < 12, await readOut(page));
    const before = await canvasOf(page);
    await limit.press("ArrowUp");
    assert.equal(await limit.inputValue(), "5");
    const at5 = await sharesOf(page);
    assert.ok([...at5].every(([name, share]) => share >= (at4.get(name) ?? 0)));
    assert.ok((at5.get("target 3") ?? 0) > (at4.get("target 3") ?? 0));
    assert.notEqual(await canvasOf(page), before);
    assert.deepEqual(await violationsOf(page, "figure:has(form.limit)"), []);
  },
  "the line follows the pointer that drags it": async (page) => {
    const canvas = page.locator("#e1-s1-density");
    await canvas.scrollIntoViewIfNeeded();
    const limit = formOf(page).locator("[name=limit]");
    const box = await canvas.boundingBox();
    assert.ok(box);
    const y = box.y + box.height / 3;
    // Where the line is, nobody is told: the press that takes hold of it finds it.
    for (let x = box.x + 20; x < box.x + box.width; x += 12) {
      const before = await limit.inputValue();
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 40, y);
      await page.mouse.up();
      if (await limit.inputValue() === before) continue;
      assert.ok(Number(await limit.inputValue()) > 0);
      return;
    }
    assert.fail("no press moved the line");
  },
  "what timed out is never counted as within a limit: the share is a bound": {
    html: renderReportPage([reportModel(censoredResults({ timed: TIMED_OUT, frozen: FROZEN }))]),
    options: DESKTOP,
    look: async (page) => {
      await formOf(page).locator("[name=limit]").fill("100000");
      assert.equal(await readOut(page), "≥ 98.0 % of timed; ≥ 60.7 % of frozen.");
    },
  },
  "all of them are drawn above each other, but for hidden targets": async (page) => {
    const whole = await canvasOf(page);
    await page.evaluate(() => location.hash = "hide=target%202&hide=target%203");
    await page.locator(".filtered").waitFor();
    assert.deepEqual([...(await sharesOf(page)).keys()], [NAMES[0], ...NAMES.slice(3)]);
    await page.waitForFunction((whole) => {
      const canvas = document.querySelector("#e1-s1-density");
      return canvas instanceof HTMLCanvasElement && canvas.toDataURL() !== whole;
    }, whole);
    await page.evaluate(() => location.hash = "hide=target%202");
    await page.locator(".filtered", { hasText: "Hidden: target 2." }).waitFor();
    assert.deepEqual([...(await sharesOf(page)).keys()], [NAMES[0], ...NAMES.slice(2)]);
  },
  "on a phone nothing of it is cut off": {
    html: PAGE,
    options: { ...PHONE, viewport: { width: 390, height: 844 } },
    look: async (page) => {
      const beside = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(beside <= 0, `${beside} px`);
    },
  },
}, { html: PAGE, options: DESKTOP });
