/** Artillery scripts: what they become here. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { secrets } from "../../base/secrets.ts";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { Profile } from "../../scenarios/pace/arrivals.ts";
import { becomes, experimentOf, script } from "./foreign.ts";
import { thrown } from "../thrown.ts";

/** The only scenario, as an experiment file has it, and what is noted. */
function taken(source: string): { scenario: Record<string, unknown>; notes: readonly string[] } {
  const { text, notes } = becomes(source, "a.yml");
  const { scenarios } = parse(text);
  const [scenario] = Object.values<Record<string, unknown>>(scenarios);
  return { scenario, notes };
}

const GZIP = { "accept-encoding": "gzip, deflate, br" };

const STEPS: Readonly<Record<string, readonly [steps: string, flow: unknown[]]>> = {
  "a request without gzip": ["[{ get: { url: /, gzip: false } }]", [{ get: "/", headers: {} }]],
  "a query": ["[{ get: { url: '/a?b=1', qs: { q: 'é &{{ $uuid }}' } } }]", [
    { get: "/a?b=1&q=%C3%A9%20%26{{ uuid }}", headers: GZIP },
  ]],
  "a path with half a character": ['[{ get: { url: "/\\ud800" } }]', [
    { get: "/%EF%BF%BD", headers: GZIP },
  ]],
  "a query with half a character": ['[{ get: { url: /, qs: { q: "\\ud800" } } }]', [
    { get: "/?q=%EF%BF%BD", headers: GZIP },
  ]],
  "a path with spaces": ["[{ get: { url: /a b } }]", [{ get: "/a%20b", headers: GZIP }]],
  "an address of its own": ["[{ get: { url: 'http://127.0.0.1:8080?a=1' } }]", [
    { get: "/?a=1", headers: GZIP },
  ]],
  "basic authorization": ["[{ get: { url: /, auth: { user: ada, pass: 1 } } }]", [
    { get: "/", headers: { ...GZIP, authorization: "Basic YWRhOjE=" } },
  ]],
  "times to think, but no empty ones": [
    "[{ think: 5m }, { think: 4.1m }, { think: 0.2 }, { think: 0 }, { get: { url: / } }]",
    [{ think: "300s" }, { think: "246s" }, { think: "200ms" }, { get: "/", headers: GZIP }],
  ],
  "a range of a loop": ["[{ loop: [{ get: { url: '/{{ $loopCount }}' } }], count: 2-4 }]", [
    { get: "/2", headers: GZIP },
    { get: "/3", headers: GZIP },
  ]],
  "a loop over values": [
    "[{ loop: [{ get: { url: '/{{ x }}' } }], over: [a, 2], loopElement: x }]",
    [{ get: "/a", headers: GZIP }, { get: "/2", headers: GZIP }],
  ],
  "flows within flows": ["[[{ get: { url: /a } }], [[{ get: { url: /b } }]]]", [
    { get: "/a", headers: GZIP },
    { get: "/b", headers: GZIP },
  ]],
  "the name of a request, where it can be one": [
    "[{ get: { name: pay, url: /a } }, { get: { name: 'a,b', url: /b } }]",
    [{ name: "pay", get: "/a", headers: GZIP }, { get: "/b", headers: GZIP }],
  ],
  "a named group of a pattern": [
    `[{ get: { url: /, capture: { regexp: '(a)(?<x>\\d)[(]', group: x, as: v } } }]`,
    [{ get: "/", headers: GZIP, capture: { v: { pattern: "(?:a)(\\d)[(]" } } }],
  ],
  "drawn values, which are others at each place": [
    "[{ get: { url: '/{{ $uuid }}/{{ $uuid }}?n={{ $randomNumber(1,9) }}' } }, " +
    "{ get: { url: '/{{ $randomNumber(1,9) }}/{{ $randomNumber(2,9) }}' } }]",
    [
      { get: "/{{ uuid }}/{{ uuid_of_2 }}?n={{ randomNumber_1_9 }}", headers: GZIP },
      { get: "/{{ randomNumber_1_9_of_2 }}/{{ randomNumber_2_9 }}", headers: GZIP },
    ],
  ],
  "what begins a parameter here": ["[{ post: { url: /, body: '${a} $${b}' } }]", [
    { post: "/", headers: GZIP, body: "$${a} $$${b}" },
  ]],
};

