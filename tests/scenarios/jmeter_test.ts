/** Plans of JMeter: what they become here. */
import assert from "node:assert/strict";
import { parse } from "yaml";
import { loadExperiment, parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { becomes, fixture } from "./foreign.ts";
import {
  defined,
  element,
  FOR_A_SECOND,
  headers,
  METHOD,
  parameters,
  PATH,
  planOf,
  rows,
  sampler,
  serial,
  SERVER,
  threads,
} from "./jmeter_plan.ts";

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
  assert.ok(notes.includes("the property port is replaced by its default, 8080"));
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

Deno.test("threads that ramp up and go on for a time are stages: one begins after the other", () => {
  const group = (threads: number, rampS: number): string =>
    FOR_A_SECOND.replace(">1<", ">10<") +
    `<intProp name="ThreadGroup.num_threads">${threads}</intProp>` +
    `<intProp name="ThreadGroup.ramp_time">${rampS}</intProp>`;
  const stagesOf = (threads: number, rampS: number): unknown =>
    Object(scenarioOf(planOf(sampler(), group(threads, rampS))).load).stages;
  assert.deepEqual(stagesOf(5, 4), [
    { duration: "3.2s", connections: 1, rampTo: 5 },
    { duration: "6.8s", connections: 5 },
  ]);
  // The fifth would begin after 16 s, the fourth does after 12 s.
  assert.deepEqual(stagesOf(5, 20), [
    { duration: "8s", connections: 1, rampTo: 3 },
    { duration: "2s", connections: 3 },
  ]);
  assert.equal(stagesOf(1, 20), undefined);
  assert.ok(parseExperiment(becomes(planOf(sampler(), group(5, 4)), "a.jmx").text, "a.yaml"));
});

Deno.test("each request draws its own values, also for fields of the whole plan", () => {
  const two = sampler() + sampler();
  const plan = serial(headers(["X-A", "${__UUID()}"]) + threads("g", two) + threads("h", two));
  const { text } = becomes(plan, "a.jmx");
  parseExperiment(text, "a.yaml");
  const { scenarios: { g, h } } = parse(text);
  for (const { flow, values } of [g, h]) {
    const used = flow.map((step: { headers: object }) => step.headers);
    assert.deepEqual(used, [{ "x-a": "{{ uuid_1 }}" }, { "x-a": "{{ uuid_2 }}" }]);
    assert.deepEqual(values, { uuid_1: "uuid", uuid_2: "uuid" });
  }
});

Deno.test("a row counts for more than a user-defined variable, and is its thread group's", () => {
  const ofUser = sampler(PATH("/${user}"));
  const plan = serial(
    element("Arguments", defined("user", "nobody")) + threads("a", rows("a.csv") + ofUser) +
      threads("b", rows("b.csv") + ofUser) + threads("c", ofUser),
  );
  const { scenarios: { a, b, c } } = parse(becomes(plan, "a.jmx").text);
  assert.deepEqual([a, b, c].map(({ flow }) => flow[0].get), [
    ...["/{{ user }}", "/{{ user }}", "/nobody"],
  ]);
  assert.match(a.values.user.csv, /a\.csv$/);
  assert.match(b.values.user.csv, /b\.csv$/);
});

Deno.test("a file of the whole plan has its rows for the first of its thread groups", () => {
  const groups = threads("g", sampler(PATH("/${user}"))) + threads("h", sampler());
  const { scenarios: { g, h } } = parse(becomes(serial(rows("a.csv") + groups), "a.jmx").text);
  assert.match(g.values.user.csv, /a\.csv$/);
  assert.deepEqual(h.values, {});
});

const SENT: Readonly<Record<string, readonly [inner: string, request: Record<string, unknown>]>> = {
  "parts of one name, and their file": [
    `${METHOD("POST")}<boolProp name="HTTPSampler.DO_MULTIPART_POST">true</boolProp>
${parameters(["a", "1"], ["a", "2"], ["", "no name"])}
<elementProp name="HTTPsampler.Files"><collectionProp name="HTTPFileArgs.files"><elementProp>
<stringProp name="File.path">a.png</stringProp><stringProp name="File.paramname">a</stringProp>
</elementProp></collectionProp></elementProp>`,
    { post: "/", multipart: { a: ["1", "2", { file: "a.png" }] } },
  ],
  "values without names as the body": [METHOD("POST") + parameters(["", "{"], ["", "}"]), {
    post: "/",
    body: "{}",
  }],
  "no parameter without a name beside others": [METHOD("PUT") + parameters(["a", "1"], ["", "2"]), {
    put: "/",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "a=1",
  }],
  "a parameter without an equals sign": [
    parameters(
      ["a", "", '<stringProp name="Argument.metadata"/>'],
      ["b", "", '<boolProp name="HTTPArgument.use_equals">false</boolProp>'],
      ["c", "", '<stringProp name="Argument.metadata">=</stringProp>'],
      ["d", ""],
    ),
    { get: "/?a&b&c=&d=" },
  ],
  "the replacement character for half of one": [
    PATH("/\ud800earch") + parameters(["a", "\ud800earch"]),
    { get: "/%EF%BF%BDearch?a=%EF%BF%BDearch" },
  ],
  "defaults of properties": [
    parameters(["a", "${__P(x,1)}"], ["b", "${__property(y,,2)}"], [
      ...["c", "${__property(z,variable,3)}"] as const,
    ]),
    { get: "/?a=1&b=2&c=3" },
  ],
};

for (const [what, [inner, request]] of Object.entries(SENT)) {
  Deno.test(`a request of JMeter sends ${what}`, () => {
    const { text } = becomes(planOf(sampler(inner)), "a.jmx");
    assert.deepEqual(parse(text).scenarios.g.flow, [{ name: "s", ...request }]);
  });
}

Deno.test("what stands below a sampler is its own, and what stands beside it is everybody's", () => {
  const fields = (value: string): string => headers(["X-A", value]);
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

Deno.test("timers below a Flow Control Action or a Debug Sampler, and beside them, are pauses of their own", () => {
  const timer = (ms: number): string =>
    `<ConstantTimer><stringProp name="ConstantTimer.delay">${ms}</stringProp></ConstantTimer><hashTree/>`;
  const pause = `<TestAction testname="t"><intProp name="ActionProcessor.action">1</intProp>
<stringProp name="ActionProcessor.duration">0</stringProp></TestAction><hashTree>${
    timer(500)
  }</hashTree>`;
  const debug = `<DebugSampler/><hashTree>${timer(70)}</hashTree>`;
  const { flow } = scenarioOf(planOf(pause + debug + sampler() + timer(1)));
  assert.deepEqual(flow, [
    ...[{ think: "501ms" }, { think: "71ms" }, { think: "1ms" }, { name: "s", get: "/" }],
  ]);
});

Deno.test("random timers of JMeter become think times with the same mean", () => {
  const timer = (kind: string, delayMs: number, rangeMs: number): string =>
    `<${kind} testname="t"><stringProp name="ConstantTimer.delay">${delayMs}</stringProp>
<stringProp name="RandomTimer.range">${rangeMs}</stringProp></${kind}><hashTree/>`;
  const plan = (timers: string): string => planOf(sampler("", timers));
  assert.deepEqual(scenarioOf(plan(timer("UniformRandomTimer", 300, 1_000))).flow, [
    { think: "300ms" },
    { think: { mean: "500ms", as: "uniform" } },
    { name: "s", get: "/" },
  ]);
  assert.deepEqual(scenarioOf(plan(timer("UniformRandomTimer", 0, 100))).flow, [
    { think: { mean: "50ms", as: "uniform" } },
    { name: "s", get: "/" },
  ]);
  const poisson = plan(timer("PoissonRandomTimer", 100, 400));
  assert.deepEqual(scenarioOf(poisson).flow, [{ think: "500ms" }, { name: "s", get: "/" }]);
  assert.match(
    becomes(poisson, "a.jmx").text,
    /always waits its mean; in JMeter its times vary by some 20 ms/,
  );
});

Deno.test("a plan without a cookie manager keeps no cookies", () => {
  assert.equal(scenarioOf(planOf(sampler())).cookies, "off");
});

Deno.test("a cookie manager is for the thread group that it is in", () => {
  const clears = '<boolProp name="CookieManager.clearEachIteration">true</boolProp>';
  const manager = element("CookieManager", clears);
  const { text } = becomes(
    serial(threads("a", manager + sampler()) + threads("b", sampler())),
    "a.jmx",
  );
  const { scenarios: { a, b } } = parse(text);
  assert.deepEqual([a.cookies, b.cookies], [undefined, "off"]);
});

Deno.test("a cookie manager controlled by its thread group empties its jar for each new user of the group", () => {
  const manager = (clears: boolean): string =>
    element(
      "CookieManager",
      `<boolProp name="CookieManager.controlledByThreadGroup">true</boolProp>
<boolProp name="CookieManager.clearEachIteration">${clears}</boolProp>`,
    );
  const group = (isSame: boolean): string =>
    `${FOR_A_SECOND}<boolProp name="ThreadGroup.same_user_on_next_iteration">${isSame}</boolProp>`;
  assert.equal(scenarioOf(planOf(manager(false) + sampler(), group(false))).cookies, undefined);
  for (const kept of [group(true), FOR_A_SECOND]) {
    assert.throws(
      () => becomes(planOf(manager(true) + sampler(), kept), "a.jmx"),
      /it keeps cookies from loop to loop/,
    );
  }
});

Deno.test("a cookie manager that no request is beside or below changes nothing", () => {
  const unused = `<GenericController/><hashTree>${element("CookieManager")}</hashTree>`;
  assert.equal(scenarioOf(planOf(sampler() + unused)).cookies, "off");
});

Deno.test("a plan of version 1.1 has as properties what later ones have as attributes", () => {
  const named = (name: string, enabled = true): string =>
    `<stringProp name="TestElement.name">${name}</stringProp>
<boolProp name="TestElement.enabled">${enabled}</boolProp>`;
  const request = (name: string, enabled: boolean): string =>
    `<HTTPSampler>${named(name, enabled)}${PATH(`/${name}`)}</HTTPSampler><hashTree/>`;
  const plan = `<!-- of <version> 1.1 --> <!-- old -->
<jmeterTestPlan version="1.1"><hashTree><TestPlan/><hashTree><ThreadGroup>${
    named("users")
  }${FOR_A_SECOND}
</ThreadGroup><hashTree><ConfigTestElement>${named("defaults")}${SERVER}
<stringProp name="TestElement.gui_class">org.apache.jmeter.protocol.http.config.gui.HttpDefaultsGui</stringProp>
</ConfigTestElement><hashTree/><RecordingController/><hashTree>${request("a", true)}${
    request("b", false)
  }
</hashTree></hashTree></hashTree></hashTree></jmeterTestPlan>`;
  const { text } = becomes(plan, "a.jmx");
  assert.deepEqual(parse(text).scenarios.users.flow, [{ name: "a", get: "/a" }]);
});

Deno.test("a status of a JMeter plan is one whether it is equal, contained or matched", () => {
  const assertion = (kind: number): string =>
    `<ResponseAssertion><collectionProp name="Asserion.test_strings"><stringProp>204</stringProp></collectionProp>
<stringProp name="Assertion.test_field">Assertion.response_code</stringProp>
<intProp name="Assertion.test_type">${kind}</intProp></ResponseAssertion><hashTree/>`;
  for (const kind of [1, 2, 8, 16]) {
    const { text } = becomes(planOf(sampler("", assertion(kind))), "a.jmx");
    assert.deepEqual(parse(text).scenarios.g.flow[0].expect, { status: 204 });
  }
  assert.ok(!becomes(planOf(sampler("", assertion(6))), "a.jmx").text.includes("expect"));
});

Deno.test("what JMeter sends, and when, is noted only where it is different here", () => {
  const own = planOf(sampler("", headers(["User-Agent", "me"])));
  assert.ok(!becomes(own, "a.jmx").notes.some((note) => /User-Agent/.test(note)));
  const timeout = (ms: number): string =>
    `<stringProp name="HTTPSampler.response_timeout">${ms}</stringProp>`;
  const delayed = `${FOR_A_SECOND}<stringProp name="ThreadGroup.delay">5</stringProp>`;
  const elements = `${sampler(timeout(5))}${sampler(timeout(7))}`;
  const { notes } = becomes(planOf(elements, delayed), "a.jmx");
  for (
    const note of [
      "JMeter also sends its own User-Agent",
      "the requests have different time-outs; in Plateau the longest applies to all",
      'ThreadGroup "g" begins at once, without its startup delay',
    ]
  ) assert.ok(notes.includes(note), notes.join("\n"));
});

Deno.test("the method of a request of JMeter may be a variable", () => {
  const variable = element("Arguments", defined("m", "PUT"));
  const { text } = becomes(planOf(variable + sampler(METHOD("${m}"))), "a.jmx");
  assert.equal(parse(text).scenarios.g.flow[0].put, "/");
});
