import assert from "node:assert/strict";
import { join } from "node:path";
import { results } from "../../runner/result/result.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";

const EXPERIMENT = `name: claiming
targets: { api: { app: api } }
scenarios:
  static: { get: /static }
  fib: { get: "/fib?n=24" }
load: { connections: [1, 2], requests: 100 }
repeat: 2
claims:
  - { claim: "success() >= 99%", source: "<p. 6>", note: "[a](b)" }
  - 5xx(static) > 50%
  - rate(static, connections=1) > 1/s
  - rate(api, fib, connections=3) > 1/s
  - rate(static) < ceiling(generator)
ceilings: [generator]
`;

Deno.test("a run tells what became of the claims of its file, and none changes its exit code", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "claiming.yaml");
  Deno.writeTextFileSync(file, EXPERIMENT);
  const [out, junit, markdown] = ["out", "junit.xml", "summary.md"]
    .map((name) => join(folder.path, name));
  const flags = ["--out", out, "--junit", junit, "--markdown", markdown];
  const { code, stdout, stderr } = await plateau(["run", file, ...flags]);
  // 4: the machine was too busy to trust the figures; claims have no exit code.
  assert.ok([0, 4].includes(code), `${code}\n${stderr}`);
  // Whether the runs are valid is the machine's affair: a claim says what it would be with those that are not.
  const text = stdout.replaceAll(/\n {2}/g, " ");
  assert.match(
    text,
    /\nClaims\n. success\(\) >= 99% \(<p\. 6>\): (?:inconclusive: .*; as measured here, )?reproduced: holds in 4 of 4 cells/,
  );
  assert.match(
    text,
    /\n. 5xx\(static\) > 50%: (?:inconclusive: .*; as measured here, )?not reproduced: holds in 0 of 2 cells; /,
  );
  assert.match(text, /\n\? rate\(api, fib, connections=3\) > 1\/s: inconclusive: no cell of/);
  assert.match(text, /\n\d of 5 claims reproduced, (?:1 not, )?\d inconclusive\n/);
  const isRefuted = / 1 not, /.test(text);
  const xml = Deno.readTextFileSync(junit);
  assert.ok(
    xml.includes(
      'classname="claiming.claims" name="5xx(static) &gt; 50%" time="0.000"><' +
        (isRefuted ? "failure" : "skipped"),
    ),
    xml,
  );
  assert.match(Deno.readTextFileSync(markdown), /\| success\\\(\\\) &gt;= 99% \| &lt;p\. 6&gt; /);
  const saved = results.parse(JSON.parse(Deno.readTextFileSync(join(out, "results.json"))));
  assert.deepEqual(saved.experiment.claims?.map(({ text }) => text).slice(0, 2), [
    "success() >= 99%",
    "5xx(static) > 50%",
  ]);
  const page = Deno.readTextFileSync(join(out, "report.html"));
  assert.match(page, /<section id="e1-claims"/);
});

Deno.test("a claim that names what is not there is told of before anything runs, with its line", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "claiming.yaml");
  Deno.writeTextFileSync(file, EXPERIMENT.replace("5xx(static)", "5xx(statik)"));
  const { stderr } = await exits(2, ["check", file]);
  assert.match(
    stderr,
    /claiming\.yaml:10:\d+: claims\.1: Cannot find the target or scenario "statik": did you mean "static"\?/,
  );
});
