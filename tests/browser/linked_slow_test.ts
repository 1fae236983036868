/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { violationsOf } from "./accessibility.ts";
import { allDrawn, chromiumTest, drawForPrint, openAll } from "./chromium.ts";
import { DESKTOP, MODEL, PAGE, PHONE } from "./sample.ts";
import { TARGETS } from "./selection.ts";

/** Presses the target in the control of the page's bar. */
async function press(page: Page, name: string): Promise<void> {
  await page.locator(".targets").click();
  await page.locator(".choice li button:first-child", { hasText: new RegExp(`^${name}$`) })
    .click();
  await page.keyboard.press("Escape");
}

/** Rows, panels and other parts that are seen, and name exactly this target. */
function shownParts(page: Page, name: string): Promise<string[]> {
  return page.evaluate((name) => {
    const heads = document.querySelectorAll<HTMLElement>(
      "main tbody th[scope=row], main .panel > h4, main .rows .of",
    );
    return [...heads].filter((head) => head.textContent === name && head.checkVisibility())
      .map((head) => `${head.closest("section, article")?.id} ${head.tagName}`);
  }, name);
}

/** Pixels of a canvas, by its id, in exactly these colours of the style sheet. */
function colorsIn(page: Page, names: readonly string[]): Promise<Record<string, number[]>> {
  return page.evaluate((names) => {
    const style = getComputedStyle(document.documentElement);
    const colors = names.map((name) => parseInt(style.getPropertyValue(name).slice(1), 16));
    return Object.fromEntries([...document.querySelectorAll("canvas")].map((canvas) => {
      const counts = colors.map(() => 0);
      const { width, height } = canvas;
      // A copy that is made to be read; Chromium warns of others.
      const copy = new OffscreenCanvas(width, height);
      const context = copy.getContext("2d", { willReadFrequently: true });
      context?.drawImage(canvas, 0, 0);
      const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] };
      for (let i = 0; i < data.length; i += 4) {
        const at = colors.indexOf((data[i] << 16) + (data[i + 1] << 8) + data[i + 2]);
        if (at !== -1 && data[i + 3] === 255) counts[at]++;
      }
      return [canvas.id, counts];
    }));
  }, names);
}

/** For each table with rows of several targets: the targets in the order of their first rows. */
function ordersOf(page: Page): Promise<string[][]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("main .scroll table")].map((table) => {
      const rows = [...table.querySelectorAll<HTMLElement>("tbody tr[data-of]")];
      return [...new Set(rows.map(({ dataset }) => dataset.of ?? ""))];
    }).filter(({ length }) => length > 1)
  );
}

/** Names of a chart's rows, from the top. */
function rowsOf(page: Page, id: string): Promise<string[]> {
  return page.locator(`#${id} [data-label] .of`).allTextContents();
}

/** Charts that show several targets in the colours of each, by the ends of their ids. */
const SEVERAL = /-(?:tradeoff-\d-\d|density|tails|order-1|settling-2)$/;

