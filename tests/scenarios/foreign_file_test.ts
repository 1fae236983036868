/** Files of other tools as experiments: scripts of Artillery, HAR files, and what is wrong with them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { NO_FILES } from "../../base/files.ts";
import { importedFile } from "../../scenarios/imports/registry.ts";
import { secrets } from "../../base/secrets.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { becomes, experimentOf, fixture, FOLDER, script } from "./foreign.ts";
import { rejected, thrown } from "../thrown.ts";

Deno.test("an Artillery script of the reference is walked as there, with rows of its payload", async () => {
  const { experiment, notes, fileName, source } = await loadExperiment(fixture("shop.yml"));
  assert.equal(fileName, "shop.yaml");
  assert.ok(notes.some((note) => /the scenarios run one after the other/.test(note)));
  const reread = parseExperiment(source, fileName, { files: filesFrom(FOLDER) });
  assert.deepEqual(JSON.stringify(reread), JSON.stringify(secrets.data(experiment))); // a cookie
  const visit = scriptOf(experiment.scenarios["Browse buy"], 1);
  assert.ok(visit.kind === "flow");
  const asked = visit.steps.flatMap((step) =>
    step.kind === "request" ? `${step.wire.method} ${step.wire.path}` : `think ${step.thinkMs}`
  );
  assert.deepEqual(asked, [
    ...["GET /api/products?sort={{ sort }}&page=1&q=red%20shoes", "think 1500"],
    ...["GET /api/v2/products/{{ productId }}?n=0", "GET /api/v2/products/{{ productId }}?n=1"],
    ...["POST /api/login", "GET /api/cart", "GET /api/offers", "POST /api/buy"],
  ]);
  const [ada, bob] = visit.users;
  assert.deepEqual([ada.user, ada.password], ["ada", "secret"]);
  assert.deepEqual([bob.user, bob.password], ["bob", "pass, word"]);
});

Deno.test("an environment of an Artillery script is a choice of --set", async () => {
  const { experiment } = await loadExperiment(fixture("shop.yml"), { environment: "staging" });
  assert.match(JSON.stringify(experiment.targets), /staging\.example\.org/);
  const { load } = experiment.scenarios.Search;
  assert.ok(load !== undefined && "phases" in load);
  // Of the script's own phases remain the ramp to 5/s, of which this scenario has a quarter, and all after the first.
  const [{ parts: [first, pause] }] = load.phases;
  assert.deepEqual(first, { durationUs: 300e6, fromPerSec: 12.5, toPerSec: 1.25 });
  assert.deepEqual(pause, { durationUs: 10e6, fromPerSec: 0, toPerSec: 0 });
});

Deno.test("an environment is merged into lists element by element, as in Artillery", () => {
  const source = `config:
  target: http://127.0.0.1:8080
  phases:
    - { duration: 60, arrivalRate: 5, rampTo: 50 }
    - { duration: 600, arrivalRate: 50 }
  variables: { colour: [red, green, blue] }
  payload: [{ path: a.csv, fields: [user] }, { path: b.csv, fields: [city] }]
  environments:
    smoke:
      phases: [{ duration: 10, arrivalRate: 1 }]
      variables: { colour: [black] }
      payload: [{ path: c.csv }]
    wrong: { phases: [{ duration: soon }] }
scenarios: [{ flow: [{ get: { url: "/{{ colour }}/{{ user }}/{{ city }}" } }] }]
`;
  const wrong = /^a\.yml:13:35: config\.environments\.wrong\.phases\.0\.duration: /;
  assert.match(thrown(UserError, () => becomes(source, "a.yml")).lines[0], wrong);
  const { scenarios, load, parameters } = parse(
    becomes(source.replace("{ duration: soon }", "{ duration: 70 }"), "a.yml").text,
  );
  assert.deepEqual(load.phases[0], { duration: "60s", arrivals: "5/s", rampTo: "50/s" });
  const { smoke, wrong: other } = parameters.environment;
  assert.deepEqual(smoke.load.phases, [
    { duration: "10s", arrivals: "1/s", rampTo: "50/s" },
    { duration: "600s", arrivals: "50/s" },
  ]);
  assert.deepEqual(other.load.phases[0], { duration: "70s", arrivals: "5/s", rampTo: "50/s" });
  const [[name, { values }]] = Object.entries<{ values: object }>(smoke.scenarios);
  assert.deepEqual(values, {
    colour: { pick: ["black", "green", "blue"] },
    user: { csv: "c.csv" },
  });
  assert.equal(scenarios[name].values.city.csv, "b.csv");
});

Deno.test("a value that a request captures replaces a variable of the same name from then on", () => {
  const capture = "capture: { json: $.token, as: token }";
  const get = 'get: { url: /, headers: { authorization: "Bearer {{ token }}" }';
  const steps = `
    - loop: [{ ${get} } }, { ${get}, ${capture} } }, { think: "{{ token }}" }]
      count: 2
  - flow: [{ ${get} } }]`;
  const source = script(steps, "variables: { token: 3 }");
  const { scenarios } = parse(becomes(source, "a.yml").text);
  const flows = Object.values<{ flow: { think?: string; headers?: object }[] }>(scenarios);
  const [before, after] = ["3", "{{ token }}"].map((token) => ({
    ...{ "accept-encoding": "gzip, deflate, br", authorization: `Bearer ${token}` },
  }));
  assert.deepEqual(
    flows.map(({ flow }) => flow.map(({ headers }) => headers)),
    [[before, before, after, after], [before]],
  );
  assert.ok(becomes(source, "a.yml").notes.includes('left out: the pause "{{ token }}"'));
  parseExperiment(becomes(source, "a.yml").text, "a.yaml");
});

Deno.test("without a target of its own, the first environment of a script is the default", () => {
  const source = `config:
  phases: [{ duration: 1, arrivalRate: 1 }]
  environments: { local: { target: http://localhost:1 }, far: { target: http://far.example } }
scenarios: [{ flow: [{ get: { url: / } }] }]
`;
  assert.match(JSON.stringify(experimentOf(source).targets), /localhost:1/);
  assert.match(
    JSON.stringify(experimentOf(source, { environment: "far" }).targets),
    /far\.example/,
  );
});

Deno.test("everything wrong with a script is told at once, at its own lines", async () => {
  const error = await loadExperiment(fixture("wrong.yml")).catch((error: unknown) => error);
  assert.ok(error instanceof UserError);
  const lines = error.lines.map((line) => line.slice(FOLDER.length + 1));
  assert.deepEqual(lines.map((line) => line.split(": ").slice(0, 2).join(": ")), [
    ...["wrong.yml:2:11: config.target", "wrong.yml:4:17: config.phases.0.duration"],
    ...["wrong.yml:6:7: config.phases.1", "wrong.yml:9:9: scenarios.0.flow.0.get"],
    "wrong.yml:11:29: scenarios.0.flow.1.loop.0.post.capture.0.json",
    "wrong.yml:13:5: scenarios.1.flow",
  ]);
  assert.match(lines[1], /Cannot read "soon" as a time: write seconds, as in 30, or 5m$/);
});

Deno.test("what is wrong only as an experiment has its place in the other tool's file, once", async () => {
  using folder = new Folder();
  const loop = "[{ loop: [{ get: { url: / } }, { get: { url: '/{{ nobody }}' } }], count: 3 }]";
  folder.write("a.yml", script(loop));
  const error = await rejected(UserError, loadExperiment(join(folder.path, "a.yml")));
  assert.equal(error.lines.length, 1);
  assert.match(
    error.lines[0],
    /a\.yml:6:42: scenarios\.0\.flow\.0\.loop\.1: .*flow\.1\.get in the converted experiment: Cannot fill in \{\{ nobody \}\}/,
  );
});

const REFUSED: readonly (readonly [source: string, told: RegExp])[] = [
  ["config: 5\nscenarios: []\n", /^a\.yml:1:9: config: Cannot use 5: it must be a map/],
  [
    script("[{ send: hello }]", "", "engine: ws"),
    /^a\.yml:\d+:1: scenarios: Cannot run this without a scenario that speaks HTTP/,
  ],
  [script("[{ get: { url: / } }]").replace("127.0.0.1", "[::"), /config\.target: Cannot use "http/],
  [
    script("[{ get: { url: / } }]", "environments: { far: { target: nowhere } }"),
    /^a\.yml:4:34: config\.environments\.far\.target: Cannot use "nowhere" as a target/,
  ],
];

for (const [source, told] of REFUSED) {
  Deno.test(`a script is refused with ${told.source}`, () => {
    assert.match(thrown(UserError, () => becomes(source, "a.yml")).lines[0], told);
  });
}

Deno.test("an environment that a script does not have is told of alone", () => {
  const failed = loadExperiment(fixture("shop.yml"), { environment: "far" });
  return assert.rejects(failed, (error) => {
    assert.ok(error instanceof UserError);
    assert.deepEqual(error.lines, [
      '--set environment: Cannot choose "far" (the choices are none, staging)',
    ]);
    return true;
  });
});

Deno.test("the file that a script becomes is never called as the script itself", () => {
  assert.equal(becomes(script("[{ get: { url: / } }]"), "x/a.yaml").fileName, "a.plateau.yaml");
});

Deno.test("an experiment with a setting called log is no HAR file", () => {
  assert.equal(importedFile("log: { entries: 5 }\nname: a", "a.yaml", { files: NO_FILES }), null);
});

Deno.test("a HAR file becomes one visitor's way, in its order, without what is nobody else's", async () => {
  const { source, notes, experiment } = await loadExperiment(fixture("visit.har"));
  const { parameters, targets, scenarios } = parse(source);
  assert.deepEqual(parameters, { target: "https://shop.example" });
  assert.deepEqual(targets, { "shop.example": { url: "${target}" } });
  assert.deepEqual(scenarios.visit.flow, [
    {
      get: "/?a=%7B1%7D&t=%7B%7Bx}}",
      headers: { accept: "text/html, */*" },
      expect: { status: 200 },
    },
    { think: "2000ms" },
    {
      post: "/login",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "user=ada&note=a%20%26%20b",
      expect: { status: 302 },
    },
    {
      put: "/cart",
      headers: { "content-type": "application/json" },
      body: '{"price":"$${1}","t":"\\u007b\\u007bx}}"}',
      expect: { status: 204 },
    },
  ]);
  assert.match(notes[0], /^left out: requests .*: 3 of 6$/);
  assert.match(notes[1], /left out: the cookie fields/);
  const visit = scriptOf(experiment.scenarios.visit, 1);
  assert.ok(visit.kind === "flow");
  const put = visit.steps.findLast((step) => step.kind === "request");
  assert.equal(put?.wire.body, '{"price":"${1}","t":"\\u007b\\u007bx}}"}');
});

