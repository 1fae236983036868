/** Values that a choice gives other parameters, and those that it leaves without a place. */
import assert from "node:assert/strict";
import { parseExperiment } from "../../scenarios/file/experiment_file.ts";
import { wrongLines } from "./right_experiment.ts";

/** Two values, of which each choice does without one; one of them comes before the choices. */
const SETTING = `name: setting
parameters:
  delay: 100ms
  scale:
    small: {}
    paper:
      parameters: { delay: 1s }
      load: { connections: "\${users}" }
      repeat: 10
  users: 20
targets: { slow: { app: user, set: { delay: "\${delay}" } } }
scenarios: { user: { get: /user } }
load: { duration: 1s }`;

function read(set: Record<string, string>): ReturnType<typeof parseExperiment> {
  return parseExperiment(SETTING, "x.yaml", { set });
}

Deno.test("a choice gives other parameters values, which --set overrules", () => {
  const used = (set: Record<string, string>): unknown => read(set).parameters;
  assert.deepEqual(read({ scale: "paper" }).targets.slow, { app: "user", set: { delay: "1s" } });
  assert.deepEqual(used({ scale: "paper" }), { delay: "1s", scale: "paper", users: 20 });
  assert.deepEqual(used({ scale: "paper", delay: "5ms" }), {
    delay: "5ms",
    scale: "paper",
    users: 20,
  });
});

Deno.test("a value that nothing chosen holds is not told as used, and can't be set", () => {
  assert.deepEqual(read({}).parameters, { delay: "100ms", scale: "small" });
  assert.deepEqual(wrongLines(SETTING, undefined, { users: "5" }), [
    "--set users: Cannot use 5 (leave it out, because the file does not use ${users} with the chosen parameters)",
  ]);
  assert.deepEqual(wrongLines(SETTING, undefined, { users: "5", scale: "papre" }), [
    '--set scale: Cannot choose "papre" (did you mean "paper"?)',
  ]);
});
