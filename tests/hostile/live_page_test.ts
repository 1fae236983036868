import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { LIMITS } from "../../base/limits.ts";
import { LiveReport } from "../../cli/live/report.ts";
import { Viewers } from "../../cli/live/viewers.ts";
import { LiveServer } from "../../cli/live/server.ts";
import { GETTING_READY } from "../../report/render/html/live_page.ts";
import type { Results } from "../../runner/result/result.ts";
import { resultsFixture } from "../report/fixture.ts";

const WHOLE = resultsFixture({
  cells: [{ target: "hono", scenario: "static", medianMs: 2, runs: 1 }],
});
const BEGUN: Results = { ...WHOLE, state: "running", finishedAt: null, runs: [] };
const RECEIPT = "01234567-89ab-cdef-0123-456789abcdef";
const OWN = "host: localhost:1\r\norigin: http://localhost:1\r\n";
const SHOWN = `POST /shown HTTP/1.1\r\n${OWN}`;
const GET = "GET / HTTP/1.1\r\nhost: 127.0.0.1:1\r\n";

async function begun(): Promise<LiveReport> {
  const live = new LiveReport({ port: 0, baseline: null, mostRatio: 1 });
  await live.onSaved(BEGUN);
  return live;
}

function dialed({ url }: { readonly url: string }): Socket {
  return connect(Number(new URL(url).port), "127.0.0.1");
}

/** All that is answered. */
function askedOf(live: { readonly url: string }, request: string): Promise<string> {
  const socket = dialed(live);
  socket.write(request, "latin1");
  let text = "";
  return new Promise((resolve) => {
    socket.setEncoding("latin1").on("data", (part) => text += part);
    socket.on("error", () => {}).on("close", () => resolve(text));
  });
}

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
}

const CASES: readonly [sentence: string, request: string, status: number][] = [
  ["the page by its address", `${GET}\r\n`, 200],
  ["by its name, in any letters", "GET /?a HTTP/1.1\r\nHOST: LocalHost:9\r\n\r\n", 200],
  ["by the address of IPv6", "GET / HTTP/1.1\r\nhost: [::1]:9\r\n\r\n", 200],
  ["its head alone", "HEAD / HTTP/1.1\r\nhost: localhost\r\n\r\n", 200],
  ["typed into a browser", `${GET}sec-fetch-site: none\r\n\r\n`, 200],
  ["from itself", `${GET}sec-fetch-site: same-origin\r\norigin: http://127.0.0.1:1\r\n\r\n`, 200],
  [
    "by a link elsewhere, in a tab of its own",
    `${GET}sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: document\r\n\r\n`,
    200,
  ],
  [
    "in a frame of another page",
    `${GET}sec-fetch-site: cross-site\r\nsec-fetch-mode: navigate\r\nsec-fetch-dest: iframe\r\n\r\n`,
    403,
  ],
  ["as another page's script", `${GET}sec-fetch-site: cross-site\r\n\r\n`, 403],
  ["from another port of this machine", `${GET}sec-fetch-site: same-site\r\n\r\n`, 403],
  ["with another origin", `${GET}origin: http://evil.example\r\n\r\n`, 403],
  ["without an origin that can be named", `${GET}origin: null\r\n\r\n`, 403],
  ["by a name that leads here", "GET / HTTP/1.1\r\nhost: evil.example:1\r\n\r\n", 403],
  ["by a name that begins right", "GET / HTTP/1.1\r\nhost: localhost.evil.example\r\n\r\n", 403],
  ["by an address that begins right", "GET / HTTP/1.1\r\nhost: 127.0.0.1.nip.io\r\n\r\n", 403],
  ["without a host", "GET / HTTP/1.1\r\n\r\n", 403],
  ["with two hosts", "GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n", 403],
  ["a receipt", `${SHOWN}content-length: 36\r\n\r\n${RECEIPT}`, 204],
  ["a receipt of nobody's shape", `${SHOWN}content-length: 36\r\n\r\n${"x".repeat(36)}`, 400],
  ["no receipt", `${SHOWN}\r\n`, 400],
  ["a receipt without an origin", "POST /shown HTTP/1.1\r\nhost: localhost\r\n\r\n", 403],
  [
    "a receipt from another port",
    "POST /shown HTTP/1.1\r\nhost: localhost:1\r\norigin: http://localhost:2\r\n\r\n",
    403,
  ],
  ["a large receipt", `${SHOWN}content-length: 65\r\n\r\n${"x".repeat(65)}`, 413],
  ["402 MB", `${SHOWN}content-length: 402000000\r\n\r\n`, 413],
  ["a length that is none", `${SHOWN}content-length: -1\r\n\r\n`, 413],
  ["two lengths", `${SHOWN}content-length: 1\r\ncontent-length: 36\r\n\r\n`, 413],
  ["chunks", `${SHOWN}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`, 413],
  ["a body of the page", `${GET}content-length: 65\r\n\r\n${"x".repeat(65)}`, 413],
  ["another method", "DELETE / HTTP/1.1\r\nhost: localhost\r\n\r\n", 405],
  ["a preflight", `OPTIONS /shown HTTP/1.1\r\n${OWN}\r\n`, 405],
  ["a GET of what is posted", "GET /shown HTTP/1.1\r\nhost: localhost\r\n\r\n", 405],
  ["TRACE", `TRACE / HTTP/1.1\r\n${OWN}cookie: echo=secret-of-a-cookie\r\n\r\n`, 405],
  ["another path", "GET /results.json HTTP/1.1\r\nhost: localhost\r\n\r\n", 404],
  ["what every object has", "GET /constructor HTTP/1.1\r\nhost: localhost\r\n\r\n", 404],
  ["a path out of it", "GET /../etc/passwd HTTP/1.1\r\nhost: localhost\r\n\r\n", 404],
  ["a whole URL", "GET http://evil.example/ HTTP/1.1\r\nhost: localhost\r\n\r\n", 400],
  ["CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n", 400],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
  ["a folded field", `${GET}a: b\r\n c\r\n\r\n`, 400],
  ["a field without a name", `${GET}: b\r\n\r\n`, 400],
  ["a bare line feed", "GET / HTTP/1.1\nhost: localhost\r\n\r\n", 400],
  ["a head of 20 KB", `${GET}a: ${"b".repeat(20_000)}\r\n\r\n`, 431],
  ["many fields", `${GET}${"a: b\r\n".repeat(4_000)}\r\n`, 431],
];

