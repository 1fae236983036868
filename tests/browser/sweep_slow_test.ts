/// <reference lib="dom" />
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { onEveryScreen } from "./accessibility.ts";
import { assertPointed, chromiumTest, drawForPrint, inkOf } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";
import { chartsIn, tableIn } from "../report/said.ts";
import { SWEEP_PAGE, SWEEPS } from "./sweep_sample.ts";

const DRAWN = Object.values(SWEEPS).flatMap((model) => chartsIn(model, "sweeps", "xy")).length;

async function assertDrawn(page: Page): Promise<void> {
  await drawForPrint(page);
  const sweeps = Object.entries(await inkOf(page)).filter(([id]) => id.includes("-sweeps-"));
  assert.equal(sweeps.length, DRAWN);
  for (const [id, share] of sweeps) assert.ok(share > 0.01, `${id}: ${share}`);
}

chromiumTest("sweeps", {
  ...onEveryScreen("every figure is drawn", {
    html: SWEEP_PAGE,
    parts: "section[id$=sweeps]",
    opens: "always",
    look: assertDrawn,
  }),
  "the navigation leads to them, and the table has what the figure shows": async (page) => {
    await page.locator("nav a[href='#e1-sweeps']").click();
    const rows = await page.locator("#e1-sweeps caption").first().locator("xpath=..").locator(
      "tbody tr",
    )
      .count();
    assert.equal(rows, tableIn(SWEEPS.connections, "sweeps").rows.length);
  },
  "pointing at a figure shows what is there": (page) => assertPointed(page, "e1-sweeps-1-1-1-1"),
}, { html: SWEEP_PAGE, options: DESKTOP });
