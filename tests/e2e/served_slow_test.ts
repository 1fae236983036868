/** Responses by who served them and of which class they are, from a real load to every form of the report. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Results, results } from "../../runner/result/result.ts";
import { type Need, testWith } from "../needs.ts";
import { emptyFolder, type Ended, plateau } from "./plateau.ts";

/** The first to make the folder is slow. */
const UNLIKE = `
  let slow = true;
  try { Deno.mkdirSync("slow"); } catch { slow = false; }
  Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, async () => {
    await new Promise((resolve) => setTimeout(resolve, slow ? 40 : 1));
    return new Response("a");
  });
`;

/** Every fifth response is a 503, every third is from a cache. */
const MIXED = `
  let count = 0;
  Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    if (new URL(url).pathname === "/ready") return new Response("a");
    count++;
    const headers = { "x-cache": count % 3 === 0 ? "hit" : "miss" };
    return new Response("a", { status: count % 5 === 0 ? 503 : 200, headers });
  });
`;

/** Takes half a minute for its responses, but for the first one. */
const HANGING = `
  let count = 0;
  Deno.serve({ port: Number(Deno.args[0]), hostname: "127.0.0.1", onListen() {} }, async ({ url }) => {
    if (new URL(url).pathname !== "/ready" && ++count > 1) {
      await new Promise((resolve) => setTimeout(resolve, 30_000));
    }
    return new Response("a");
  });
`;

function evaluated(code: string): unknown {
  return { command: [Deno.execPath(), "eval", code, "{port}"], ready: "/ready" };
}

interface Outcome extends Ended {
  readonly saved: Results;
  readonly csv: string;
  readonly markdown: string;
  readonly html: string;
}

async function runOnce(experiment: Record<string, unknown>): Promise<Outcome> {
  using folder = emptyFolder();
  const at = (name: string): string => join(folder.path, name);
  Deno.writeTextFileSync(at("a.json"), JSON.stringify({ name: "a", repeat: 1, ...experiment }));
  const forms = ["--csv", at("a.csv"), "--markdown", at("a.md")];
  const ended = await plateau(["run", at("a.json"), "--out", folder.path, ...forms]);
  const read = (name: string): string => readFileSync(at(name), "utf8");
  const saved = results.parse(JSON.parse(read("results.json")));
  return { ...ended, saved, csv: read("a.csv"), markdown: read("a.md"), html: read("report.html") };
}

function csvValue(csv: string, column: string): number {
  const [head, row] = csv.trim().split(/\r?\n/).map((line) => line.split(","));
  assert.ok(head.includes(column), `${column} of ${head}`);
  return Number(row[head.indexOf(column)]);
}

const BALANCERS: { balancer: string; needs: Need[] }[] = [
  { balancer: "builtin", needs: [] },
  { balancer: "nginx", needs: ["nginx"] },
];

for (const { balancer, needs } of BALANCERS) {
  testWith(needs, `behind ${balancer} each instance has its requests and its latency`, async () => {
    const outcome = await runOnce({
      targets: {
        one: evaluated(UNLIKE),
        several: { cluster: { of: "one", instances: 2, balancer } },
      },
      scenarios: { a: { get: "/", targets: ["several"] } },
      load: { connections: 4, requests: 200 },
      thresholds: ["imbalance <= 2%", "imbalance.p50 > 50%"],
    });
    const [{ instances = [], requests }] = outcome.saved.runs;
    assert.deepEqual(instances.map(({ instance }) => instance), [1, 2]);
    const counts = instances.map(({ latency }) => latency.count);
    assert.deepEqual([counts[0] + counts[1], requests.completed], [200, 200]);
    assert.ok(Math.abs(counts[0] - counts[1]) <= 2, `${counts}`);
    const [quick, slow] = instances.map(({ latency }) => latency.min).sort((a, b) => a - b);
    assert.ok(quick < 39 && slow >= 39, `${quick} and ${slow}`);
    assert.equal(csvValue(outcome.csv, "instance1.count"), counts[0]);
    const named = "Instances";
    for (const text of [outcome.markdown, outcome.html, outcome.stdout]) {
      assert.ok(text.includes(named), named);
    }
    // Of a run that is not valid, the latency of instances decides nothing.
    const isValid = outcome.saved.runs[0].generator.trust === "valid";
    assert.equal(outcome.code, isValid ? 0 : 5, outcome.stdout);
    assert.match(outcome.stdout, /^✓ imbalance <= 2%: a, several: imbalance is \d/m);
    assert.match(outcome.stdout, /^[✓?] imbalance\.p50 > 50%: a, several: imbalance\.p50 is \d/m);
  });
}

Deno.test("latency stands by class of status, and hits of a cache are a figure", async () => {
  const outcome = await runOnce({
    targets: { mixed: evaluated(MIXED) },
    scenarios: { a: { get: "/", expect: { status: [200, 503] } } },
    load: { connections: 1, requests: 300 },
    thresholds: ["2xx.p50 < 10s", "5xx.p99 < 10s", "hitRatio >= 30%"],
  });
  assert.equal(outcome.code, 0, outcome.stderr + outcome.stdout);
  const [{ statusLatency = {}, cache = {}, status, latency }] = outcome.saved.runs;
  const classes = Object.entries(statusLatency).map(([name, group]) => [name, group.latency.count]);
  assert.deepEqual(Object.fromEntries(classes), { "2xx": status["200"], "5xx": status["503"] });
  assert.equal(status["200"] + status["503"], latency.count);
  assert.equal(latency.count, 300);
  assert.deepEqual([cache.hit?.latency.count, cache.miss?.latency.count], [100, 200]);
  assert.equal(csvValue(outcome.csv, "5xx.count"), status["503"]);
  assert.equal(csvValue(outcome.csv, "hitRatio"), 100 / 300);
});

Deno.test("the length of sessions is a figure for thresholds", async () => {
  const flow = [{ get: "/ready" }, { think: "50ms" }, { get: "/ready" }];
  const outcome = await runOnce({
    targets: { mixed: evaluated(MIXED) },
    scenarios: { a: { flow } },
    load: { phases: [{ duration: "1s", arrivals: "20/s" }] },
    thresholds: ["session.min >= 50ms", "session.p95 < 100us"],
  });
  assert.equal(outcome.code, 1);
  assert.match(outcome.stdout, /session\.p95/);
  assert.ok(csvValue(outcome.csv, "session.p50Ms") >= 50);
  assert.ok(outcome.markdown.includes("Sessions"));
});

testWith(["nginx"], "nginx gives 504 where the server behind it takes too long", async () => {
  const outcome = await runOnce({
    targets: {
      hanging: evaluated(HANGING),
      front: { nginx: { proxy: "hanging", timeout: "200ms" } },
    },
    scenarios: { a: { get: "/", targets: ["front"] } },
    load: { connections: 2, requests: 4, timeout: "20s" },
  });
  const [{ status, statusLatency = {} }] = outcome.saved.runs;
  assert.deepEqual(status, { "504": 4 });
  assert.ok((statusLatency["5xx"]?.latency.min ?? 0) >= 199);
});
