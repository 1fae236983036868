/** Which thread of a target is the busiest, and what other processes of the same program do meanwhile. */
import assert from "node:assert/strict";
import { TreesContention } from "../../targets/observe/contention.ts";
import { testWith } from "../needs.ts";

/** Computes once it reads a line, says so, and stays until it reads another. */
const COMPUTE = "read go; i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done; read end";

function start(script: string): Deno.ChildProcess {
  return new Deno.Command("sh", { args: ["-c", script], stdin: "piped", stdout: "piped" }).spawn();
}

async function computed({ stdin, stdout }: Deno.ChildProcess): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode("\n"));
  writer.releaseLock();
  const reader = stdout.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "done\n");
  await reader.cancel();
}

async function end(child: Deno.ChildProcess): Promise<void> {
  await child.stdin.close();
  await child.status;
}

testWith(["linux"], "the busiest thread has its idle peers beside it", async () => {
  const children = [start(COMPUTE), start(COMPUTE), start(`${COMPUTE}; :`)];
  const trees = new TreesContention(() => children.map(({ pid }) => pid));
  await computed(children[0]);
  const { busiest, pids } = trees.take();
  await Promise.all(children.map(end));
  assert.equal(pids.length, 3);
  assert.equal(busiest?.name, "sh");
  assert.equal(busiest?.peers?.processes, 1);
  assert.ok((busiest?.peers?.leastMs ?? Infinity) < 0.5 * (busiest?.cpuMs ?? 0));
});

testWith(["linux"], "a process that started the busiest is none of its peers", async () => {
  const child = start(`(${COMPUTE}); :`);
  const trees = new TreesContention(() => [child.pid]);
  await computed(child);
  const { busiest, pids } = trees.take();
  await end(child);
  assert.equal(pids.length, 2);
  assert.equal(busiest?.peers, null);
});
