import assert from "node:assert/strict";
import fc from "fast-check";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";
import { asked, countsOf, flowOf, manyRows, requestsOf, script } from "./made_script.ts";
import { forAll } from "../for_all.ts";

Deno.test("a single request is asked again and again", () => {
  assert.deepEqual(script({ put: "/a", body: "b", expect: { status: 201 } }), {
    kind: "requests",
    stepNames: [],
    requests: [{
      kind: "request",
      step: 0,
      wire: { method: "PUT", path: "/a", headers: {}, body: "b" },
      expect: { status: 201 },
      captures: [],
      follow: null,
    }],
    sequence: [0],
  });
});

Deno.test("a body may be that of a file, with names in it", () => {
  const { requests } = requestsOf({ post: "/", body: { file: "big.json" } });
  assert.equal(requests[0].wire.body, "text of big.json");
});

Deno.test("from the command line {{ … }} is no more than text", () => {
  const scenario = requestScenarioSpec.parse({ post: "/?a={{b}}", body: "{{ c }}" });
  const made = scriptOf(scenario, 1);
  assert.ok(made.kind === "requests");
  assert.deepEqual(made.requests.map(({ wire }) => [wire.path, wire.body]), [
    ["/?a={{b}}", "{{ c }}"],
  ]);
});

const anyWeights = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 2, maxLength: 12 });
const anySeed = fc.integer({ min: 0, max: 0xffff_ffff });

function mixOf(weights: readonly number[]): object {
  return { mix: weights.map((weight, at) => ({ weight, get: `/${at}` })) };
}

Deno.test("a mix asks each request as often as its weight says, exactly", () => {
  forAll([anyWeights, anySeed], (weights, seed) => {
    const { sequence } = requestsOf(mixOf(weights), seed);
    const counts = countsOf([...sequence]);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [at, weight] of weights.entries()) {
      assert.equal(counts.get(at), sequence.length * weight / total);
    }
  }, { seed: 6, numRuns: 50 });
});

Deno.test("a mix is well mixed: the shares of its first half are those of the whole", () => {
  const { sequence } = requestsOf(mixOf([500, 300, 200]));
  const counts = countsOf([...sequence.slice(0, sequence.length / 2)]);
  for (const [at, share] of [0.5, 0.3, 0.2].entries()) {
    const seen = (counts.get(at) ?? 0) / (sequence.length / 2);
    assert.ok(Math.abs(seen - share) < 0.05, `${seen} of request ${at}, not ${share}`);
  }
});

Deno.test("a mix asks every variant of each request, in the order of the rows", () => {
  const mix = [{ weight: 9, get: "/a" }, { get: "/{{ n }}" }];
  const paths = asked({ mix, values: { n: { csv: "700", column: "n" } } }, 7_000);
  assert.deepEqual(paths.filter((path) => path !== "/a"), manyRows(700).map(({ n }) => `/${n}`));
});

Deno.test("a mix of very many rows stays within memory", () => {
  const mix = [{ weight: 1_000, get: "/a" }, { get: "/{{ n }}" }];
  const { sequence } = requestsOf({ mix, values: { n: { csv: "5000", column: "n" } } });
  assert.ok(sequence.length <= 1_000_000);
});

const everything = {
  mix: [
    { weight: 3, get: "/{{ id }}/{{ code }}" },
    { weight: 2, post: "/", body: "{{ color }} {{ row.name }}" },
  ],
  values: {
    id: { from: 1, to: 1_000_000 },
    code: "uuid",
    color: { pick: ["red", "green"] },
    row: { csv: "people.csv", order: "random" },
  },
};

Deno.test("equal seeds give equal scripts, others another", () => {
  forAll([anySeed], (seed) => {
    assert.deepEqual(script(everything, seed), script(everything, seed));
    assert.notDeepEqual(script(everything, seed), script(everything, seed + 1));
  }, { seed: 2, numRuns: 5 });
});

Deno.test("hosts of redirects are their origins, each once", () => {
  const hosts = ["https://A.test:443/", "https://a.test", "http://a.test:8080"];
  const made = flowOf({ flow: [{ get: "/" }], follow: { hops: 3, hosts } });
  assert.deepEqual(made.elsewhere, ["https://a.test", "http://a.test:8080"]);
  assert.deepEqual(made.steps.map((step) => step.kind === "request" && step.follow), [
    { most: 3, step: 1 },
  ]);
});

