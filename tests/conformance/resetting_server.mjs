/**
 * Resets every connection when it is asked, after saying the first argument: run by Node, as not every
 * Deno can reset a connection. Prints its port, and ends with its standard input.
 */
import { createServer } from "node:net";
import process from "node:process";

const [, , text] = process.argv;
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", () => {
    if (text === "") socket.resetAndDestroy();
    else socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 5));
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit());
