/** Servers of tests that are programs of their own: they end with whoever uses them. */
import assert from "node:assert/strict";
import { started } from "./programs.ts";

Deno.test("a program ends where its test fails", async () => {
  let pid = 0;
  const failing = async (): Promise<void> => {
    await using program = await started("sh", ["-c", "echo $$; exec cat"]);
    pid = program.port; // it prints its id
    throw new Error("the test fails");
  };
  await assert.rejects(failing, /the test fails/);
  assert.throws(() => Deno.kill(pid, "SIGCONT"), Deno.errors.NotFound);
});