chromiumTest("targets are chosen for the whole page", {
  "one that is hidden is in no row, panel, bar, line or dot": async (page) => {
    await openAll(page);
    assert.ok((await shownParts(page, "express")).length > 20);
    await press(page, "express");
    await drawForPrint(page);
    assert.deepEqual(await shownParts(page, "express"), []);
    assert.ok((await shownParts(page, "hono")).length > 20);
    const inks = Object.entries(await colorsIn(page, ["--s2", "--s0"]))
      .filter(([id]) => SEVERAL.test(id));
    assert.equal(inks.length, 2 * (1 + 1 + 1) + 2);
    assert.deepEqual(inks.filter(([, [hidden]]) => hidden > 0).map(([id]) => id), []);
  },
  "a legend is a button for the whole page, and the last target stays": async (page) => {
    const button = (name: string) =>
      page.locator("#e1-s1 .legend button", { hasText: new RegExp(`^${name}$`) }).first();
    await button("express").click();
    assert.equal(await button("express").getAttribute("aria-pressed"), "false");
    assert.deepEqual(await shownParts(page, "express"), []);
    await page.locator(".filtered", { hasText: "Hidden: express." }).waitFor();
    for (const name of ["hono", "hono proxied"]) await button(name).press("Enter");
    assert.equal(await button("hono proxied").getAttribute("aria-pressed"), "true");
    await page.locator(".targets").click();
    await page.locator(".choice button", { hasText: "Show all" }).click();
    assert.equal(await page.locator("main [aria-pressed=false], .filtered").count(), 0);
    assert.ok((await shownParts(page, "express")).length > 0);
  },
  "the address keeps what is hidden, beside a section's view, too": async (page) => {
    const address = page.url();
    await press(page, "hono proxied");
    assert.equal(page.url(), `${address}#hide=hono%20proxied`);
    await page.reload();
    await page.locator(".filtered", { hasText: "Hidden: hono proxied." }).waitFor();
    assert.deepEqual(await shownParts(page, "hono proxied"), []);
    await page.locator("#e1-s1-timeline input[name=from]").fill("1");
    await page.waitForFunction(() => location.hash.startsWith("#view="));
    assert.match(page.url(), /#view=e1-s1&range=1-3&hide=hono%20proxied$/);
    await press(page, "express");
    assert.match(page.url(), /&hide=hono%20proxied&hide=express$/);
    await press(page, "express");
    await press(page, "hono proxied");
    assert.match(page.url(), /#view=e1-s1&range=1-3$/);
  },
  "sorting one table brings the rows and the bars of all into its order, and back": async (
    page,
  ) => {
    await openAll(page);
    const written = await ordersOf(page);
    const bars = await rowsOf(page, "e1-verdict-1");
    const table = page.locator(".scroll").filter({
      has: page.locator("caption", { hasText: "Summary of static" }),
    });
    await table.scrollIntoViewIfNeeded();
    const name = table.locator("thead button").first();
    await name.click();
    const names = [...TARGETS].sort();
    const sorted = await ordersOf(page);
    assert.ok(sorted.length > 8, `${sorted.length} tables of several targets`);
    for (const order of sorted) {
      assert.deepEqual(order, names.filter((target) => order.includes(target)));
    }
    assert.deepEqual(await rowsOf(page, "e1-verdict-1"), names);
    await name.click();
    assert.deepEqual(await rowsOf(page, "e1-verdict-1"), names.toReversed());
    await name.click();
    assert.deepEqual(await ordersOf(page), written);
    assert.deepEqual(await rowsOf(page, "e1-verdict-1"), bars);
  },
  "the control works on a phone, by keyboard, and for a screen reader": {
    html: PAGE,
    options: PHONE,
    look: async (page) => {
      await page.locator(".targets").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      await page.locator(".filtered").waitFor();
      const box = await page.locator(".choice").boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= PHONE.viewport.width);
      assert.deepEqual(await violationsOf(page), []);
      await page.keyboard.press("Escape");
      assert.equal(await page.locator(".choice").isVisible(), false);
    },
  },
  "another base, by keyboard, is what the model says of every pair, and goes back to the experiment's own":
    async (page) => {
      const figure = page.locator("figure#e1-compared-1");
      const cells = () =>
        figure.locator("tbody tr").evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent))
        );
      const own = await cells();
      const address = page.url();
      const base = page.locator("select[name=base]");
      await base.focus();
      await page.keyboard.type("hono p");
      await figure.locator("h4", { hasText: "Requests/s against hono proxied" }).waitFor();
      const [static_] = MODEL.context.bases().flatMap(({ base, scenarios }) =>
        base === "hono proxied" ? [scenarios[0]] : []
      );
      const expected = static_?.table?.rows.map((row) => row.map(({ text }) => text));
      assert.deepEqual(await cells(), expected);
      assert.deepEqual(expected?.map(([name]) => name), ["hono"]);
      assert.match(await figure.innerText(), /Holm's correction is over all 2 pairs of targets/);
      assert.equal(page.url(), `${address}#base=hono%20proxied`);
      assert.deepEqual(await violationsOf(page, "#e1-compared"), []);
      await page.reload();
      await figure.locator("h4", { hasText: "Requests/s against hono proxied" }).waitFor();
      await allDrawn(page);
      await page.locator("#e1-s1-timeline input[name=from]").fill("1");
      await page.locator("#e1-s1 .selected .note", {
        hasText: "multiple of the figure of hono proxied",
      })
        .waitFor();
      await base.press("Home");
      await figure.locator("h4", { hasText: /^Requests.s against hono,/ }).waitFor();
      assert.deepEqual(await cells(), own);
    },
  "while a part of the runs is selected, all else of the scenario is greyed": async (page) => {
    await openAll(page);
    const from = page.locator("#e1-s1-timeline input[name=from]");
    await from.fill("1");
    await page.locator("#e1-s1 .whole-run").first().waitFor();
    const plain = () =>
      page.evaluate(() =>
        [...document.querySelectorAll(
          "#e1-s1 :is(canvas, table), #e1-compared-1 .rows, #e1-verdict-1",
        )]
          .filter((element) => !element.closest(".whole-run, .timelines"))
          .map(({ id, textContent }) => id || textContent?.slice(0, 30))
      );
    assert.deepEqual(await plain(), []);
    // Of the other scenario nothing.
    assert.equal(await page.locator("#e1-s2 .whole-run, #e1-compared-2.whole-run").count(), 0);
    assert.deepEqual(await violationsOf(page, "#e1-s1"), []);
    await from.press("Escape");
    await page.waitForFunction(() => document.querySelector(".whole-run") === null);
  },
  "what is pointed at or focused is marked everywhere": async (page) => {
    await allDrawn(page);
    const bar = (name: string) => page.locator(`#e1-verdict-1 [data-label="${name}"]`);
    const strengthOf = (name: string) =>
      bar(name).locator("svg").evaluate((svg) => getComputedStyle(svg).opacity);
    await page.locator("#e1-verdict-1").scrollIntoViewIfNeeded();
    const row = page.locator("caption", { hasText: "Summary of static" }).locator(
      "xpath=ancestor::table",
    )
      .locator("tbody tr", { hasText: "express" });
    await row.hover();
    assert.deepEqual([await strengthOf("hono"), await strengthOf("express")], ["0.3", "1"]);
    const other = page.locator("#e1-matrix tbody tr[data-of=hono]").first();
    const color = () => other.evaluate((row) => getComputedStyle(row).color);
    const faded = await color();
    await page.mouse.move(0, 0);
    assert.notEqual(await color(), faded);
    assert.deepEqual([await strengthOf("hono"), await strengthOf("express")], ["1", "1"]);
    await bar("hono").hover();
    assert.equal(await strengthOf("express"), "0.3");
    assert.match(await bar("hono").locator(".tip").innerText(), /^run 1: [\d,]+, run 2: /);
    await page.mouse.move(0, 0);
    await page.locator("#e1-s1 .legend button", { hasText: "express" }).first().focus();
    await page.locator("#e1-verdict-1").scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.activeElement?.textContent === "express");
  },
}, { html: PAGE, options: DESKTOP });
