/** Answers of origins as they come over the wire: whole, byte by byte, cut off, and wrong. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { OriginRequest } from "../../targets/gateways/origin/request.ts";
import { OriginClient } from "../../targets/gateways/origin/origin.ts";

const GET: OriginRequest = { method: "GET", path: "/", fields: [], body: null };

/** A server that sends `answer` for each request, so many bytes at once, and then may close. Gives its connections. */
async function withServer(
  answer: string,
  { bytes, closes }: { bytes: number; closes: boolean },
  body: (origin: OriginClient) => Promise<void>,
): Promise<number> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.Conn[] = [];
  const serve = async (connection: Deno.Conn): Promise<void> => {
    const buffer = new Uint8Array(4_096);
    while (await connection.read(buffer) !== null) {
      const all = new TextEncoder().encode(answer);
      for (let at = 0; at < all.length; at += bytes) {
        await connection.write(all.subarray(at, at + bytes));
      }
      if (closes) return connection.closeWrite();
    }
  };
  void (async () => {
    for await (const connection of listener) {
      connections.push(connection);
      void serve(connection).catch(() => {});
    }
  })();
  const origin = new OriginClient(`http://127.0.0.1:${listener.addr.port}`);
  try {
    await body(origin);
    return connections.length;
  } finally {
    origin.close();
    listener.close();
    for (const connection of connections) connection.close();
  }
}

async function ask(
  origin: OriginClient,
  method = "GET",
): Promise<{ status: number; text: string }> {
  const { status, body } = await origin.send({ ...GET, method });
  return { status, text: await new Response(body).text() };
}

const HEAD = "HTTP/1.1 200 OK\r\n";
const RIGHT: { what: string; answer: string; text: string; closes?: boolean; method?: string }[] = [
  { what: "with a length", answer: `${HEAD}Content-Length: 3\r\n\r\nabc`, text: "abc" },
  { what: "without a body", answer: "HTTP/1.1 204 No Content\r\n\r\n", text: "" },
  { what: "to HEAD", answer: `${HEAD}content-length: 3\r\n\r\n`, text: "", method: "HEAD" },
  {
    what: "in chunks",
    answer:
      `${HEAD}transfer-encoding: chunked\r\n\r\n3;x=1; y=";"\r\nabc\r\nA\r\n0123456789\r\n0\r\nt: 1\r\n\r\n`,
    text: "abc0123456789",
  },
  { what: "until the end", answer: `${HEAD}\r\nabc`, text: "abc", closes: true },
  {
    what: "after an interim one",
    answer: `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${HEAD}content-length: 1\r\n\r\na`,
    text: "a",
  },
];

for (const { what, answer, text, closes = false, method } of RIGHT) {
  Deno.test(`an answer ${what} is read whole and byte by byte, again and again`, async () => {
    for (const bytes of [answer.length, 1]) {
      await withServer(answer, { bytes, closes }, async (origin) => {
        for (let n = 0; n < 3; n++) assert.equal((await ask(origin, method)).text, text);
        assert.equal(origin.inFlight, 0);
      });
    }
  });
}

const WRONG: { what: string; answer: string }[] = [
  { what: "that is cut off in its head", answer: "HTTP/1.1 200 O" },
  { what: "that is cut off in its body", answer: `${HEAD}content-length: 9\r\n\r\nabc` },
  {
    what: "that is cut off in a chunk",
    answer: `${HEAD}transfer-encoding: chunked\r\n\r\n9\r\nabc`,
  },
  { what: "that is not HTTP", answer: "SSH-2.0-x\r\n\r\n" },
  { what: "with a space before a colon", answer: `${HEAD}content-length : 3\r\n\r\nabc` },
  { what: "with a line feed in a field", answer: `${HEAD}a: b\nset-cookie: c\r\n\r\nabc` },
  { what: "with a folded field", answer: `${HEAD}a: b\r\n c\r\n\r\nabc` },
  { what: "with a wrong length", answer: `${HEAD}content-length: x\r\n\r\nabc` },
  { what: "with a chunk of no length", answer: `${HEAD}transfer-encoding: chunked\r\n\r\nx\r\n` },
  {
    what: "with a space behind the size of a chunk",
    answer: `${HEAD}transfer-encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n`,
  },
  {
    what: "with one length twice",
    answer: `${HEAD}content-length: 1\r\ncontent-length: 1\r\n\r\na`,
  },
  {
    what: "with a chunk extension of no name",
    answer: `${HEAD}transfer-encoding: chunked\r\n\r\n1;\r\na\r\n0\r\n\r\n`,
  },
  { what: "with a head without end", answer: `${HEAD}a: ${"x".repeat(70_000)}` },
];

for (const { what, answer } of WRONG) {
  Deno.test(`an answer ${what} is an error, and nothing stays in flight`, async () => {
    await withServer(answer, { bytes: answer.length, closes: true }, async (origin) => {
      await assert.rejects(ask(origin));
      assert.equal(origin.inFlight, 0);
    });
  });
}

