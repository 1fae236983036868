/** Redirects to other hosts, which the experiment names, over both drivers, held against what the servers saw. */
import assert from "node:assert/strict";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import { TargetError } from "../../base/errors.ts";
import { certificates } from "../certificates.ts";
import { countOf, everyProtocol, made, measured, site } from "./redirecting.ts";
import { rejected } from "../thrown.ts";

const PHASES = { kind: "phases" } as const;
const EVERY_USER = 6;

function to(status: number, url: string): string {
  return `/to?status=${status}&path=${encodeURIComponent(url)}`;
}

/** What follows a request that leads to another host. */
const WAYS: readonly (readonly [status: number, method: string, next: string])[] = [
  [301, "get", "GET /end"],
  [302, "post", "GET /end"],
  [303, "put", "GET /end"],
  [307, "post", "POST /end b text/plain"],
  [308, "put", "PUT /end b text/plain"],
];

for (const [status, method, next] of WAYS) {
  everyProtocol.test(`redirects elsewhere: ${status} leads ${method} to ${next} on a host that is named`, async (way) => {
    await using target = site();
    await using other = site();
    const script = made({
      [method]: to(status, `${other.origin}/end`),
      ...method === "get" ? {} : { body: "b" },
      headers: { "content-type": "text/plain" },
      follow: { hops: 1, hosts: [other.origin] },
      expect: { status: 200, contains: "at /end" },
    });
    const { requests, checks, steps = [] } = await measured(target, script, way);
    const [first, redirected] = steps;
    assert.equal(checks.failed, 0);
    assert.ok(redirected.requests.completed > 0 && requests.failed === 0);
    assert.deepEqual(
      [target.seen.length, other.seen.length],
      [first.requests.due, redirected.requests.due],
    );
    assert.ok(other.seen.every((seen) => seen.startsWith(next.split(" ", 2).join(" "))));
    if (method !== "get") assert.equal(countOf(other.seen, next), other.seen.length);
  });
}

everyProtocol.test("redirects elsewhere: each host keeps its connections", async (way) => {
  await using target = site();
  await using other = site();
  const script = made({
    get: to(302, `${other.origin}/end`),
    follow: { hops: 1, hosts: [other.origin] },
  });
  const { requests } = await measured(target, script, way);
  assert.ok(requests.completed > 4);
  assert.deepEqual([target.clients.size, other.clients.size], [2, 2]);
});

everyProtocol.test("redirects elsewhere: from there on back to the target, with a path of its own host in between", async (way) => {
  await using target = site();
  await using other = site();
  const back = to(302, `${target.origin}/home`);
  const script = made({
    flow: [
      { get: to(302, `${other.origin}${to(307, back)}`), expect: { contains: "at /home" } },
      { get: "/next", expect: { contains: "at /next" } },
    ],
    follow: { hops: 3, hosts: [other.origin] },
  });
  const { checks, sessions } = await measured(target, script, way, PHASES);
  assert.deepEqual([checks.failed, sessions?.completed], [0, EVERY_USER]);
  assert.deepEqual([countOf(target.seen, "GET /home"), countOf(target.seen, "GET /next")], [
    ...[EVERY_USER, EVERY_USER],
  ]);
  assert.equal(countOf(other.seen, "GET /to"), 2 * EVERY_USER);
});

everyProtocol.test("redirects elsewhere: a loop between two hosts ends, and is wrong", async (way) => {
  await using target = site();
  await using other = site();
  const there = `${other.origin}${to(302, `${target.origin}/loop`)}`;
  const script = made({ get: to(302, there), follow: { hops: 4, hosts: [other.origin] } });
  const { checks } = await measured(target, script, way, PHASES);
  assert.deepEqual(checks, { passed: 0, failed: EVERY_USER });
  assert.equal(other.seen.length, EVERY_USER);
});

