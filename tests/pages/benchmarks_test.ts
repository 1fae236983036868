/** docs/benchmarks.md is made from saved figures, and from nothing else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { benchmarksPage, formatted, readOthers, readSaved } from "../../bench/pages/benchmarks.ts";
import { benches } from "../../bench/registry.ts";
import { parseFigures, saveFigures, sectionsOf } from "../../bench/saved.ts";
import { atMost } from "../../bench/bar.ts";
import { sectionLines } from "../../bench/table.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { readPage } from "./page.ts";

Deno.test("docs/benchmarks.md is what deno task benchmarks makes of the saved figures", async () => {
  const saved = readSaved();
  assert.notEqual(saved.length, 0);
  assert.equal(
    readPage("docs/benchmarks.md").text,
    await formatted(benchmarksPage(saved, readOthers())),
  );
});

Deno.test("each bench has its row, with the pages that hold its command and no other", async () => {
  const pages = new Map([
    ["lag.md", "by `deno task\nbench lag`:"],
    ["all.md", "deno task bench lags"],
  ]);
  const rows = (await formatted(benchmarksPage([], pages))).split("\n")
    .filter((line) => line.startsWith("| `")).map((line) => line.split(/ *\| */).slice(1, -1));
  assert.deepEqual(rows.map(([name]) => name), Object.keys(benches).map((name) => `\`${name}\``));
  const shown = rows.filter(([, , figures]) => figures !== "–");
  assert.deepEqual(shown, [["`lag`", benches.lag.about, "[lag](lag.md)"]]);
});

Deno.test("saved figures make the table that was printed", () => {
  using folder = emptyFolder();
  const sections = [{
    caption: "Sizes",
    unit: "kB",
    baseline: "before",
    notes: ["A note."],
    rows: [
      { what: "kept", samples: [1, 2, 3], baseline: 4, bar: atMost(5) },
      { what: "not kept", samples: [6], bar: atMost(5) },
      { what: "not measured", samples: [] },
    ],
  }];
  saveFigures(folder.path, { bench: "report", about: "sizes", rounds: 3, sections });
  const text = Deno.readTextFileSync(join(folder.path, "report.json"));
  const read = parseFigures(text);
  assert.deepEqual(sectionsOf(read).flatMap(sectionLines), sections.flatMap(sectionLines));
  assert.match(read.commit, /^[0-9a-f]{7,}\+?$/);
  assert.throws(() => parseFigures(text.replace('"rounds": 3', '"rounds": 0')));
  assert.deepEqual(readSaved(folder.path).map(({ bench }) => bench), ["report"]);
});
