import assert from "node:assert/strict";
import { KeptRoom } from "../../../base/http/kept.ts";
import { LineReader } from "../../../base/http/messages/line_reader.ts";

function linesOf(pieces: readonly string[]): string[] {
  const lines: string[] = [];
  const reader = new LineReader(
    {
      onLine: (bytes, from, to) => lines.push(new TextDecoder().decode(bytes.subarray(from, to))),
    },
    "lf",
    new KeptRoom(),
  );
  for (const piece of pieces) {
    const bytes = new TextEncoder().encode(piece);
    reader.read(bytes, 0, bytes.length);
  }
  reader.end();
  return lines;
}

Deno.test("lines end with LF, maybe after CR, and the last needs no end", () => {
  for (
    const [text, lines] of [
      ["a\nb\n", ["a", "b"]],
      ["a\r\nb", ["a", "b"]],
      ["a\rb\n", ["a\rb"]],
      ["\n\na\n", ["", "", "a"]],
      ["", []],
      ["\r\n", [""]],
    ] as const
  ) {
    for (let at = 0; at <= text.length; at++) {
      assert.deepEqual(linesOf([text.slice(0, at), text.slice(at)]), lines, JSON.stringify(text));
    }
    assert.deepEqual(linesOf([...text]), lines, `${JSON.stringify(text)}, octet by octet`);
  }
});

Deno.test("a line of the limit is read, and one that is longer is not, whole or cut", () => {
  for (const pieces of [[1], [1, 500], [1, 2, 3, 4, 999]]) {
    for (const [length, isOver] of [[1_000, false], [1_001, true]] as const) {
      let lines = 0;
      const reader = new LineReader({ onLine: () => lines++ }, "lf", new KeptRoom(), 1_000);
      const bytes = new TextEncoder().encode("x".repeat(length) + "\n");
      [...pieces, bytes.length].forEach((end, i) => reader.read(bytes, pieces[i - 1] ?? 0, end));
      assert.deepEqual([reader.exceeded !== null, lines], [isOver, isOver ? 0 : 1]);
    }
  }
});
