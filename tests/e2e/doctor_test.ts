import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Diagnosis, diagnosis } from "../../runner/doctor/diagnosis.ts";
import { checks } from "../../runner/doctor/checks.ts";
import { emptyFolder, exits } from "./plateau.ts";

function parsed(text: string): Diagnosis {
  return diagnosis.parse(JSON.parse(text));
}

Deno.test("doctor prints a line for every check, with a tick or advice, and exits 0", async () => {
  const { stdout } = await exits(0, ["doctor"], { env: { LC_ALL: "C.UTF-8" } });
  for (const { title } of Object.values(checks)) {
    assert.match(stdout, new RegExp(`^[✓!?] {2}${title} +\\S`, "m"));
  }
  assert.match(stdout, /\n\n(?:\d+ checks? with advice|This machine is fit).*\n$/);
});

/** Where nobody listens. */
const DEAD = "redis://127.0.0.1:1";

Deno.test("doctor --json - is JSON and nothing else, with what it measured and found", async () => {
  const { stdout } = await exits(0, ["doctor", "--redis", DEAD, "--json", "-"]);
  const { idle, clock, machine, checks: judged } = parsed(stdout);
  assert.deepEqual(judged.map(({ name }) => name), Object.keys(checks));
  assert.ok(idle.seconds >= 0.9 && clock.step > 0);
  assert.equal(machine.os, Deno.build.os);
  for (const { verdict, advice } of judged) assert.ok(verdict === "advice" || advice === null);
  const redis = judged.find(({ name }) => name === "redis");
  assert.equal(redis?.verdict, "advice");
  assert.match(redis?.advice ?? "", /127\.0\.0\.1:1.*does not reply/);
});

Deno.test("doctor --json FILE writes the file and prints the lines, in ASCII where the locale is", async () => {
  using folder = emptyFolder();
  const file = join(folder.path, "doctor.json");
  const { stdout } = await exits(0, ["doctor", "--json", file], { env: { LC_ALL: "C" } });
  assert.match(stdout, /Processor/);
  // deno-lint-ignore no-control-regex -- ASCII begins with control characters
  assert.match(stdout, /^[\x00-\x7f]*$/);
  assert.equal(parsed(readFileSync(file, "utf8")).schema, "plateau.doctor/1");
});
