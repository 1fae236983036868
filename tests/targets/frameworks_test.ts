import { frameworkNames } from "../../base/target/app_settings.ts";
import assert from "node:assert/strict";
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
  ["no worker", { framework: "flask", set: { workers: 0 } }, /Cannot use 0: the least is 1/],
];

for (const [what, lines, message] of WRONG) {
  Deno.test(`a framework target may not have ${what}`, () => {
    assert.match(targetSpec.safeParse(lines).error?.message ?? "", message);
  });
}
