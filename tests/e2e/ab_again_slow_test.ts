/** What `plateau ab` measures again: by itself, before it calls something worse, and by the command of its report. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse as words } from "shell-quote";
import { commandOf } from "../../report/subjects/method/command.ts";
import { type Results, results } from "../../runner/result/result.ts";
import { testWith } from "../needs.ts";
import { exits, plateau } from "./plateau.ts";
import { type ScratchRepository, scratchRepository } from "./scratch_repository.ts";

testWith(["git", "node"], "what is worse is measured again, and both have to agree", async () => {
  using scratch = scratchRepository();
  scratch.write("burn.txt", "3000");
  const { path: cwd, env } = scratch;
  const args = ["ab", "HEAD..", "--order", "blocks", "--repeat", "5", "--out", join(cwd, "../out")];
  const { stdout } = await exits(1, args, { cwd, env });
  assert.match(
    stdout,
    /^Worse {4}root, server: (requests\/s|p99|CPU\/request), in fresh runs, too$/m,
  );
  assert.equal(readResults(scratch, "out/confirmation").runs.length, 10);
  await assertRunsAgain(scratch, readResults(scratch, "out"));
});

/** The command that a report shows has the same runs in the same order. */
async function assertRunsAgain({ path, env }: ScratchRepository, shown: Results): Promise<void> {
  const [program, ...args] = words(commandOf(shown)).map(String);
  assert.deepEqual([program, args[0]], ["plateau", "ab"]);
  const out = join(path, "../again");
  const once = ["--confirm", "no", "--out", out];
  const { code, stderr } = await plateau([...args, ...once], { cwd: path, env });
  assert.ok(code === 1 || code === 5, stderr);
  assert.doesNotMatch(stderr, /^Builds /m, "both commits are as they were");
  const order = ({ runs }: Results): unknown =>
    runs.toSorted((a, b) => a.order - b.order).map((
      { target, repetition },
    ) => [target, repetition]);
  assert.deepEqual(order(readResults({ path }, "again")), order(shown));
}

function readResults({ path }: Pick<ScratchRepository, "path">, folder: string): Results {
  const text = Deno.readTextFileSync(join(path, "..", folder, "results.json"));
  return results.parse(JSON.parse(text));
}
