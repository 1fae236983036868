/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The first screen: whether a stranger finds the verdict, its margin, the trust and the next step without scrolling. */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { paperResults } from "../../bench/stage/paper.ts";
import { reportModel } from "../../report/model.ts";
import type { Results } from "../../runner/result/result.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { COMPUTING, doubted, inScenarios, OFFERED, WAITING } from "../report/concluded.ts";
import { type CellSpec, resultsFixture } from "../report/fixture.ts";
import { FIRST_SCREENS, LAPTOP, onEveryScreen, PHONE_SCREEN } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { MODEL, PAGE } from "./sample.ts";

const PAPER = reportModel(paperResults({ runs: 3, duration: 2 }));
const PAPER_PAGE = renderReportPage([PAPER]);

/** As a study has them: a long question, names that are long, doubts, and places in which nothing is proven. */
function studyResults(): Results {
  const medians = { static: [2, 3.6], fib: [12, 18], redis: [4, 4.02], validation: [3, 3.1] };
  const cells = Object.entries({ ...medians, error: [5, 5] }).flatMap(([scenario, [a, b]]) =>
    NAMES.map((target, i): CellSpec => ({
      ...{ target, scenario, runs: 3, duration: 1 },
      medianMs: i === 0 ? a : b * (1 + 0.01 * i),
    }))
  );
  const title = "How fast are Node.js frameworks, and how long do they take to warm up?";
  return doubted(resultsFixture({ title, cells }), ({ repetition }) => repetition === 1);
}

const NAMES = ["nestjs-fastify", "nestjs-express", "adonisjs", "gin-traced", "feathers"];
const STUDY = reportModel(studyResults());
const STUDY_PAGE = renderReportPage([STUDY]);

/** Three questions, each with a sentence, and doubts. */
const QUESTIONS = reportModel(doubted({
  ...inScenarios(OFFERED, COMPUTING, WAITING),
  experiment: {
    ...inScenarios(OFFERED).experiment,
    title:
      "What can one instance serve, what do computing and waiting cost, and what does a pool add?",
  },
}, ({ repetition }) => repetition === 1));
const QUESTIONS_PAGE = renderReportPage([QUESTIONS]);

/** Of which nothing can be said, as no run is valid. */
const UNTRUSTED = reportModel(doubted(
  resultsFixture({
    cells: ["hono", "express"].map((target): CellSpec => ({
      ...{ target, scenario: "static", runs: 3, duration: 1, medianMs: 4 },
    })),
  }),
  () => true,
));
const UNTRUSTED_PAGE = renderReportPage([UNTRUSTED]);

/** Twelve targets in one scenario: more rows than any first screen has room for. */
const MANY = reportModel(resultsFixture({
  cells: Array.from({ length: 12 }, (_, i): CellSpec => ({
    ...{ target: `target ${i + 1}`, scenario: "static", runs: 3, duration: 1 },
    medianMs: 2 + i,
  })),
}));

/** What of the card lies below the screen. */
function cutOff(page: Page): Promise<number> {
  return page.evaluate(() => {
    const bottom = document.querySelector(".card")?.getBoundingClientRect().bottom ?? Infinity;
    return Math.max(0, bottom - innerHeight);
  });
}

function plain(text: string): string {
  return text.replaceAll(/\s/g, " ");
}

/** Rows of the forest that can be seen, and what is said of the others. */
function forestShown(page: Page): Promise<{ rows: number; notes: string[] }> {
  return page.evaluate(() => {
    const visible = (selector: string): HTMLElement[] =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility());
    return {
      rows: visible(".small-forest li:not(.axis) .of").length,
      notes: visible(".small-forest .rows ~ .note").map((one) => one.innerText),
    };
  });
}

/** Rows of the winners' table that can be seen. */
function winnersShown(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...document.querySelectorAll(".winners tbody tr")].filter((row) => row.checkVisibility())
      .length
  );
}

/** Parts of the card that take room and show nothing. */
function emptyParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>(".card, .card > *, .headline > *")].filter((part) =>
      part.getBoundingClientRect().height > 0 && part.innerText.trim() === "" &&
      part.querySelector("svg, canvas") === null
    ).map(({ outerHTML }) => outerHTML.slice(0, 80))
  );
}

const MOST_SCREENS = 6;
const MOST_SHEETS = 4;

