/** Why the program that holds streams open for a bench refuses to give their memory. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Opened } from "../bench/streams/isolate.ts";

const HOLDING = fileURLToPath(import.meta.resolve("../bench/streams/holding.ts"));

/** The errors of the program while it loads a server that gives this response. */
async function refusal(response: () => Response): Promise<string> {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    response,
  );
  const { port } = server.addr;
  const opened: Opened = {
    what: "streams",
    driver: "tcp",
    port,
    count: 2,
    everyMs: 50,
    seconds: 2,
  };
  const args = ["run", "-A", HOLDING, JSON.stringify(opened)];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(!success);
  return new TextDecoder().decode(stderr);
}

Deno.test("streams with another status are wrong responses, though all connections opened", async () => {
  const stderr = await refusal(() => new Response(null, { status: 404 }));
  assert.match(
    stderr,
    /Cannot measure: 2 of 2 connections opened, 0 requests failed, [1-9]\d* responses were wrong/,
  );
});
