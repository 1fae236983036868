/** What a Python program reports of its event loops: Plateau's `sitecustomize.py` in a real interpreter. */
import assert from "node:assert/strict";
import { cleanEnv } from "../../targets/launch/environment.ts";
import { RuntimeCounters } from "../../targets/observe/runtime/runtime_counters.ts";
import { testWith } from "../needs.ts";

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

testWith(
  ["python"],
  "the CPU time of an event loop's callback is that of its own thread",
  async () => {
    const counters = await RuntimeCounters.open();
    try {
      counters.begin();
      const { success, stderr } = await new Deno.Command("python3", {
        args: ["-c", TWO_LOOPS],
        env: counters.env(cleanEnv()),
        clearEnv: true,
      }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
      const [{ stalls }] = await counters.take(0);
      assert.equal(stalls.length, 2, JSON.stringify(stalls));
      assert.ok(stalls.every(({ cpuMs }) => cpuMs < LITTLE_MS), JSON.stringify(stalls));
    } finally {
      await counters.close();
    }
  },
);