Deno.test("a flow is its steps, with what visitors bring along", () => {
  const made = flowOf({
    flow: [
      { get: "/home" },
      { think: "1.5s" },
      { think: { mean: "2s", as: "exponential" } },
      {
        post: "/login",
        json: { user: "{{ user }}" },
        expect: { status: 200 },
        capture: {
          token: { json: "$.data[0].token" },
          next: { header: "Location" },
          id: { pattern: "id=(\\d+)" },
        },
      },
      { get: "{{ next }}", headers: { authorization: "Bearer {{ token }}" } },
    ],
    values: { user: { csv: "people.csv", column: "name" }, unused: "uuid" },
  });
  assert.deepEqual(made.stepNames, ["GET /home", "POST /login", "GET {{ next }}"]);
  assert.deepEqual(made.users, [{ user: "ada" }, { user: "bob" }, { user: "eve" }]);
  const plain = { kind: "request", expect: {}, captures: [], follow: null };
  const wire = { method: "GET", headers: {}, body: null };
  assert.deepEqual(made.steps, [
    { ...plain, step: 0, wire: { ...wire, path: "/home" } },
    { kind: "think", thinkMs: 1_500 },
    { kind: "think", thinkMs: 2_000, as: "exponential" },
    {
      ...plain,
      step: 1,
      wire: {
        method: "POST",
        path: "/login",
        headers: { "content-type": "application/json" },
        body: '{"user":"{{ user }}"}',
      },
      expect: { status: 200 },
      captures: [
        { as: "token", from: { kind: "json", path: ["data", "0", "token"] } },
        { as: "next", from: { kind: "header", name: "Location" } },
        { as: "id", from: { kind: "pattern", source: "id=(\\d+)" } },
      ],
    },
    {
      ...plain,
      step: 2,
      wire: { ...wire, path: "{{ next }}", headers: { authorization: "Bearer {{ token }}" } },
    },
  ]);
});

Deno.test("steps are called as the file has it, else by method and path; one name is one step", () => {
  const mixed = requestsOf({
    mix: [{ name: "pay", post: "/pay" }, { get: "/a" }, { name: "pay", put: "/pay" }, {
      get: "/a",
    }],
  });
  assert.deepEqual(mixed.stepNames, ["pay", "GET /a"]);
  assert.deepEqual(mixed.requests.map(({ step }) => step), [0, 1, 0, 1]);
  assert.deepEqual(requestsOf({ mix: [{ get: "/a" }, { get: "/a" }] }).stepNames, []);
  const paths = Array.from({ length: 60 }, (_, i) => ({ get: `/${i}` }));
  const many = requestsOf({ mix: paths });
  assert.deepEqual(many.stepNames.slice(-2), ["GET /49", "other requests"]);
  assert.deepEqual(many.requests.slice(-2).map(({ step }) => step), [50, 50]);
});

Deno.test("a flow without values has one kind of visitor, who brings nothing", () => {
  assert.deepEqual(flowOf({ flow: [{ get: "/" }] }).users, [{}]);
});

Deno.test("resources of a page are fetched beside each other where that is wanted and there are two", () => {
  const besides = (page: object): unknown => {
    const { steps, lanes } = flowOf({ page: "/", ...page });
    return [lanes, steps.map((step) => step.kind === "request" && step.beside === true)];
  };
  const two = ["/a.png", "/b.css"];
  assert.deepEqual(besides({ with: two }), [undefined, [false, false, false]]);
  assert.deepEqual(besides({ with: two, parallel: 1 }), [undefined, [false, false, false]]);
  assert.deepEqual(besides({ with: two, parallel: 6 }), [2, [false, true, true]]);
  assert.deepEqual(besides({ with: ["/a.png"], parallel: 6 }), [undefined, [false, false]]);
});

Deno.test("a page is a flow: the page as it is expected, then what it needs", () => {
  const made = flowOf({
    page: "/{{ n }}",
    with: ["/a.png", "/b.css"],
    headers: { accept: "*/*" },
    expect: { contains: "hello" },
    values: { n: { csv: "2", column: "n" } },
  });
  const asked = made.steps.map((step) =>
    step.kind === "request" ? [step.wire.path, step.wire.headers, step.expect] : step
  );
  assert.deepEqual(asked, [
    ["/{{ n }}", { accept: "*/*" }, { contains: "hello" }],
    ["/a.png", { accept: "*/*" }, {}],
    ["/b.css", { accept: "*/*" }, {}],
  ]);
  assert.deepEqual(made.users, [{ n: "0" }, { n: "1" }]);
});
