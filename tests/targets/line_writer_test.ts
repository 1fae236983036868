import assert from "node:assert/strict";
import { LineWriter } from "../../targets/apps/serve.ts";

/** Takes at most `mostBytes` a write, as a pipe does. */
function sink(mostBytes: number): { writes: string[]; writeSync(bytes: Uint8Array): number } {
  const writes: string[] = [];
  return {
    writes,
    writeSync(bytes): number {
      const taken = bytes.subarray(0, mostBytes);
      writes.push(new TextDecoder().decode(taken));
      return taken.length;
    },
  };
}

Deno.test("LineWriter writes the lines of one moment together, once", async () => {
  const { writes, ...target } = sink(1_000);
  const { line } = new LineWriter(target);
  line("one");
  line("two");
  assert.deepEqual(writes, []);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(writes, ["one\ntwo\n"]);
});

Deno.test("LineWriter writes every byte to a sink that takes few at a time", () => {
  const { writes, ...target } = sink(3);
  const writer = new LineWriter(target);
  writer.line("abcdefg");
  writer.flush();
  assert.deepEqual(writes, ["abc", "def", "g\n"]);
});

Deno.test("LineWriter does not gather more than 64 KB", () => {
  const { writes, ...target } = sink(100_000);
  const writer = new LineWriter(target);
  for (let count = 0; count < 7; count++) writer.line("x".repeat(9_999));
  assert.equal(writes[0].length, 70_000);
  writer.flush();
  assert.equal(writes.length, 1);
});

Deno.test("LineWriter drops lines, and does not fail, when nobody reads any more", () => {
  let writes = 0;
  const writer = new LineWriter({
    writeSync(): number {
      writes++;
      throw new Deno.errors.BrokenPipe();
    },
  });
  for (const text of ["one", "two"]) {
    writer.line(text);
    writer.flush();
  }
  assert.equal(writes, 1);
});
