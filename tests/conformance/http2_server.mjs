// A node:http2 server of one behaviour, for Node: `http2_server.mjs BEHAVIOUR [CERT KEY]`. It prints its port, and what
// it has seen when its standard input ends.
import { readFileSync } from "node:fs";
import { createSecureServer, createServer } from "node:http2";
import { argv, exit, stdin, stdout } from "node:process";

const [behaviour, cert, key] = argv.slice(2);
const seen = { sessions: 0, streams: 0, most: 0, cancelled: 0 };
let active = 0;

const hello = (stream, head) => {
  const endStream = head[":method"] === "HEAD";
  stream.respond({ ":status": 200, "content-length": 5 }, { endStream });
  if (!endStream) stream.end("hello");
};

const BEHAVIOURS = {
  hello,
  // As many streams at a time as it says, which is two.
  few: hello,
  // Leaves with every tenth.
  leaving: (stream, head) => {
    hello(stream, head);
    if (seen.streams % 10 === 0) stream.session.close();
  },
  // Refuses every fourth.
  refusing: (stream, head) => seen.streams % 4 === 0 ? stream.close(7) : hello(stream, head),
  // Never responds to the first.
  hanging: (stream, head) => {
    if (seen.streams > 1) hello(stream, head);
    else stream.on("close", () => seen.cancelled += Number(stream.rstCode === 8));
  },
};

const settings = behaviour === "few" ? { maxConcurrentStreams: 2 } : {};
const server = cert === undefined
  ? createServer({ settings })
  : createSecureServer({ settings, cert: readFileSync(cert), key: readFileSync(key) });

server.on("session", (session) => {
  seen.sessions++;
  session.on("error", () => {});
});
server.on("stream", (stream, head) => {
  seen.streams++;
  seen.most = Math.max(seen.most, ++active);
  stream.on("close", () => active--);
  stream.on("error", () => {}); // it may be given up at any time
  BEHAVIOURS[behaviour](stream, head);
});
server.listen(0, "127.0.0.1", () => stdout.write(`${server.address().port}\n`));

stdin.resume().on("end", () => stdout.write(JSON.stringify(seen), () => exit()));
