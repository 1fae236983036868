import assert from "node:assert/strict";
import { join } from "node:path";
import { toldOf } from "../cli/command_line.ts";
import { emptyFolder, exits, plateau, serve } from "./plateau.ts";

const FIXTURES = join(import.meta.dirname ?? "", "fixtures");
const WRONG = join(FIXTURES, "wrong.yaml");
const SMALL = join(FIXTURES, "small.yaml");
const DEAD = "http://127.0.0.1:1/";

/** One or two of each way that a command line can be wrong; tests/cli has the others. */
const wrong: [sentence: string, args: string[], says: RegExp][] = [
  ["a command that there is not", ["frobnicate"], /frobnicate/],
  ["a misspelt command", ["bnch"], /bench/],
  ["a URL that is none", ["bench", "nonsense"], /nonsense/],
  ["a misspelt option", ["bench", DEAD, "--conections", "5"], /--connections/],
  ["a port out of range", ["serve", "api", "--port", "70000"], /70000/],
  ["an experiment that is missing", ["run", "no-such.yaml"], /no-such\.yaml/],
  ["results that are something else", ["report", SMALL], /small\.yaml/],
  ["init over a file that is there", ["init", SMALL], /small\.yaml/],
];

for (const [sentence, args, says] of wrong) {
  Deno.test(`exit code 2 and a plain message for ${sentence}`, async () => {
    const { stdout, stderr } = await exits(2, args);
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^\s+at |Error:/m);
    assert.equal(stdout, "");
  });
}

/** What needs no process of its own to be seen. */
const refused: [sentence: string, args: string[], says: RegExp][] = [
  ["a negative duration", ["bench", DEAD, "-d", "-1s"], /-1s/],
  ["no requests", ["bench", DEAD, "-n", "0"], /requests.*"?0"?/],
  ["a body file that is missing", ["bench", DEAD, "-b", "@/no/such/file"], /\/no\/such\/file/],
  ["a status that there is not", ["bench", DEAD, "--expect-status", "99"], /99/],
  ["a built-in experiment misspelt", ["run", "quik"], /quick/],
  ["a folder for a file", ["run", FIXTURES], /fixtures/],
  ["a filter for nothing in the plan", ["run", SMALL, "--only", "target=nobody"], /nobody/],
  ["an --out that is a file", ["run", SMALL, "--out", SMALL], /small\.yaml/],
  ["a schema that there is not", ["schema", "colour"], /colour/],
];

for (const [sentence, args, says] of refused) {
  Deno.test(`a message says what is wrong with ${sentence}`, async () => {
    assert.match((await toldOf(args)).join("\n"), says);
  });
}

Deno.test("check tells every problem of a file at once, with its line and the fix", async () => {
  const { stderr } = await exits(2, ["check", WRONG]);
  assert.match(stderr, /wrong\.yaml:2:\d+: .*targtes.*targets/);
  assert.match(stderr, /wrong\.yaml:6:\d+: .*get and post/);
  assert.match(stderr, /wrong\.yaml:7:\d+: .*connections/);
  assert.match(stderr, /wrong\.yaml:7:\d+: .*ten seconds/);
});

Deno.test("run says the same of a wrong file as check", async () => {
  const [checked, run] = await Promise.all([plateau(["check", WRONG]), plateau(["run", WRONG])]);
  assert.equal(run.code, 2);
  assert.equal(run.stderr, checked.stderr);
});

Deno.test("a file that is not YAML is told with its line", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "broken.yaml");
  Deno.writeTextFileSync(file, "name: a\ntargets: [}\n");
  const { stderr } = await exits(2, ["check", file]);
  assert.match(stderr, /broken\.yaml:2/);
});

const unavailable: [sentence: string, args: string[], says: RegExp][] = [
  ["a target that nobody serves", ["bench", DEAD, "-n", "1"], /127\.0\.0\.1:1\b/],
  [
    "a host that there is not",
    ["bench", "http://no-such-host.invalid/", "-n", "1"],
    /no-such-host/,
  ],
];

for (const [sentence, args, says] of unavailable) {
  Deno.test(`exit code 3 and a plain message for ${sentence}`, async () => {
    using folder = emptyFolder();
    const { stderr } = await exits(3, args, { cwd: folder.path });
    assert.match(stderr, says);
    assert.doesNotMatch(stderr, /^\s+at |Error:/m);
  });
}

Deno.test("exit code 3 and a plain message for a port that is taken", async () => {
  await using api = await serve("api");
  const { port } = new URL(api.origin);
  const { stderr } = await exits(3, ["serve", "api", "--port", port]);
  assert.match(stderr, new RegExp(`${port}.*in use|port ${port} is taken`, "i"));
  assert.doesNotMatch(stderr, /^\s+at /m);
});