for (const [sentence, [steps, flow]] of Object.entries(STEPS)) {
  Deno.test(`an Artillery flow may have ${sentence}`, () => {
    assert.deepEqual(taken(script(steps)).scenario.flow, flow);
    assert.ok(experimentOf(script(steps)));
  });
}

const NOTED: readonly (readonly [source: string, note: RegExp])[] = [
  [script("[{ get: { url: / } }]", "processor: ./x.js"), /left out: the processor/],
  [script("[{ get: { url: / } }]", "", "beforeScenario: f"), /left out: the beforeScenario hooks/],
  [script("[{ get: { url: /, beforeRequest: f } }]"), /left out: the beforeRequest hooks/],
  [script("[{ function: f }, { get: { url: / } }]"), /left out: the step "function"/],
  [script("[{ loop: [{ get: { url: / } }], whileTrue: f }]"), /fixed count runs once/],
  [script("[{ get: { url: /, probability: 10 } }]"), /sent every time/],
  [script("[{ get: { url: 'http://other.example/a' } }]"), /other\.example go to 127/],
  [script("[{ get: { url: '/{{ $randomString(5) }}' } }]"), /random strings become UUIDs/],
  [script("[{ think: '{{ $env.NOBODY }}' }, { get: { url: / } }]"), /left out: the pause/],
  [
    script("[{ get: { url: /, expect: { hasHeader: a } } }]"),
    /left out: expectations about hasHeader/,
  ],
  [script("[{ get: { url: / } }]"), /expects 2xx or 3xx in Plateau.*Artillery accepts any status/],
  [
    script("[{ loop: [{ get: { url: '/{{ $uuid }}' } }], count: 51 }]"),
    /gets at most 50 random values of one kind/,
  ],
  [
    script("[{ get: { url: /, auth: { user: '{{ u }}', pass: 1 } } }]", "variables: { u: [a, b] }"),
    /left out: auth that contains placeholders/,
  ],
];

