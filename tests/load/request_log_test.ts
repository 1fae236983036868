import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { LogFile, RequestLog } from "../../runner/load/recording/request_log.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { testWith } from "../needs.ts";
import { forAll } from "../for_all.ts";

function logged(lines: readonly (readonly [number, number, number, number])[]): string {
  let text = "";
  const log = new RequestLog((bytes) => text += new TextDecoder().decode(bytes), 100, 100_000);
  for (const [code, startUs, endUs, slot] of lines) log.add(code, startUs, endUs, slot);
  log.flush();
  return text;
}

Deno.test("a line holds status, start and end in nanoseconds, and the connection's number in the whole load", () => {
  assert.equal(logged([[200, 1.5, 2_000_000, 3]]), "200;1500;2000000000;103\n");
});

Deno.test("a connection to another host has the number of that to the target", () => {
  let text = "";
  const log = new RequestLog((bytes) => text += new TextDecoder().decode(bytes), 10, 4);
  for (const slot of [3, 7, 11]) log.add(200, 0, 0, slot);
  log.flush();
  assert.equal(text, "200;0;0;13\n".repeat(3));
});

Deno.test("every number is written as a decimal, whatever its size", () => {
  const us = fc.integer({ min: 0, max: 24 * 3_600_000_000 }).map((ns) => ns / 1_000);
  const line = fc.tuple(fc.constantFrom(0, 200, 503), us, us, fc.nat(99_999));
  forAll([fc.array(line, { maxLength: 50 })], (lines) => {
    const expected = lines.map(([code, start, end, slot]) =>
      `${code};${Math.round(start * 1_000)};${Math.round(end * 1_000)};${100 + slot}\n`
    );
    assert.equal(logged(lines), expected.join(""));
  }, { seed: 31, numRuns: 500 });
});

const EDGES = [0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 2_000_000_010, 86_400e9];
Deno.test("numbers around the border of the two halves keep their zeros", () => {
  for (const ns of EDGES) assert.equal(logged([[0, 0, ns / 1_000, 0]]), `0;0;${ns};100\n`);
});

Deno.test("more lines than the buffer holds are written whole, none lost", () => {
  const writes: string[] = [];
  const log = new RequestLog((bytes) => writes.push(new TextDecoder().decode(bytes)), 0, 7);
  for (let i = 0; i < 50_000; i++) log.add(200, i, i + 1, i % 7);
  log.flush();
  assert.ok(writes.length > 1 && writes.every((text) => text.endsWith("\n")));
  assert.equal(writes.join("").split("\n").length, 50_001);
});

testWith(["linux"], "a log that can't be written says why, and is left as it is", () => {
  const file = new LogFile("/dev/full");
  assert.equal(file.lost, null);
  file.write(new TextEncoder().encode("200;0;1;0\n"));
  assert.match(String(file.lost), /No space left/);
  file.write(new TextEncoder().encode("200;0;1;0\n"));
  file.close();
});

const MODULE = import.meta.resolve("../../runner/load/recording/request_log.ts");

/** Appends many full buffers of lines that begin with this number. */
function writer(path: string, code: number): Deno.ChildProcess {
  const program = `
    import { LogFile, RequestLog } from ${JSON.stringify(MODULE)};
    const file = new LogFile(${JSON.stringify(path)});
    const log = new RequestLog(file.write, 0, 1);
    for (let i = 0; i < 100_000; i++) log.add(${code}, 1e9, 1e9, 0);
    log.flush();
    file.close();`;
  const config = join(import.meta.dirname ?? "", "../../deno.json");
  return new Deno.Command(Deno.execPath(), {
    args: ["eval", "--config", config, program],
    stderr: "inherit",
  }).spawn();
}

testWith(
  ["linux"],
  "lines of two workers do not mix in a named pipe, which takes writes in pieces",
  async () => {
    using folder = emptyFolder();
    const path = join(folder.path, "pipe");
    new Deno.Command("mkfifo", { args: [path] }).outputSync();
    const writers = [writer(path, 200), writer(path, 503)];
    const pipe = await Deno.open(path);
    const held = await Deno.open(path, { append: true }); // the pipe ends only when both have ended
    const ended = Promise.all(writers.map(({ status }) => status)).finally(() => held.close());
    const text = await new Response(pipe.readable).text();
    const lines = text.split("\n").slice(0, -1);
    const counts = [200, 503].map((code) =>
      lines.filter((line) => line === `${code};1000000000000;1000000000000;0`).length
    );
    assert.deepEqual([...counts, lines.length], [100_000, 100_000, 200_000]);
    assert.ok((await ended).every(({ success }) => success));
  },
);
