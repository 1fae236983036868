/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import assert from "node:assert/strict";
import { reportModel } from "../../report/model.ts";
import { withoutGroups } from "../../report/writing/units.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { partsOf, publishedResults } from "../report/published_results.ts";
import { onEveryScreen } from "./accessibility.ts";
import { chromiumTest } from "./chromium.ts";
import { DESKTOP } from "./sample.ts";

const TARGETS = ["express", "fastify", "hapi", "gin"];
const ratesBy = (factor: (at: number) => number) =>
  Object.fromEntries(TARGETS.map((target, at) => [target, {
    static: 1_000 * (at + 1) * factor(at),
    redis: 300 * (at + 2) * factor(at),
  }]));

const RESULTS = publishedResults({
  measured: ratesBy((at) => at === 3 ? 0.5 : 1),
  published: [{
    source: "Table 2",
    relative: "express, static",
    values: ratesBy(() => 1),
    confounders: ["Express logged every request there."],
  }, { source: "Table 3", values: { express: { static: 900 } } }],
});
const PAGE = renderReportPage([reportModel(RESULTS)]);
const SECTION = "e1-published";

chromiumTest("published beside measured", {
  ...onEveryScreen("the table is there", {
    html: PAGE,
    parts: `#${SECTION}`,
    look: (page) => page.locator(`#${SECTION} table`).first().waitFor({ state: "attached" }),
  }),
  "the table has the model's numbers and every table has its heading": {
    html: PAGE,
    options: { ...DESKTOP, javaScriptEnabled: false },
    look: async (page) => {
      const shown = await page.locator(`#${SECTION} table >> nth=0 >> tbody tr`).evaluateAll((
        rows,
      ) =>
        rows.map((row) =>
          [...row.children].map((cell) =>
            cell instanceof HTMLElement ? cell.dataset.v ?? cell.textContent : ""
          )
        )
      );
      const [part] = partsOf(RESULTS);
      const expected = part.table?.rows.map((row) =>
        row.map(({ text, value }) => String(value ?? withoutGroups(text)))
      );
      assert.deepEqual(shown.map((row) => row.map(withoutGroups)), expected);
      const headings = await page.locator(`#${SECTION} h3`).allTextContents();
      assert.deepEqual(headings, ["Table 2: rate", "Table 3: rate"]);
      assert.equal(
        await page.locator(`a[href="#${SECTION}"]`).textContent(),
        "Published and measured",
      );
    },
  },
});
