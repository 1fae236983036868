/** Jobs that no coordinator of ours sends: an agent refuses each with a line, and begins nothing. */
import assert from "node:assert/strict";
import { AllowList, LOOPBACK_HOSTS } from "../../runner/fleet/agent/allow.ts";
import { readJob } from "../../runner/fleet/agent/job_reading.ts";
import type { AgentJobInput } from "../../runner/fleet/protocol/agent_message.ts";
import { jobOf, SECOND } from "../fleet/hand_made.ts";
import { asking, sending, STEP } from "../fleet/jobs.ts";

const GOOD: AgentJobInput = jobOf({ id: "coordinator" }, { origin: "http://127.0.0.1:8080" });
const ALLOW = new AllowList(LOOPBACK_HOSTS, () => Promise.reject(new Error("nobody is asked")));

/** As it lies in Redis: text. */
function withText(key: string, text: string): string {
  return JSON.stringify({ ...GOOD, [key]: "HERE" }).replace('"HERE"', () => text);
}

const withScript = (script: unknown): string => withText("script", JSON.stringify(script));
const capturing = (from: object): string =>
  withScript(asking({ ...STEP, captures: [{ as: "a", from }] }));
const MANY_SECRETS = Array.from({ length: 100 }, (_, at) => [`${at}`.padEnd(60_000), "x"]);

const JOBS: Readonly<Record<string, readonly [job: string, why: RegExp]>> = {
  "a pattern that is open 10,000 times": [
    capturing({ kind: "pattern", source: "(a".repeat(10_000) }),
    /script\.requests\.0\.captures\.0/,
  ],
  "a value out of a file": [
    capturing({ kind: "file", path: "/etc/passwd" }),
    /script\.requests\.0\.captures\.0\.from/,
  ],
  "a body out of a file": [withScript(sending({ bodyFile: "/etc/shadow" })), /bodyFile/],
  "certificates by their path": [
    withText("access", '{"caCerts":["/etc/ssl/private/server.key"]}'),
    /Cannot read these certificates: they are not in PEM format/,
  ],
  "a unix socket": [
    withText("access", '{"unixPath":"/run/docker.sock"}'),
    /^Cannot load unix sockets/,
  ],
  "a second request in a header's value": [
    withScript(sending({ headers: { x: "1\r\n\r\nGET /admin" } })),
    /as a header value: line breaks/,
  ],
  "a framing of its own": [
    withScript(sending({ headers: { "Transfer-Encoding": "chunked" } })),
    /Transfer-Encoding/,
  ],
  "a path that ends its line": [
    withScript(sending({ path: "/ HTTP/1.1\r\nX: y\r\n\r\n" })),
    /as a path/,
  ],
  "numbers beyond all numbers": [
    withText("load", JSON.stringify(SECOND).replace('"connections":2', '"connections":1e999')),
    /load.*connections/,
  ],
  "more workers than memory holds": [
    withText("assigned", '{"firstWorker":0,"workers":4000000000,"own":1}'),
    /assigned\.workers: .*the maximum is 100000/,
  ],
  "a million intervals each millisecond": [withText("intervalMs", "1e-9"), /intervalMs: .*10ms/],
  "an address where a cloud keeps its secrets": [
    withText("origin", '"http://169.254.169.254"'),
    /^Cannot load 169\.254\.169\.254/,
  ],
  "a key that is every object's": [
    withText(
      "access",
      '{"__proto__":{"insecure":true},"constructor":{"prototype":{"insecure":1}}}',
    ),
    /access\.__proto__: .*\naccess\.constructor: /,
  ],
  "more to hide than memory holds": [
    withText("secrets", JSON.stringify(MANY_SECRETS)),
    /secrets: Cannot keep the secrets of this job: .* has 6,000,000 characters; the limit is 4,000,000/,
  ],
  "a long text in the place of a short secret": [
    withText("secrets", JSON.stringify([["of", "x".repeat(60_000)]])),
    /secrets\.0\.1: .*2,?000/,
  ],
};

for (const [sentence, [text, why]] of Object.entries(JOBS)) {
  Deno.test(`an agent refuses a job with ${sentence}`, async () => {
    const read = await readJob(JSON.parse(text), ALLOW);
    assert.ok("problems" in read, "accepted");
    assert.match(read.problems.join("\n"), why);
    assert.equal(Reflect.get({}, "insecure"), undefined);
  });
}

Deno.test("of a job that is wrong in 10,000 places the first twenty are told, and none at length", async () => {
  const requests = Array(10_000).fill({
    ...STEP,
    wire: { ...STEP.wire, path: "x".repeat(1_000) },
  });
  const read = await readJob(
    { ...GOOD, script: { kind: "requests", stepNames: [], requests, sequence: [0] } },
    ALLOW,
  );
  assert.ok("problems" in read);
  assert.equal(read.problems.length, 21);
  assert.equal(read.problems[20], "and 9,980 more");
  assert.ok(read.problems.every((line) => line.length <= 500));
});

Deno.test("what the jobs are changed from is accepted, and 15 crafted jobs were tried", async () => {
  assert.ok("job" in await readJob(JSON.parse(JSON.stringify(GOOD)), ALLOW));
  assert.equal(Object.keys(JOBS).length, 15);
});