Deno.test("a body until the end of the connection is an error if the connection is reset", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(`${HEAD}\r\nabc`);
    setTimeout(() => socket.resetAndDestroy(), 50);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const origin = new OriginClient(`http://127.0.0.1:${port}`);
  await assert.rejects(ask(origin));
  assert.equal(origin.inFlight, 0);
  origin.close();
  server.close();
  await once(server, "close");
});

Deno.test("a field's value loses spaces and tabs around it, and no other octet", async () => {
  const answer = `${HEAD}x-place: \t Citt\u{e0}\t \r\ncontent-length: 0\r\n\r\n`;
  await withServer(answer, { bytes: 100, closes: false }, async (origin) => {
    const { fields } = await origin.send(GET);
    assert.deepEqual(fields[0], ["x-place", "Citt\u{c3}\u{a0}"]);
  });
});

Deno.test("a kept connection that the origin has closed is replaced, and no request lost", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let accepted = 0;
  void (async () => {
    for await (const connection of listener) {
      accepted++;
      await connection.read(new Uint8Array(4_096));
      await connection.write(new TextEncoder().encode(`${HEAD}content-length: 1\r\n\r\na`));
      connection.close();
    }
  })();
  const origin = new OriginClient(`http://127.0.0.1:${listener.addr.port}`);
  for (let n = 0; n < 50; n++) assert.equal((await ask(origin)).text, "a");
  assert.equal(accepted, 50);
  origin.close();
  listener.close();
});

for (
  const { what, sent } of [{ what: "nothing", sent: "" }, {
    what: "part of a head",
    sent: "HTTP/1.1 ",
  }]
) {
  const times = sent === "" ? 2 : 1;
  Deno.test(`a request for which kept connections bring ${what} is sent ${times} times`, async () => {
    const all = Promise.withResolvers<void>();
    let [asked, poisoned] = [0, 0];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", async (bytes) => {
        if (String(bytes).startsWith("GET /poison ")) {
          poisoned++;
          return socket.end(sent);
        }
        if (++asked === 5) all.resolve();
        await all.promise; // so that each of them has a connection of its own
        socket.write(`${HEAD}content-length: 1\r\n\r\na`);
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const origin = new OriginClient(`http://127.0.0.1:${port}`);
    await Promise.all(Array.from({ length: 5 }, () => ask(origin)));
    await assert.rejects(origin.send({ ...GET, path: "/poison" }));
    assert.deepEqual([poisoned, origin.inFlight], [times, 0]);
    origin.close();
    server.close();
    await once(server, "close");
  });
}

for (
  const { what, answer, text } of [
    { what: "a length", answer: `${HEAD}content-length: 1\r\n\r\na`, text: "a" },
    {
      what: "chunks",
      answer: `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
      text: "a",
    },
    { what: "no body", answer: "HTTP/1.1 204 No Content\r\n\r\n", text: "" },
  ]
) {
  Deno.test(`what stands behind an answer with ${what} is never taken for the next answer`, async () => {
    const more = "HTTP/1.1 500 Not OriginRequest For\r\ncontent-length: 0\r\n\r\n";
    const whole = { bytes: answer.length + more.length, closes: false };
    await withServer(answer + more, whole, async (origin) => {
      for (let n = 0; n < 3; n++) {
        assert.deepEqual(await ask(origin, "POST"), { status: Number(answer.slice(9, 12)), text });
      }
      assert.equal(origin.inFlight, 0);
    });
  });
}

const CONNECTIONS: { what: string; answer: string; closes?: boolean; connections: number }[] = [
  { what: "a length", answer: `${HEAD}Content-Length: 1\r\n\r\na`, connections: 1 },
  {
    what: "Connection: close",
    answer: `${HEAD}Content-Length: 1\r\nConnection: Close\r\n\r\na`,
    connections: 3,
  },
  { what: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", connections: 3 },
  {
    what: "HTTP/1.0 and keep-alive",
    answer: "HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: Keep-Alive\r\n\r\na",
    connections: 1,
  },
  {
    what: "a length beside chunks",
    answer: `${HEAD}transfer-encoding: chunked\r\ncontent-length: 9\r\n\r\n1\r\na\r\n0\r\n\r\n`,
    connections: 3,
  },
  {
    what: "another coding",
    answer: `${HEAD}Transfer-Encoding: gzip\r\n\r\na`,
    closes: true,
    connections: 3,
  },
];

for (const { what, answer, closes = false, connections } of CONNECTIONS) {
  Deno.test(`three responses with ${what} take ${connections} connections`, async () => {
    const accepted = await withServer(answer, { bytes: answer.length, closes }, async (origin) => {
      for (let n = 0; n < 3; n++) assert.equal((await ask(origin)).text, "a");
    });
    assert.equal(accepted, connections);
  });
}
