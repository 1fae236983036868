/** Text from outside, printed: it steers no terminal, and a terminal without Unicode gets Plateau's signs in ASCII. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { emptyFolder, plateau } from "./plateau.ts";
import { startRecorder } from "./recorder.ts";

const ASCII = { LC_ALL: "C" };
// deno-lint-ignore no-control-regex -- these must not be printed
const STEERING = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/;

const SCRIPT = `config:
  target: http://127.0.0.1:9
  phases: [{ duration: 1, arrivalRate: 2 }]
  plugins: { "evil\\e[31mRED": {} }
scenarios: [{ flow: [{ get: { url: / } }] }]
`;

const EXPERIMENT = `name: a
title: "a \\e[31m \\u202e"
targets: { a: { url: "http://127.0.0.1:9" } }
scenarios: { b: { get: / } }
load: { connections: [1, 2], duration: 1s }
repeat: 1
`;

Deno.test("check writes out what would steer the terminal, in ASCII where it has no Unicode", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  await Deno.writeTextFile(join(cwd, "a.yaml"), EXPERIMENT);
  const { code, stdout, stderr } = await plateau(["check", "a.yaml"], { cwd, env: ASCII });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^a \\x1b\[31m \\u202e$/m);
  assert.match(stdout, /^ {2}b, a \| connections 1$/m);
  assert.doesNotMatch(stdout, STEERING);
});

Deno.test("the notes of an import steer no terminal, whatever prints them", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  await Deno.writeTextFile(join(cwd, "a.yml"), SCRIPT);
  const [checked, ran, made] = await Promise.all([
    plateau(["check", "a.yml"], { cwd }),
    plateau(["run", "a.yml"], { cwd }),
    plateau(["init", "--from", "a.yml"], { cwd }),
  ]);
  for (const text of [checked.stdout, ran.stderr, made.stdout]) {
    assert.match(text, /^Note: without its plugins evil\\x1b\[31mRED$/m);
    assert.doesNotMatch(text, STEERING);
  }
});

Deno.test("bench --like tells its differences in ASCII where the terminal has no Unicode", async () => {
  await using recorder = startRecorder();
  const like = `ab -n 50 -c 2 ${recorder.origin}/`;
  const { code, stderr } = await plateau(["bench", "--like", like], { env: ASCII });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /whole milliseconds/);
  assert.match(stderr, /^[\n -~]*$/);
});
