import assert from "node:assert/strict";
import {
  type Block,
  figure,
  group,
  list,
  prunedAll,
  shownIn,
  table,
  text,
} from "../../report/blocks.ts";

const CHART = { chart: { kind: "heatmap", alt: "", cell: 0 } } as const;
const TABLE = {
  caption: "",
  columns: [{ label: "n", unit: "", kind: "number" }],
  rows: [[{ text: "1" }]],
  notes: [],
} as const;

function kindsIn(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => block.kind === "group" ? kindsIn(block.blocks) : block.kind);
}

Deno.test("a heading without anything below it is left out", () => {
  assert.deepEqual(prunedAll([group("Sweeps", [text("x", ""), list([]), group("Empty", [])])]), []);
});

const FORMS = { page: 5, markdown: 4, terminal: 3 } as const;

for (const [form, count] of Object.entries(FORMS)) {
  Deno.test(`${form} shows ${count} of five depths of text`, () => {
    const blocks = [
      text("summary", "1"),
      group("Detail", [
        text("detail", "2"),
        group("Shallower inside deeper stays deep", [text("in", "3")], { depth: "summary" }),
      ], { depth: "detail" }),
      group(
        "Everything",
        [{ ...text("asked for", "4"), forms: ["page", "terminal", "markdown"] }],
        { depth: "everything" },
      ),
      { ...text("for the page and a terminal", "5"), forms: ["page", "terminal"] },
    ] as const;
    const shown = JSON.stringify(shownIn(form as keyof typeof FORMS, blocks)).match(/"text":"\d"/g);
    assert.equal(shown?.length, count);
  });
}

Deno.test("without a page there are no charts and nothing to open, and no headings of these alone", () => {
  const blocks = [
    group("Runs in time", [figure([CHART], { reading: "Each dot is a run." })]),
    group("Settling", [figure([CHART], { findings: [{ code: "settling", text: "It settles." }] })]),
    group("Runs", [table(TABLE, { fold: "Every run" }), table(TABLE)]),
  ];
  for (const form of ["terminal", "markdown"] as const) {
    assert.deepEqual(kindsIn(shownIn(form, blocks)), [["figure"], ["table"]]);
  }
  assert.deepEqual(kindsIn(shownIn("page", blocks)), [["figure"], ["figure"], ["table", "table"]]);
});
