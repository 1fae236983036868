/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** How much of the page is shown: what the summary holds, and how a reader gets to the rest. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { violationsOf } from "./accessibility.ts";
import { allDrawn, chromiumTest, type Look } from "./chromium.ts";
import { DESKTOP, PAGE, PHONE, SUMMARY_CHARTS } from "./sample.ts";

const PARTS = { summary: "#e1-tradeoff", detail: "#e1-compared", everything: "#e1-method" };

/** Beside the other controls, which take most of a narrow bar. */
function linked(width: number): Look {
  return {
    html: PAGE,
    options: { ...PHONE, viewport: { width, height: 700 } },
    depth: "summary",
    look: async (page) => {
      const [link, list] = await page.evaluate(() =>
        ["nav li a", "nav ul"].map((part) =>
          document.querySelector(part)?.getBoundingClientRect().right ?? 0
        )
      );
      assert.ok(link > 0 && link <= list, `the link ends at ${link}, the list at ${list}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    },
  };
}

chromiumTest("the depths of the report", {
  "the summary holds the verdict and the pictures, and nothing keeps anyone out": async (page) => {
    assert.deepEqual(await shownOf(page), ["summary"]);
    assert.equal(await visibleCharts(page), SUMMARY_CHARTS);
    assert.deepEqual(await violationsOf(page), []);
  },
  "on a phone, too": {
    html: PAGE,
    options: PHONE,
    depth: "summary",
    look: async (page) => {
      assert.deepEqual(await violationsOf(page), []);
      const [content, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ]);
      assert.equal(content, screen);
    },
  },
  "on a small phone the first link is whole": linked(320),
  "and on a larger one": linked(390),
  "heatmaps that were never near the screen are ready for paper once detail is chosen": async (
    page,
  ) => {
    const undrawn = page.locator(".heatmaps canvas:not([data-heat])");
    assert.ok(await undrawn.count() > 0);
    await page.getByRole("radio", { name: "Detail" }).click();
    await page.waitForFunction(() =>
      document.querySelector(".heatmaps canvas:not([data-heat])") === null
    );
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator("#e1-s2-heatmap").isVisible());
    await page.emulateMedia({ media: null });
  },
  "an empty heatmap is not printed": {
    html: PAGE,
    options: DESKTOP,
    depth: "everything",
    look: async (page) => {
      await allDrawn(page);
      const last = page.locator("#e1-s2-heatmap");
      assert.ok(await last.isVisible());
      await last.locator("canvas").last().evaluate((canvas) => canvas.removeAttribute("data-heat"));
      await page.emulateMedia({ media: "print" });
      assert.ok(!await last.isVisible());
      await page.emulateMedia({ media: null });
    },
  },
  "the control shows more, draws it, and is remembered": async (page) => {
    await page.getByRole("radio", { name: "Detail" }).check();
    assert.deepEqual(await shownOf(page), ["summary", "detail"]);
    await allDrawn(page);
    assert.deepEqual(await violationsOf(page, "nav"), []);
    await page.getByRole("radio", { name: "Everything" }).check();
    assert.deepEqual(await shownOf(page), ["summary", "detail", "everything"]);
    assert.equal(await page.evaluate(() => localStorage.getItem("plateau-depth")), "everything");
    await allDrawn(page);
  },
  "the arrow keys go through all depths, and around": async (page) => {
    await page.getByRole("radio", { name: "Summary" }).focus();
    const seen: string[] = [];
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"]) {
      await page.keyboard.press(key);
      seen.push((await shownOf(page)).at(-1) ?? "");
      assert.ok((await page.evaluate(focusedStop)).isMarked, key);
    }
    assert.deepEqual(seen, ["detail", "everything", "summary", "everything", "detail"]);
  },
  "tab reaches every control, in the order of the page, and each shows that it has the focus": {
    html: PAGE,
    options: DESKTOP,
    depth: "everything",
    look: async (page) => {
      const wrong: Stop[] = [];
      for (let stops = 0; stops < MOST_STOPS; stops++) {
        await page.keyboard.press("Tab");
        const stop = await page.evaluate(focusedStop);
        if (stop.isOut) break;
        if (!stop.isMarked || !stop.isInSight) wrong.push(stop);
      }
      assert.deepEqual(wrong, []);
      assert.deepEqual(await page.locator(CONTROLS).evaluateAll(unreached), []);
    },
  },
  "a link to a hidden part shows it": async (page) => {
    await page.evaluate(() => location.hash = "#e1-method");
    await page.waitForFunction(() => document.documentElement.dataset.depth === "everything");
    assert.ok(await page.getByRole("radio", { name: "Everything" }).isChecked());
    assert.ok(await page.locator("#e1-method h2").isVisible());
  },
  "paper gets the summary, and what was chosen for it since": {
    html: PAGE,
    options: DESKTOP,
    depth: "everything",
    look: async (page) => {
      assert.deepEqual(await printedOf(page), ["summary"]);
      assert.deepEqual(await shownOf(page), ["summary", "detail", "everything"]);
      await page.getByRole("radio", { name: "Detail" }).check();
      assert.deepEqual(await printedOf(page), ["summary", "detail"]);
    },
  },
  "the page does not change its height while it is scrolled": {
    html: PAGE,
    options: DESKTOP,
    depth: "everything",
    look: async (page) => {
      const heights = await page.evaluate(async () => {
        const seen = [];
        for (let y = 0; y < document.body.scrollHeight; y += innerHeight) {
          scrollTo(0, y);
          await new Promise((resolve) => requestAnimationFrame(resolve));
          seen.push(document.body.scrollHeight);
        }
        return seen;
      });
      assert.equal(new Set(heights).size, 1, `${heights}`);
    },
  },
}, { html: PAGE, options: DESKTOP, depth: "summary" });

/** More than the page has. */
const MOST_STOPS = 2_000;
/** Of a group of radio buttons, tab reaches the checked one. */
const CONTROLS =
  "a[href], button, input:not([type=radio]:not(:checked)), select, summary, [tabindex='0']";

interface Stop {
  readonly name: string;
  /** After the last. */
  readonly isOut: boolean;
  /** Whether it is outlined, or what stands for it beside it. */
  readonly isMarked: boolean;
  /** Whether it is on the screen, and not all of it is covered by anything else. */
  readonly isInSight: boolean;
}

/** Where the focus is, which is then marked as reached. Runs in the page. */
function focusedStop(): Stop {
  const element = document.activeElement ?? document.body;
  const isOutlined = (one: Element | null): boolean => {
    if (one === null) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(one);
    return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
  };
  const shown = element instanceof HTMLInputElement ? element.closest("label") ?? element : element;
  const { left, right, top, bottom } = shown.getBoundingClientRect();
  const middle = (Math.max(left, 0) + Math.min(right, innerWidth)) / 2;
  const [from, to] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
  const isAt = (share: number): boolean => {
    const at = document.elementFromPoint(middle, from + (to - from) * share);
    return at !== null && (shown.contains(at) || at.contains(shown));
  };
  element.setAttribute("data-reached", "");
  return {
    name: element.outerHTML.slice(0, 120),
    isOut: element === document.body,
    isMarked: isOutlined(element) || isOutlined(element.nextElementSibling),
    isInSight: [0.05, 0.5, 0.95].some(isAt),
  };
}

function unreached(elements: readonly Element[]): string[] {
  return elements.filter((element) =>
    element.checkVisibility() && !element.hasAttribute("data-reached") &&
    !element.matches(":disabled")
  ).map(({ outerHTML }) => outerHTML.slice(0, 120));
}

function shownOf(page: Page): Promise<string[]> {
  return page.evaluate(
    (parts) =>
      Object.entries(parts).filter(([, part]) => document.querySelector(part)?.checkVisibility())
        .map(([depth]) => depth),
    PARTS,
  );
}

async function printedOf(page: Page): Promise<string[]> {
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const shown = await shownOf(page);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  return shown;
}

function visibleCharts(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...document.querySelectorAll("canvas")].filter((canvas) => canvas.checkVisibility()).length
  );
}