for (const [source, note] of NOTED) {
  Deno.test(`an Artillery script is taken over with a note: ${note.source}`, () => {
    assert.ok(taken(source).notes.some((one) => note.test(one)), taken(source).notes.join("\n"));
    assert.match(becomes(source, "a.yml").text, /^# From an Artillery script, a\.yml\.\n# Note: /);
  });
}

Deno.test("an Artillery scenario follows redirects and keeps cookies, with those of its own from the start", () => {
  const steps = "[{ get: { url: /a, cookie: { lang: de } } }, { think: 1 }, " +
    "{ post: { url: /b, cookie: { lang: de, theme: dark } } }, { get: { url: /c, cookie: { u: '{{ $uuid }}' } } }]";
  const { scenario, notes } = taken(script(steps, "http: { defaults: { cookie: { id: 7 } } }"));
  const { follow, cookies, flow } = scenario;
  assert.deepEqual([follow, cookies], [10, { id: "7", lang: "de", theme: "dark" }]);
  assert.deepEqual(flow, [
    { get: "/a", headers: GZIP },
    { think: "1s" },
    { post: "/b", headers: GZIP },
    { get: "/c", headers: { ...GZIP, cookie: "u={{ uuid }}" } },
  ]);
  for (
    const note of [
      /^the cookie theme is sent from the first request on$/,
      /^a request whose cookies contain placeholders, or change their values, sends only these/,
      /^Artillery sends a POST again when a 301 or 302 redirects it; here it becomes a GET/,
      /^a redirect to another host or port counts as wrong, unless follow names it in hosts$/,
    ]
  ) assert.ok(notes.some((one) => note.test(one)), `${note}: ${notes.join("\n")}`);
  assert.ok(experimentOf(script(steps)));
});

Deno.test("an Artillery scenario whose requests follow no redirects has none here, nor notes of them", () => {
  const { scenario, notes } = taken(script("[{ post: { url: /, followRedirect: false } }]"));
  assert.equal(scenario.follow, undefined);
  assert.ok(!notes.some((note) => /redirect/.test(note)), notes.join("\n"));
  const mixed = "[{ get: { url: / } }, { get: { url: /a, followRedirect: false } }]";
  assert.throws(
    () => becomes(script(mixed), "a.yml"),
    /a\.yml:6:35: scenarios\.0\.flow\.1\.get: Cannot convert this request: its followRedirect differs/,
  );
});

Deno.test("a multipart form of an Artillery script is one here, with its files", () => {
  const form =
    "{ a: 1, b: { fromFile: x/y.png, contentType: image/png }, c: { value: '{{ $uuid }}' } }";
  const { scenario } = taken(script(`[{ post: { url: /, formData: ${form} } }]`));
  assert.deepEqual(scenario.flow, [{
    post: "/",
    headers: GZIP,
    multipart: { a: "1", b: { file: "x/y.png", type: "image/png" }, c: "{{ uuid }}" },
  }]);
});

Deno.test("the element of a loop over what is only known later is no number", () => {
  const loop = "[{ loop: [{ get: { url: '/{{ $loopElement }}' } }], over: items }]";
  assert.throws(() => experimentOf(script(loop)), /Cannot fill in \{\{ \$?_?loopElement \}\}/);
});

Deno.test("a script without phases is gone through by one virtual user, as there", () => {
  const source = script("[{ get: { url: / } }]").replace(/ {2}phases.*\n/, "");
  const { load } = experimentOf(source);
  assert.ok("phases" in load);
  assert.deepEqual(load.phases[0].parts, [{ durationUs: 1e6, fromPerSec: 1, toPerSec: 1 }]);
  assert.ok(
    taken(source).notes.includes(
      "the script has no phases, so it sends one virtual user, as Artillery does",
    ),
  );
});

Deno.test("rows that commas do not separate are refused, however a script says so", () => {
  for (const how of ["delimiter: ';'", "options: { delimiter: ' ' }"]) {
    const source = script("[{ get: { url: / } }]", `payload: { path: a.csv, fields: [a], ${how} }`);
    assert.throws(
      () => becomes(source, "a.yml"),
      /a\.yml:4:\d+: config\.payload.*: Cannot convert a\.csv: its fields are not separated by commas/,
    );
  }
});

Deno.test("a script whose config stands in another file is told of as a script", () => {
  assert.throws(
    () => becomes("scenarios: [{ flow: [{ get: { url: / } }] }]", "a.yml"),
    /^UserError: a\.yml:1:1: config: Cannot leave it out$/,
  );
});

const LARGE: Readonly<Record<string, readonly [steps: string, told: RegExp]>> = {
  "loops in loops": [
    `[${"{ loop: [".repeat(5)}{ get: { url: / } }${"], count: 30 }".repeat(5)}]`,
    /^a\.yml:6:32: .*loop: Cannot unroll this loop: a file of another tool with its loops unrolled has 27,000 steps; the limit is 10,000$/,
  ],
  "loops in loops of nothing": [
    `[{ get: { url: / } }, ${"{ loop: [".repeat(40)}${"], count: 30 }".repeat(40)}]`,
    /^a\.yml:6:\d+: .*Cannot unroll this loop: .* has 27,000 steps/,
  ],
  "a loop of a count that a variable says": [
    "[{ loop: [{ get: { url: / } }], count: '{{ n }}' }]",
    /^a\.yml:6:12: .*Cannot unroll this loop: a file of another tool has 100,000 loop iterations/,
  ],
  "a long body many times": [
    `[{ loop: [{ post: { url: /, body: ${"x".repeat(2_000)} } }], count: 600 }]`,
    /^a\.yml:6:21: .*Cannot convert this step: the experiment made .* has 1,000,\d+ characters; the limit is 1,000,000/,
  ],
};

for (const [sentence, [steps, told]] of Object.entries(LARGE)) {
  Deno.test(`an Artillery script of ${sentence} is refused before it is written out`, () => {
    const error = thrown(
      UserError,
      () => becomes(script(steps, "variables: { n: 100000 }"), "a.yml"),
    );
    assert.equal(error.lines.length, 1);
    assert.match(error.lines[0], told);
  });
}

Deno.test("a regexp that can't be matched here is an error at its place", () => {
  const regexp = "{ get: { url: /, capture: { regexp: '(?<=a)b', as: v } } }";
  assert.throws(
    () => becomes(script(`[${regexp}]`), "a.yml"),
    /^UserError: a\.yml:6:29: .*regexp: Cannot capture "v" by this regexp: \(\?<=…\) cannot be/,
  );
});

Deno.test("nothing is noted of other statuses where every step says which it expects", () => {
  const { notes } = taken(script("[{ get: { url: /, expect: { statusCode: 500 } } }]"));
  assert.ok(!notes.some((note) => /any status/.test(note)));
});

Deno.test("Artillery's phases become phases, with their arrivals, ramps and pauses", () => {
  const { load } = experimentOf(
    script("[{ get: { url: / } }]").replace(
      /phases:.*/,
      "phases: [{ duration: 1m, arrivalRate: 1, rampTo: '5', name: up }, { pause: 3 }, " +
        "{ duration: 10, arrivalCount: 25, mode: poisson, maxVusers: 7 }]",
    ),
  );
  assert.ok("phases" in load);
  assert.deepEqual(load.phases[0].parts, [
    { durationUs: 60e6, fromPerSec: 1, toPerSec: 5 },
    { durationUs: 3e6, fromPerSec: 0, toPerSec: 0 },
    { durationUs: 10e6, fromPerSec: 2.5, toPerSec: 2.5 },
  ]);
  assert.deepEqual([load.arrivals, load.connections, load.timeout], [["poisson"], [7], [10_000]]);
});

for (const [duration, count] of [["2m", 20], ["7", 25], ["1h", 7], ["4.1m", 41]] as const) {
  Deno.test(`an arrivalCount of ${count} in ${duration} brings ${count} visitors, and no more`, () => {
    const phases = `phases: [{ duration: ${duration}, arrivalCount: ${count} }]`;
    const { load } = experimentOf(script("[{ get: { url: / } }]").replace(/phases:.*/, phases));
    assert.ok("phases" in load);
    const profile = new Profile(load.phases[0].parts);
    assert.ok(profile.dueUs(count - 1) < profile.durationUs);
    assert.equal(profile.dueUs(count), Infinity);
  });
}

Deno.test("Artillery's pool becomes connections that visitors share", () => {
  const { load } = experimentOf(script("[{ get: { url: / } }]", "http: { pool: 4, timeout: 0.5 }"));
  assert.ok("phases" in load);
  assert.deepEqual([load.pool, load.connections, load.timeout], [["shared"], [4], [500]]);
});

Deno.test("variables of the environment are filled in, in the target too", () => {
  Deno.env.set("PLATEAU_TEST_PORT", "81");
  const source = script("[{ get: { url: '/{{ $env.PLATEAU_TEST_PORT }}' } }]")
    .replace("8080", "'{{ $processEnvironment.PLATEAU_TEST_PORT }}'")
    .replace(/target: (.*)'(.*)'/, 'target: "$1$2"');
  const { targets, scenarios } = parseExperiment(becomes(source, "a.yml").text, "a.yaml", {
    environment: (name) => Deno.env.get(name),
  });
  assert.match(JSON.stringify(targets), /127\.0\.0\.1:81\b/);
  assert.match(JSON.stringify(scenarios), /"get":"\/81"/);
});

Deno.test("values of the environment are written into no file: requests refer to them", () => {
  Deno.env.set("PLATEAU_TEST_SECRET", "hush-hush");
  const bearer = "headers: { authorization: 'Bearer {{ $env.PLATEAU_TEST_SECRET }}' }";
  const { text, holds } = becomes(script(`[{ get: { url: /, ${bearer} } }]`), "a.yml");
  assert.match(text, /authorization: Bearer \$\{env\.PLATEAU_TEST_SECRET\}/);
  assert.ok(!text.includes("hush-hush"), text);
  assert.deepEqual(holds, []);
  const { scenarios } = parseExperiment(text, "a.yaml", {
    environment: (name) => Deno.env.get(name),
  });
  assert.match(JSON.stringify(scenarios), /Bearer hush-hush/);
  const wrong = script("[{ get: { url: ['{{ $env.PLATEAU_TEST_SECRET }}'] } }]");
  assert.throws(
    () => becomes(wrong, "a.yml"),
    (error) => /must be text/.test(String(error)) && !/[\ufdd0-\ufdd2]|hush/.test(String(error)),
  );
  // In base64 no reference can stand for it.
  const basic = "auth: { user: ada, pass: '{{ $env.PLATEAU_TEST_SECRET }}' }";
  const held = becomes(script(`[{ get: { url: /, ${basic} } }]`), "a.yml");
  assert.deepEqual(held.holds, ["PLATEAU_TEST_SECRET"]);
});

Deno.test("a text may have the character that marks variables, where it has no variable", () => {
  Deno.env.set("PLATEAU_TEST_SECRET", "hush-hush");
  const headers = "headers: { a: '{{ $env.PLATEAU_TEST_SECRET }}', b: 'icon \ufdd0' }";
  const { text, holds } = becomes(script(`[{ get: { url: /, ${headers} } }]`), "a.yml");
  assert.deepEqual(holds, []);
  assert.match(text, /b: "?icon (?:\ufdd0|\\ufdd0)/i);
});

Deno.test("a text that equals the value of a variable by chance stays as it is", () => {
  Deno.env.set("PLATEAU_TEST_SECRET", "hush-hush");
  const reference = "{{ $env.PLATEAU_TEST_SECRET }}";
  const basic = `Basic ${btoa("ada:hush-hush")}`;
  const headers = { a: "hush-hush", b: `x ${reference} hush-hush`, authorization: basic };
  const post = { url: "/hush-hush", headers, json: { a: [reference, "hush-hush"] } };
  const source = script(JSON.stringify([{ post }]), "variables: { c: hush-hush }");
  assert.deepEqual(taken(source).scenario.flow, [{
    post: "/hush-hush",
    headers: { ...GZIP, ...headers, b: "x ${env.PLATEAU_TEST_SECRET} hush-hush" },
    json: { a: ["${env.PLATEAU_TEST_SECRET}", "hush-hush"] },
  }]);
  assert.deepEqual(becomes(source, "a.yml").holds, []);
});

const PART = "{{ $env.PLATEAU_TEST_PART }}";

/** Its value is a secret only until it is disposed: the texts of other tests hold it, too. */
function setPart(value: string): Disposable {
  Deno.env.set("PLATEAU_TEST_PART", value);
  return secrets.keepWhile([[value, "${env.PLATEAU_TEST_PART}"]]);
}

/** By what it is: a step, the variable's value, and what the experiment has of the step. */
const REFERRED: Readonly<Record<string, readonly [step: object, value: string, made: string]>> = {
  "two digits": [{ get: { url: `/a/${PART}` } }, "80", "get: /a/$PART"],
  "the beginning of a path": [{ get: { url: `${PART}/b` } }, "/a", "get: $PART/b"],
  "the beginning of an address": [
    { get: { url: `${PART}/b#c` } },
    "http://127.0.0.1:8080",
    "get: /b\n",
  ],
  "a part of an address": [
    { get: { url: `http://127.0.0.1:8080/${PART}/b#${PART}` } },
    "a",
    "get: /$PART/b\n",
  ],
  "a part of a query": [{ get: { url: "/", qs: { a: `é ${PART}` } } }, "x", "=%C3%A9%20$PART\n"],
  "a field of a form": [{ post: { url: "/", form: { a: PART } } }, "x", "body: a=$PART\n"],
  "a cookie": [{ get: { url: "/", cookie: { a: PART } } }, "x", "a: $PART\n"],
  "a name": [{ get: { url: "/", name: `n ${PART}` } }, "x", "name: n $PART\n"],
  "a captured member": [
    { get: { url: "/", capture: { json: `$.${PART}`, as: "a" } } },
    "x",
    "json: $.$PART\n",
  ],
  "an element of a loop": [
    { loop: [{ get: { url: "/{{ $loopElement }}" } }], over: [PART] },
    "x",
    "get: /$PART\n",
  ],
};

for (const [what, [step, value, made]] of Object.entries(REFERRED)) {
  Deno.test(`a variable of the environment stays one in a request as ${what}`, () => {
    using _ = setPart(value);
    const { text, holds } = becomes(script(JSON.stringify([step])), "a.yml");
    const written = made.replace("$PART", () => "${env.PLATEAU_TEST_PART}");
    assert.ok(text.includes(written), `${written}: ${text}`);
    assert.deepEqual(holds, []);
    parseExperiment(text, "a.yaml", { environment: (name) => Deno.env.get(name) });
  });
}

Deno.test("numbers of a load, of loops and of pauses are those that variables of the environment have", () => {
  using _ = setPart("3");
  const steps = [{ loop: [{ get: { url: "/" } }], count: PART }, { think: PART }, {
    get: { url: "/3", expect: { statusCode: `20${PART}` } },
  }];
  const source = script(JSON.stringify(steps)).replace("arrivalRate: 2", `arrivalRate: "${PART}"`);
  const get = { get: "/", headers: GZIP };
  assert.deepEqual(taken(source).scenario.flow, [
    ...[get, get, get, { think: "3s" }],
    { get: "/3", headers: GZIP, expect: { status: 203 } },
  ]);
  assert.deepEqual(parse(becomes(source, "a.yml").text).load.phases, [
    { duration: "1s", arrivals: "3/s" },
  ]);
});

/** The six patterns of traffic of study 000, as Artillery's phases. */
const PATTERNS: Readonly<Record<string, readonly [phases: string, arrivals: number]>> = {
  "constant": ["[{ duration: 60, arrivalRate: 10 }]", 600],
  "ramp": ["[{ duration: 60, arrivalRate: 1, rampTo: 19 }]", 600],
  "spike": [
    "[{ duration: 30, arrivalRate: 5 }, { duration: 5, arrivalRate: 100 }, { duration: 30, arrivalRate: 5 }]",
    800,
  ],
  "steps": [
    "[{ duration: 20, arrivalRate: 5 }, { duration: 20, arrivalRate: 10 }, { duration: 20, arrivalRate: 20 }]",
    700,
  ],
  "waves": [
    "[{ duration: 10, arrivalRate: 2, rampTo: 20 }, { duration: 10, arrivalRate: 20, rampTo: 2 }]",
    220,
  ],
  "pauses": [
    "[{ duration: 10, arrivalCount: 50 }, { pause: 20 }, { duration: 10, arrivalCount: 50 }]",
    100,
  ],
};

for (const [name, [phases, arrivals]] of Object.entries(PATTERNS)) {
  Deno.test(`a script of ${name} brings as many visitors here as there`, () => {
    const source = script("[{ get: { url: / } }]").replace(/phases:.*/, `phases: ${phases}`);
    const { load } = experimentOf(source);
    assert.ok("phases" in load);
    const visitors = load.phases[0].parts.reduce(
      (sum, { durationUs, fromPerSec, toPerSec }) =>
        sum + durationUs / 1e6 * (fromPerSec + toPerSec) / 2,
      0,
    );
    assert.equal(Math.round(visitors), arrivals);
  });
}
