/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The page of a comparison: what it says, on every screen, and that it keeps nobody out. */
import assert from "node:assert/strict";
import { comparedCard } from "../../report/subjects/comparison/card.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import type { TrustFinding } from "../../runner/result/findings.ts";
import { hostileResults } from "../report/hostile.ts";
import { around, type Rates, resultsAt } from "../report/rates.ts";
import { FIRST_SCREENS, LAPTOP, onEveryScreen } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { comparedPage } from "../report/compared.ts";

function compareAt(base: Rates, next: Rates): ResultsComparison {
  return compareResults(resultsAt(base), resultsAt(next));
}

const BOTH = compareAt(
  { hono: around(2_000), express: around(1_000), gone: [500, 505] },
  { hono: around(2_600, 0.001), express: around(800, 0.0005) },
);
const HTML = comparedPage(BOTH);

function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

const LATE: TrustFinding = {
  code: "worker-late",
  severity: "suspect",
  evidence: { delay: 20 },
  advice: [],
};
const REST: TrustFinding[] = [1, 2, 3, 4].map((n) => ({
  code: "text",
  severity: "suspect",
  evidence: { text: `reason ${n}`, cause: `cause-${n}` },
  advice: [],
}));

/** Both runs of the first cell, and one of each other, for a reason of its own. */
const DRAWN = resultsAt(Object.fromEntries("abcde".split("").map((name) => [name, [900, 1_000]])));
const DOUBTED = {
  ...DRAWN,
  runs: DRAWN.runs.map((run) => {
    const at = "abcde".indexOf(run.target);
    return {
      ...run,
      generator: {
        ...run.generator,
        trust: "suspect" as const,
        findings: at === 0 ? [LATE] : [REST[at - 1]],
      },
    };
  }),
};

chromiumTest("the page of a comparison", {
  ...onEveryScreen("the verdict is on the first screen", {
    ...{ html: HTML, screens: FIRST_SCREENS },
    look: async (page, isPhone) => {
      const card = page.locator(".card");
      assert.ok(plain(await card.innerText()).startsWith(plain(comparedCard(BOTH).sentence)));
      const below = await card.evaluate((card) =>
        card.getBoundingClientRect().bottom - innerHeight
      );
      assert.ok(below <= 0, `${below} px`);
      // A table that scrolls hides its last ratio, which is the p99's.
      const cut = await page.locator("#c1-cells .scroll").evaluate((box) =>
        box.scrollWidth - box.clientWidth
      );
      assert.ok(cut <= 0 || isPhone, `${cut} px of the table are cut`);
    },
  }),
  "a row a cell has base and new figures beside each other": {
    html: HTML,
    options: { ...LAPTOP, javaScriptEnabled: false },
    look: async (page) => {
      const rows = await page.locator("#c1-cells tbody tr").evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("th, td")].map((cell) => cell.textContent ?? ""))
      );
      assert.deepEqual(rows.map(([name]) => name), ["static, hono", "static, express"]);
      assert.match(plain(rows[0][1]), /^1\.30\d*× \[1\.\d+, 1\.\d+\] 2,000 → 2,603: better$/);
      assert.ok(
        (await page.locator(".warning").innerText()).includes("Only in BASE: static, gone"),
      );
    },
  },
  "what both sides are doubted for is said once, and fills no sheet": {
    html: comparedPage(compareResults(DOUBTED, DOUBTED)),
    options: LAPTOP,
    look: async (page) => {
      const box = page.locator("details.trust");
      assert.equal(await box.count(), 1);
      assert.match(
        plain(await box.locator("summary").innerText()),
        /^Runs in doubt$/,
      );
      const doubts = (await box.locator("li").allTextContents()).map(plain);
      assert.match(
        doubts[0],
        /^2 runs of BASE and 2 runs of NEW are suspect, such as .* of BASE: /,
      );
      assert.equal(new Set(doubts.map((doubt) => doubt.split(": ")[1])).size, doubts.length);
      assert.equal(doubts.length, 5);
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.equal(await box.locator("li:visible").count(), 3);
      assert.equal(
        await box.locator(".on-paper").innerText(),
        "2 more are in the page on a screen.",
      );
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.emulateMedia({ media: null });
    },
  },
  "hostile texts are shown and do nothing": {
    html: comparedPage(compareResults(hostileResults(), hostileResults())),
    options: LAPTOP,
    look: async (page) => {
      assert.ok((await page.locator("#c1-cells tbody tr").count()) > 0);
    },
  },
});
