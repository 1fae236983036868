/** How wide text is on a terminal, beside what a library says that knows all of Unicode. */
import assert from "node:assert/strict";
import stringWidth from "string-width";
import { fitted, widthOf, wrapped } from "../../../report/writing/columns.ts";
import { harmless } from "../../../base/control.ts";

/** Measured otherwise on purpose, or of no width that terminals agree on. */
const APART =
  /[\p{Regional_Indicator}\p{Cn}\p{Co}\p{Cs}\u1161-\u11ff\u070f\ufff9-\ufffb\u{13430}-\u{1343f}]/u;

Deno.test("every sign takes as many columns as string-width says", () => {
  const differing = Array.from({ length: 0x3_0000 }, (_, code) => String.fromCodePoint(code))
    .filter((sign) => harmless(sign) === sign && !APART.test(sign))
    .filter((sign) => widthOf(sign) !== stringWidth(sign));
  assert.deepEqual(differing.map((sign) => sign.codePointAt(0)?.toString(16)), []);
});

for (
  const text of [
    ...["checkout 結帳", "한글", "각", "ｶﾞﾞ", "cafe\u0301", "नमस्ते", "👍🏽", "🏽", "❤", "❤\ufe0f"],
    ...["1\ufe0f\u20e3", "🇩🇪🇫🇷", "✓ ✗ → ≥ ±"],
  ]
) {
  Deno.test(`"${text}" takes as many columns as string-width says`, () => {
    assert.equal(widthOf(text), stringWidth(text));
  });
}

Deno.test("what steers a terminal is as wide as what is written for it", () => {
  assert.equal(widthOf("a\x1b[31mb"), "a\\x1b[31mb".length);
  assert.equal(widthOf("👨\u200d👩"), 2 + "\\u200d".length + 2);
});

Deno.test("cut and broken text is never wider than its column", () => {
  const text = "結帳 checkout 👍🏽👍🏽 ❤\ufe0f❤\ufe0f cafe\u0301 ordinary-words-without-a-break";
  for (let width = 2; width < 40; width++) {
    assert.ok(stringWidth(fitted(text, width)) <= width, `cut to ${width}`);
    for (const line of wrapped(text, width)) {
      assert.ok(stringWidth(line) <= width, `${line} in ${width}`);
    }
  }
});

Deno.test("text is cut with an ellipsis, and broken at spaces where there are any", () => {
  assert.equal(fitted("測試測試", 5), "測試…");
  assert.equal(fitted("short", 5), "short");
  assert.equal(fitted("longer", 0), "");
  assert.deepEqual(wrapped("one two three four five", 9), ["one two", "three", "four five"]);
  assert.deepEqual(wrapped("at most 5 % of all", 9), ["at most", "5 % of", "all"]);
  assert.deepEqual(wrapped("averyveryverylongword", 5), ["avery", "veryv", "erylo", "ngwor", "d"]);
});
