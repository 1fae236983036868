/**
 * `deno_server.ts HTTP1 TLS` runs Deno.serve on two ports. The variables CERT, KEY and LOG hold the paths of the
 * certificate, the key and the log.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { BIG, SMALL } from "./app.mjs";

const [http1, tls] = Deno.args.map(Number);
const encoder = new TextEncoder();

/** A body that is sent in pieces with a pause after each; `null` aborts the body. */
function inPieces(pieces: readonly (string | null)[]): ReadableStream<Uint8Array> {
  const waiting = [...pieces];
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const piece = waiting.shift();
      if (piece === undefined) return controller.close();
      if (piece === null) return controller.error(new Error("cut"));
      controller.enqueue(encoder.encode(piece));
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
  });
}

async function handle(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  appendFileSync(Deno.env.get("LOG") ?? "", `${pathname}${search}\n`);
  if (pathname === "/big") return new Response(Uint8Array.from(BIG));
  if (pathname === "/204" || pathname === "/304") {
    return new Response(null, { status: Number(pathname.slice(1)) });
  }
  if (pathname === "/503") return new Response("no\n", { status: 503 });
  if (pathname === "/slow") await new Promise((resolve) => setTimeout(resolve, 300));
  if (pathname === "/gzip" && request.headers.get("accept-encoding")?.includes("gzip")) {
    return new Response(Uint8Array.from(gzipSync(SMALL)), {
      headers: { "content-encoding": "gzip" },
    });
  }
  if (pathname === "/chunked") return new Response(inPieces(["one\n", "two\n", "three\n"]));
  if (pathname === "/crash") throw new Error("crash");
  if (pathname === "/cut") {
    return new Response(inPieces(["short", null]), { headers: { "content-length": "100" } });
  }
  if (pathname === "/limited") return new Response("too large\n", { status: 413 });
  if (pathname === "/post") return new Response(String((await request.arrayBuffer()).byteLength));
  return new Response(SMALL);
}

const [cert, key] = ["CERT", "KEY"].map((name) => readFileSync(Deno.env.get(name) ?? "", "utf8"));
Deno.serve({ hostname: "127.0.0.1", port: http1 }, handle);
Deno.serve({ hostname: "127.0.0.1", port: tls, cert, key }, handle);
