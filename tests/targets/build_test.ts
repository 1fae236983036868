/** Builds of a revision: what is told of one that fails, what is logged, and that nothing of it is left. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TargetError } from "../../base/errors.ts";
import type { CommandStep } from "../../base/target/steps.ts";
import { build } from "../../targets/revisions/build.ts";
import { emptyFolder } from "../e2e/plateau.ts";
import { descendants } from "../e2e/processes.ts";
import { needing } from "../needs.ts";
import { rejected } from "../thrown.ts";

const onLinux = needing("linux");

interface Place extends Disposable {
  readonly checkout: string;
  readonly log: string;
  readonly built: (step: Partial<CommandStep>) => Promise<void>;
}

function place(): Place {
  const folder = emptyFolder();
  const checkout = join(folder.path, "checkout");
  const log = join(folder.path, "checkout.log");
  Deno.mkdirSync(checkout);
  const built = (step: Partial<CommandStep>): Promise<void> =>
    build({
      steps: [{ command: [], timeout: 60_000, env: {}, ...step }],
      ...{ cwd: checkout, stage: checkout, log, what: "server at a1b2c3d" },
      signal: new AbortController().signal,
      onStep: () => {},
    });
  return { checkout, log, built, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

/** Whether a process of that command line was left by a build. */
function isLeft(command: string): boolean {
  return descendants(Deno.pid).some((process) => process.command.trim() === command);
}

const FAILING: [sentence: string, step: Partial<CommandStep>, says: RegExp][] = [
  [
    "fails",
    { command: ["sh", "-c", "echo why; exit 7"] },
    /^Cannot build server at a1b2c3d: .* exited with code 7; all output of the build is in .*\n {2}why$/,
  ],
  ["is no program", { command: ["no-such-program"] }, /there is no program "no-such-program" on/],
  [
    "hangs",
    { command: ["sh", "-c", "sleep 6143 & sleep 6144"], timeout: 1_000 },
    /sleep 6144 took over 1s; all output of the build is in /,
  ],
];

for (const [sentence, step, says] of FAILING) {
  onLinux.test(`a build that ${sentence} is an error that says so, and leaves no checkout and no process`, async () => {
    using at = place();
    const { lines } = await rejected(TargetError, at.built(step));
    assert.match(lines.join("\n"), says);
    assert.ok(!existsSync(at.checkout) && existsSync(at.log));
    assert.ok(!isLeft("sleep 6143") && !isLeft("sleep 6144"));
  });
}

onLinux.test("a build that prints 100 MB is logged in part, and what it left behind ends", async () => {
  using at = place();
  await at.built({ command: ["sh", "-c", "sleep 6145 & yes | head -c 100000000"] });
  const text = Deno.readTextFileSync(at.log);
  assert.match(text, /^\$ sh -c .*\ny\n/);
  assert.ok(text.endsWith("\ny\n… the rest is left out\n"));
  assert.ok(text.length > 3_900_000 && text.length < 4_100_000, `${text.length}`);
  assert.ok(existsSync(at.checkout) && !isLeft("sleep 6145"));
});
