/** What is said of a run in which a worker had to be ended. */
import assert from "node:assert/strict";
import type { EndedWorker } from "../../runner/result/generator.ts";
import { caseWith, type Spoiled, worded } from "./case.ts";

function reasonOf(ended: EndedWorker[], run: Spoiled["run"] = {}): string {
  const { trust, sentences, codes } = worded(caseWith({ evidence: { ended }, run }));
  assert.deepEqual([trust, codes[0]], ["invalid", "worker-ended"]);
  return sentences[0];
}

Deno.test("until when a worker measured that was ended is said, and what counts", () => {
  assert.equal(
    reasonOf([{ worker: 0, knownUntil: 1_250 }]),
    "Plateau stopped 1 of 1 worker for not ending in time; only results of the first 1.25 s count, and " +
      "requests in flight at that moment count as unfinished. Check the responses of the target, or repeat the run.",
  );
});

Deno.test("a worker that was ended before it told anything is a reason, however short the run is", () => {
  assert.match(
    reasonOf([{ worker: 0, knownUntil: 0 }], { elapsedS: 0 }),
    /^Plateau stopped 1 of 1 worker for not ending in time; its results are lost\./,
  );
});
