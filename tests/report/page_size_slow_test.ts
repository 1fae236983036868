import assert from "node:assert/strict";
import { paperResults } from "../../bench/stage/paper.ts";
import { reportModel } from "../../report/model.ts";
import { renderReportPage } from "../../report/render/html/page.ts";

const MOST_BYTES = 4_500_000;

Deno.test("the page of a paper's 450 runs of 10 s takes at most 4.5 MB", () => {
  const page = renderReportPage([reportModel(paperResults())]);
  const bytes = new TextEncoder().encode(page).length;
  assert.ok(bytes > MOST_BYTES / 10 && bytes <= MOST_BYTES, `${bytes} bytes`);
});