chromiumTest("the first screen of the report", {
  ...onEveryScreen("the whole card is on the first screen", {
    ...{ html: PAPER_PAGE, depth: "summary", screens: FIRST_SCREENS },
    look: async (page) => {
      assert.equal(await cutOff(page), 0);
      const card = page.locator(".card");
      const { sentence, figure, reliability, next } = PAPER.card;
      const texts = [
        sentence,
        figure?.text,
        reliability?.sentence,
        ...next.map(({ text }) => text),
      ];
      for (const text of texts.filter((one) => one !== undefined)) {
        assert.ok(plain(await card.innerText()).includes(plain(text)), text);
      }
    },
  }),
  ...onEveryScreen("the card of a study with long names and doubts is whole, too", {
    ...{ html: STUDY_PAGE, depth: "summary", screens: FIRST_SCREENS },
    look: async (page) => {
      assert.ok(STUDY.card.winners.some(({ certainty }) => certainty !== "decided"));
      assert.equal(await winnersShown(page), STUDY.card.winners.length);
      assert.equal(await cutOff(page), 0);
    },
  }),
  ...onEveryScreen("the card of several questions is whole, with a row for each setting", {
    ...{ html: QUESTIONS_PAGE, depth: "summary", screens: FIRST_SCREENS },
    look: async (page, isPhone) => {
      assert.equal(await cutOff(page), 0);
      assert.equal(await winnersShown(page), isPhone ? 5 : 10);
    },
  }),
  ...onEveryScreen("a card without a headline figure is whole, and leaves no room for one", {
    ...{ html: UNTRUSTED_PAGE, depth: "summary", screens: FIRST_SCREENS },
    look: async (page) => {
      const { sentence, figure, forest, reliability, next } = UNTRUSTED.card;
      assert.deepEqual([figure, forest, reliability?.light], [null, null, "red"]);
      const card = page.locator(".card");
      const shown = plain(await card.innerText());
      for (const text of [sentence, ...next.map(({ text }) => text)]) {
        assert.ok(shown.includes(plain(text)), text);
      }
      assert.equal(await card.locator(".headline-figure, .small-forest, .winners").count(), 0);
      assert.deepEqual(await emptyParts(page), []);
      assert.equal(await cutOff(page), 0);
    },
  }),
  "a phone shows five rows of a long forest, and says how many are left": {
    html: renderReportPage([MANY]),
    options: PHONE_SCREEN,
    depth: "summary",
    look: async (page) => {
      assert.deepEqual(await forestShown(page), { rows: 5, notes: ["6 more below."] });
      const plot = page.locator(".small-forest [data-label] svg").first();
      assert.equal(await plot.evaluate((svg) => getComputedStyle(svg).overflow), "visible");
      assert.equal(await cutOff(page), 0);
      await page.setViewportSize(LAPTOP.viewport);
      assert.deepEqual(await forestShown(page), { rows: 10, notes: ["1 more below."] });
    },
  },
  "on a phone no link of the navigation is cut by the controls beside it": {
    html: PAGE,
    options: PHONE_SCREEN,
    depth: "summary",
    look: async (page) => {
      const cut = await page.evaluate(() => {
        const right = document.querySelector("nav ul")?.getBoundingClientRect().right ?? 0;
        return [...document.querySelectorAll<HTMLElement>("nav li a")]
          .filter((link) => link.checkVisibility() && link.getBoundingClientRect().right > right)
          .map((link) => link.innerText);
      });
      assert.deepEqual(cut, []);
      assert.ok(await page.locator("nav li a").first().isVisible());
    },
  },
  "the summary of nine targets in five scenarios is at most six screens and four sheets": {
    html: PAPER_PAGE,
    options: LAPTOP,
    depth: "summary",
    look: async (page) => {
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      assert.ok(height <= MOST_SCREENS * LAPTOP.viewport.height, `${height} px`);
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      const sheets = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
      assert.ok(sheets > 0 && sheets <= MOST_SHEETS, `${sheets} sheets`);
    },
  },
  "without scripts the card is there, too": {
    html: PAGE,
    options: { ...LAPTOP, javaScriptEnabled: false },
    look: async (page) => {
      const card = plain(await page.locator(".card").innerText());
      assert.ok(card.startsWith(plain(MODEL.card.sentence)));
      const { forest, winners } = MODEL.card;
      assert.equal(
        await page.locator(".small-forest circle, .winners tbody tr").count(),
        forest?.rows.length ?? winners.length,
      );
    },
  },
  "a press on a cell of the matrix leads to its scenario": {
    html: PAGE,
    options: LAPTOP,
    depth: "summary",
    look: async (page) => {
      assert.equal(await page.locator("#e1-s2").isVisible(), false);
      await page.locator("#e1-matrix tbody tr").first().locator("td a").nth(1).click();
      await page.locator("#e1-s2 h2").waitFor({ state: "visible" });
    },
  },
});
