/** What is said of a run in which a worker had to be ended. */
import assert from "node:assert/strict";
import type { EndedWorker } from "../../runner/result/generator.ts";
import { judge } from "../../runner/trust/judging.ts";
import { caseWith, type Spoiled } from "./case.ts";

function reasonOf(ended: EndedWorker[], run: Spoiled["run"] = {}): string {
  const { trust, reasons, causes } = judge(caseWith({ evidence: { ended }, run }));
  assert.deepEqual([trust, causes[0]], ["invalid", "worker-ended"]);
  return reasons[0];
}

Deno.test("until when a worker measured that was ended is said, and what counts", () => {
  assert.equal(
    reasonOf([{ worker: 0, knownUntil: 1_250 }]),
    "Plateau ended 1 of 1 worker that did not end in time: what it measured in the first 1.25 s " +
      "counts, what was in flight then is unfinished. Look at what the target answers, and measure again.",
  );
});

Deno.test("a worker that was ended before it told anything is a reason, however short the run is", () => {
  assert.match(
    reasonOf([{ worker: 0, knownUntil: 0 }], { elapsedS: 0 }),
    /^Plateau ended 1 of 1 worker that did not end in time: nothing that it measured is known\./,
  );
});
