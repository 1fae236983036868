/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The moment under the pointer: shown in every timeline and every heatmap of a scenario. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { chromiumTest, drawnBox } from "./chromium.ts";
import { DESKTOP, PAGE } from "./sample.ts";

const TIMELINES = ["e1-s1-timeline-1", "e1-s1-timeline-2"];
const HEATMAPS = ["e1-s1-heatmap-1", "e1-s1-heatmap-2"];
const ALL = [...TIMELINES, ...HEATMAPS];
/** Side by side, of 3 s in intervals of 0.25 s: the mark stands in the interval, and the pointer anywhere in it. */
const RUNS = 3;
const INTERVALS = 12;

declare global {
  /** Where the last drawing of each canvas has upright lines and narrow bands, px from its left. */
  var places: Record<string, number[]>;
}

/** Notes every upright line and band that is drawn from here on, by its canvas. */
async function notePlaces(page: Page): Promise<void> {
  await page.evaluate(() => {
    globalThis.places = {};
    const proto = CanvasRenderingContext2D.prototype;
    const { clearRect, fillRect, moveTo, lineTo } = proto;
    let from = [0, 0];
    proto.clearRect = function (...box): void {
      clearRect.apply(this, box);
      globalThis.places[this.canvas.id] = [];
    };
    proto.fillRect = function (x, y, width, height): void {
      fillRect.call(this, x, y, width, height);
      if (width < 40 && height > 60) globalThis.places[this.canvas.id]?.push(x + width / 2);
    };
    proto.moveTo = function (x, y): void {
      moveTo.call(this, x, y);
      from = [x, y];
    };
    proto.lineTo = function (x, y): void {
      lineTo.call(this, x, y);
      const isUpright = Math.abs(x - from[0]) < 0.5 && Math.abs(y - from[1]) > 60;
      if (isUpright) globalThis.places[this.canvas.id]?.push(x);
    };
  });
}

function drawnAnew(page: Page): Promise<unknown> {
  return page.waitForFunction((ids) => ids.every((id) => globalThis.places[id] !== undefined), ALL);
}

/** Moves over a canvas, by a share of its width, and waits until all charts are drawn anew. */
async function placesAt(page: Page, id: string, share: number): Promise<Map<string, number[]>> {
  await page.evaluate(() => globalThis.places = {});
  const box = await page.locator(`#${id}`).boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + share * box.width, box.y + box.height / 2);
  await drawnAnew(page);
  const seen = await page.evaluate(() => globalThis.places);
  return new Map(Object.entries(seen).map(([id, xs]) => [id, xs.map((x) => Math.round(x))]));
}

/** Heatmaps have a line there, timelines a band as wide as the interval; a box of figures has edges, too. */
function moved(before: readonly number[] = [], after: readonly number[] = []): number[] {
  return [...new Set(after)].filter((x) => !before.includes(x));
}

async function prepare(page: Page): Promise<void> {
  for (const id of TIMELINES) await drawnBox(page, id);
  for (const id of HEATMAPS) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.locator(`#${id}[data-heat=drawn]`).waitFor();
  }
  await notePlaces(page);
}

const SHARES = [0.35, 0.52, 0.7];

chromiumTest(
  "the crosshair of a scenario",
  Object.fromEntries([HEATMAPS[0], TIMELINES[1]].map((under) => [
    `under ${under} it stands at the same moment in every timeline and heatmap`,
    {
      html: PAGE,
      options: DESKTOP,
      look: async (page: Page) => {
        await prepare(page);
        await page.locator(`#${under}`).scrollIntoViewIfNeeded();
        let before = await placesAt(page, under, 0.2);
        for (const share of SHARES) {
          const after = await placesAt(page, under, share);
          const width = (await page.locator(`#${under}`).boundingBox())?.width ?? 0;
          for (const id of ALL) {
            const places = moved(before.get(id), after.get(id));
            assert.ok(
              places.some((x) => Math.abs(x - share * width) < 1.5 * width / INTERVALS / RUNS),
              `${id}: ${places} px, the pointer at ${share * width}`,
            );
          }
          before = after;
        }
        await page.evaluate(() => globalThis.places = {});
        await page.mouse.move(0, 0);
        await drawnAnew(page);
        const left = await page.evaluate(() => globalThis.places);
        for (const id of TIMELINES) {
          const places = left[id].map((x) => Math.round(x));
          assert.deepEqual(moved(before.get(id), places), []);
          assert.ok(moved(places, before.get(id)).length > 0, `${id}: it stays`);
        }
      },
    },
  ])),
);
