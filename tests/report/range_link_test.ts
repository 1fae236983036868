import assert from "node:assert/strict";
import { linkTo, readLink } from "../../report/client/timeline/range.ts";

Deno.test("a link keeps the range of a section, and is short where all of the run is shown", () => {
  const range = { fromS: 2, toS: 5.5 };
  const link = linkTo("e1-s2", range);
  assert.equal(link, "#view=e1-s2&range=2-5.5");
  assert.deepEqual(readLink(link), { section: "e1-s2", range });
  assert.deepEqual(readLink(linkTo("e1-s1", null)), { section: "e1-s1", range: null });
});

Deno.test("links to sections hold no range, and one that makes no sense is the whole run", () => {
  assert.equal(readLink("#e1-s1"), null);
  assert.equal(readLink(""), null);
  for (const range of ["5-2", "a-b", "1"]) {
    assert.deepEqual(readLink(`#view=e1-s1&range=${range}`)?.range, null, range);
  }
});
