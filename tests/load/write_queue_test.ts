import assert from "node:assert/strict";
import type { Connection } from "../../base/net/connection.ts";
import { WriteQueue } from "../../runner/load/transports/deno_transport.ts";

/** A connection that takes at most `most` bytes a write, and what it has taken. */
function narrow(most: number): Connection & { readonly taken: readonly string[] } {
  const taken: string[] = [];
  return {
    taken,
    read: () => Promise.resolve(null),
    write(bytes: Uint8Array): Promise<number> {
      taken.push(new TextDecoder().decode(bytes.subarray(0, most)));
      return Promise.resolve(Math.min(most, bytes.length));
    },
    close(): void {},
  };
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

async function settled(): Promise<void> {
  await new Promise((wake) => setTimeout(wake, 0));
}

Deno.test("what is sent goes out whole and in order, however little a write takes", async () => {
  const conn = narrow(4);
  const queue = new WriteQueue(conn);
  queue.send(bytes("first request"));
  queue.send(bytes("second"));
  await settled();
  queue.send(bytes("third"));
  await settled();
  assert.deepEqual(conn.taken, ["firs", "t re", "ques", "t", "seco", "nd", "thir", "d"]);
});

Deno.test("after a stop nothing is written, not even the rest", async () => {
  const conn = narrow(4);
  const queue = new WriteQueue(conn);
  queue.send(bytes("first request"));
  queue.stop();
  queue.send(bytes("second"));
  await settled();
  assert.deepEqual(conn.taken, ["firs"]);
});

Deno.test("a write that fails ends the writing and throws nothing", async () => {
  let writes = 0;
  const write = (): Promise<number> => (writes++, Promise.reject(new Error("broken pipe")));
  const queue = new WriteQueue({ ...narrow(4), write });
  queue.send(bytes("first"));
  queue.send(bytes("second"));
  await settled();
  queue.send(bytes("third"));
  await settled();
  assert.equal(writes, 1);
});
