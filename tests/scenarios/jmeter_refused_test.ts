/** Plans of JMeter that would make another load here. */
import assert from "node:assert/strict";
import { UserError } from "../../base/errors.ts";
import { becomes } from "./foreign.ts";
import {
  defaults,
  defined,
  element,
  FOR_A_SECOND,
  headers,
  looped,
  LOOPS,
  METHOD,
  parameters,
  PATH,
  planOf,
  rows,
  sampler,
  serial,
  threads,
  UUID_PATH,
} from "./jmeter_plan.ts";
import { thrown } from "../thrown.ts";

const GOES_ON =
  /^a\.jmx:\d+:.*\$\{user\}: JMeter continues in the file where the previous thread group stopped/;

const RAMPED = `${FOR_A_SECOND}
<intProp name="ThreadGroup.num_threads">5</intProp><intProp name="ThreadGroup.ramp_time">1</intProp>`;

const OF_USER = sampler(PATH("/${user}"));
const OF_USERS = threads("g", OF_USER);

const CLEARS = '<boolProp name="CookieManager.clearEachIteration">true</boolProp>';

const controller = (inner: string): string =>
  `<GenericController testname="c"/><hashTree>
${inner}
</hashTree>`;

const REFUSED: readonly (readonly [plan: string, why: RegExp])[] = [
  [
    planOf(sampler() + element("JSR223Sampler")),
    /^a\.jmx:5:\d+: .*JSR223Sampler "x": Plateau does not support/,
  ],
  [
    planOf(sampler("", element("RegexExtractor"))),
    /RegexExtractor "x": Plateau does not support this kind/,
  ],
  ...["TestAction", "DebugSampler"].map((kind) =>
    [
      planOf(
        `${sampler()}<${kind}><intProp name="ActionProcessor.action">1</intProp></${kind}>
<hashTree>${element("JSR223PreProcessor")}</hashTree>`,
      ),
      /^a\.jmx:6:\d+: .*JSR223PreProcessor "x": Plateau does not support this kind/,
    ] as const
  ),
  [planOf(sampler() + element("IfController")), /IfController "x"/],
  [planOf(sampler() + element("GaussianRandomTimer")), /GaussianRandomTimer/],
  [
    planOf(
      sampler() +
        element("UniformRandomTimer", '<stringProp name="RandomTimer.range">soon</stringProp>'),
    ),
    /UniformRandomTimer "x": its delay is "soon"/,
  ],
  [planOf(sampler() + element("CacheManager")), /CacheManager/],
  [planOf(sampler(), FOR_A_SECOND, element("SetupThreadGroup")), /SetupThreadGroup/],
  [
    planOf(sampler(), FOR_A_SECOND, `${element("ThreadGroup")}`),
    /a\.jmx:2:\d+: .*several thread groups: JMeter runs them at the same time/,
  ],
  [
    planOf(sampler('<stringProp name="HTTPSampler.path">/${__time()}</stringProp>')),
    /\$\{__time\(\)\}: its value is not known/,
  ],
  [
    planOf(sampler('<stringProp name="HTTPSampler.path">http://b/</stringProp>') + sampler()),
    /it goes to http:\/\/a, but the other requests go to http:\/\/b/,
  ],
  [planOf(sampler('<boolProp name="HTTPSampler.image_parser">true</boolProp>')), /embedded/],
  [planOf(sampler('<stringProp name="HTTPSampler.proxyHost">p</stringProp>')), /through a proxy/],
  [
    planOf(sampler('<stringProp name="HTTPSampler.method">TRACE</stringProp>')),
    /does not send the method TRACE/,
  ],
  [planOf(sampler(), LOOPS(-1)), /"g": it never ends/],
  [planOf(sampler(), LOOPS(0)), /Cannot convert 0 loops/],
  [planOf(sampler(), FOR_A_SECOND.replace("-1", "3")), /after its loops or its duration/],
  [planOf("", FOR_A_SECOND), /"g": it has no HTTP request/],
  [
    planOf(sampler() + element("CookieManager")),
    /keeps cookies from loop to loop, but in Plateau each loop begins with an empty jar/,
  ],
  [
    planOf(sampler() + element("CookieManager"), RAMPED),
    /keeps cookies from loop to loop, but in Plateau each loop begins with an empty jar/,
  ],
  [
    planOf(sampler() + sampler("", element("CookieManager", CLEARS))),
    /CookieManager "x": it is not for all requests of ThreadGroup "g", but in Plateau a virtual user has one cookie jar/,
  ],
  [
    planOf(
      controller(element("CookieManager", CLEARS) + sampler()) +
        controller(element("CookieManager", CLEARS) + sampler()),
    ),
    /^a\.jmx:6:.*not for all requests[^]*^a\.jmx:8:.*not for all requests/m,
  ],
  [
    planOf(
      element("CookieManager") + sampler(),
      FOR_A_SECOND,
      element("CookieManager", CLEARS),
    ),
    /^a\.jmx:5:\d+: .*CookieManager "x": its requests also have CookieManager "x" of a\.jmx:1:\d+, and JMeter does not say which of them it uses/m,
  ],
  [
    planOf(sampler() + element("CSVDataSet", '<stringProp name="recycle">false</stringProp>')),
    /it stops at the end of its file/,
  ],
  [
    planOf(sampler(UUID_PATH), LOOPS(2)),
    /^a\.jmx:3:.*\$\{__UUID\(\)\}: JMeter draws this value in each loop/,
  ],
  [
    planOf(looped(sampler(PATH("/${__Random(1,5)}")))),
    /\$\{__Random\(1,5\)\}: JMeter draws this value in each/,
  ],
  [
    planOf(headers(["a", "${__UUID()}"]) + looped(sampler())),
    /__UUID.*: JMeter draws this value in each/,
  ],
  [
    planOf(
      sampler(PATH("/${id}")),
      FOR_A_SECOND,
      element("Arguments", defined("id", "${__UUID()}")),
    ),
    /\$\{id\}: JMeter draws this value once/,
  ],
  [
    planOf(looped(sampler() + element("CSVDataSet", '<boolProp name="recycle">true</boolProp>'))),
    /CSVDataSet "x": each loop of LoopController "l" takes the next row/,
  ],
  [
    planOf(sampler() + defaults('<stringProp name="HTTPSampler.proxyHost">p</stringProp>')),
    /ConfigTestElement "x": it goes through a proxy/,
  ],
  [
    planOf(sampler() + defaults('<stringProp name="HTTPSampler.ipSource">1.2.3.4</stringProp>')),
    /ConfigTestElement "x": it sets its own source address/,
  ],
  [planOf(sampler() + headers(["A", "1"], ["a", "2"])), /HeaderManager "x": it has a twice/],
  [
    planOf(sampler(parameters(["a", "1", '<stringProp name="Argument.metadata"/>']))),
    /the parameter a: it has a value and no "="/,
  ],
  [planOf(sampler(METHOD("HEAD") + parameters(["a", "1"]))), /does not send parameters with HEAD/],
  [planOf(sampler(PATH("/${__property(a,b)}"))), /__property\(a,b\)\}: its value is not known/],
  [
    planOf(sampler('<boolProp name="HTTPSampler.DO_MULTIPART_POST">true</boolProp>')),
    /HTTPSamplerProxy "s": it is a multipart form, which a GET or HEAD request cannot have/,
  ],
  [serial(rows("a.csv") + OF_USERS + OF_USERS), GOES_ON],
  [serial(threads("g", rows("a.csv") + OF_USER) + threads("h", rows("a.csv") + OF_USER)), GOES_ON],
  ["<jmeterTestPlan><hashTree></jmeterTestPlan>", /^a\.jmx:1:\d+: Cannot read this as XML/],
  ["<jmeterTestPlan>&bomb;</jmeterTestPlan>", /undefined entity/],
  ["<jmeterTestPlan/>", /without a thread group/],
  [`<jmeterTestPlan>${"<a>".repeat(200)}`, /Cannot read this as XML: .*levels of nesting/],
];

