/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { censoredResults, FROZEN, INTERRUPTED, type Load } from "../report/censored_results.ts";
import { violationsOf } from "./accessibility.ts";
import { allDrawn, chromiumTest, openAll } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";
import { shownAs } from "./selection.ts";

const LOADS = { frozen: FROZEN, interrupted: INTERRUPTED };
const PAGE = renderReportPage([reportModel(censoredResults(LOADS))]);
const NARROW = { viewport: { width: 390, height: 844 } } as const;

/** Of all values of a load that ended after `fromS`, ms: lower bounds count as values. */
function asValues({ requests }: Load, fromS: number, percentile: number): number {
  const sorted = requests.filter(({ atS }) => atS > fromS).map(({ ms }) => ms)
    .sort((a, b) => a - b);
  return sorted[Math.ceil(percentile / 100 * sorted.length) - 1];
}

/** The figures of the selection from p50 to p99, as they are written. */
async function textsOf(page: Page, row: number): Promise<string[]> {
  const texts = await page.locator("#e1-s1-timeline .selected tbody tr").nth(row)
    .locator("td").allTextContents();
  return texts.slice(1, 5);
}

chromiumTest("lower bounds on a page", {
  "a selection has the lower bounds of its intervals, in figures and marks": async (page) => {
    const from = page.locator("#e1-s1-timeline input[name=from]");
    await from.fill("0.5");
    await from.blur();
    const { rows } = await shownAs(page, /^0\.5–5 s$/);
    const [frozen, interrupted] = ["frozen", "interrupted"].map((target) =>
      (rows.find(([name]) => name === target) ?? []).slice(2).map(Number)
    );
    [50, 75, 90, 99].forEach((p, i) => {
      const wanted = asValues(FROZEN, 0.5, p);
      assert.ok(Math.abs(frozen[i] / wanted - 1) < 0.001, `p${p}: ${frozen[i]}, not ${wanted}`);
    });
    // Forty answers after a second, and sixty requests that were watched for a fifth of one.
    assert.ok(interrupted.slice(0, 4).every((ms) => ms >= 1_000));
    const marks = (await Promise.all([1, 0].map((row) => textsOf(page, row))))
      .map((texts) => texts.map((text) => text.includes("≥")));
    assert.deepEqual(marks, [[false, true, true, true], [true, true, true, true]]);
    const note = page.locator("#e1-s1-timeline .selected .note");
    assert.match(await note.textContent() ?? "", /453 latencies are lower bounds/);
  },
  "a selection without lower bounds has no marks, and no note on them": async (page) => {
    const to = page.locator("#e1-s1-timeline input[name=to]");
    await to.fill("1");
    await to.blur();
    await shownAs(page, /^0–1 s$/);
    assert.ok((await textsOf(page, 0)).every((text) => !text.includes("≥")));
    const note = page.locator("#e1-s1-timeline .selected .note");
    assert.doesNotMatch(await note.textContent() ?? "", /lower bound/);
  },
  "on a phone every chart is drawn, intervals are marked, and nothing keeps anyone out": {
    html: PAGE,
    options: NARROW,
    look: async (page) => {
      await allDrawn(page);
      await openAll(page);
      const interval = page.locator("#e1-s1 table", { hasText: "requests per second of frozen" })
        .locator("tbody tr").last();
      assert.match(await interval.textContent() ?? "", /≥ 985≥ 1,476≥ 1,770≥ 1,951/);
      const isWide = await page.evaluate(() => document.body.scrollWidth > innerWidth);
      assert.equal(isWide, false);
      assert.deepEqual(await violationsOf(page), []);
    },
  },
}, { html: PAGE, options: DESKTOP });
