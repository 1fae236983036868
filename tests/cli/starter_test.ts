/** What `plateau init` writes. */
import assert from "node:assert/strict";
import * as z from "zod";
import starter from "../../cli/commands/starter.yaml" with { type: "text" };
import { experimentSpecWith } from "../../scenarios/file/experiment_shape.ts";

/** Functions, which YAML has none of. */
const OF_SCRIPTS = ["setup", "teardown", "refresh", "script"];

Deno.test("the starter has every key of an experiment, as a line or as a choice", () => {
  const { properties = {} } = z.toJSONSchema(experimentSpecWith(), {
    io: "input",
    unrepresentable: "any",
  });
  const keys = Object.keys(properties);
  assert.ok(keys.length > 20);
  const isThere = (key: string): boolean => new RegExp(`^(?:# )?${key}:`, "m").test(starter);
  assert.deepEqual(keys.filter((key) => !OF_SCRIPTS.includes(key) && !isThere(key)), []);
});
