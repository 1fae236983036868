// Runs under Node, whose HTTP client parses with llhttp: reads answers as JSON from standard input, has
// each sent by a plain TCP server that then closes, and writes what the client made of each.
import { request } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";

const answers = JSON.parse(await text(process.stdin));

/** Resolves with `{ status, body }`, or `{ refused }` with the reason. */
const ask = (port, method, number) =>
  new Promise((resolve) => {
    const asked = request({ host: "127.0.0.1", port, method, path: `/${number}`, agent: false });
    asked.on("error", (error) => resolve({ refused: error.reason ?? error.message }));
    asked.on("upgrade", (_answer, socket) => {
      socket.destroy();
      resolve({ refused: "upgrade" });
    });
    asked.on("response", (answer) => {
      const chunks = [];
      answer.on("error", (error) => resolve({ refused: error.reason ?? error.message }));
      answer.on("data", (chunk) => chunks.push(chunk));
      answer.on("end", () => {
        if (!answer.complete) return resolve({ refused: "incomplete" });
        resolve({ status: answer.statusCode, body: Buffer.concat(chunks).toString("latin1") });
      });
    });
    asked.end();
  });

/** Sends the answer whose number is in the path, whatever it is. */
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (head) => {
    const [, number] = /^\S+ \/(\d+) /.exec(head.toString("latin1"));
    socket.end(Buffer.from(answers[number].wire, "latin1"));
  });
});
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address();
  const verdicts = [];
  for (const [number, { answersHead }] of answers.entries()) {
    verdicts.push(await ask(port, answersHead ? "HEAD" : "GET", number));
  }
  process.stdout.write(JSON.stringify(verdicts));
  server.close();
});
