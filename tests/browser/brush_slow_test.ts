/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import { violationsOf } from "./accessibility.ts";
import { chromiumTest, drawnBox } from "./chromium.ts";
import { DESKTOP, MODEL, PAGE, PHONE } from "./sample.ts";
import {
  assertFigures,
  captionOf,
  drag,
  figuresOf,
  rangeOf,
  runsOf,
  shownAs,
  TARGETS,
} from "./selection.ts";

chromiumTest("selecting a part of the runs", {
  "dragging over a target, or over all, recomputes what the results file says of that range, to the last digit":
    async (page) => {
      for (
        const [id, shares] of [["2", [0.25, 0.35]], ["overlay", [0.3, 0.6]]] as const
      ) {
        await drag(page, `e1-s1-timeline-${id}`, shares);
        const range = await rangeOf(page);
        const shown = await shownAs(page, captionOf(range));
        assert.ok(range[0] > 0 && range[1] < 3 && range[0] < range[1]);
        const wanted = (target: string) => figuresOf(runsOf("static", target), range);
        assertFigures(shown, TARGETS, wanted);
        const [first, , last] = TARGETS.map(wanted);
        assert.equal(shown.ratios[0], `${(last[0] / first[0]).toFixed(2)}×`);
        assert.equal(shown.ratios[4], `${(last[4] / first[4]).toFixed(2)}×`);
      }
    },
  "seconds that were typed are taken in whole steps, alike in the fields, the figures and the link":
    async (page) => {
      const [from, to] = ["from", "to"].map((name) =>
        page.locator(`#e1-s1-timeline input[name=${name}]`)
      );
      for (
        const [typed, taken] of [
          [["0.3", "0.4"], [0.25, 0.5]],
          [["0.3", "0.35"], [0.25, 0.5]],
          [["1", "999"], [1, 3]],
          [["999", ""], [2.75, 3]],
        ] as const
      ) {
        await page.locator("button[name=whole]").first().click();
        await from.fill(typed[0]);
        await to.fill(typed[1]);
        await to.blur();
        assert.deepEqual(await rangeOf(page), taken, `${typed}`);
        const shown = await shownAs(page, captionOf(taken));
        assertFigures(shown, TARGETS, (target) => figuresOf(runsOf("static", target), taken));
        await page.waitForFunction(
          (part) => location.hash.includes(part),
          `range=${taken.join("-")}`,
        );
      }
    },
  "escape and the button go back to the whole run": async (page) => {
    const input = page.locator("#e1-s1-timeline input[name=from]");
    for (
      const leave of [
        () => input.press("Escape"),
        () => page.locator("button[name=whole]").first().click(),
      ]
    ) {
      await input.fill("1");
      await shownAs(page, /^1–3 s of every run$/);
      await leave();
      assertFigures(
        await shownAs(page, /^All of every run$/),
        TARGETS,
        (target) => figuresOf(runsOf("static", target), [0, 3]),
      );
      assert.deepEqual(await rangeOf(page), [0, 3]);
    }
  },
  "arrow keys move its ends by an interval, and never past each other": async (page) => {
    const from = page.locator("#e1-s1-timeline input[name=from]");
    const to = page.locator("#e1-s1-timeline input[name=to]");
    await from.press("ArrowUp");
    await from.press("ArrowUp");
    await to.press("ArrowDown");
    await shownAs(page, /^0.5–2.75 s of every run$/);
    for (let i = 0; i < 11; i++) await to.press("ArrowDown");
    const [start, end] = await rangeOf(page);
    assert.ok(start < end && start >= 0, `${start}–${end}`);
    await page.waitForFunction(() =>
      document.querySelector(".timelines > [role=status]")?.textContent !== ""
    );
  },
  "a finger that moves across a timeline selects": {
    html: PAGE,
    options: PHONE,
    look: async (page) => {
      const box = await drawnBox(page, "e1-s1-timeline-1");
      const client = await page.context().newCDPSession(page);
      const touch = (type: "touchStart" | "touchMove" | "touchEnd", share: number) =>
        client.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd"
            ? []
            : [{ x: box.x + box.width * share, y: box.y + box.height / 2 }],
        });
      await touch("touchStart", 0.25);
      for (const share of [0.27, 0.29, 0.31, 0.33]) await touch("touchMove", share);
      await touch("touchEnd", 0);
      const range = await rangeOf(page);
      const shown = await shownAs(page, captionOf(range));
      assertFigures(shown, TARGETS, (target) => figuresOf(runsOf("static", target), range));
    },
  },
  "a hidden target is in no figure of the selection": async (page) => {
    const figure = page.locator("#e1-s1-timeline");
    await page.locator(".targets").click();
    await page.locator(".choice button", { hasText: TARGETS[0] }).first().click();
    await page.keyboard.press("Escape");
    await figure.locator("input[name=from]").fill("1");
    const shown = await shownAs(page, /^1–3 s of every run$/);
    assertFigures(
      shown,
      TARGETS.slice(1),
      (target) => figuresOf(runsOf("static", target), [1, 3]),
    );
    assert.equal(await figure.locator(".panel:visible").count(), 2);
    assert.deepEqual(await violationsOf(page, "#e1-s1"), []);
  },
  "a link brings the range back": async (page) => {
    const link = "#view=e1-s2&range=0.5-2&hide=hono";
    const address = page.url();
    const assertView = async (): Promise<void> => {
      const shown = await shownAs(page, /^0.5–2 s of every run$/, "e1-s2");
      const [first, , last] = MODEL.context.scenarios[1].cells; // hono is the second
      assertFigures(
        shown,
        [first.label, last.label],
        (target) => figuresOf(runsOf("fib", target), [0.5, 2]),
      );
      await page.locator("#e1-s2-timeline .panel").first().waitFor({ state: "visible" });
      await page.waitForFunction(() =>
        Math.abs(document.getElementById("e1-s2-timeline")?.getBoundingClientRect().top ?? 1e3) <
          200
      );
    };
    await page.evaluate((hash) => location.hash = hash, link);
    await assertView();
    await page.locator(`#e1-s2-timeline .range a[href="${link}"]`).waitFor();
    assert.equal(page.url(), address + link);
    await page.reload();
    await assertView();
  },
  "a range that the page does not have is the whole run, and something stays shown": async (
    page,
  ) => {
    await page.evaluate(() =>
      location.hash = "#view=e1-s1&range=50-60&hide=hono&hide=hono%20proxied&hide=express"
    );
    assertFigures(
      await shownAs(page, /^All of every run$/),
      TARGETS,
      (target) => figuresOf(runsOf("static", target), [0, 3]),
    );
  },
  "what a screen reader is told is a sentence, and selecting moves nothing above the table": async (
    page,
  ) => {
    const top = () =>
      page.evaluate(() => document.querySelector(".panels")?.getBoundingClientRect().top);
    await page.locator("#e1-s1-timeline").scrollIntoViewIfNeeded();
    await page.locator("#e1-s1-timeline input[name=from]").focus();
    const before = await top();
    await page.keyboard.press("ArrowUp");
    await shownAs(page, /^0.25–3 s of every run$/);
    assert.equal(await top(), before);
    await page.waitForFunction(() =>
      document.querySelector(".timelines > [role=status]")?.textContent !== ""
    );
    const { status } = await shownAs(page, /^0.25–3 s/);
    assert.match(status, /^0.25–3 s of every run: /);
    assert.deepEqual(await violationsOf(page, "#e1-s1"), []);
  },
}, { html: PAGE, options: DESKTOP });
