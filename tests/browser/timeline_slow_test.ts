/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { sum } from "../../report/writing/spread.ts";
import { resultsFixture } from "../report/fixture.ts";
import { violationsOf } from "./accessibility.ts";
import { allDrawn, chromiumTest, drawnBox } from "./chromium.ts";
import { TARGETS } from "./selection.ts";
import { DESKTOP, PAGE, PHONE, RESULTS } from "./sample.ts";

const RUNS = RESULTS.runs.filter(({ target, scenario }) =>
  target === "hono" && scenario === "static"
);

/** A load in phases, a discarded start, an added instance: all the marks that there are. */
const MARKED = resultsFixture({
  experiment: {
    discard: 500,
    targets: {
      hono: { cluster: { of: "app", instances: 2, add: { at: 1_500, instances: 1 } } },
      koa: { app: "api" },
    },
  },
  cells: ["hono", "koa"].map((target, i) => ({
    target,
    scenario: "static",
    medianMs: 2 + i,
    runs: 3,
    warmUp: 4,
  })),
});
const MARKED_PAGE = renderReportPage([
  reportModel({
    ...MARKED,
    runs: MARKED.runs.map((run) => ({
      ...run,
      load: {
        kind: "phases",
        connections: 20,
        keepAlive: true,
        timeout: 5_000,
        arrivals: "uniform",
        seed: 1,
        pool: "shared",
        phases: [{ durationS: 1, from: 9_000, to: 9_000 }, {
          durationS: 2,
          from: 9_000,
          to: 12_000,
        }],
      },
      warmup: run.warmup && { ...run.warmup, label: "warm-up", steadyFromS: 0.75 },
    })),
  }),
]);

interface Written {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Every text that a chart writes, with its place, when it is drawn anew. */
function writtenOn(page: Page, id: string): Promise<Written[]> {
  return page.evaluate((id) => {
    const canvas = document.getElementById(id);
    const written: Written[] = [];
    const proto = CanvasRenderingContext2D.prototype;
    const own = proto.fillText;
    proto.fillText = function (text: string, x: number, y: number, most?: number): void {
      own.call(this, text, x, y, most);
      if (this.canvas !== canvas) return;
      const size = this.measureText(text);
      const { e, f, a, b } = this.getTransform();
      if (b !== 0) return;
      const place = (pixels: number, shift: number): number => pixels + shift / a;
      written.push({
        text,
        left: place(x - size.actualBoundingBoxLeft, e),
        right: place(x + size.actualBoundingBoxRight, e),
        top: place(y - size.actualBoundingBoxAscent, f),
        bottom: place(y + size.actualBoundingBoxDescent, f),
      });
    };
    canvas?.dispatchEvent(new PointerEvent("pointerleave"));
    document.querySelector<HTMLInputElement>(".view input[name=from]")?.dispatchEvent(
      new Event("input", { bubbles: true }),
    );
    return new Promise<Written[]>((resolve) =>
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          proto.fillText = own;
          resolve(written);
        })
      )
    );
  }, id);
}

function assertApart(written: readonly Written[]): void {
  written.forEach((one, i) => {
    for (const other of written.slice(i + 1)) {
      const isApart = one.right <= other.left || other.right <= one.left ||
        one.bottom <= other.top || other.bottom <= one.top;
      assert.ok(isApart, `${JSON.stringify(one)} lies on ${JSON.stringify(other)}`);
    }
  });
}

const marked = (options: typeof DESKTOP | typeof PHONE, least: readonly string[]) => ({
  html: MARKED_PAGE,
  options,
  look: async (page: Page) => {
    for (const chart of ["overlay", "1", "2"]) {
      await drawnBox(page, `e1-s1-timeline-${chart}`);
      const written = await writtenOn(page, `e1-s1-timeline-${chart}`);
      assertApart(written);
      const first = written.filter(({ text }) => /^(Latency|p50), ms$/.test(text))[0];
      const labels = written.filter(({ text }) =>
        /\/s$|instance|discarded|steady|change/.test(text)
      )
        .filter(({ text }) => text !== "Requests/s");
      for (const { text, bottom } of labels) {
        assert.ok(bottom <= first.top, `${text} ends above the lines`);
      }
      if (chart !== "overlay") continue;
      for (const text of least) assert.ok(labels.some((label) => label.text === text), text);
    }
  },
});

