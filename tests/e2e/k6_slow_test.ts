/** Scripts of k6, run here, as a server sees them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder, exits } from "./plateau.ts";
import { startRecorder } from "./recorder.ts";
import { startWitness } from "./witness.ts";

Deno.test("a k6 script sends what it says, in its order, without being run", async () => {
  await using recorder = startRecorder();
  using folder = emptyFolder();
  const script = `import http from "k6/http";
import { check } from "k6";
export const options = { scenarios: { open: {
  executor: "constant-arrival-rate", rate: 20, duration: "1s", preAllocatedVUs: 5 } } };
export default function () {
  const res = http.get("${recorder.origin}/a");
  check(res, { "is 200": (r) => r.status === 200 });
  for (let i = 0; i < 2; i++) http.post(\`${recorder.origin}/b?n=\${i}\`, JSON.stringify({ i }));
}
`;
  await Deno.writeTextFile(join(folder.path, "load.js"), script);
  await exits(0, ["run", "--quiet", "load.js", "--out", "out"], { cwd: folder.path });
  const counts = Object.groupBy(recorder.requests, ({ line, body }) => `${line} ${body}`);
  const seen = Object.entries(counts).map(([what, all = []]) => [what, all.length]);
  assert.deepEqual(seen, [ // each once more, to see that responses are right
    ["GET /a HTTP/1.1 ", 21],
    ['POST /b?n=0 HTTP/1.1 {"i":0}', 21],
    ['POST /b?n=1 HTTP/1.1 {"i":1}', 21],
  ]);
});

Deno.test("a k6 script with stages, thresholds and checks is loaded and judged as it says", async () => {
  await using witness = startWitness({ delayMs: 5 });
  using folder = emptyFolder();
  const script = `import http from "k6/http";
import { check } from "k6";
export const options = {
  stages: [{ duration: "500ms", target: 4 }, { duration: "500ms", target: 4 }],
  thresholds: { http_req_failed: ["rate<0.5"], http_reqs: ["count<2"], checks: ["rate>0.9"] },
};
export default function () {
  check(http.get("${witness.origin}/a"), { ok: (r) => r.status === 200 && r.body.includes("wit") });
}
`;
  await Deno.writeTextFile(join(folder.path, "load.js"), script);
  const args = ["run", "load.js", "--out", "out", "--set", `target=${witness.origin}`];
  const { stdout, stderr } = await exits(1, args, { cwd: folder.path }); // there are more than 2 requests
  assert.match(stderr, /^Note: left out: the threshold checks: rate>0\.9 of load\.js:5: /m);
  const text = await Deno.readTextFile(join(folder.path, "out/results.json"));
  const { runs: [run] } = JSON.parse(text);
  const { requests: { due, completed }, checks, load, warmup, sessions } = run;
  assert.deepEqual(load.stages, [
    { durationS: 0.5, from: 1, to: 4 },
    { durationS: 0.5, from: 4, to: 4 },
  ]);
  assert.equal(await witness.settledCount(), due + 1); // once more, to see that the response is right
  assert.deepEqual(checks, { passed: completed, failed: 0 });
  assert.deepEqual([warmup, sessions.created], [null, due]);
  assert.match(stdout, /^✓ errors < 50%: /m);
  assert.match(stdout, /^✗ requests < 2: /m);
});
