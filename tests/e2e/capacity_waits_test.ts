import assert from "node:assert/strict";
import { join } from "node:path";
import { capacityResult } from "../../runner/result/capacity.ts";
import { emptyFolder, plateau, serve } from "./plateau.ts";

const SHORT = ["--within", "p99 < 500ms", "--within", "success >= 99%", "--trial", "1s,2s"];

Deno.test("capacity ends within its budget, its last line is the capacity, and the JSON says the same", async () => {
  await using user = await serve("user", "--set", "delay=20ms");
  using folder = emptyFolder();
  const file = join(folder.path, "capacity.json");
  const { code, stdout, stderr } = await plateau([
    ...["capacity", `${user.origin}/user`, "-c", "4", ...SHORT],
    ...["--width", "20%", "--budget", "25s", "--json", file],
  ]);
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  assert.ok(result.trials.length > 0, stderr);
  assert.ok([0, 5].includes(code), stderr); // 5: a busy machine, or too few trials
  assert.deepEqual(result.within, ["p99 < 500ms", "success >= 99%"]);
  const [last] = stdout.trimEnd().split("\n").slice(-1);
  assert.match(last, /with p99 < 500ms and success >= 99%/);
  const { capacity } = result;
  if (capacity?.high) assert.ok(capacity.low <= capacity.value && capacity.value <= capacity.high);
  for (const { elapsedS, plannedS, rules } of result.trials) {
    assert.ok(elapsedS <= plannedS + 0.5);
    assert.ok(rules.every(({ beyond, requests }) => beyond <= requests));
  }
});

Deno.test("capacity of a server that is not there ends with exit code 3", async () => {
  const { code, stderr } = await plateau(["capacity", "http://127.0.0.1:9/", ...SHORT]);
  assert.equal(code, 3);
  assert.match(stderr, /Cannot measure http:\/\/127\.0\.0\.1:9\//);
});
