/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { withoutGroups } from "../../report/writing/units.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { partsOf, publishedResults } from "../report/published_results.ts";
import { onEveryScreen } from "./accessibility.ts";
import { allDrawn, assertPointed, chromiumTest, drawnBox, inkOf } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";

const TARGETS = ["express", "fastify", "hapi", "gin"];
const ratesBy = (factor: (at: number) => number) =>
  Object.fromEntries(TARGETS.map((target, at) => [target, {
    static: 1_000 * (at + 1) * factor(at),
    redis: 300 * (at + 2) * factor(at),
  }]));

const RESULTS = publishedResults({
  measured: ratesBy((at) => at === 3 ? 0.5 : 1),
  published: [{
    source: "Table 2",
    relative: "express, static",
    values: ratesBy(() => 1),
    confounders: ["Express logged every request there."],
  }, { source: "Table 3", values: { express: { static: 900 } } }],
});
const PAGE = renderReportPage([reportModel(RESULTS)]);
const SECTION = "e1-published";
const [, CANVAS = ""] = /<canvas id="(e1-published[^"]*)"/.exec(PAGE) ?? [];

chromiumTest("published beside measured", {
  ...onEveryScreen("the dots are drawn", {
    html: PAGE,
    parts: `#${SECTION}`,
    look: async (page) => {
      await allDrawn(page);
      const { [CANVAS]: ink } = await inkOf(page);
      assert.ok(ink > 0.01, `${ink}`);
    },
  }),
  "a dot that is pointed at shows more": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => {
      await drawnBox(page, CANVAS);
      await assertPointed(page, CANVAS, await pixelOf(page, "--s3"));
    },
  },
  "the table has the model's numbers and every table has its heading": {
    html: PAGE,
    options: { ...DESKTOP, javaScriptEnabled: false },
    look: async (page) => {
      const shown = await page.locator(`#${SECTION} table >> nth=0 >> tbody tr`).evaluateAll((
        rows,
      ) =>
        rows.map((row) =>
          [...row.children].map((cell) =>
            cell instanceof HTMLElement ? cell.dataset.v ?? cell.textContent : ""
          )
        )
      );
      const [part] = partsOf(RESULTS);
      const expected = part.table?.rows.map((row) =>
        row.map(({ text, value }) => String(value ?? withoutGroups(text)))
      );
      assert.deepEqual(shown.map((row) => row.map(withoutGroups)), expected);
      const headings = await page.locator(`#${SECTION} h3`).allTextContents();
      assert.deepEqual(headings, ["Table 2: rate", "Table 3: rate"]);
      assert.equal(
        await page.locator(`a[href="#${SECTION}"]`).textContent(),
        "Published and measured",
      );
      assert.equal(await page.locator(`#${SECTION} canvas`).count(), 1);
    },
  },
});

/** Middle of the pixels that have a colour of the style sheet, on the canvas. */
function pixelOf(page: Page, variable: string): Promise<{ x: number; y: number }> {
  return page.evaluate(([id, name]) => {
    const canvas = document.getElementById(id);
    if (!(canvas instanceof HTMLCanvasElement)) throw new Error("there is no canvas");
    const color = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const wanted = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
    const { width, height, clientWidth } = canvas;
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, width, height) ?? { data: [] };
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 255 || wanted.some((part, at) => data[i + at] !== part)) continue;
      const scale = clientWidth / width;
      return { x: (i / 4 % width) * scale, y: Math.floor(i / 4 / width) * scale };
    }
    throw new Error(`no pixel is ${color}`);
  }, [CANVAS, variable]);
}