/** Text of a heatmap's readout, once it says something. */
async function readout(page: Page, after = ""): Promise<string> {
  await page.waitForFunction(
    (after) =>
      ![after, ""].includes(document.querySelector("#e1-s1-heatmap output")?.textContent ?? ""),
    after,
  );
  return await page.locator("#e1-s1-heatmap output").first().innerText();
}

async function heatDrawn(page: Page, id = "e1-s1-heatmap-1"): Promise<void> {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.locator(`#${id}[data-heat=drawn]`).waitFor();
}

chromiumTest("charts over time", {
  "marks have labels above the lines, none on another": marked(DESKTOP, [
    "9,000/s",
    "9,000 → 12,000/s",
    "+1 instance",
    "discarded",
  ]),
  "and on a phone": marked(PHONE, ["9,000/s"]),
  "arrow keys read a heatmap, request by request as the results have them": async (page) => {
    await heatDrawn(page);
    const group = page.locator("#e1-s1-heatmap .heatmap").first();
    await group.focus();
    await page.keyboard.press("ArrowRight");
    const first = await readout(page);
    assert.match(
      first,
      /^run 1, 0–0.25 s: [\d,]+ requests (under|between) [\d. and]+ ms, [\d.]+\s% of [\d,]+\.$/,
    );
    const [{ completed, failed }] = RUNS[0].timeline.points;
    assert.match(first, new RegExp(`of ${(completed + failed).toLocaleString("en")}\\.$`));
    await page.keyboard.press("ArrowRight");
    const second = await readout(page, first);
    assert.match(second, /^run 1, 0.25–0.5 s: /);
    await page.keyboard.press("ArrowUp");
    assert.notEqual(await readout(page, second), first);
    assert.deepEqual(await violationsOf(page, "#e1-s1-heatmap"), []);
  },
  "the pointer reads a heatmap, and the readout moves nothing": async (page) => {
    await heatDrawn(page);
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    const box = await page.locator("#e1-s1-heatmap-1").boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.8);
    assert.match(await readout(page), /^run \d, [\d.]+–[\d.]+ s: /);
    assert.equal(await height(), before);
  },
  "the table of a heatmap adds up to the requests of the runs": async (page) => {
    await page.locator("#e1-s1-heatmap details.heats summary").click();
    const table = page.locator("#e1-s1-heatmap details.heats table").first();
    await table.waitFor();
    const rows = await table.evaluate((element) =>
      [...(element as HTMLTableElement).tBodies[0].rows].map(({ cells }) =>
        [...cells].slice(2, -1).map(({ dataset, textContent }) =>
          Number(dataset.v ?? textContent?.replaceAll(",", ""))
        )
      )
    );
    const points = RUNS.flatMap(({ timeline }) => timeline.points);
    assert.equal(rows.length, points.length);
    rows.forEach((row, i) =>
      assert.equal(sum(row, (count) => count), points[i].completed + points[i].failed)
    );
  },
  "heatmaps and overlay show the targets that are chosen": async (page) => {
    await heatDrawn(page);
    const overlay = () =>
      page.evaluate(() =>
        document.querySelector<HTMLCanvasElement>("#e1-s1-timeline-overlay")?.toDataURL()
      );
    await drawnBox(page, "e1-s1-timeline-overlay");
    const all = await overlay();
    await page.locator(".targets").click();
    await page.locator(".choice button", { hasText: TARGETS[1] }).first().click();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#e1-s1-heatmap .panel:visible").count(), 2);
    assert.notEqual(await overlay(), all);
  },
  "no chart over time changes the height of the page": async (page) => {
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await height();
    await allDrawn(page);
    await heatDrawn(page, "e1-s2-heatmap-3");
    assert.equal(await height(), before);
  },
}, { html: PAGE, options: DESKTOP });
