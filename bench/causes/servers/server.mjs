// deno-lint-ignore-file explicit-function-return-type
// A server for Node and Deno with a cause of slowness, which its first argument names; without one it has none.
// For each request, `work S P` takes S rounds of one function and P of another; `vary N` takes 1 to 2N - 1 rounds, each
// number equally often; `lock` waits for 5 ms, one request at a time; `waiting` waits for 20 ms; `redis` makes Redis
// compute; `storm` allocates much memory that stays in use for a while; `fsync FOLDER` writes a megabyte to storage;
// `resolve NAME` looks a name up; `capped N` waits for 20 ms, and connections beyond N are closed. `blocked` blocks its
// event loop for 50 ms every second, `cluster` serves with two workers, and `spoiling` corrupts its own runtime reports.
import cluster from "node:cluster";
import { lookup } from "node:dns/promises";
import { appendFileSync, readdirSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const [mode, ...numbers] = process.argv.slice(2);
const kept = [];

const ROUND = 10_000;

// These functions call themselves, because V8 counts an inlined function as part of its caller.
function steady(rounds) {
  let sum = 0;
  for (let i = 0; i < ROUND; i++) sum += Math.sqrt(i) % 7;
  return rounds <= 1 ? sum : sum + steady(rounds - 1);
}

function planted(rounds) {
  let sum = 0;
  for (let i = 0; i < ROUND; i++) sum += Math.sqrt(i) % 5;
  return rounds <= 1 ? sum : sum + planted(rounds - 1);
}

let last = Promise.resolve();

function locked() {
  last = last.then(() => sleep(5));
  return last;
}

const COMPUTE = "local i = 0 while i < 100000 do i = i + 1 end return 1";
const REPLY = ":1\r\n";
let redis = null;
const waiting = [];

function compute() {
  if (redis === null) {
    const { hostname, port } = new URL(process.env.REDIS_URL);
    redis = connect(Number(port), hostname);
    redis.on("data", (bytes) => {
      for (let i = 0; i < bytes.length; i += REPLY.length) waiting.shift()?.();
    });
  }
  redis.write(`*3\r\n$4\r\nEVAL\r\n$${COMPUTE.length}\r\n${COMPUTE}\r\n$1\r\n0\r\n`);
  return new Promise((resolve) => waiting.push(resolve));
}

function storm() {
  let last = null;
  for (let i = 0; i < 30_000; i++) last = { last, i };
  kept.push(last);
  if (kept.length > 50) kept.shift();
}

function block() {
  const endMs = performance.now() + 50;
  while (performance.now() < endMs);
}

const RECORD = new Uint8Array(1_000_000);
let journal = null;

async function logged() {
  journal ??= open(join(numbers[0], `records-${process.pid}`), "a");
  const file = await journal;
  await file.write(RECORD, 0, RECORD.length, 0);
  await file.sync();
}

/** The folder of the reports, as Node's own options name it. */
function spoil() {
  const [, url] = /--import=(file:\S+)/.exec(process.env.NODE_OPTIONS ?? "") ?? [];
  const folder = dirname(fileURLToPath(url));
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".jsonl"))) {
    appendFileSync(join(folder, name), '{"at":-1}\nnothing\n{"at":1e999}\n\u0000<b>\n');
  }
}

const HANDLERS = {
  work() {
    const [rounds, plantedRounds] = numbers.map(Number);
    steady(rounds);
    planted(plantedRounds);
  },
  vary: () => steady(1 + Math.floor(Math.random() * (2 * Number(numbers[0]) - 1))),
  lock: locked,
  waiting: () => sleep(20),
  redis: compute,
  storm,
  fsync: logged,
  resolve: () => lookup(numbers[0]),
  capped: () => sleep(20),
};

function serve() {
  const handle = HANDLERS[mode];
  const server = createServer(async (_request, response) => {
    await handle?.();
    response.end("right");
  }).listen(Number(process.env.PORT), "127.0.0.1");
  if (mode === "capped") server.maxConnections = Number(numbers[0]);
  if (mode === "blocked") setInterval(block, 1_000);
  if (mode === "spoiling") setInterval(spoil, 50);
}

if (mode === "cluster" && cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  serve();
}
