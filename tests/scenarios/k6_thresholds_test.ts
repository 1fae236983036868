/** Thresholds of k6: what they become here, and what is noted. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes } from "./foreign.ts";
import { walked } from "./k6_script.ts";

/** What a script with these thresholds has of them, and what it notes. */
function limited(
  thresholds: string,
  { load = 'vus: 1, duration: "1s"', body = "" } = {},
): { readonly thresholds: unknown; readonly notes: readonly string[] } {
  const script = walked(
    `http.get("http://a/", { tags: { name: "home" } });
http.get("http://a/x", { tags: { name: "log in" } });
${body}`,
    `export const options = { ${load}, thresholds: {\n${thresholds} } };\n`,
  );
  const { text, notes } = becomes(script, "a.js");
  assert.ok(parseExperiment(text, "a.yaml"));
  return { thresholds: parse(text).thresholds, notes };
}

const SECOND_NAMED = '("default.log in")';
const ARRIVING =
  'scenarios: { open: { executor: "constant-arrival-rate", rate: 5, duration: "1s", preAllocatedVUs: 5 } }';

const LIMITS: readonly (readonly [thresholds: string, become: string[], load?: string])[] = [
  ['http_req_duration: ["p(95)<500", "p(99.9) <= 1500.5"]', ["p95 < 500ms", "p99.9 <= 1500.5ms"]],
  ['http_req_duration: "avg<200"', ["mean < 200ms"]],
  ['http_req_duration: ["med<20", "max<3000", "min>1"]', [
    "p50 < 20ms",
    "max < 3000ms",
    "min > 1ms",
  ]],
  ['"http_req_duration{name:log in}": ["p(90)<7"]', [`p90${SECOND_NAMED} < 7ms`]],
  ['"http_req_duration{ name:log in, scenario:default }": ["p(90)<7"]', [
    `p90${SECOND_NAMED} < 7ms`,
  ]],
  ['http_req_failed: ["rate<0.01"]', ["errors < 1%"]],
  ['http_req_failed: ["rate<=0.0007"]', ["errors <= 0.07%"]],
  ['"http_req_failed{name:home}": ["rate<0.5"]', ['errors("default.home") < 50%']],
  ['http_reqs: ["rate>100", "count>=1000"]', ["rate > 100/s", "requests >= 1000"]],
  ['http_req_duration: ["p(95)<500"]', ["service.p95 < 500ms"], ARRIVING],
  ['"http_req_duration{name:home}": ["p(95)<500"]', ['p95("open.home") < 500ms'], ARRIVING],
  ['http_req_duration: [{ threshold: "p(95)<500", abortOnFail: true }]', ["p95 < 500ms"]],
];

for (const [thresholds, become, load] of LIMITS) {
  Deno.test(`a threshold of k6 is one here: ${thresholds}${load === undefined ? "" : ", of arrivals"}`, () => {
    const limits = limited(thresholds, { load });
    assert.deepEqual(limits.thresholds, become);
    assert.ok(!limits.notes.some((note) => note.startsWith("left out: the threshold")));
  });
}

const NOT_TAKEN: readonly (readonly [thresholds: string, why: RegExp])[] = [
  ['checks: ["rate>0.9"]', /: Plateau has no such figure$/],
  ['iteration_duration: ["p(95)<1"]', /Plateau has no such figure/],
  ['constructor: ["rate<1"]', /Plateau has no such figure/],
  ['http_req_duration: ["constructor<1"]', /Plateau has no such figure/],
  ['http_req_duration: ["p(42)<1"]', /Plateau has no threshold like it/],
  ['http_req_duration: ["avg==1"]', /Plateau has no threshold like it/],
  ['http_req_failed: ["rate<0"]', /Plateau has no threshold like it/],
  ['http_req_failed: ["count<5"]', /Plateau has no such figure/],
  [
    '"http_req_duration{expected_response:true}": ["avg<1"]',
    /no request has the tag expected_response:true/,
  ],
  ['"http_req_duration{name:nobody}": ["avg<1"]', /no request has the name nobody/],
  ['"http_req_duration{scenario:other}": ["avg<1"]', /no request has the tag scenario:other/],
];

for (const [thresholds, why] of NOT_TAKEN) {
  Deno.test(`a threshold of k6 that has no equal is noted with its line: ${thresholds}`, () => {
    const limits = limited(thresholds);
    assert.equal(limits.thresholds, undefined);
    const [note, ...more] = limits.notes.filter((note) =>
      note.startsWith("left out: the threshold")
    );
    assert.match(note, /^left out: the threshold .* of a\.js:4: /);
    assert.match(note, why);
    assert.deepEqual(more, []);
  });
}

Deno.test("what differs in thresholds of k6 that are taken over is noted", () => {
  const { notes } = limited(
    'http_req_failed: [{ threshold: "rate<0.1", abortOnFail: true, delayAbortEval: "5s" }],\n' +
      '"http_req_duration{name:home}": ["avg<5"], http_reqs: ["rate>1"]',
  );
  for (
    const part of [
      /a\.js:4 does not end the load early \(abortOnFail\)/,
      /errors, which also counts responses that fail a check/,
      /does not count redirects/,
      /rate or requests, which count complete responses/,
    ]
  ) assert.ok(notes.some((note) => part.test(note)), `${part} is not among ${notes.join("\n")}`);
});

Deno.test("a threshold on failed requests is left out where a check expects what k6 counts as failed", () => {
  const body =
    'check(http.get("http://a/y", { tags: { name: "none" } }), { gone: (r) => r.status === 404 });';
  const whole = limited('http_req_failed: ["rate<0.01"]', { body });
  assert.equal(whole.thresholds, undefined);
  assert.ok(whole.notes.some((note) => /expects a status that k6 counts as failed/.test(note)));
  const other = limited('"http_req_failed{name:home}": ["rate<0.01"]', { body });
  assert.deepEqual(other.thresholds, ['errors("default.home") < 1%']);
});
