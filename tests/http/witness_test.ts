/**
 * The codec against servers that others wrote, over real sockets, in reads of a few octets.
 */
import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { encodeRequest } from "../../base/http/request.ts";
import { BROKEN, NEED_MORE, ResponseReader } from "../../base/http/response.ts";
import { startNginx } from "../e2e/nginx.ts";
import { findProgram, testWith } from "../needs.ts";
import { textOf } from "./feed.ts";
import { startServer } from "./node_server.mjs";

const NODE_SERVER = fileURLToPath(new URL("./node_server.mjs", import.meta.url));
const LARGE = "0123456789".repeat(1_000);

interface Exchange {
  readonly method?: string;
  readonly path: string;
  readonly sent?: string;
  readonly keepAlive?: boolean;
  readonly status?: number;
  readonly body?: string;
  /** The connection is closed after it. */
  readonly last?: true;
}

/** In this order, on as few connections as the server lets. */
const EXCHANGES: readonly Exchange[] = [
  { path: "/sized", body: "hello" },
  { path: "/chunked", body: "one two" },
  { path: "/large", body: LARGE },
  { method: "HEAD", path: "/large" },
  { method: "HEAD", path: "/chunked" },
  { path: "/empty", status: 204 },
  { path: "/unchanged", status: 304 },
  { path: "/nowhere", status: 404, body: "nothing here" },
  { method: "POST", path: "/echo", sent: "h\xe9", body: "h\xc3\xa9" },
  { method: "PUT", path: "/echo", sent: LARGE, body: LARGE },
  { method: "POST", path: "/echo" },
  { path: "/last", body: "bye", last: true },
  { path: "/sized", body: "hello" },
  { path: "/sized", body: "hello", keepAlive: false, last: true },
];

Deno.test("every kind of answer of Deno.serve is read", async () => {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answerInDeno);
  await assertAllRead(server.addr.port);
  await server.shutdown();
});

Deno.test("every kind of answer of node:http in Deno is read", async () => {
  const server = await startServer();
  await assertAllRead((server.address() as AddressInfo).port);
  server.close();
  await once(server, "close");
});

testWith(["node"], "every kind of answer of Node is read", async () => {
  const node = findProgram("node") ?? "node";
  const server = new Deno.Command(node, { args: [NODE_SERVER], stdout: "piped" }).spawn();
  const lines = server.stdout.getReader();
  const { value } = await lines.read();
  await assertAllRead(Number(new TextDecoder().decode(value)));
  server.kill();
  await lines.cancel();
  await server.status;
});

testWith(["nginx"], "answers of nginx are read", async () => {
  await using nginx = await startNginx();
  const client = new Client(Number(new URL(nginx.origin).port));
  for (const method of ["GET", "HEAD", "GET"]) {
    const body = method === "HEAD" ? "" : "Hello, World!";
    const read = await client.ask({ method, path: "/" });
    assert.deepEqual(read, { status: 200, body, last: false });
  }
  assert.equal(client.connections, 1);
  client.close();
});

async function answerInDeno(request: Request): Promise<Response> {
  switch (new URL(request.url).pathname) {
    case "/sized":
      return new Response("hello");
    case "/chunked":
      return new Response(
        ReadableStream.from(["one ", "two"]).pipeThrough(new TextEncoderStream()),
      );
    case "/large":
      return new Response(LARGE);
    case "/empty":
      return new Response(null, { status: 204 });
    case "/unchanged":
      return new Response(null, { status: 304, headers: { etag: '"x"' } });
    case "/last":
      return new Response("bye", { headers: { connection: "close" } });
    case "/echo":
      return new Response(await request.bytes());
    default:
      return new Response("nothing here", { status: 404 });
  }
}

async function assertAllRead(port: number): Promise<void> {
  const client = new Client(port);
  for (const exchange of EXCHANGES) {
    const { method = "GET", path, status = 200, body = "", last = false } = exchange;
    const read = await client.ask(exchange);
    assert.ok(isDeepStrictEqual(read, { status, body, last }), `${method} ${path} is read wrong`);
  }
  assert.equal(client.connections, 2);
  client.close();
}

/** One connection at a time, opened anew when the server closed the one before. */
class Client {
  connections = 0;
  readonly #port: number;
  readonly #reader = new ResponseReader({ retain: true });
  #conn: Deno.TcpConn | null = null;
  #random = 1;

  constructor(port: number) {
    this.#port = port;
  }

  async ask({ method = "GET", path, sent, keepAlive = true }: Exchange): Promise<unknown> {
    const conn = this.#conn ??= await this.#dial();
    const request = { method, path, headers: {}, body: sent ?? null };
    const bytes = encodeRequest(request, { host: `127.0.0.1:${this.#port}`, keepAlive });
    this.#reader.begin(method === "HEAD");
    for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
    await this.#readAnswer(conn);
    assert.notEqual(this.#reader.state, BROKEN, this.#reader.reason);
    const { status, kept } = this.#reader;
    const last = !this.#reader.keepAlive;
    if (last) this.close();
    return { status, body: textOf(kept?.body()), last };
  }

  async #readAnswer(conn: Deno.TcpConn): Promise<void> {
    const buffer = new Uint8Array(4_096);
    while (this.#reader.state === NEED_MORE) {
      const length = await conn.read(buffer.subarray(0, this.#readSize()));
      if (length === null) this.#reader.end();
      else assert.equal(this.#reader.read(buffer, 0, length), length, "took all that came");
    }
  }

  /** A few octets, by a linear congruential generator; now and then many, so that large bodies end. */
  #readSize(): number {
    this.#random = (this.#random * 1_103_515_245 + 12_345) % 2 ** 31;
    const size = this.#random >> 16;
    return this.#reader.bodyBytes > 1_000 ? 4_096 : 1 + size % 20;
  }

  async #dial(): Promise<Deno.TcpConn> {
    this.connections++;
    return await Deno.connect({ hostname: "127.0.0.1", port: this.#port });
  }

  close(): void {
    this.#conn?.close();
    this.#conn = null;
  }
}
