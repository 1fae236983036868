/** A step on GitHub: its summary and annotations beside what the commands print elsewhere. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { MOST_BYTES } from "../../cli/github/step.ts";
import type { Results } from "../../runner/result/result.ts";
import { emptyFolder, type Ended, exits, plateau } from "./plateau.ts";
import { startWitness } from "./witness.ts";

const BRIEFLY = ["-c", "2", "-n", "200"];

/** What a command prints in a step, and what it adds to the summary. */
async function inStep(args: readonly string[], before = ""): Promise<Ended & { summary: string }> {
  using folder = emptyFolder();
  const path = join(folder.path, "summary.md");
  await Deno.writeTextFile(path, before);
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: path };
  const ended = await plateau(args, { env });
  return { ...ended, summary: await Deno.readTextFile(path) };
}

Deno.test("bench adds its markdown to the step's summary, and annotates what failed", async () => {
  await using witness = startWitness({ status: 503 });
  const { code, stdout, stderr, summary } = await inStep([
    ...["bench", witness.origin, ...BRIEFLY, "--expect-status", "200"],
    ...["--threshold", "success > 50%", "--quiet", "--json", "-"],
  ], "## Before\n\n");
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).requests.completed, 200);
  assert.match(
    stderr,
    /^::error title=Wrong responses::.*200 of 200 responses were not as expected$/m,
  );
  assert.match(
    stderr,
    /^::error title=Threshold failed::success > 50%25: success is 0 %25 \[0 %25, 28 %25\]$/m,
  );
  assert.match(summary, /^## Before\n\n## http.*\n/);
  assert.match(summary, /\n### Thresholds\n\n\| Threshold \|.*\n/);
});

Deno.test("run and compare add their markdown, too", async () => {
  await using witness = startWitness();
  using folder = emptyFolder();
  const file = join(folder.path, "e.json");
  await Deno.writeTextFile(
    file,
    JSON.stringify({
      name: "step",
      targets: { here: { url: witness.origin } },
      scenarios: { s: { get: "/" } },
      load: { connections: 1, requests: 100 },
      thresholds: ["success < 50%"], // which no halt of the machine makes doubtful
    }),
  );
  const out = join(folder.path, "out");
  const ran = await exits(1, inStep(["run", file, "--out", out, "--quiet"]));
  assert.match(
    ran.stderr,
    /^::error title=Threshold failed::success < 50%25: s, here: success is /m,
  );
  assert.match(ran.summary, /^## step\n/);
  const compared = await inStep(["compare", out, out]);
  const { runs }: Results = JSON.parse(await Deno.readTextFile(join(out, "results.json")));
  const isValid = runs.some(({ generator }) => generator.trust === "valid");
  assert.equal(compared.code, isValid ? 0 : 5, "what is compared with itself is the same");
  assert.match(compared.summary, /^## step\n/);
});

Deno.test("a summary without room is left as it is, and one that can't be written costs nothing", async () => {
  await using witness = startWitness();
  const full = "x".repeat(MOST_BYTES);
  const { summary } = await inStep(["bench", witness.origin, ...BRIEFLY], full);
  assert.equal(summary, full);
  const env = { GITHUB_STEP_SUMMARY: "/nowhere/summary.md" };
  const { stderr } = await exits(0, ["bench", witness.origin, ...BRIEFLY, "-q"], { env });
  assert.match(stderr, /^Cannot write the step summary to \/nowhere\/summary\.md: /);
});

Deno.test("elsewhere nothing is annotated", async () => {
  await using witness = startWitness({ status: 503 });
  const env = { GITHUB_ACTIONS: "", GITHUB_STEP_SUMMARY: "" };
  const args = ["bench", witness.origin, ...BRIEFLY, "--expect-status", "200", "-q"];
  assert.doesNotMatch((await plateau(args, { env })).stderr, /::/);
});
