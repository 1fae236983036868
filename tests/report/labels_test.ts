import assert from "node:assert/strict";
import { cutTo } from "../../report/page/client/charts/bars.ts";

/** Every character is one wide. */
const ctx = {
  measureText: (text: string): { width: number } => ({ width: [...text].length }),
};

Deno.test("a label without room is cut in its middle, so that both ends are told", () => {
  assert.equal(cutTo(20, "plain, connections 8", ctx), "plain, connections 8");
  assert.equal(cutTo(13, "plain, connections 8", ctx), "plai…ctions 8");
  assert.equal(cutTo(1, "plain, connections 8", ctx), "…");
});
