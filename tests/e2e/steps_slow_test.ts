/** Figures of each request of a mix, a flow and a page, beside what the server saw. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Results, results, type Run } from "../../runner/result/result.ts";
import { decodeHistogram } from "../../runner/stats/histogram/hdr.ts";
import { emptyFolder, plateau } from "./plateau.ts";

const SLOW_MS = 30;

/**
 * Counts by method and path, but for the first of each, which proves that the target is right; `/slow` takes its time.
 * After the first `/bad` fails, and `/never` gives no response in time.
 */
async function served(
  lines: string,
  flags: readonly string[] = [],
): Promise<{ run: Run; results: Results; seen: ReadonlyMap<string, number>; code: number }> {
  const seen = new Map<string, number>();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const key = `${request.method} ${pathname}`;
      const before = seen.get(key) ?? -1;
      seen.set(key, before + 1);
      const isProof = before < 0;
      await request.body?.cancel();
      if (pathname === "/slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      if (pathname === "/never" && !isProof) {
        await new Promise((resolve) => setTimeout(resolve, 400));
      }
      return new Response("ok", { status: pathname === "/bad" && !isProof ? 500 : 200 });
    },
  );
  using folder = emptyFolder();
  const file = join(folder.path, "steps.yaml");
  Deno.writeTextFileSync(
    file,
    `name: steps
targets: { here: { url: "http://127.0.0.1:${server.addr.port}" } }
repeat: 1
${lines}`,
  );
  const { code, stderr } = await plateau(["run", file, "--out", folder.path, ...flags]);
  assert.ok([0, 1, 5].includes(code), stderr);
  const read = results.parse(JSON.parse(Deno.readTextFileSync(join(folder.path, "results.json"))));
  return { run: read.runs[0], results: read, seen, code };
}

/** What is true of any run with steps. */
function assertWhole({ steps = [], requests, latency, errors, elapsedS, rate }: Run): void {
  const sum = (of: (step: typeof steps[number]) => number): number =>
    steps.reduce((total, step) => total + of(step), 0);
  for (const way of ["due", "completed", "failed", "unfinished", "dropped"] as const) {
    assert.equal(sum((step) => step.requests[way]), requests[way], way);
  }
  assert.equal(sum((step) => step.latency.count), latency.count);
  assert.equal(sum((step) => step.latency.censored), latency.censored);
  assert.ok(Math.abs(sum((step) => step.rate) / rate - 1) < 1e-9);
  for (const [kind, failed] of Object.entries(errors)) {
    assert.equal(sum((step) => Reflect.get(step.errors, kind) ?? 0), failed, kind);
  }
  for (const { histogram, latency, seconds, requests, rate } of steps) {
    assert.equal(decodeHistogram(histogram).count, latency.count);
    const inTime = seconds.reduce((total, second) => total + second, 0);
    assert.ok(inTime <= requests.completed && Math.abs(inTime - rate * elapsedS) < 1e-6);
  }
}

function stepOf({ steps = [] }: Run, name: string): NonNullable<Run["steps"]>[number] {
  const step = steps.find((one) => one.name === name);
  assert.ok(step, `${name} is none of ${steps.map((one) => one.name)}`);
  return step;
}

Deno.test("each request of a mix has its own counts, latency and wrong responses", async () => {
  const { run, seen } = await served(`scenarios:
  shop:
    mix:
      - { name: browse, weight: 6, get: /fast }
      - { weight: 3, get: /slow }
      - { weight: 1, get: /bad, expect: { status: 200 } }
load: { connections: 8, requests: 900, workers: 2 }
`);
  assertWhole(run);
  assert.deepEqual(run.steps?.map(({ name }) => name), ["browse", "GET /slow", "GET /bad"]);
  const [browse, slow, bad] = run.steps ?? [];
  assert.deepEqual(
    [browse, slow, bad].map(({ requests }) => requests.completed),
    [seen.get("GET /fast"), seen.get("GET /slow"), seen.get("GET /bad")],
  );
  assert.equal(browse.requests.completed + slow.requests.completed + bad.requests.completed, 900);
  assert.ok(slow.latency.fastest >= SLOW_MS - 1, `${slow.latency.fastest}`);
  assert.ok(browse.latency.fastest < SLOW_MS, `${browse.latency.fastest}`);
  assert.deepEqual([browse.wrong, slow.wrong, bad.wrong], [0, 0, bad.requests.completed]);
});

Deno.test("each request of a flow has its own figures, and one that times out its own failures", async () => {
  const { run, seen } = await served(`scenarios:
  visit:
    flow:
      - { get: /fast }
      - { think: 20ms }
      - { name: pay, post: /slow }
      - { get: /never }
load: { phases: [{ duration: 1s, arrivals: 20/s }], timeout: 150ms }
`);
  assertWhole(run);
  assert.deepEqual(run.steps?.map(({ name }) => name), ["GET /fast", "pay", "GET /never"]);
  const never = stepOf(run, "GET /never");
  assert.equal(never.requests.failed, never.errors.timeout);
  assert.equal(never.requests.due, seen.get("GET /never"));
  assert.ok(never.requests.failed > 0 && never.latency.censored === never.latency.count);
  assert.equal(stepOf(run, "GET /fast").requests.due, seen.get("GET /fast"));
});

Deno.test("what a rate could not send is counted for the steps that it would have been", async () => {
  const { run } = await served(`scenarios:
  mixed: { mix: [{ weight: 1, get: /slow }, { weight: 1, post: /slow }] }
load: { rate: 400/s, connections: 2, duration: 1s }
`);
  assertWhole(run);
  assert.ok(run.requests.dropped > 100);
  for (const { requests, latency } of run.steps ?? []) {
    assert.ok(Math.abs(requests.dropped / run.requests.dropped - 0.5) < 0.15);
    assert.ok(latency.lowerBounds?.includes("99"));
  }
});

Deno.test("a page has a step for each of its parts, and a single request none", async () => {
  const { results } = await served(`scenarios:
  page: { page: /fast, with: [/a.css, /b.png] }
  alone: { get: /fast }
load: { connections: 2, duration: 600ms }
`);
  const stepsIn = (scenario: string): string[] | undefined =>
    results.runs.find((run) => run.scenario === scenario)?.steps?.map(({ name }) => name);
  assert.deepEqual(stepsIn("page"), ["GET /fast", "GET /a.css", "GET /b.png"]);
  assert.equal(stepsIn("alone"), undefined);
});