Deno.test(`a live page answers ${CASES.length} requests as it should`, async (test) => {
  await using live = await begun();
  for (const [sentence, request, status] of CASES) {
    await test.step(`${sentence} is answered with ${status}`, async () => {
      const answer = await askedOf(live, request);
      assert.equal(statusOf(answer), status, answer.slice(0, 300));
      assert.match(answer, /\r\nx-content-type-options: nosniff\r\n/);
      assert.match(answer, /\r\ncontent-security-policy: frame-ancestors 'none'\r\n/);
      assert.doesNotMatch(answer, /access-control-allow|evil|secret-of-a-cookie/);
      assert.equal(status === 405, /\r\nallow: /.test(answer));
    });
  }
  assert.equal(CASES.length, 44);
});

Deno.test("who sends a body without an end is closed on", async () => {
  await using live = await begun();
  const socket = dialed(live);
  const piece = new Uint8Array(1_000_000);
  socket.write(`${SHOWN}content-length: 402000000\r\n\r\n`);
  let taken = 0;
  const send = (): void => {
    socket.write(piece, (error) => {
      if (error) return;
      taken++;
      send();
    });
  };
  send();
  await new Promise((resolve) => socket.on("error", () => {}).on("close", resolve));
  assert.ok(taken < 50, `${taken} MB were taken`); // what the kernel buffers
});

Deno.test("of readers there are so many, and the next one may come when one has gone", async () => {
  await using live = await begun();
  const sockets: Socket[] = [];
  const look = (): Promise<string> => {
    const socket = dialed(live);
    socket.write("GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n");
    sockets.push(socket);
    return new Promise((resolve) => socket.once("data", (data) => resolve(String(data))));
  };
  for (let i = 0; i < LIMITS.liveReaders.most; i++) assert.equal(statusOf(await look()), 200);
  const next = await look();
  assert.equal(statusOf(next), 503);
  assert.match(next, /\r\n\r\n16 browser tabs already show this page: close one of them first\n$/);
  sockets[0].destroy();
  while (statusOf(await look()) !== 200); // its end is known soon
  for (const socket of sockets) socket.destroy();
});

Deno.test("of connections there are so many: the page answers again when they have gone", async () => {
  await using live = await begun();
  const open = [...new Array(200).keys()].map(() => dialed(live).on("error", () => {}));
  const closed = open.map((socket) => new Promise<void>((resolve) => socket.on("close", resolve)));
  await Promise.race(closed);
  for (const socket of open) socket.destroy();
  while (statusOf(await askedOf(live, `${GET}\r\n`)) !== 200);
});

Deno.test("for a reader that reads nothing only the newest of each event waits", async () => {
  const readers = new Viewers();
  const reader = readers.add({ status: GETTING_READY, page: 1 });
  for (let done = 0; done < 100_000; done++) readers.send({ ...GETTING_READY, done });
  const text = new TextDecoder().decode(await reader?.next() ?? undefined);
  assert.equal(text.match(/^event: /gm)?.length, 2);
  assert.match(text, /"done":99999/);
});

Deno.test("a defect while answering is 500 and one line, and the next is answered", async () => {
  const notes: string[] = [];
  const where = { hostname: "127.0.0.1", port: 0 };
  const server = new LiveServer(where, () => Promise.reject(new Error("a defect")), (text) => {
    notes.push(text);
  });
  const live = { url: `http://127.0.0.1:${server.port}/` };
  for (let i = 0; i < 3; i++) assert.equal(statusOf(await askedOf(live, `${GET}\r\n`)), 500);
  assert.deepEqual(notes, ["Cannot show the live report: a defect"]);
  await server.close(100);
});
