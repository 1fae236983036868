/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The flame graph in a browser: drawn, found in, zoomed by pointer and keys, and held against another. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { HOSTILE, profileOf, resultsWith } from "../report/profiled_results.ts";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP, PHONE } from "./sample.ts";

const PAGE = renderReportPage([reportModel(resultsWith([
  profileOf("fast", 1, 600),
  profileOf("fast", 2, 610),
  profileOf("slow", 1, 1_600, HOSTILE),
  profileOf("slow", 2, 1_610, HOSTILE),
]))]);

const calls = (page: Page): Promise<string[]> =>
  page.locator("figure.flame [role=treeitem]").evaluateAll((all) =>
    all.map((call) => (call.getAttribute("aria-label") ?? "").replaceAll("\u00a0", " "))
  );

const widthOf = (page: Page, name: string): Promise<number> =>
  page.locator(`figure.flame [aria-label^="${name}"]`).evaluate((call) =>
    call.getBoundingClientRect().width
  );

const focused = (page: Page): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

chromiumTest("the flame graph", {
  "nothing keeps anyone out, in the light and in the dark": {
    html: PAGE,
    options: { ...DESKTOP, colorScheme: "dark" },
    look: async (page) => {
      await page.locator("figure.flame").scrollIntoViewIfNeeded();
      assert.deepEqual(await violationsOf(page, "figure.flame"), []);
      await page.emulateMedia({ colorScheme: "light" });
      await page.locator("select[name=against]").selectOption({ label: "slow" });
      assert.deepEqual(await violationsOf(page, "figure.flame"), []);
    },
  },
  "calls are named with place and shares, and drawn as wide as their time": async (page) => {
    assert.deepEqual(await calls(page), [
      "json (express/lib/response.js:239): own 29.9 %, total 90.0 %",
      "stringify (app/main.js:7): own 60.2 %, total 60.2 %",
      "(garbage collector): own 9.95 %, total 9.95 %",
    ]);
    const [json, stringify] = [await widthOf(page, "json"), await widthOf(page, "stringify")];
    assert.ok(Math.abs(stringify / json - 0.602 / 0.9) < 0.01);
  },
  "a press shows a call whole, a key leads to its caller and back to all": async (page) => {
    const before = await widthOf(page, "stringify");
    await page.locator(`figure.flame [aria-label^="stringify"]`).click();
    const after = await widthOf(page, "stringify");
    assert.ok(after > 1.5 * before);
    assert.equal((await calls(page)).length, 2);
    await page.locator(`figure.flame [tabindex="0"]`).focus();
    await page.keyboard.press("ArrowDown");
    assert.match(await focused(page) ?? "", /^stringify/);
    await page.keyboard.press("ArrowUp");
    assert.match(await focused(page) ?? "", /^json/);
    await page.keyboard.press("Escape");
    assert.equal((await calls(page)).length, 3);
    await page.keyboard.press("ArrowRight");
    assert.match(await focused(page) ?? "", /^\(garbage collector\)/);
    await page.keyboard.press("Enter");
    assert.equal((await calls(page)).length, 1);
    await page.getByRole("button", { name: "Show all" }).click();
    assert.equal((await calls(page)).length, 3);
  },
  "what is sought is marked, with the share of its time": async (page) => {
    await page.locator("input[name=sought]").fill("MAIN.js");
    const text = await page.locator("figure.flame .readout").textContent() ?? "";
    assert.equal(text.replaceAll("\u00a0", " "), "1 call found, 60.2 % of the time");
    assert.equal(await page.locator("figure.flame .dim").count(), 2);
  },
  "another profile colours what takes more, and names with markup are text": async (page) => {
    await page.locator("select[name=shown]").selectOption({ label: "slow" });
    await page.locator("select[name=against]").selectOption({ label: "fast" });
    const grown = page.locator("figure.flame .grown3");
    assert.equal(await grown.count(), 1);
    const label = (await grown.getAttribute("aria-label") ?? "").replaceAll("\u00a0", " ");
    assert.ok(label.startsWith(HOSTILE), label);
    assert.match(
      label,
      /1\.60 ms per request, 0 ms in the other profile: the difference exceeds the noise between runs$/,
    );
    assert.equal(await page.locator("figure.flame img").count(), 0);
  },
  "a phone's screen is as wide as the graph": {
    html: PAGE,
    options: PHONE,
    look: async (page) => {
      const [content, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.equal(content, screen);
      assert.ok(await widthOf(page, "json") > 200);
    },
  },
}, { html: PAGE, options: DESKTOP });
