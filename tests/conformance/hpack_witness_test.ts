/**
 * The codec against nghttp2, which node:http2 has inside: what either writes, the other reads, while the tables wrap,
 * evict and change their size.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { type Draw, drawBy } from "../../base/random.ts";
import type { Field } from "../../base/http/http2/fields.ts";
import { needing } from "../needs.ts";
import { fieldsOf, linesOf } from "../http/http2/blocks.ts";
import { RawPeer } from "../http/http2/raw_peer.ts";

const withNghttp2 = needing("nghttp2");

type Stream = http2.ServerHttp2Stream;
type Headers = http2.IncomingHttpHeaders & { readonly [http2.sensitiveHeaders]?: string[] };

const EXCHANGES = 250;
const HOSTNAME = "127.0.0.1";

/** What each side announces as the size of its table: of this codec, and of nghttp2. */
const TABLES: readonly (readonly [ours: number, theirs: number])[] = [
  [4_096, 4_096],
  [0, 4_096],
  [4_096, 0],
  [300, 500],
  [65_536, 65_536],
];

/** Some that repeat and some that don't, of any octets that a field may hold, each name once. */
function oddFields(draw: Draw): Field[] {
  const names = new Set(Array.from({ length: draw(0, 12) }, () => `x-${draw(0, 30)}`));
  return [...names].map((name, at) => ({ name, value: oddValue(draw, at === 0) }));
}

function oddValue(draw: Draw, mayBeLong: boolean): string {
  const kind = draw(0, 9);
  if (kind < 5) return ["", "1", "gzip, deflate", "\xff\x80", "a\tb"][kind];
  const most = kind === 9 && mayBeLong ? 5_000 : 60;
  const text = Array.from({ length: draw(0, most) }, () => oddCharacter(draw)).join("");
  return text.trim();
}

function oddCharacter(draw: Draw): string {
  return String.fromCharCode(draw(0, 3) === 0 ? draw(0x80, 0xff) : draw(0x20, 0x7e));
}

function recordOf(fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value]));
}

/** Of names and values in turns, as node:http2 gives them. */
function pairs(raw: readonly string[]): Field[] {
  return Array.from({ length: raw.length / 2 }, (_, at) => {
    return { name: raw[2 * at], value: raw[2 * at + 1] };
  });
}

function isOdd({ name }: Field): boolean {
  return name.startsWith("x-");
}

/** A server sends back what it was sent, and at times announces another size. */
function startEcho(theirs: number, received: Received[]): http2.Http2Server {
  const server = http2.createServer({ settings: { headerTableSize: theirs } });
  server.on("stream", (stream: Stream, headers: Headers, _flags: number, raw: string[]) => {
    const fields = pairs(raw);
    received.push({ fields, secrets: headers[http2.sensitiveHeaders] ?? [] });
    stream.respond({ ":status": 200, ...recordOf(fields.filter(isOdd)) }, { endStream: true });
    const size = [theirs, 0, 700, 4_096][received.length % 40 / 10];
    if (size !== undefined) stream.session?.settings({ headerTableSize: size });
  });
  return server;
}

interface Received {
  readonly fields: readonly Field[];
  readonly secrets: readonly string[];
}

for (const [ours, theirs] of TABLES) {
  withNghttp2.test(`a server of nghttp2 and this codec agree, with tables of ${theirs} and ${ours}`, async () => {
    const received: Received[] = [];
    const server = startEcho(theirs, received);
    server.listen(0, HOSTNAME);
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    using conn = await Deno.connect({ hostname: HOSTNAME, port });
    const peer = new RawPeer(conn, ours);
    await peer.beginAsClient();
    await exchangeAsClient(peer, received);
    assert.ok(peer.sizes.includes(700) && peer.sizes.includes(0), "the table was resized");
    conn.close();
    server.close();
    await once(server, "close");
  });
}

async function exchangeAsClient(peer: RawPeer, received: readonly Received[]): Promise<void> {
  const draw = drawBy(7);
  for (let at = 0; at < EXCHANGES; at++) {
    const odd = oddFields(draw);
    const sent = [
      ...fieldsOf([":method: GET", ":scheme: http", `:path: /${at}`, ":authority: localhost"]),
      ...odd,
      ...fieldsOf([`authorization: Bearer ${at}`, "cookie: a=b"]),
    ];
    await peer.sendFields(2 * at + 1, sent);
    const { fields } = await peer.readFields();
    assert.deepEqual(received[at].fields, sent);
    assert.deepEqual(received[at].secrets, ["authorization", "cookie"]);
    assert.deepEqual(linesOf(fields.filter(isOdd)).toSorted(), linesOf(odd).toSorted());
  }
}

for (const [ours, theirs] of TABLES) {
  withNghttp2.test(`a client of nghttp2 and this codec agree, with tables of ${theirs} and ${ours}`, async () => {
    using listener = Deno.listen({ hostname: HOSTNAME, port: 0 });
    const url = `http://${HOSTNAME}:${listener.addr.port}`;
    const session = http2.connect(url, { settings: { headerTableSize: theirs } });
    using conn = await listener.accept();
    const peer = new RawPeer(conn, ours);
    await peer.beginAsServer();
    await exchangeAsServer(peer, session);
    assert.ok(theirs === 4_096 || peer.sizes.includes(theirs), "the table was resized");
    const closed = once(session, "close");
    session.destroy();
    await closed;
  });
}

async function exchangeAsServer(peer: RawPeer, session: http2.ClientHttp2Session): Promise<void> {
  const draw = drawBy(8);
  for (let at = 0; at < EXCHANGES; at++) {
    const requested = oddFields(draw);
    const [sentBack, status] = [oddFields(draw), { name: ":status", value: `${draw(200, 599)}` }];
    const headers = { ":path": `/${at}`, authorization: `Bearer ${at}`, ...recordOf(requested) };
    const request = session.request(headers);
    const [responded, closed] = ["response", "close"].map((event) => once(request, event));
    request.resume();
    const { stream, fields } = await peer.readFields();
    assert.deepEqual(linesOf(fields.filter(isOdd)).toSorted(), linesOf(requested).toSorted());
    assert.ok(linesOf(fields).includes(`authorization: Bearer ${at}`));
    await peer.sendFields(stream, [status, ...sentBack]);
    const [, , raw] = await responded;
    assert.deepEqual(pairs(raw), [status, ...sentBack]);
    await closed;
  }
}
