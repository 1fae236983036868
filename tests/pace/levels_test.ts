import assert from "node:assert/strict";
import fc from "fast-check";
import { type LoadStage, mostUsersOf, UserLevels } from "../../scenarios/pace/levels.ts";
import { forAll } from "../for_all.ts";

const SECOND = 1_000_000;

function stage(seconds: number, from: number, to = from): LoadStage {
  return { durationUs: seconds * SECOND, from, to };
}

function levels(stages: readonly LoadStage[], worker = 0, workers = 1): UserLevels {
  return new UserLevels({ stages, worker, workers });
}

const LEVELS: readonly [LoadStage[], seconds: number, level: number, string][] = [
  [[stage(10, 5)], 9.9, 5, "a constant stage has its number"],
  [[stage(10, 0, 10)], 0, 0, "a ramp from nobody begins with nobody"],
  [[stage(10, 0, 10)], 0.999, 0, "nobody has come before the line reaches one"],
  [[stage(10, 0, 10)], 1, 1, "one user has come when the line reaches one"],
  [[stage(10, 1, 20)], 5, 10, "half-way from 1 to 20 there are 10, as 10.5 is not 11"],
  [[stage(10, 10, 0)], 0.999, 10, "a user stays until the line has gone down by one"],
  [[stage(10, 10, 0)], 1, 9, "one has left when the line has gone down by one"],
  [[stage(10, 10, 0)], 9.999, 1, "the last stays until the end of the ramp"],
  [[stage(1, 4), stage(1, 7)], 1, 7, "a stage may begin with another number than the last had"],
  [[stage(1, 4), stage(1, 7, 8)], 99, 8, "after the end there is what was last"],
];

for (const [stages, seconds, level, sentence] of LEVELS) {
  Deno.test(`levels: ${sentence}`, () => {
    assert.equal(levels(stages).at(seconds * SECOND), level);
  });
}

const EXCEEDED: readonly [LoadStage[], present: number, fromS: number, s: number, string][] = [
  [[stage(10, 5)], 4, 2, 2, "there is room at once"],
  [[stage(10, 5)], 5, 2, Infinity, "there never is"],
  [[stage(10, 0, 10)], 3, 0, 4, "the fourth may come when the line reaches four"],
  [[stage(10, 2), stage(10, 2, 12)], 4, 1, 13, "the line of a later stage reaches it"],
  [[stage(10, 9, 1), stage(5, 3), stage(5, 6)], 5, 8, 15, "a later stage begins above it"],
  [[stage(10, 9, 1), stage(5, 3), stage(5, 6)], 5, 1, 1, "it has not gone down so far yet"],
];

for (const [stages, present, fromS, s, sentence] of EXCEEDED) {
  Deno.test(`more than are present may be there: ${sentence}`, () => {
    assert.equal(levels(stages).exceededUs(present, fromS * SECOND), s * SECOND);
  });
}

const someStages = fc.array(
  fc.record({
    durationUs: fc.integer({ min: 1_000, max: 5 * SECOND }),
    from: fc.nat(40),
    to: fc.nat(40),
  }),
  { minLength: 1, maxLength: 5 },
);

Deno.test("the parts of any number of workers add up to the level at every moment", () => {
  forAll([someStages, fc.integer({ min: 1, max: 9 })], (stages, workers) => {
    const whole = levels(stages);
    const parts = Array.from({ length: workers }, (_, at) => levels(stages, at, workers));
    for (let us = 0; us < 6 * SECOND; us += 77_777) {
      const level = whole.at(us);
      const each = parts.map((part) => part.at(us));
      assert.equal(each.reduce((sum, part) => sum + part, 0), level);
      assert.ok(Math.max(...each) - Math.min(...each) <= 1 && level <= mostUsersOf(stages));
    }
  }, { seed: 23 });
});

Deno.test("until the next may come, no more than are present may be there; then they may", () => {
  forAll([someStages, fc.nat(40), fc.nat(3)], (stages, present, worker) => {
    const [asked, seen] = [levels(stages, worker, 4), levels(stages, worker, 4)];
    const endUs = stages.reduce((sum, { durationUs }) => sum + durationUs, 0);
    for (let us = 0; us < endUs; us += 41_003) {
      const nextUs = asked.exceededUs(present, us);
      assert.equal(seen.at(us) > present, nextUs <= us);
    }
  }, { seed: 29 });
});
