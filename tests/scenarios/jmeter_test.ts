/** Plans of JMeter: what they become here, and what is refused. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { UserError } from "../../base/errors.ts";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes, fixture } from "./foreign.ts";

const SERVER = '<stringProp name="HTTPSampler.domain">a</stringProp>';
const FOR_A_SECOND = `<boolProp name="ThreadGroup.scheduler">true</boolProp>
<stringProp name="ThreadGroup.duration">1</stringProp>
<elementProp name="ThreadGroup.main_controller"><intProp name="LoopController.loops">-1</intProp></elementProp>`;

function sampler(inner = "", below = ""): string {
  return `<HTTPSamplerProxy testname="s">${SERVER}${inner}</HTTPSamplerProxy><hashTree>${below}</hashTree>`;
}

function planOf(elements: string, group = FOR_A_SECOND, beside = ""): string {
  return `<jmeterTestPlan><hashTree><TestPlan testname="p"/><hashTree>${beside}
<ThreadGroup testname="g">${group}</ThreadGroup><hashTree>
${elements}
</hashTree></hashTree></hashTree></jmeterTestPlan>`;
}

function scenarioOf(source: string): Record<string, unknown> {
  const { text } = becomes(source, "a.jmx");
  parseExperiment(text, "a.yaml");
  return parse(text).scenarios.g;
}

Deno.test("a JMeter plan becomes a scenario for each thread group, with its load", async () => {
  const { source, notes } = await loadExperiment(fixture("shop.jmx"));
  const { scenarios: { Visitors, Readers }, parameters } = parse(source);
  assert.deepEqual(parameters, { target: "http://127.0.0.1:8080" });
  assert.deepEqual(Visitors.load, {
    phases: [{ duration: "3s", arrivals: "10/s" }],
    ...{ connections: 30, timeout: "60s" },
  });
  const headers = { accept: "application/json" };
  const [pause, login, ...more] = Visitors.flow;
  assert.deepEqual([pause, more.length], [{ think: "50ms" }, 4]);
  const form = { user: "{{ user }}", password: "{{ password }}" };
  assert.deepEqual(login, {
    ...{ name: "login", post: "/api/login", headers, form, expect: { status: 201 } },
  });
  assert.deepEqual(more[3], { name: "search", get: "/api/search?q=blue+tea", headers });
  assert.equal(Visitors.values.password.column, "password");
  assert.deepEqual(Readers.load, { connections: 4, duration: "2s", timeout: "60s" });
  assert.equal(Readers.flow[0].body, '{"id":"{{ uuid_1 }}"}');
  assert.ok(notes.includes("the property port has its default, 8080"));
});

Deno.test("threads with a ramp and loops are so many arrivals, each with its rounds", () => {
  const group = `<stringProp name="ThreadGroup.num_threads">7</stringProp>
<stringProp name="ThreadGroup.ramp_time">3</stringProp>
<elementProp name="ThreadGroup.main_controller"><stringProp name="LoopController.loops">2</stringProp></elementProp>`;
  const { load, flow } = scenarioOf(planOf(sampler(), group));
  const { phases: [{ duration, arrivals }], connections } = Object(load);
  assert.deepEqual([duration, connections], ["3s", 7]);
  assert.equal(Math.round(parseFloat(arrivals) * 3), 7);
  assert.deepEqual(flow, [{ name: "s", get: "/" }, { name: "s", get: "/" }]);
});

Deno.test("what stands below a sampler is its own, and what stands beside it is everybody's", () => {
  const fields = (value: string): string =>
    `<HeaderManager><collectionProp name="HeaderManager.headers"><elementProp>
<stringProp name="Header.name">X-A</stringProp><stringProp name="Header.value">${value}</stringProp>
</elementProp></collectionProp></HeaderManager><hashTree/>`;
  const timer = (ms: number): string =>
    `<ConstantTimer><stringProp name="ConstantTimer.delay">${ms}</stringProp></ConstantTimer><hashTree/>`;
  const { flow } = scenarioOf(
    planOf(sampler("", fields("own") + timer(20)) + sampler() + fields("all") + timer(10)),
  );
  assert.deepEqual(flow, [
    { think: "30ms" },
    { name: "s", get: "/", headers: { "x-a": "own" } },
    { think: "10ms" },
    { name: "s", get: "/", headers: { "x-a": "all" } },
  ]);
});

Deno.test("a plan without a cookie manager keeps no cookies", () => {
  assert.equal(scenarioOf(planOf(sampler())).cookies, "off");
});

const element = (kind: string, inner = ""): string =>
  `<${kind} testname="x">${inner}</${kind}><hashTree/>`;
const LOOPS = (loops: number): string =>
  `<elementProp name="ThreadGroup.main_controller"><intProp name="LoopController.loops">${loops}</intProp></elementProp>`;

const REFUSED: readonly (readonly [plan: string, why: RegExp])[] = [
  [
    planOf(sampler() + element("JSR223Sampler")),
    /^a\.jmx:5:\d+: .*JSR223Sampler "x": it is none of/,
  ],
  [
    planOf(sampler("", element("RegexExtractor"))),
    /RegexExtractor "x": it is none of the elements/,
  ],
  [planOf(sampler() + element("IfController")), /IfController "x"/],
  [planOf(sampler() + element("UniformRandomTimer")), /UniformRandomTimer/],
  [planOf(sampler() + element("CacheManager")), /CacheManager/],
  [planOf(sampler(), FOR_A_SECOND, element("SetupThreadGroup")), /SetupThreadGroup/],
  [
    planOf(sampler(), FOR_A_SECOND, `${element("ThreadGroup")}`),
    /a\.jmx:2:\d+: .*several thread groups: JMeter runs them at the same time/,
  ],
  [
    planOf(sampler('<stringProp name="HTTPSampler.path">/${__time()}</stringProp>')),
    /\$\{__time\(\)\}: nothing here says its value/,
  ],
  [
    planOf(sampler('<stringProp name="HTTPSampler.path">http://b/</stringProp>') + sampler()),
    /it goes to http:\/\/a, the others to http:\/\/b/,
  ],
  [planOf(sampler('<boolProp name="HTTPSampler.image_parser">true</boolProp>')), /embedded/],
  [planOf(sampler('<stringProp name="HTTPSampler.proxyHost">p</stringProp>')), /by a proxy/],
  [planOf(sampler('<stringProp name="HTTPSampler.method">TRACE</stringProp>')), /no method TRACE/],
  [planOf(sampler(), LOOPS(-1)), /"g": it never ends/],
  [planOf(sampler(), LOOPS(0)), /Cannot take over 0 loops/],
  [
    planOf(sampler(), `${FOR_A_SECOND}<intProp name="ThreadGroup.ramp_time">5</intProp>`),
    /ramp up and then go on/,
  ],
  [planOf(sampler(), FOR_A_SECOND.replace("-1", "3")), /by loops or by time/],
  [planOf("", FOR_A_SECOND), /"g": it has no HTTP request/],
  [
    planOf(sampler() + element("CookieManager")),
    /keeps cookies from loop to loop, and here each begins with an empty jar/,
  ],
  [
    planOf(sampler() + element("CSVDataSet", '<stringProp name="recycle">false</stringProp>')),
    /it ends at the end of its file/,
  ],
  ["<jmeterTestPlan><hashTree></jmeterTestPlan>", /^a\.jmx:1:\d+: Cannot read this as XML/],
  ["<jmeterTestPlan>&bomb;</jmeterTestPlan>", /undefined entity/],
  ["<jmeterTestPlan/>", /without a thread group/],
  [`<jmeterTestPlan>${"<a>".repeat(200)}`, /Cannot read this as XML: .*levels of nesting/],
];

for (const [plan, why] of REFUSED) {
  Deno.test(`a JMeter plan is refused with ${why.source}`, () => {
    assert.throws(() => becomes(plan, "a.jmx"), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.lines.join("\n"), why);
      return true;
    });
  });
}

Deno.test("all that is refused of a JMeter plan stands at its lines, at once", () => {
  const plan = planOf(
    `${sampler()}\n${element("IfController")}\n${element("CacheManager")}`,
    LOOPS(-1),
  );
  assert.throws(() => becomes(plan, "a.jmx"), (error) => {
    assert.ok(error instanceof UserError);
    const lines = error.lines.filter((line) => line.startsWith("a.jmx")).map((line) =>
      line.split(":")[1]
    );
    assert.deepEqual(lines, ["2", "4", "5"]);
    return true;
  });
});
