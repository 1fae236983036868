import { frameworkNames, installedRuntimeNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
import { type Experiment, experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";
import { planCells } from "../../scenarios/plan/plan.ts";
import { runtimeNamed } from "../../targets/frameworks/runtimes.ts";
import { frameworkNamed } from "../../targets/frameworks/registry.ts";
import { digestOf, packSources, readSources } from "../../targets/frameworks/install.ts";
import { targetSpec } from "../../base/target/target_shape.ts";

/** What each folder pins for the framework itself. */
const PINS: Record<string, [file: string, line: (version: string) => string]> = {
  adonisjs: ["package.json", (version) => `"@adonisjs/core": "${version}"`],
  express: ["package.json", (version) => `"express": "${version}"`],
  fastify: ["package.json", (version) => `"fastify": "${version}"`],
  feathers: ["package.json", (version) => `"@feathersjs/feathers": "${version}"`],
  flask: ["requirements.txt", (version) => `\nflask==${version} `],
  gin: ["go.mod", (version) => `github.com/gin-gonic/gin v${version}\n`],
  hapi: ["package.json", (version) => `"@hapi/hapi": "${version}"`],
  nestjs: ["package.json", (version) => `"@nestjs/core": "${version}"`],
};

for (const name of frameworkNames) {
  const { version, folder, settings, summary } = frameworkNamed(name);

  Deno.test(`framework ${name} tells the version that its folder pins`, () => {
    const [file, line] = PINS[folder] ?? ["package.json", () => ""];
    assert.equal(version === "", name === "node-http");
    assert.ok(readSources(folder).get(file)?.includes(line(version)));
  });

  Deno.test(`framework ${name} describes itself and each of its settings, and logs nothing unless told`, () => {
    assert.match(summary, /^\w.{10,80}$/);
    for (const field of Object.values(settings.shape)) assert.ok(field.description);
    assert.deepEqual([settings.parse({}).logging, settings.parse({}).trace], [false, false]);
  });
}

for (const name of installedRuntimeNames) {
  const { version, folder, programs, summary } = runtimeNamed(name);

  Deno.test(`runtime ${name} is the version that its folder pins for each platform, of the major in its name`, () => {
    const { optionalDependencies } = JSON.parse(readSources(folder).get("package.json") ?? "");
    assert.deepEqual([...new Set(Object.values(optionalDependencies))], [version]);
    assert.equal(name.split("@")[1], version.split(".")[0]);
    assert.match(summary, /^\w.{10,80}$/);
    for (const platform of Object.keys(optionalDependencies)) {
      assert.equal(
        programs.filter((path) => path.startsWith(`node_modules/${platform}/`)).length,
        1,
      );
    }
  });
}

Deno.test("a list of runtimes makes a factor of that name, and one runtime is none", () => {
  const file = (runtime: unknown): Experiment =>
    experimentSpecWith().parse({
      name: "runtimes",
      targets: { express: { framework: "express", runtime, env: { A: ["1", "2"] } } },
      scenarios: { static: { get: "/static" } },
      load: { connections: 1, duration: "1s" },
    });
  const cells = planCells(file(["node@20", "node@24", "bun@1"]));
  assert.equal(cells.length, 6);
  const seen = cells.map(({ parameters, targetSpec }) => {
    assert.ok("framework" in targetSpec);
    assert.equal(parameters.runtime, targetSpec.runtime);
    return parameters.runtime;
  });
  assert.deepEqual(new Set(seen), new Set(["node@20", "node@24", "bun@1"]));
  for (const { parameters, targetSpec } of planCells(file("node@22"))) {
    assert.ok("framework" in targetSpec && targetSpec.runtime === "node@22");
    assert.ok(!("runtime" in parameters));
  }
});

Deno.test("sources that differ in one character of one file have another digest", () => {
  const sources = readSources("express");
  const server = sources.get("server.js") ?? "";
  const changed = new Map([...sources, ["server.js", server.replace("5", "6")]]);
  assert.equal(digestOf(new Map(sources)), digestOf(sources));
  assert.notEqual(digestOf(changed), digestOf(sources));
});

Deno.test("packed sources are those of the folders, whatever tools left there", () => {
  const { nestjs } = JSON.parse(packSources(["nestjs"])) as Record<string, Record<string, string>>;
  assert.deepEqual(new Map(Object.entries(nestjs)), readSources("nestjs"));
  assert.ok("src/app.module.ts" in nestjs && "package-lock.json" in nestjs);
});

const WRONG: [what: string, lines: Record<string, unknown>, message: RegExp][] = [
  ["an unknown framework", { framework: "expres" }, /expected one of \W*express/],
  ["an unknown setting", { framework: "gin", set: { workers: 2 } }, /Cannot set \W*workers/],
  ["a switch that is none", { framework: "gin", set: { logging: "maybe" } }, /write on or off/],
  ["an unknown runtime", { framework: "hapi", runtime: "node@19" }, /expected one of .*node@20/],
  [
    "a runtime for Go",
    { framework: "gin", runtime: "node@20" },
    /for gin: it does not run on Node/,
  ],
  [
    "V8 flags for Bun, not even beside Node",
    { framework: "hapi", runtime: ["node", "bun@1"], v8: { flags: "--no-opt" } },
    /Cannot give V8 flags to bun@1/,
  ],
  ["no worker", { framework: "flask", set: { workers: 0 } }, /Cannot use 0: the minimum is 1/],
];

for (const [what, lines, message] of WRONG) {
  Deno.test(`a framework target may not have ${what}`, () => {
    assert.match(targetSpec.safeParse(lines).error?.message ?? "", message);
  });
}
