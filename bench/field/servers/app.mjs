// deno-lint-ignore-file explicit-function-return-type -- plain JavaScript for Node
/**
 * The paths that the field trials request, as a handler for Node; HTTP/1.1 and HTTP/2 share it.
 */
import { appendFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

export const SMALL = "Hello, field!\n";
export const BIG = Buffer.alloc(1_000_000, "x");
const SLOW_MS = 300;

/** @param log File that gets a line for each request; null for none. */
export function handler(log) {
  return (request, response) => {
    if (log) appendFileSync(log, `${request.url}\n`);
    const say = (status, body, fields = {}) => {
      response.writeHead(status, { "content-length": Buffer.byteLength(body), ...fields });
      response.end(request.method === "HEAD" ? undefined : body);
    };
    const [path] = request.url.split("?");
    if (path === "/big") return say(200, BIG);
    if (path === "/204" || path === "/304") return response.writeHead(Number(path.slice(1))).end();
    if (path === "/503") return say(503, "no\n");
    if (path === "/slow") return setTimeout(() => say(200, SMALL), SLOW_MS);
    if (path === "/gzip") {
      const isWanted = /gzip/.test(request.headers["accept-encoding"] ?? "");
      return isWanted ? say(200, gzipSync(SMALL), { "content-encoding": "gzip" }) : say(200, SMALL);
    }
    if (path === "/chunked") {
      response.writeHead(200);
      response.write("one\n");
      return setTimeout(() => {
        response.write("two\n");
        response.end("three\n");
      }, 5);
    }
    if (path === "/crash") return (response.stream ?? response).destroy();
    if (path === "/cut") {
      response.writeHead(200, { "content-length": 100 });
      response.write("short");
      return setTimeout(() => (response.stream ?? response).destroy(), 5);
    }
    if (path === "/limited") {
      return say(413, "too large\n", response.stream ? {} : { connection: "close" });
    }
    if (path === "/post") {
      let bytes = 0;
      request.on("data", (chunk) => bytes += chunk.length);
      return request.on("end", () => say(200, String(bytes)));
    }
    say(200, SMALL);
  };
}
