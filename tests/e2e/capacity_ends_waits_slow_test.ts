/** `plateau capacity` where a server ends, hangs or is too slow, or its user interrupts it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { capacityResult } from "../../runner/result/capacity.ts";
import { emptyFolder, Plateau, plateau, serve } from "./plateau.ts";

const SHORT = ["--within", "p99 < 500ms", "--within", "success >= 99%", "--trial", "1s,2s"];

Deno.test("capacity of a target that dies keeps what was measured, and ends with exit code 3", async () => {
  await using dying = await serve("api");
  using folder = emptyFolder();
  const file = join(folder.path, "capacity.json");
  await using search = new Plateau([
    ...["capacity", `${dying.origin}/static`, ...SHORT],
    ...["--recover", "1s", "--json", file],
  ]);
  await search.prints(/^\[1\] /m);
  dying.program.kill("SIGKILL");
  const { code, stdout, stderr } = await search.ended;
  assert.equal(code, 3);
  assert.doesNotMatch(stderr, /from the last trial/, "said once, in the output");
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  assert.equal(result.end, "not-recovered");
  assert.ok(result.trials.length >= 2);
  assert.equal(result.trials.at(-1)?.recoveryS, null);
  assert.match(stdout, /the target did not recover from the last trial\n$/);
});

Deno.test("capacity of a target that hangs keeps what was measured, and ends with exit code 3", async () => {
  await using hanging = await serve("api");
  using folder = emptyFolder();
  const file = join(folder.path, "capacity.json");
  await using search = new Plateau([
    ...["capacity", `${hanging.origin}/static`, ...SHORT, "--timeout", "1s"],
    ...["--recover", "1s", "--json", file],
  ]);
  await search.prints(/^\[1\] /m);
  hanging.program.kill("SIGSTOP"); // its connections stay open
  const { code } = await search.ended;
  assert.equal(code, 3);
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  assert.equal(result.end, "not-recovered");
  assert.ok(result.trials.length >= 2);
  assert.equal(result.trials.at(-1)?.recoveryS, null);
});

Deno.test("a limit that no rate can keep is no capacity: nothing holds, or the machine is to blame", async () => {
  await using user = await serve("user", "--set", "delay=20ms");
  using folder = emptyFolder();
  const file = join(folder.path, "capacity.json");
  const { code, stdout, stderr } = await plateau([
    ...["capacity", `${user.origin}/user`, "--within", "p99 < 5ms", "--trial", "1s,2s"],
    ...["-c", "4", "--json", file],
  ]);
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  assert.equal(result.capacity, null);
  assert.ok(result.trials.every(({ outcome }) => outcome === "broken"));
  const isKnown = result.trials.some(({ counts }) => counts);
  const found = isKnown
    ? /^Even .+ is more than the target can take with p99 < 5ms/m
    : /^No capacity known with/m;
  assert.match(stdout, found);
  assert.ok(isKnown || result.end === "disturbed", result.end);
  // On a busy machine nothing is said of the target.
  assert.ok(
    (result.end === "nothing-holds" && code === 1) || (result.end === "disturbed" && code === 5),
    `${result.end}, ${code}: ${stderr}`,
  );
  const [first, last] = [result.trials[0], result.trials[result.trials.length - 1]];
  assert.ok(last.ratePerSec < first.ratePerSec, "it was looked for below");
});

Deno.test("capacity that is interrupted keeps its trials", async () => {
  await using api = await serve("api");
  using folder = emptyFolder();
  const file = join(folder.path, "capacity.json");
  await using search = new Plateau(["capacity", `${api.origin}/static`, ...SHORT, "--json", file]);
  await search.prints(/^\[1\] /m);
  search.kill("SIGINT");
  const { code } = await search.ended;
  assert.equal(code, 130);
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  assert.equal(result.end, "interrupted");
  assert.ok(result.trials.length >= 1);
});
