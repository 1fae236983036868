/** What programs report of themselves: Plateau's modules for Python and Node in real interpreters. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { epochNowMs } from "../../base/system/clock.ts";
import { cleanEnv } from "../../targets/launch/environment.ts";
import type { Collection } from "../../targets/observe/runtime/counter_records.ts";
import { RuntimeCounters } from "../../targets/observe/runtime/runtime_counters.ts";
import { needing, testWith } from "../needs.ts";

const withPython = needing("python");

/** Counters that are closed at the end of their `await using` scope. */
function opened({ compiler = false } = {}): RuntimeCounters & AsyncDisposable {
  const counters = RuntimeCounters.open({ compiler });
  return Object.assign(counters, { [Symbol.asyncDispose]: () => counters.close() });
}

/** Nobody interrupts. */
const NEVER = new AbortController().signal;

/** One thread has computed, the other has not; then the callbacks of both wait, each while the other's is there. */
const TWO_LOOPS = `
import asyncio, threading, time

turns = [threading.Event() for _ in range(3)]
late = 0.02

def compute():
    while time.thread_time() < 0.2:
        pass

def first():
    time.sleep(late)
    turns[0].set()
    turns[1].wait()
    time.sleep(late)
    turns[2].set()

def second():
    turns[0].wait()
    time.sleep(late)
    turns[1].set()
    turns[2].wait()

def serve(before, callback):
    before()
    loop = asyncio.new_event_loop()
    loop.call_soon(callback)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()

threads = [
    threading.Thread(target=serve, args=(compute, first)),
    threading.Thread(target=serve, args=(lambda: None, second)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
`;

/** Less than the first thread has computed before. */
const LITTLE_MS = 100;

