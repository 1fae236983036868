/**
 * A server of Node's over TLS that counts, on its own side, the handshakes that resumed a session. It speaks HTTP/1.1
 * and HTTP/2, and ends each connection after a response. Arguments: version of TLS, certificate, key; with `forgetful`
 * each connection makes the tickets of those before worthless. Prints its port, and what it has seen when its input ends.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";

const [version, cert, key, kind] = process.argv.slice(2);
const server = createSecureServer({
  cert: readFileSync(cert),
  key: readFileSync(key),
  allowHTTP1: true,
  minVersion: version,
  maxVersion: version,
});
const seen = { full: 0, resumed: 0, requests: 0 };
server.on("secureConnection", (socket) => {
  if (socket.isSessionReused()) seen.resumed++;
  else seen.full++;
  if (kind === "forgetful") server.setTicketKeys(randomBytes(48));
});
server.on("request", (request, response) => {
  seen.requests++;
  if (request.httpVersion === "1.1") response.setHeader("connection", "close");
  response.end("ok");
  request.stream?.session?.close();
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on("end", () => {
  process.stdout.write(`${JSON.stringify(seen)}\n`, () => process.exit());
});
