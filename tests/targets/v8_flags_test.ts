/** Flags of V8 reach the program that runs on it, or an error says why not. */
import assert from "node:assert/strict";
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { targetSpec } from "../../base/target/target_shape.ts";
import { cleanEnv, findProgram } from "../../targets/launch/environment.ts";
import { v8FlagsOf, withV8Flags } from "../../targets/launch/v8_flags.ts";
import { testWith } from "../needs.ts";

const PLAIN = { args: ["server.js"], env: {} };

const GIVEN: [program: string, flags: string[], started: ReturnType<typeof withV8Flags>][] = [
  ["/usr/bin/node", [], PLAIN],
  ["/usr/bin/node", ["--no-opt"], { args: ["--no-opt", "server.js"], env: {} }],
  ["/usr/bin/deno", ["--no-opt", "--jitless"], {
    args: ["server.js"],
    env: { DENO_V8_FLAGS: "--no-opt,--jitless" },
  }],
  ["/usr/bin/npm", ["--jitless"], { args: ["server.js"], env: { NODE_OPTIONS: "--jitless" } }],
];

for (const [program, flags, started] of GIVEN) {
  Deno.test(`${program} gets ${flags.join(" ") || "no flags"} of V8 in its own way`, () => {
    assert.deepEqual(withV8Flags(program, PLAIN, flags), started);
  });
}

const IN_VAIN: [program: string, flag: string, why: RegExp][] = [
  ["/usr/bin/npm", "--no-opt", /npm can't pass --no-opt on to Node; write command: \[node/],
  ["/usr/bin/python3", "--no-opt", /python3 is neither/],
];

for (const [program, flag, why] of IN_VAIN) {
  Deno.test(`${program} with ${flag} of V8 is refused, as it would have no effect`, () => {
    assert.match(String(withV8Flags(program, PLAIN, [flag])), why);
  });
}

Deno.test("what the environment says of Node's options stays", () => {
  const env = { NODE_OPTIONS: "--enable-source-maps" };
  assert.deepEqual(withV8Flags("npm", { args: [], env }, ["--jitless"]), {
    args: [],
    env: { NODE_OPTIONS: "--enable-source-maps --jitless" },
  });
});

Deno.test("default is no flag of V8, and the collector's come last", () => {
  assert.deepEqual(v8FlagsOf(undefined), []);
  assert.deepEqual(v8FlagsOf({ flags: "default", gc: "default" }), []);
  const flags = v8FlagsOf({ gc: "--max-semi-space-size=64", flags: "--no-opt --no-maglev" });
  assert.deepEqual(flags, ["--no-opt", "--no-maglev", "--max-semi-space-size=64"]);
});

/** Defines `gc`, which is there with --expose-gc alone. */
const SEES_FLAG = "console.log(typeof gc)";

async function printedWithFlag(program: string, args: readonly string[]): Promise<string> {
  const started = withV8Flags(program, { args, env: cleanEnv() }, ["--expose-gc"]);
  assert.ok(typeof started !== "string");
  const { stdout } = await new Deno.Command(program, {
    args: [...started.args],
    env: started.env,
    clearEnv: true,
  }).output();
  return new TextDecoder().decode(stdout);
}

testWith(["node"], "a real Node runs with the flags", async () => {
  const path = findProgram("node", { path: cleanEnv().PATH, cwd: "." });
  assert.equal(await printedWithFlag(String(path), ["-e", SEES_FLAG]), "function\n");
});

Deno.test("a real Deno runs with the flags", async () => {
  assert.equal(await printedWithFlag(Deno.execPath(), ["eval", SEES_FLAG]), "function\n");
});

Deno.test("lists of flags, collectors and variables are factors of every kind of program", () => {
  const v8 = { flags: ["default", "--no-opt"], gc: "--single-threaded-gc" };
  const cells = planCells(
    experimentSpecWith().parse({
      name: "factors",
      targets: {
        app: { app: "api", v8, set: { log: ["on", "off"] } },
        framework: { framework: "express", v8, env: { MODE: ["a", "b"] } },
        command: { command: ["node", "server.js"], v8: { gc: ["default", "--a=1"] } },
      },
      scenarios: { s: { get: "/" } },
      load: {},
    }),
  );
  assert.deepEqual(cells.map(({ target, parameters }) => [target, ...Object.values(parameters)]), [
    ["app", "default", "on"],
    ["app", "default", "off"],
    ["app", "--no-opt", "on"],
    ["app", "--no-opt", "off"],
    ["framework", "default", "a"],
    ["framework", "default", "b"],
    ["framework", "--no-opt", "a"],
    ["framework", "--no-opt", "b"],
    ["command", "default"],
    ["command", "--a=1"],
  ]);
});

const WRONG: [what: string, lines: Record<string, unknown>, message: RegExp][] = [
  ["flags for Gin", { framework: "gin", v8: { flags: "--no-opt" } }, /runtime has another engine/],
  [
    "an option that is no flag",
    { app: "api", v8: { flags: "no-opt" } },
    /write flags with a space/,
  ],
  ["a flag with a command behind it", { app: "api", v8: { flags: "--x;ls" } }, /write flags/],
  ["no flag at all", { app: "api", v8: {} }, /Cannot leave out both flags and gc/],
];

for (const [what, lines, message] of WRONG) {
  Deno.test(`a target may not have ${what}`, () => {
    assert.match(targetSpec.safeParse(lines).error?.message ?? "", message);
  });
}
