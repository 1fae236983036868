/** Patterns over what servers answer: what they match, what can't be matched, and in which time. */
import assert from "node:assert/strict";
import { loadEngine, searchFor, withEngine, wrongPattern } from "../../base/pattern.ts";
import { LIMITS } from "../../base/limits.ts";

Deno.test("a pattern that is met before its engine is read again with it", async () => {
  let reads = 0;
  const search = await withEngine(() => {
    reads++;
    return searchFor("(b)");
  });
  assert.equal(search("ab", false), "b");
  assert.equal(reads, 2);
  assert.equal(await withEngine(() => wrongPattern("(b)")), null);
});

Deno.test("what fails for another reason fails", async () => {
  await assert.rejects(withEngine(() => Promise.reject(new Error("else"))), /else/);
});

const MATCHES: readonly (readonly [source: string, text: string, value: string | null])[] = [
  ['name="csrf" value="(.+?)"', '<input name="csrf" value="a1"> value="b"', "a1"],
  ["id=(\\d+)", "id=x", null],
  ["(a)|b", "b", null],
  ["[^](é\\u00fc)\\/", "\néü/", "éü"],
  ["(?<name>\\w+)\\cJ", "abc\n", "abc"],
  ["((?:a|ab)c)", "abc", "abc"],
  ["(\\p{Lu})", "aÄ", "Ä"],
];

for (const [source, text, value] of MATCHES) {
  Deno.test(`${source} in ${JSON.stringify(text)} gives ${JSON.stringify(value)}`, async () => {
    await loadEngine();
    assert.equal(wrongPattern(source), null);
    assert.equal(searchFor(source)(text, false), value);
  });
}

const WRONG: readonly (readonly [source: string, why: RegExp])[] = [
  ["(", /^it is not a regular expression$/],
  ["a", /^it needs one group .* but has 0$/],
  ["(a)(b)", /but has 2$/],
  ["(?=a)(b)", /^\(\?=…\) cannot be matched in linear time: write the text around/],
  ["(?!a)(b)", /^\(\?!…\)/],
  ["(?<=a)(b)", /^\(\?<=…\)/],
  ["(?<!a)(b)", /^\(\?<!…\)/],
  [
    "(a)\\1",
    /^\\1, a reference to a group, cannot be matched in linear time: write the repeated text/,
  ],
  ["(?<n>a)\\k<n>", /^\\k<…>, a reference to a group/],
  ["(a{1001})", /^RE2 does not support it \(invalid repeat count/],
  ["(?:a{300})(?:b{300})(c{500})", /^a compiled pattern has 1,\d+ steps; the limit is 1,000/],
  [`(${"a".repeat(LIMITS.pattern.most)})`, /^a pattern has 1,002 characters; the limit is 1,000/],
];

for (const [source, why] of WRONG) {
  Deno.test(`${source.slice(0, 40)} is no pattern here`, async () => {
    await loadEngine();
    assert.match(wrongPattern(source) ?? "", why);
  });
}

Deno.test("what only looks like something that can't be matched is a pattern", async () => {
  await loadEngine();
  for (const source of ["[(?=](a)", "\\(\\?=(a)", "\\\\1(a)", "\\(\\\\k<(a)", "(?:[\\](?=])(a)"]) {
    assert.equal(wrongPattern(source), null, source);
  }
});

Deno.test("groups are counted without a match, which can take for ever", async () => {
  await loadEngine();
  assert.match(wrongPattern("(|)".repeat(60) + "(x)") ?? "", /but has 61$/);
});

Deno.test("of a text that is cut a match that reaches the cut is none", async () => {
  await loadEngine();
  for (const source of ["(a+)", "(a)$", "(a)\\b", "x(a|$)a"]) {
    assert.equal(searchFor(source)("xaa", true), null, source);
    assert.notEqual(searchFor(source)("xaa", false), null, source);
  }
  assert.equal(searchFor("(a+)")("xaa!", true), "aa");
});

const HOSTILE: readonly (readonly [source: string, text: string])[] = [
  ["(a+)+$", "a"],
  ["((?:a|aa)+)$", "a"],
  ["((?:\\w+\\s?)*)!\\?", "ab "],
  ['value="(.*?.*?.*?)";', 'value="'],
];

Deno.test("no text makes a pattern try for longer than its length asks for", async () => {
  await loadEngine();
  for (const [source, part] of HOSTILE) {
    const search = searchFor(source);
    const text = part.repeat(LIMITS.patternBody.most / part.length) + "!";
    const beginMs = performance.now();
    assert.equal(search(text, false), null);
    assert.ok(performance.now() - beginMs < 5_000, source);
  }
});
