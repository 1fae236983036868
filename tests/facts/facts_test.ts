/** What `deno task facts` finds: a change of one number is a difference of the facts that show it, and of no other. */
import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import { MAIN } from "../e2e/plateau.ts";
import { chartFacts } from "./charts.ts";
import { parseMeasured } from "../../cli/results/reading.ts";
import { differenceLines, differences } from "./difference.ts";
import { type Fact, numbersIn } from "./fact.ts";
import { pageFacts } from "./html.ts";
import { Program } from "./rendered.ts";
import { storedResults } from "./stored.ts";

Deno.test("a number that changes in stored results changes the facts that show it, and no others", async () => {
  const stored = storedResults().find(({ name }) => name === "v1_quick");
  assert.ok(stored !== undefined);
  await using program = new Program(MAIN);
  const facts = (text: string): Promise<Fact[]> =>
    program.facts({ kind: "results", name: "quick", stored: { ...stored, text } });
  const results = JSON.parse(stored.text);
  results.runs[0].startUp += 100;
  const found = differences(await facts(stored.text), await facts(JSON.stringify(results)));
  assert.deepEqual(found.flatMap(differenceLines), [
    "quick, csv: 1 changed",
    "  ~ target=quiet scenario=static repetition=1 connections=20 | startUpMs: 148.847913 → 248.847913",
    "quick, json: 1 changed",
    "  ~ runs[static, quiet, 1].startUp: 148.847913 → 248.847913",
    "quick, table: 1 changed",
    "  ~ Resources of the targets of static | quiet | Start-up ms: 199 → 225",
  ]);
});

Deno.test("every stored result is one that this version reads, and names no folder of a user", () => {
  for (const { name, text, schema } of storedResults()) {
    if (/^plateau\.(?:results|bench)\//.test(schema)) parseMeasured(text, name);
    assert.ok(!/"\/(?:root|home|work|tmp|Users)\//.test(text), name);
  }
});

const PAGE = `<main><h1>Title</h1><section><h2>Latency</h2><h3>static</h3>
<table><caption>Figures of <b>static</b></caption>
<thead><tr><th scope=col>Target<th scope=col>p99 <small>ms</small></th></tr></thead>
<tbody><tr><th scope=row>api<td>1,234.5 [1.2, 3.4] worse<tr><th scope=row>web<td>5</table>
<canvas id="c1" role="img" aria-label="Bars of &quot;p99&quot;"></canvas><p>In 3 words &amp; more</p></section></main>
<script type="application/json">{"c1":{"alt":"Bars of \\"p99\\"","y":{"unit":"","min":0,"max":9},
"series":[{"label":"api","color":7,"points":[{"x":1,"y":0.123456},{"x":1,"y":2}]},{"label":"web","value":3}]}}</script>`;

Deno.test("tables are found by caption, row and column, charts by heading and series", () => {
  const [tables, charts, words] = ["table", "chart", "words"].map((kind) =>
    pageFacts(PAGE).filter((fact) => fact.kind === kind)
      .map(({ place, key, value }) => [place, key, value].join(" = "))
  );
  assert.deepEqual(tables, [
    "Figures of static = api | p99 ms = 1234.5 1.2 3.4 worse",
    "Figures of static = web | p99 ms = 5",
  ]);
  assert.deepEqual(charts, ["Latency › static = api = 0.123 1 2", "Latency › static = web = 3"]);
  assert.ok(words.some((line) => line.endsWith("In 3 words & more")));
});

Deno.test("charts are found in data that is deflated", () => {
  const [, data] = /json">(.*?)<\/script>/s.exec(PAGE) ?? [];
  const deflated = JSON.stringify(deflateSync(data).toString("base64"));
  assert.deepEqual(pageFacts(PAGE.replace(data, deflated)), pageFacts(PAGE));
});

Deno.test("packed lists are read as the numbers that were packed", () => {
  const packed =
    `{"alt":"a","series":[{"label":"x","values":{"~":"$[OT~{9/:!}&{F6:zy7;%"}}],"rows":{"~":{"label":` +
    `{"~":[["p","q"],"!!}%$!!"]},"v":{"~":"!!z$R_$z(U{)z,X:/z0[W4z4_t9z8b3@"},"w":[0,0.25,0.5,1,2,3,4]}}}`;
  const found = chartFacts({ chart: JSON.parse(packed), place: "" });
  assert.deepEqual(found.map(({ key, value }) => [key, value]), [
    ["x", "-3 0.25 0.5 1000 12300"],
    ["p", "0 0.25 0.5 1 1000000 4000000 9000000"],
    ["q", "2 3 4 16000000 25000000 36000000"],
  ]);
});

Deno.test("numbers keep their units, and addresses and versions are none", () => {
  assert.deepEqual(
    numbersIn(
      "http://127.0.0.1:8080 of 0.1.0: 12,345 requests/s, p99 3.2 ms, 0.5× [0.4, 0.6], v8, 99.9 %",
    ),
    ["8080", "12345", "3.2 ms", "0.5×", "0.4", "0.6", "99.9 %"],
  );
});

Deno.test("what stands under another heading has moved; what has another value has changed", () => {
  const fact = (place: string, key: string, value: string): Fact => ({
    of: "quick",
    kind: "table",
    place,
    key,
    value,
  });
  const before = [
    fact("Old", "a", "1"),
    fact("Old", "b", "2"),
    fact("Kept", "c", "3"),
    fact("Kept", "d", "4"),
  ];
  const after = [
    fact("New", "a", "1"),
    fact("New", "b", "2"),
    fact("Kept", "c", "5"),
    fact("Kept", "e", "6"),
  ];
  assert.deepEqual(differences(before, after).flatMap(differenceLines), [
    "quick, table: 1 changed, 1 gone, 1 new, 2 moved",
    '  > 2 from "Old" to "New"',
    "  ~ Kept | c: 3 → 5",
    "  - Kept | d = 4",
    "  + Kept | e = 6",
  ]);
  assert.deepEqual(differences(before, before), []);
});