const BODIES: readonly (readonly [sentence: string, postData: object, body: string | undefined])[] =
  [
    ["in base64", { mimeType: "text/plain", text: "w6k=", encoding: "base64" }, "é"],
    ["of bytes", { mimeType: "image/png", text: "/w==", encoding: "base64" }, undefined],
    [
      "of several parts",
      { mimeType: "multipart/form-data; boundary=x", params: [{ name: "a" }] },
      undefined,
    ],
  ];

for (const [sentence, postData, body] of BODIES) {
  Deno.test(`a HAR file may have a body ${sentence}`, () => {
    const entries = [{
      startedDateTime: "2026-01-01T00:00:00+01:00",
      request: { method: "POST", url: "http://a/b", postData },
      response: { status: 200 },
    }];
    const { text, notes } = becomes(JSON.stringify({ log: { entries } }), "a.har");
    assert.equal(parse(text).scenarios.visit.flow[0].body, body);
    assert.equal(
      notes.some((note) => /left out: the bodies of \/b/.test(note)),
      body === undefined,
    );
  });
}

Deno.test("a HAR file without a request over HTTP is refused at its place", () => {
  const source = '{ "log": {\n  "entries": [] } }';
  const error = thrown(UserError, () => becomes(source, "a.har"));
  assert.match(error.lines.join(), /^a\.har:2:3: log\.entries: Cannot run an archive without/);
});

class Folder implements Disposable {
  readonly path = Deno.makeTempDirSync();
  write(name: string, text: string): void {
    Deno.writeTextFileSync(join(this.path, name), text);
  }
  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}
