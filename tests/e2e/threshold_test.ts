import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder, exits, plateau, serve } from "./plateau.ts";
import { startWitness } from "./witness.ts";

const BRIEFLY = ["-c", "2", "-n", "2000"];

Deno.test("bench exits with 0 when its thresholds hold, and shows them", async () => {
  await using witness = startWitness();
  const thresholds = ["p50 < 2s", "success >= 80%", "rate > 1/s"].flatMap((
    rule,
  ) => ["--threshold", rule]);
  const { stdout } = await exits(0, [
    "bench",
    witness.origin,
    ...BRIEFLY,
    ...thresholds,
  ]);
  assert.match(
    stdout,
    /\nThresholds\n[✓+] p50 < 2s: p50 is .*\n[✓+] success >= 80%: success is 100 % \[96\.3 %, 100 %\]\n/,
  );
});

Deno.test("bench exits with 1 when one fails, with --json - too, and says which", async () => {
  await using witness = startWitness({ status: 503 });
  using folder = emptyFolder();
  const junit = join(folder.path, "junit.xml");
  const flags = [
    ...["--threshold", "rate > 1/s", "--threshold", "success > 50%", "--json", "-", "--junit"],
    junit,
  ];
  const { stdout, stderr } = await exits(1, ["bench", witness.origin, ...BRIEFLY, ...flags]);
  assert.equal(JSON.parse(stdout).schema, "plateau.bench/2");
  assert.match(
    stderr,
    /1 of 2 thresholds fails\n {2}success > 50%: success is 0 % \[0 %, 3\.7 %\]\n/,
  );
  const xml = Deno.readTextFileSync(junit);
  assert.match(xml, /name="success &gt; 50%" time="0\.000"><failure type="fail"/);
  assert.match(xml, /tests="3" failures="1" errors="0"/);
});

Deno.test("bench fails a threshold on what it did not measure", async () => {
  await using witness = startWitness();
  const { stderr } = await exits(1, [
    "bench",
    witness.origin,
    ...BRIEFLY,
    "--threshold",
    "lag.p99 < 1s",
  ]);
  assert.match(stderr, / {2}lag\.p99 < 1s: nothing to judge: a closed loop/);
});

Deno.test("bench tells all wrong thresholds before it measures", async () => {
  const rules = ["--threshold", "p99 < 50", "--threshold", "p98 < 50ms"];
  const { stderr } = await exits(2, ["bench", "http://127.0.0.1:1/", ...rules]);
  assert.match(stderr, /--threshold: Cannot read "50" as a duration: write 50ms/);
  assert.match(stderr, /--threshold: Cannot find the figure "p98"/);
});

Deno.test("bench is held against an earlier measurement, and asks for it when it is missing", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const baseline = join(folder.path, "baseline.json");
  const bench = (...flags: string[]) => plateau(["bench", witness.origin, ...BRIEFLY, ...flags]);
  assert.equal((await bench("--json", baseline)).code, 0);
  const rule = ["--threshold", "p50 not worse than baseline by 100%"];
  const missing = await exits(2, bench(...rule));
  assert.match(missing.stderr, /--baseline: Cannot check "p50 not .*" without a baseline/);
  const { stderr } = await exits(5, bench(...rule, "--baseline", baseline));
  assert.match(stderr, / {2}p50 not worse .*: one run says nothing about the next: /);
});

Deno.test("bench ends with 5 when it measured too little, and says how much would do", async () => {
  await using witness = startWitness();
  const rules = ["p99.99 < 500ms", "success >= 99.99%"].flatMap((rule) => ["--threshold", rule]);
  const { stderr } = await exits(5, [
    "bench",
    witness.origin,
    "-n",
    "40",
    "-c",
    "2",
    ...rules,
  ]);
  assert.match(stderr, /2 of 2 thresholds are inconclusive/);
  assert.match(stderr, /: p99\.99 needs 100,000 requests, but only 40 were measured\n/);
  assert.match(stderr, /: about \S+ requests without a failure \(.+\) would decide/);
});

Deno.test("run judges the thresholds of its file and of its flags for every cell", async () => {
  await using api = await serve("api");
  using folder = emptyFolder();
  const file = join(folder.path, "gated.yaml");
  Deno.writeTextFileSync(
    file,
    `name: gated
targets: { api: { url: "${api.origin}" } }
scenarios: { static: { get: /static }, fib: { get: /fib } }
load: { connections: 2, requests: 1000 }
repeat: 2
thresholds: ["success >= 99.5%"]
`,
  );
  const out = join(folder.path, "out");
  const junit = join(folder.path, "junit.xml");
  // Of two runs that differ much no rate is surely too low.
  const rule = ["--threshold", "4xx > 50%"];
  const { code, stdout, stderr } = await plateau([
    "run",
    file,
    "--out",
    out,
    "--junit",
    junit,
    ...rule,
  ]);
  assert.equal(code, 1, stderr);
  assert.match(stderr, /2 of 4 thresholds fail\n/);
  assert.match(stdout, /[✓+] success >= 99\.5%: static, api: success is 100 % \[99\.81 %, 100 %\]/);
  assert.match(stdout, /[✗x] 4xx > 50%: fib, api: 4xx is 0 % \[/);
  assert.match(Deno.readTextFileSync(junit), /failures="2" errors="0"/);
  assert.match(Deno.readTextFileSync(join(out, "report.html")), /<h2>Thresholds<\/h2>/);
  const again = join(folder.path, "again.xml");
  assert.equal((await plateau(["report", out, "--junit", again])).code, 0);
  assert.equal(Deno.readTextFileSync(again), Deno.readTextFileSync(junit));
});
