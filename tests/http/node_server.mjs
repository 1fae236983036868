// A node:http server with an answer of each kind; by Node itself when run, else by whoever imports it.
import { createServer } from "node:http";
import { argv, stdout } from "node:process";

const LARGE = "0123456789".repeat(1_000);

const ANSWERS = {
  "/sized": (_request, answer) => answer.end("hello"),
  "/chunked": (_request, answer) => {
    answer.write("one ");
    setTimeout(() => answer.end("two"), 5);
  },
  "/large": (_request, answer) => answer.end(LARGE),
  "/empty": (_request, answer) => answer.writeHead(204).end(),
  "/unchanged": (_request, answer) => answer.writeHead(304, { etag: '"x"' }).end(),
  "/last": (_request, answer) => answer.writeHead(200, { connection: "close" }).end("bye"),
  "/echo": (request, answer) => request.pipe(answer),
};

/** Resolves with the listening server, on a free port. */
export const startServer = () => {
  const server = createServer((request, answer) => {
    const give = ANSWERS[request.url] ?? (() => answer.writeHead(404).end("nothing here"));
    give(request, answer);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
};

if (import.meta.filename === argv[1]) {
  const server = await startServer();
  stdout.write(String(server.address().port));
}