for (const [plan, why] of REFUSED) {
  Deno.test(`a JMeter plan is refused with ${why.source}`, () => {
    assert.match(thrown(UserError, () => becomes(plan, "a.jmx")).lines.join("\n"), why);
  });
}

Deno.test("all that is refused of a JMeter plan stands at its lines, at once", () => {
  const plan = planOf(
    `${sampler()}\n${element("IfController")}\n${element("CacheManager")}`,
    LOOPS(-1),
  );
  const error = thrown(UserError, () => becomes(plan, "a.jmx"));
  const lines = error.lines.filter((line) => line.startsWith("a.jmx")).map((line) =>
    line.split(":")[1]
  );
  assert.deepEqual(lines, ["2", "4", "5"]);
});

Deno.test("what is refused of an element that several requests of JMeter share is named once", () => {
  const shared = headers(["a", "${__time()}"]) +
    defaults('<stringProp name="HTTPSampler.proxyHost">p</stringProp>') + element(
      ...["ConstantTimer", '<stringProp name="ConstantTimer.delay">x</stringProp>'] as const,
    );
  const error = thrown(UserError, () => becomes(planOf(shared + sampler() + sampler()), "a.jmx"));
  assert.equal(error.problems.length, 3);
});

Deno.test("a JMeter plan of loops in loops is refused before they are written out", () => {
  const loop = (loops: number, inner: string): string =>
    `<LoopController testname="l"><stringProp name="LoopController.loops">${loops}</stringProp></LoopController>
<hashTree>${inner}</hashTree>`;
  const within = [30, 30, 30, 30, 30].reduce((inner, loops) => loop(loops, inner), sampler());
  assert.throws(
    () => becomes(planOf(within), "a.jmx"),
    /^UserError: a\.jmx:7:\d+: Cannot convert LoopController "l": .* has 27,000 steps; the limit is 10,000$/,
  );
  assert.throws(
    () => becomes(planOf(loop(5_000, sampler()), LOOPS(9_000)), "a.jmx"),
    /^UserError: a\.jmx:2:1: Cannot convert ThreadGroup "g": .* has 45,000,000 steps/,
  );
});
