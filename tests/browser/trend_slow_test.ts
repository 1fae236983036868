/// <reference lib="dom" />
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { trendsOf } from "../../report/subjects/trend.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { around, resultsAt } from "../report/rates.ts";
import { onEveryScreen } from "./accessibility.ts";
import { assertPointed, chromiumTest, drawForPrint, drawnBox, inkOf } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";

const RATES = [1_000, 1_010, 1_005, 880, 900, 1_200];

const REPORTED = RATES.map((rate, i) => {
  const results = {
    ...resultsAt({ hono: around(rate, i / 10_000), express: around(600, i / 10_000) }),
    startedAt: `2031-05-0${i + 1}T10:18:00.000Z`,
    commit: { hash: `${i}b5d9f3`.padEnd(40, "0"), dirty: false },
  };
  return { results, model: reportModel(results) };
});
const [{ document: TREND }] = trendsOf(REPORTED);
const PAGE = renderReportPage([TREND, REPORTED[0].model]);

chromiumTest("a trend", {
  ...onEveryScreen("both figures are drawn", {
    html: PAGE,
    opens: "always",
    look: async (page) => {
      await drawForPrint(page);
      const inks = Object.entries(await inkOf(page));
      const ids = inks.map(([id]) => id).filter((id) => id.startsWith("t1-s1-"));
      assert.deepEqual(ids, ["t1-s1-1-1", "t1-s1-1-2"]);
      for (const [id, share] of inks) assert.ok(share > 0.01, `${id}: ${share}`);
    },
  }),
  "pointing at a result tells its commit and figure": {
    html: PAGE,
    options: DESKTOP,
    look: async (page) => {
      const { width, height } = await drawnBox(page, "t1-s1-1-1");
      await assertPointed(page, "t1-s1-1-1", { x: width - 30, y: height / 2 });
    },
  },
});
