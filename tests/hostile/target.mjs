// deno-lint-ignore-file explicit-function-return-type -- JavaScript, as it runs in Node
/** A server that responds right at first, and from its thirtieth request on does what ACT says; MARK is there from then on. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const BEGINS_AT = 30;
const { ACT, MARK, OUT, NODE_OPTIONS = "" } = process.env;
/** Where counters go. */
const counters = dirname(
  fileURLToPath(/--import=(file:\S+)/.exec(NODE_OPTIONS)?.[1] ?? "file:///x/y"),
);
const HEAD = '{"pid":1,"runtime":"x","isSteady":true}\n';
const OWN_FILES = ["commands.log", "results.json", "report.html"].map((name) => join(OUT, name));

/** Puts something else in the place of each. */
function replace(paths, make) {
  for (const path of paths) {
    rmSync(path, { recursive: true, force: true });
    make(path);
  }
}

/** Prints at full speed. */
function flood(stream, text) {
  const block = text.repeat(65_536 / text.length);
  const next = () => setImmediate(() => stream.write(block, next));
  next();
}

/** Counters with as many pauses as fit, all over the run. */
function spoiled() {
  const at = Date.now();
  const times = Array.from({ length: 5_000 }, (_, i) => at + i / 10);
  const collections = times.map((ms) => [ms, 0.1, "minor", 0]);
  const stalls = times.map((ms) => [ms, 11, 11]);
  const record = { at, forMs: 1, collections, more: [0, 0], stalls };
  return JSON.stringify({ ...record, delay: null, utilization: null, heap: null }) + "\n";
}

const acts = {
  "spoils its counters": () =>
    writeFileSync(join(counters, "x.jsonl"), HEAD + spoiled().repeat(40)),
  "writes counters that are none": () =>
    writeFileSync(join(counters, "x.jsonl"), HEAD + "x\n".repeat(8_000_000)),
  "fills its folder with 10,000 files": () => {
    for (let i = 0; i < 10_000; i++) writeFileSync(join(counters, `${i}.jsonl`), HEAD);
  },
  "puts pipes in the place of files": () =>
    replace(
      [...OWN_FILES, join(counters, "requested"), join(counters, `${process.pid}.jsonl`)],
      (path) => execFileSync("mkfifo", [path]),
    ),
  "puts links to devices in the place of files": () => {
    replace([...OWN_FILES, join(counters, "requested")], (path) => symlinkSync("/dev/full", path));
    replace([join(counters, `${process.pid}.jsonl`)], (path) => symlinkSync("/dev/zero", path));
  },
  "puts folders in the place of its counters": () =>
    replace(["requested", `${process.pid}.jsonl`].map((name) => join(counters, name)), (path) => {
      mkdirSync(path);
    }),
  "floods its standard output with lines": () => flood(process.stdout, "a line\n.........\n"),
  "floods its standard error without lines": () => flood(process.stderr, "x"),
  "ignores TERM": () => process.on("SIGTERM", () => {}),
  "stops itself": () => process.kill(process.pid, "SIGSTOP"),
  "closes its listener": () => {
    server.close();
    server.closeAllConnections();
  },
  "responds with garbage": () =>
    respond = (_, { socket }) => socket.write("\x00\xff garbage\r\n\r\n"),
  "responds octet by octet": () =>
    respond = (_, { socket }) => {
      const octets = [..."HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"];
      const timer = setInterval(() => {
        if (octets.length === 0 || socket.destroyed) return clearInterval(timer);
        socket.write(octets.shift());
      }, 20);
    },
  "forks children all the time": () => {
    const fork = () => {
      const child = spawn("sleep", ["0.2"], { stdio: "ignore", detached: true });
      child.on("error", () => {});
    };
    setInterval(fork, 10);
  },
  "lists inspectors without end": () => {},
};

/** Without an end, for whoever looks for an inspector here. */
function endlessList(response) {
  response.writeHead(200, { "content-type": "application/json" });
  const block = Buffer.alloc(1 << 20, " ");
  const next = () => response.write(block, () => response.destroyed || next());
  next();
}

let respond = (_, response) => response.end("ok");
let requests = 0;

const server = http.createServer((request, response) => {
  if (request.url === "/json/list") return endlessList(response);
  if (++requests === BEGINS_AT) {
    writeFileSync(MARK, "");
    acts[ACT]();
  }
  respond(request, response);
}).listen(Number(process.argv[2]), "127.0.0.1");