withPython.test("the CPU time of a turn of an event loop is that of its own thread", async () => {
  await using counters = opened();
  counters.begin();
  const { success, stderr } = await new Deno.Command("python3", {
    args: ["-c", TWO_LOOPS],
    env: counters.env(cleanEnv()),
    clearEnv: true,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { processes: [{ stalls }] } = await counters.take(0, NEVER);
  assert.equal(stalls.length, 2, JSON.stringify(stalls));
  assert.ok(stalls.every(({ cpuMs }) => cpuMs < LITTLE_MS), JSON.stringify(stalls));
});

/** The machine may halt for less in any turn. */
const HALT_MS = 300;
/** What it waits for between two turns of its event loop, and in one. */
const WAITS = { betweenS: 1.5, withinS: 0.5 };
const BETWEEN_TURNS = `
import asyncio, time

loop = asyncio.new_event_loop()
loop.run_until_complete(asyncio.sleep(0))
time.sleep(${WAITS.betweenS})
loop.run_until_complete(asyncio.sleep(0))
loop.call_soon(time.sleep, ${WAITS.withinS})
loop.run_until_complete(asyncio.sleep(0))
loop.close()
`;

withPython.test("what a program does between turns of its event loop is no stall", async () => {
  await using counters = opened();
  counters.begin();
  const { success, stderr } = await new Deno.Command("python3", {
    args: ["-c", BETWEEN_TURNS],
    env: counters.env(cleanEnv()),
    clearEnv: true,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  const { processes: [{ stalls }] } = await counters.take(0, NEVER);
  const its = stalls.filter(({ ms }) => ms > HALT_MS);
  assert.equal(its.length, 1, JSON.stringify(stalls));
  assert.ok(its[0].ms < WAITS.betweenS * 1_000, JSON.stringify(stalls));
});

/** A worker collects, then the main thread three times; says between which moments either did, and stays. */
const COLLECTING = `
import { Worker } from "node:worker_threads";

const now = () => performance.timeOrigin + performance.now();
const began = now();
new Worker("for (let i = 0; i < 20; i++) gc()", { eval: true }).on("exit", () => {
  const middle = now();
  for (let i = 0; i < 3; i++) gc();
  console.log(JSON.stringify([began, middle, now()]));
});
process.stdin.resume();
`;

testWith(["node"], "Node reports its main thread's collections at their moments", async () => {
  await using counters = opened();
  counters.begin();
  await using program = new Deno.Command("node", {
    args: ["--expose-gc", "--input-type=module", "-e", COLLECTING],
    env: counters.env(cleanEnv()),
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const { value } = await program.stdout.getReader().read();
  const [began, middle, ended] = JSON.parse(new TextDecoder().decode(value));
  const collections = await collectionsUntil(counters, ended);
  const majorsIn = (fromMs: number, toMs: number): Collection[] =>
    collections.filter(({ atMs, ms, kind }) =>
      kind === "major" && atMs >= fromMs && atMs + ms <= toMs
    );
  assert.equal(majorsIn(middle, ended).length, 3, JSON.stringify(collections));
  assert.equal(majorsIn(began, middle).length, 0, "those of a worker");
  assert.ok(majorsIn(middle, ended).every(({ ms }) => ms > 0));
});

/** It collects at once, says when it had, and never rests. */
const BUSY = `
const ended = () => performance.timeOrigin + performance.now();
const turn = () => setImmediate(turn);
turn();
setTimeout(() => {
  for (let i = 0; i < 3; i++) gc();
  console.log(JSON.stringify(ended()));
}, 100);
`;

testWith(["node"], "all collections of a Node that is always busy are waited for", async () => {
  await using counters = opened();
  counters.begin();
  await using program = startNode(counters, ["--expose-gc", "-e", BUSY]);
  const { value } = await program.stdout.getReader().read();
  const endedMs: number = JSON.parse(new TextDecoder().decode(value));
  const { processes: [{ collections, spans }] } = await counters.take(endedMs, NEVER);
  assert.ok(spans.some(({ atMs }) => atMs >= endedMs));
  const majors = collections.filter(({ atMs, kind }) => kind === "major" && atMs < endedMs);
  assert.equal(majors.length, 3, JSON.stringify(collections));
});

testWith(["node"], "nobody waits for reports of a program that has ended", async () => {
  await using counters = opened();
  counters.begin();
  const { success } = await new Deno.Command("node", {
    args: ["-e", "0"],
    env: counters.env(cleanEnv()),
    clearEnv: true,
  }).output();
  assert.ok(success);
  const loadEndMs = epochNowMs();
  await counters.take(loadEndMs, NEVER);
  assert.ok(epochNowMs() < loadEndMs + 4_000, "a busy one is given five seconds");
});

/** Blocks its event loop once, when spans without a stall have ended; spans end after it, too. */
const BLOCKED_ONCE = `
const block = (endMs) => { while (performance.now() < endMs); };
setTimeout(() => block(performance.now() + 400), 1_000);
setTimeout(() => console.log("later"), 2_500);
setInterval(() => {}, 10);
`;

testWith(["node"], "a stall is reported once, by the span in which it was", async () => {
  await using counters = opened();
  counters.begin();
  await using program = startNode(counters, ["-e", BLOCKED_ONCE]);
  await program.stdout.getReader().read();
  const { processes: [{ stalls }] } = await counters.take(epochNowMs(), NEVER);
  const moments = stalls.map(({ atMs }) => atMs);
  assert.ok(stalls.some(({ ms }) => ms > 300), JSON.stringify(stalls));
  assert.equal(new Set(moments).size, moments.length, JSON.stringify(stalls));
});

/** By then several spans have ended, also where the machine halts. */
const LATER = `setTimeout(() => console.log("later"), 1_500); setInterval(() => {}, 10);`;

testWith(["node"], "Node is held up by its reports only once they are requested", async () => {
  await using counters = opened();
  counters.begin();
  await using program = startNode(counters, ["-e", LATER]);
  await program.stdout.getReader().read();
  assert.equal(linesOf(counters).length, 1, "besides the line that says whose it is");
  const { processes: [{ spans }] } = await counters.take(epochNowMs(), NEVER);
  assert.ok(spans.length >= 3, JSON.stringify(spans));
});

/** Optimises, gives up and optimises again; then it stays. */
const OPTIMISED = `
function add(a, b) { return a + b; }
for (let round = 0; round < 3; round++) {
  for (let i = 0; i < 2e6; i++) add(i, 1);
  add("a", {});
  for (let i = 0; i < 2e6; i++) add(i + 0.5, 1);
}
setTimeout(() => console.log("later"), 50);
setInterval(() => {}, 10);
`;

testWith(["node"], "what V8's compilers did is what V8 itself prints of it", async () => {
  await using counters = opened({ compiler: true });
  counters.begin();
  await using program = startNode(counters, ["--trace-opt", "--trace-deopt", "-e", OPTIMISED]);
  const printed = await textUntil(program.stdout, "later\n");
  const times = (what: RegExp): number => [...printed.matchAll(what)].length;
  const { processes: [{ spans }] } = await counters.take(epochNowMs(), NEVER);
  const counted = (of: "maglev" | "turbofan" | "deoptimized"): number =>
    spans.reduce((sum, { compiler }) => sum + (compiler?.[of] ?? 0), 0);
  assert.ok(counted("turbofan") > 0 && counted("deoptimized") > 0, JSON.stringify(spans));
  assert.equal(counted("turbofan"), times(/\[completed optimizing .*target TURBOFAN/g));
  assert.equal(counted("deoptimized"), times(/\[bailout \(kind/g));
});

testWith(["node"], "what compilers do is reported on request alone", async () => {
  await using counters = opened();
  counters.begin();
  await using program = startNode(counters, ["-e", OPTIMISED]);
  await textUntil(program.stdout, "later\n");
  const { processes: [{ spans }] } = await counters.take(epochNowMs(), NEVER);
  assert.ok(spans.length > 0 && spans.every(({ compiler }) => compiler === undefined));
});

/** All that is printed up to a text. */
async function textUntil(stream: ReadableStream<Uint8Array>, end: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of stream) {
    text += decoder.decode(part, { stream: true });
    if (text.includes(end)) break;
  }
  return text;
}

/** The folder in which its processes report. */
function folderOf({ module }: RuntimeCounters): string {
  return dirname(fileURLToPath(module));
}

const REPORT = [
  '{"pid":1,"runtime":"x"}',
  '{"at":1,"forMs":1,"collections":[],"more":[0,0],"stalls":[],"delay":null,"utilization":null,"heap":null}',
  "",
].join("\n");

testWith(["linux"], "nothing that stands where reports should be is waited for", async () => {
  await using counters = opened();
  const inside = (name: string): string => join(folderOf(counters), name);
  counters.begin();
  const pipes = new Deno.Command("mkfifo", { args: ["requested", "1.jsonl"].map(inside) });
  assert.ok((await pipes.output()).success);
  Deno.symlinkSync("/dev/zero", inside("2.jsonl"));
  Deno.mkdirSync(inside("3.jsonl"));
  for (let i = 0; i < 5_000; i++) Deno.writeTextFileSync(inside(`${i}-more.jsonl`), REPORT);
  const { processes, leftOut } = await counters.take(0, NEVER);
  assert.equal(processes.length, 64);
  assert.equal(leftOut.processes, 5_000 - 64);
  assert.ok(processes.every(({ spans }) => spans.length === 1));
});

testWith(["linux"], "a signal ends the wait for a process that is still to report", async () => {
  await using counters = opened();
  counters.begin();
  const steady = JSON.stringify({ pid: Deno.pid, runtime: "x", isSteady: true });
  Deno.writeTextFileSync(join(folderOf(counters), "1.jsonl"), `${steady}\n`);
  const before = performance.now();
  await counters.take(epochNowMs() + 1e6, AbortSignal.abort());
  assert.ok(performance.now() - before < 2_500, "3 s are the most without it");
});

function startNode(counters: RuntimeCounters, args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command("node", {
    args: [...args],
    env: counters.env(cleanEnv()),
    clearEnv: true,
    stdout: "piped",
  }).spawn();
}

/** All that its processes have written. */
function linesOf(counters: RuntimeCounters): string[] {
  const folder = folderOf(counters);
  return readdirSync(folder).filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
}

/** What is reported once a report goes beyond a moment. */
async function collectionsUntil(
  counters: RuntimeCounters,
  epochMs: number,
): Promise<readonly Collection[]> {
  for (;;) {
    const { processes: [reported] } = await counters.take(0, NEVER);
    if (reported?.spans.some(({ atMs }) => atMs > epochMs)) return reported.collections;
    await sleep(20);
  }
}
