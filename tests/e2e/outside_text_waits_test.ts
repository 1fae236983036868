/** Text from outside, printed: it steers no terminal, and a terminal without Unicode gets Plateau's signs in ASCII. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { HandMade } from "../fleet/hand_made.ts";
import { testWith } from "../needs.ts";
import { startAgent } from "./fleet/agents.ts";
import { RedisServer } from "./fleet/redis_server.ts";
import { emptyFolder, exits, plateau } from "./plateau.ts";
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
  const { stdout } = await exits(0, ["check", "a.yaml"], { cwd, env: ASCII });
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
    assert.match(text, /^Note: left out: the plugins evil\\x1b\[31mRED$/m);
    assert.doesNotMatch(text, STEERING);
  }
});

Deno.test("bench --like tells its differences in ASCII where the terminal has no Unicode", async () => {
  await using recorder = startRecorder();
  const like = `ab -n 50 -c 2 ${recorder.origin}/`;
  const { stderr } = await exits(0, ["bench", "--like", like], { env: ASCII });
  assert.match(stderr, /whole milliseconds/);
  assert.match(stderr, /^[\n -~]*$/);
});

const COMMAND = /^\s*::|##[\w.-]*\[/m;
const STEALING = [
  "::error::stolen",
  " ::stop-commands::x",
  "a ##[error]b",
  "##vso[task.complete]c",
];

Deno.test("what a target prints starts no command in a CI log, and ours do", async () => {
  using folder = emptyFolder();
  const cwd = folder.path;
  const experiment = {
    name: "a",
    title: "::group::a ##[group]b",
    targets: { a: { command: ["printf", `${STEALING.join("\n")}\n`], ready: "/" } },
    scenarios: { b: { get: "/" } },
    load: { connections: 1, requests: 1 },
    repeat: 1,
  };
  await Deno.writeTextFile(join(cwd, "a.json"), JSON.stringify(experiment));
  const args = ["run", "a.json", "--out", "out", "--markdown", "a.md", "--junit", "-"];
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
  const { stdout, stderr } = await exits(3, args, { cwd, env });
  assert.match(stderr, /^\s*\\x3a:error::stolen$/m);
  assert.match(stderr, /a #\\x23\[error\]b/);
  const ours = stderr.match(/^::error title=[^:]*::.*\n/gm) ?? [];
  assert.equal(ours.length, 1, stderr);
  const summary = await Deno.readTextFile(env.GITHUB_STEP_SUMMARY);
  const markdown = await Deno.readTextFile(join(cwd, "a.md"));
  for (const text of [stderr.replace(ours[0], ""), stdout, markdown, summary]) {
    assert.doesNotMatch(text, COMMAND);
  }
  assert.match(stdout, /a #&#35;\[error\]b/);
});

Deno.test("what a script logs of a response neither steers the terminal nor starts a command", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen(): void {} },
    () => new Response(`evil\x1b[2J\u202e\n${STEALING.join("\n")}`),
  );
  using folder = emptyFolder();
  const cwd = folder.path;
  const script = `const read = async (url: string) => {
  const text = await (await fetch(url)).text();
  console.log(text);
  throw new Error(text);
};
export default {
  name: "a",
  targets: { a: { url: "http://127.0.0.1:${server.addr.port}" } },
  scenarios: { b: { get: "/", after(response: any) { console.log(response.body); } } },
  refresh: { every: "100ms", by: (_: null, { url }: { url: string }) => read(url) },
  load: { connections: 1, duration: "500ms" },
  repeat: 1,
};
`;
  await Deno.writeTextFile(join(cwd, "a.ts"), script);
  const { stderr } = await exits(0, ["run", "a.ts", "--out", "out"], { cwd });
  assert.match(stderr, /^evil\\x1b\[2J\\u202e\n\\x3a:error::stolen$/m);
  assert.match(stderr, /^Users keep their earlier data: .*evil\\x1b/m);
  assert.doesNotMatch(stderr, STEERING);
  assert.doesNotMatch(stderr, COMMAND);
});

testWith(["redis"], "an agent writes out what a job from anybody says", async () => {
  await using redis = await RedisServer.start();
  await using agent = await startAgent("a", { redis: redis.url });
  await using anybody = await HandMade.open(redis.url);
  await anybody.hire("a", { "evil\x1b[2J\u202e\nagent b is ready\n::error::x": 1 });
  await agent.program.prints(/a job was refused: .*\n/);
  const { stderr } = agent.program.printed;
  assert.match(stderr, /evil\\x1b\[2J\\u202e\\x0aagent b is ready\\x0a::error::x/);
  assert.doesNotMatch(stderr, STEERING);
  assert.doesNotMatch(stderr, COMMAND);
});
