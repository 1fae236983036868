import assert from "node:assert/strict";
import { aborted } from "../../cli/terminal/process.ts";

Deno.test("who waits for a signal that came before does not wait", async () => {
  const order: string[] = [];
  const interruption = new AbortController();
  const waits = aborted(interruption.signal).then(() => order.push("awaited"));
  order.push("signal");
  interruption.abort();
  await waits;
  await aborted(interruption.signal);
  assert.deepEqual(order, ["signal", "awaited"]);
});
