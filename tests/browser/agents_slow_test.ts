/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** The agents of a fleet in the page: near ones, one far away, one lost, one without time. */
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { resultsFixture } from "../report/fixture.ts";
import { type AgentSpec, fleetMeasurement } from "../report/fleet.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";

const AGENTS: readonly AgentSpec[] = [
  { name: "near" },
  { name: "far", networkMs: 20 },
  { name: "lost", lostAt: 1 },
  { name: "busy", cpu: 0.99 },
];

const RESULTS = resultsFixture({
  title: "Which answers faster, asked from four machines?",
  cells: ["express", "hono"].map((target) => ({ target, scenario: "static", medianMs: 2 })),
});
const RUNS = RESULTS.runs.map((run, i) => ({
  ...run,
  ...fleetMeasurement({ agents: AGENTS, seed: i + 1 }),
}));
const html = renderReportPage([reportModel({ ...RESULTS, runs: RUNS })]);

chromiumTest("the agents of a fleet", {
  "the table has the whole and each agent of every target, with those to look at marked": {
    html,
    options: DESKTOP,
    look: async (page) => {
      const table = page.locator("#e1-s1 caption", { hasText: /^Agents of/ }).locator("xpath=..");
      assert.equal(await table.locator("tbody tr").count(), 10);
      const alarming = await table.locator("td.alarming").allTextContents();
      assert.deepEqual(
        alarming.map((text) => text.replaceAll("\u00a0", " ")),
        [1, 2].flatMap(() => ["invalid", "suspect", "after 1 s", "invalid"]),
      );
    },
  },
});
