/** The five endpoints on node:http alone: what a framework can at most reach on Node. */
import { createServer } from "node:http";
import { createClient } from "redis";

const { HOST = "127.0.0.1", LOGGING, PORT, REDIS_URL, TRACE } = process.env;

const redis = REDIS_URL ? await createClient({ url: REDIS_URL }).connect() : null;
await redis?.set("plateau:counter", 1);

function fibonacci(n) {
  return n < 2 ? n : fibonacci(n - 2) + fibonacci(n - 1);
}

async function readCounter() {
  if (redis === null) return [503, { error: "there is no Redis" }];
  return [200, { value: await redis.get("plateau:counter") }];
}

function validate(query) {
  const errors = [];
  if (!/^-?\d+$/.test(query.get("number") ?? "")) errors.push("number must be an integer");
  if ((query.get("string") ?? "").length < 5) {
    errors.push("string must have at least 5 characters");
  }
  return errors.length > 0 ? [400, { errors }] : [200, { ok: true }];
}

function divide(id) {
  if (id === 1) throw new TypeError("Division by 0");
  return id / (id - 1);
}

/** Status and body of the answer. */
function answer({ pathname, searchParams }) {
  switch (pathname) {
    case "/static":
      return [200, { ok: true }];
    case "/fib":
      return [200, { res: fibonacci(23) }];
    case "/redis":
      return readCounter();
    case "/validation":
      return validate(searchParams);
  }
  const [, id] = /^\/error\/([^/]+)$/.exec(pathname) ?? [];
  return id === undefined ? [404, { error: "Not Found" }] : [200, { value: divide(Number(id)) }];
}

async function handle(request, response) {
  const [status, value] = await answer(new URL(request.url, "http://localhost"));
  const body = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
  if (LOGGING === "on") console.log(`${request.method} ${request.url} ${status}`);
}

const server = createServer((request, response) => {
  handle(request, response).catch((error) => {
    if (TRACE === "on") console.error(error);
    if (LOGGING === "on") console.log(`${request.method} ${request.url} 500`);
    response.writeHead(500, { "content-type": "application/json; charset=utf-8" });
    response.end(JSON.stringify({ error: error.message }));
  });
});
server.listen(Number(PORT), HOST);
