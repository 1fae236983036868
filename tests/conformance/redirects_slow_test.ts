/** Redirects that requests follow (RFC 9110 §15.4), over both drivers, held against what the server saw. */
import assert from "node:assert/strict";
import { checkResponses } from "../../runner/experiment/preflight.ts";
import { countOf, everyDriver, everyProtocol, made, measured, site } from "./redirecting.ts";

const PHASES = { kind: "phases" } as const;
const BODY = { body: "b", headers: { "content-type": "text/plain" } };

/** What follows a request with a status: browsers' and fetch's ways. */
const WAYS: readonly (readonly [status: number, request: object, next: string])[] = [
  [301, { get: "/to?status=301&path=/end" }, "GET /end"],
  [302, { get: "/to?status=302&path=/end" }, "GET /end"],
  [301, { post: "/to?status=301&path=/end", ...BODY }, "GET /end"],
  [302, { post: "/to?status=302&path=/end", ...BODY }, "GET /end"],
  [303, { post: "/to?status=303&path=/end", ...BODY }, "GET /end"],
  [303, { put: "/to?status=303&path=/end", ...BODY }, "GET /end"],
  [302, { put: "/to?status=302&path=/end", ...BODY }, "PUT /end b text/plain"],
  [307, { post: "/to?status=307&path=/end", ...BODY }, "POST /end b text/plain"],
  [308, { put: "/to?status=308&path=/end", ...BODY }, "PUT /end b text/plain"],
  [303, { head: "/to?status=303&path=/end" }, "HEAD /end"],
  [302, { get: `/to?status=302&path=${encodeURIComponent("/für/%20?é")}` }, "GET /f%C3%BCr/%20"],
];

for (const [status, request, next] of WAYS) {
  // Deno's own server sends what a HEAD must not bring over HTTP/2.
  const every = "head" in request ? everyDriver : everyProtocol;
  every.test(`redirects: ${status} leads ${Object.keys(request)[0]} to ${next}`, async (way) => {
    await using served = site();
    const { requests, checks, steps = [] } = await measured(
      served,
      made({ ...request, follow: 5 }),
      way,
    );
    assert.equal(checks.failed, 0);
    const [first, redirected] = steps;
    assert.ok(first.requests.completed > 0 && requests.failed === 0);
    assert.match(redirected.name, /\(redirected\)$/);
    assert.equal(first.requests.due + redirected.requests.due, served.seen.length);
    assert.equal(countOf(served.seen, next), redirected.requests.due);
  });
}

everyProtocol.test("redirects: each hop counts, and what is expected is of the last", async (way) => {
  await using served = site();
  const path = encodeURIComponent("/to?status=307&path=/end");
  const script = made({
    get: `/to?status=301&path=${path}`,
    follow: 5,
    expect: { status: 200, contains: "at /end" },
  });
  const { requests, checks, status } = await measured(served, script, way, PHASES);
  assert.deepEqual(status, { "200": 6, "301": 6, "307": 6 });
  assert.deepEqual([requests.completed, checks.failed, checks.passed], [18, 0, 6]);
});

everyProtocol.test("redirects: a loop ends, and is wrong", async (way) => {
  await using served = site();
  const { checks, status } = await measured(served, made({ get: "/loop", follow: 3 }), way, PHASES);
  assert.deepEqual([status, checks], [{ "302": 24 }, { passed: 0, failed: 6 }]);
});

everyProtocol.test("redirects: another host that is not named is never asked, and such a response is wrong", async (way) => {
  await using served = site();
  const { checks, requests } = await measured(
    served,
    made({ get: "/away", follow: 3 }),
    way,
    PHASES,
  );
  assert.deepEqual([checks.failed, requests.completed], [6, 6]);
});

for (const location of ["http://[bad", "http://a b/", "mailto:a@b.c", "http://h:99999/"]) {
  everyProtocol.test(`redirects: a response whose Location is ${location}, which is not an http address, is wrong`, async (way) => {
    await using served = site();
    const get = `/to?status=302&path=${encodeURIComponent(location)}`;
    const { checks, status } = await measured(served, made({ get, follow: 3 }), way, PHASES);
    assert.deepEqual([status, checks], [{ "302": 6 }, { passed: 0, failed: 6 }]);
  });
}

everyProtocol.test("redirects: a flow goes on from where it was led to, with the cookies of each hop", async (way) => {
  await using served = site();
  const script = made({
    flow: [
      { post: "/to?status=303&path=/home", form: { user: "ada" } },
      { get: "/next", expect: { contains: "at /next, via=303" } },
    ],
    follow: 1,
  });
  const { checks, sessions } = await measured(served, script, way, PHASES);
  assert.deepEqual([checks.failed, sessions?.completed], [0, 6]);
  assert.equal(countOf(served.seen, "GET /home"), 6);
});

everyProtocol.test("redirects: without follow a redirect is a response as any other", async (way) => {
  await using served = site();
  const { status } = await measured(served, made({ get: "/to?status=302&path=/end" }), way);
  assert.deepEqual(Object.keys(status), ["302"]);
  assert.equal(countOf(served.seen, "GET /end"), 0);
});
/** Why a target can't be measured. */
async function whyNot(scenario: object): Promise<string> {
  await using served = site();
  return await whyNotAt(served.origin, scenario);
}

async function whyNotAt(origin: string, scenario: object): Promise<string> {
  const end = new AbortController();
  const request = { target: "a", timeoutMs: 20_000, signal: end.signal };
  const error = await checkResponses({ ...request, origin, script: made(scenario) })
    .then(() => null, (error: Error) => error);
  return error?.message ?? "";
}

Deno.test("redirects: the preflight follows them, and says what is wrong", async () => {
  const right = { get: "/to?status=302&path=/end", follow: 1, expect: { contains: "at /end" } };
  assert.equal(await whyNot(right), "");
  assert.match(
    await whyNot({ get: "/away", follow: 2 }),
    /^Cannot measure target a: GET \/away is redirected to http:\/\/127\.0\.0\.1:9: if that host may/,
  );
  assert.match(
    await whyNot({ get: "/to?status=302&path=http://[bad", follow: 2 }),
    /is redirected, but the redirect cannot be followed: its Location is "http:\/\/\[bad", which is not an http address$/,
  );
  assert.match(await whyNot({ get: "/loop", follow: 2 }), /redirected more than 2 times/);
});

Deno.test("redirects: the preflight shows no cookie that is set and sent on the way", async () => {
  const serve = (request: Request): Response => {
    if (!request.url.endsWith("/login")) {
      const set = { "set-cookie": "next=the-session-after-it" };
      const text = `sent ${request.headers.get("cookie")}, set ${set["set-cookie"]}`;
      return new Response(text, { status: 500, headers: set });
    }
    const headers = { location: "/home", "set-cookie": "sid=a-session-of-ada; HttpOnly" };
    return new Response(null, { status: 302, headers });
  };
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(quiet, serve);
  const why = await whyNotAt(`http://127.0.0.1:${server.addr.port}`, {
    flow: [{ get: "/login" }],
    follow: 2,
  });
  assert.match(why, /got 500 with body "sent sid=\[secret\], set next=\[secret\]"$/);
});
