import assert from "node:assert/strict";
import { secrets } from "../../base/secrets.ts";
import { Output } from "../../targets/launch/output.ts";
import type { Time } from "../../targets/launch/settles.ts";

function chunksOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size);
  return ReadableStream.from(starts.map((start) => bytes.subarray(start, start + size)));
}

/** Waits take no time. */
const time: Time = { nowMs: () => 0, sleep: () => Promise.resolve() };

function anOutput(): Output {
  return new Output(() => {}, time);
}

async function outputOf(text: string, size = text.length): Promise<Output> {
  const output = anOutput();
  await output.drain(chunksOf(text, size));
  return output;
}

const LINES: [what: string, printed: string, lines: string[]][] = [
  ["nothing", "", []],
  ["whole lines", "one\ntwo\n", ["one", "two"]],
  ["a line without an end", "one\ntw", ["one", "tw"]],
  ["empty lines and carriage returns", "one\r\n\r\n \n10 %\r20 %\r\n", ["one", "10 %", "20 %"]],
  ["colours", "\x1b[1;31mred\x1b[0m and \x1b]8;;http://x\x07link\x1b]8;;\x07\n", ["red and link"]],
  ["cursor movements and bells", "\x1b[2J\x1b[1;1Hgone\x07\x08\x00\n", ["gone"]],
  ["other scripts", "größer → 東京\n", ["größer → 東京"]],
  ["25 lines: the last 20", Array.from({ length: 25 }, (_, line) => `${line}\n`).join(""), [
    ..."56789",
    ...Array.from({ length: 15 }, (_, line) => `${line + 10}`),
  ]],
];

for (const [what, printed, lines] of LINES) {
  for (const size of [1, 7, 1_000]) {
    Deno.test(`lastLines() shows ${what}, when it comes in chunks of ${size}`, async () => {
      assert.deepEqual((await outputOf(printed, size)).lastLines(), lines);
    });
  }
}

for (const size of [1_000, 16_383, 16_384, 16_385, 50_000]) {
  Deno.test(`lastLines() has the end of much output, when it comes in chunks of ${size}`, async () => {
    const printed = Array.from({ length: 5_000 }, (_, line) => `line ${line}\n`);
    const output = await outputOf(printed.join(""), size);
    assert.deepEqual(output.lastLines(), printed.slice(-20).map((line) => line.trim()));
  });
}

Deno.test("lastLines() has no half of a secret where much output was cut off", async () => {
  secrets.keep("half-of-this-secret");
  const output = await outputOf(`half-of-this-secret${"x".repeat(16_384 - "this-secret".length)}`);
  assert.deepEqual(output.lastLines(), [`[secret]${"x".repeat(16_384 - "this-secret".length)}`]);
});

const LISTENING = /^listening (.*)\r?\n/m;
const STARTED = /^started (.*)\r?\n/m;

for (const size of [1, 5, 1_000]) {
  Deno.test(`takeLine() takes the first such line out, when it comes in chunks of ${size}`, async () => {
    const output = anOutput();
    const taken = output.takeLine(LISTENING);
    const printed = "now listening http://a:1\nlistening http://a:1\nlistening http://b:2\nrest\n";
    await output.drain(chunksOf(printed, size));
    assert.equal(await taken, "http://a:1");
    assert.deepEqual(output.lastLines(), [
      "now listening http://a:1",
      "listening http://b:2",
      "rest",
    ]);
  });
}

Deno.test("takeLine() finds a line that comes in one chunk with much output", async () => {
  const output = anOutput();
  const taken = output.takeLine(STARTED);
  const banner = "welcome\n".repeat(5_000);
  await output.drain(chunksOf(`started 12\n${banner}`, banner.length + 20));
  assert.equal(await Promise.race([taken, "nothing"]), "12");
});

Deno.test("takeLine() finds a line that is already there", async () => {
  assert.equal(await (await outputOf("started 12\n")).takeLine(STARTED), "12");
});