everyProtocol.test("redirects elsewhere: a host that is not named is never asked, though another is", async (way) => {
  await using target = site();
  await using named = site();
  await using stranger = site();
  const script = made({
    get: to(302, `${stranger.origin}/end`),
    follow: { hops: 3, hosts: [named.origin] },
  });
  const { checks } = await measured(target, script, way, PHASES);
  assert.deepEqual([checks.failed, stranger.seen.length, named.seen.length], [EVERY_USER, 0, 0]);
});

everyProtocol.test("redirects elsewhere: what is for one host alone stays there, and its cookies go where they are for", async (way) => {
  await using target = site();
  await using other = site();
  const elsewhere = other.origin.replace("127.0.0.1", "localhost");
  const script = made({
    flow: [
      { get: to(302, `${elsewhere}/end`), headers: { authorization: "Bearer x", "x-mine": "1" } },
      { get: "/next", expect: { contains: "mine=1; via=302" } },
    ],
    cookies: { mine: "1" },
    follow: { hops: 1, hosts: [elsewhere] },
  });
  const { checks } = await measured(target, script, way, PHASES);
  assert.equal(checks.failed, 0);
  assert.equal(target.fields[0].get("authorization"), "Bearer x");
  assert.equal(other.fields.length, EVERY_USER);
  for (const fields of other.fields) {
    const [authorization, cookie, mine] = ["authorization", "cookie", "x-mine"]
      .map((name) => fields.get(name));
    assert.deepEqual([authorization, cookie, mine], [null, null, "1"]);
    assert.equal(`http://${fields.get("host")}`, elsewhere);
  }
});

everyProtocol.test("redirects elsewhere: a host that has no address fails what leads there alone", async (way) => {
  await using target = site();
  const nowhere = "http://nowhere.invalid";
  const script = made({ get: to(302, nowhere), follow: { hops: 1, hosts: [nowhere] } });
  const { steps = [] } = await measured(target, script, way, PHASES);
  const [first, redirected] = steps;
  assert.equal(first.requests.completed, EVERY_USER);
  assert.deepEqual(redirected.errors, { dns: EVERY_USER });
});

everyProtocol.test(
  "redirects elsewhere: from http to https, and back",
  async (way) => {
    const { signed, authority } = certificates();
    await using target = site();
    await using other = site(signed);
    const script = made({
      get: to(302, `${other.origin}${to(302, `${target.origin}/end`)}`),
      follow: { hops: 2, hosts: [other.origin] },
      expect: { contains: "at /end" },
    });
    const access = { caCerts: [authority] };
    const { checks, requests } = await measured(target, script, way, { access });
    assert.deepEqual([checks.failed, requests.failed], [0, 0]);
    assert.ok(other.seen.length > 0 && countOf(target.seen, "GET /end") > 0);
    assert.equal(other.clients.size, 2);
  },
  ["openssl"],
);

for (const http2 of [false, true]) {
  const protocol = http2 ? "HTTP/2" : "HTTP/1.1";
  Deno.test(`redirects elsewhere: the preflight goes there over ${protocol}, and says what to name`, async () => {
    await using target = site();
    await using other = site();
    const check = (follow: unknown): Promise<void> =>
      checkResponses({
        target: "a",
        http2,
        origin: target.origin,
        script: made({
          get: to(302, `${other.origin}/end`),
          expect: { contains: "at /end" },
          follow,
        }),
        timeoutMs: 20_000,
        signal: new AbortController().signal,
      });
    const error = await rejected(TargetError, check(2));
    const fix = `if that host may be loaded, write follow: { hops: 2, hosts: ["${other.origin}"] }`;
    assert.match(error.message, /^Cannot measure target a: GET \/to\?/);
    assert.ok(error.message.endsWith(` is redirected to ${other.origin}: ${fix}`));
    assert.equal(other.seen.length, 0);
    await check({ hops: 2, hosts: [other.origin] });
    assert.deepEqual(other.seen, ["GET /end"]);
  });
}
