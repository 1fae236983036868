/** Two results with profiles: which functions a change of CPU per request comes from, in every form of a comparison. */
import assert from "node:assert/strict";
import { comparisonJson } from "../../report/render/comparison.ts";
import { compareResults } from "../../report/subjects/comparison/comparison.ts";
import { revisionSides } from "../../report/subjects/comparison/revisions.ts";
import type { Results, TargetProfile } from "../../runner/result/result.ts";
import { comparedMarkdown, comparedPage, comparedText } from "./compared.ts";
import { profileOf } from "./profiled_results.ts";
import { around, resultsAt } from "./rates.ts";
import { plain } from "./readable.ts";

/** Two profile runs in which the hot function takes so long. */
function profilesOf(target: string, hotMs: number, name?: string): TargetProfile[] {
  return [1, 2].map((run) => profileOf(target, run, hotMs + run, name));
}

/** At so many requests/s. @param cpuMs Of a request; null: nobody saw it; absent: as the fixture has it. */
function working(rate: number, hotMs: number, cpuMs?: number | null): Results {
  const results = resultsAt({ api: around(rate, 0.001) });
  const runs = results.runs.map((run) => ({
    ...run,
    resources: cpuMs === undefined
      ? run.resources
      : cpuMs === null
      ? []
      : run.resources.map((point) => ({ ...point, cpu: run.rate * cpuMs / 1_000 })),
  }));
  return { ...results, runs, profiles: profilesOf("api", hotMs) };
}

const [QUICK, SLOW] = [working(1_000, 600), working(500, 1_600)];

Deno.test("profiles: a slowdown is explained by the functions that grew, in every form", () => {
  const comparison = compareResults(QUICK, SLOW);
  const sentence =
    "NEW works 2.00 ms on a request, BASE 1.00 ms: more time is in stringify of app/main.js (+1.00 ms, 100 % of the difference)";
  const page = comparedPage(comparison);
  const forms = [
    comparedText(comparison),
    comparedMarkdown(comparison),
    JSON.stringify(comparisonJson(comparison)),
    page.replaceAll(/<\/?code>/g, ""),
  ];
  for (const form of forms) {
    const text = plain(form).replaceAll(/[\\`]/g, "").replaceAll(/\s+/g, " ");
    assert.ok(text.includes(sentence), text.slice(0, 2_000));
  }
  // Shown at once: this page has no detail to switch on.
  assert.match(page, /<section id="c1-profiles"><h2>/);
  assert.match(page, /id="flames-c1-profiles-1-/);
  assert.match(page, /<option value="0">BASE<\/option><option value="1">NEW<\/option>/);
});

const FAST = working(1_000, 600, 0.5);

/** What is said of the functions of the new result; "": nothing. */
const EXPLAINED: [sentence: string, base: Results, next: Results, says: "more" | "less" | ""][] = [
  ["what got faster is explained by the functions that take less", SLOW, QUICK, "less"],
  ["where no figure has changed, no function is blamed", QUICK, { ...SLOW, runs: QUICK.runs }, ""],
  ["a slowdown by a wait is no function's", FAST, working(500, 1_600, 0.5), ""],
  ["a wait is no function's gain, either", FAST, working(500, 580, 0.5), ""],
  ["less CPU per request is functions that take less", FAST, working(500, 300, 0.4), "less"],
  ["less CPU per request is no function that grew", FAST, working(500, 1_600, 0.4), ""],
  ["more CPU per request is functions that grew", FAST, working(2_000, 1_600, 0.9), "more"],
  ["more CPU per request is no function that takes less", FAST, working(2_000, 300, 0.9), ""],
  [
    "where CPU per request is unknown, functions explain fewer requests/s",
    working(1_000, 600, null),
    working(500, 1_600, null),
    "more",
  ],
  [
    "where CPU per request is unknown, functions explain more requests/s",
    working(500, 1_600, null),
    working(1_000, 600, null),
    "less",
  ],
];

for (const [sentence, base, next, says] of EXPLAINED) {
  Deno.test(`profiles: ${sentence}`, () => {
    const [{ profiles: { differences } }] = compareResults(base, next).profiles;
    const found = /(more|less) time is in/.exec(differences.join())?.[1] ?? "";
    assert.equal(found, says);
  });
}

Deno.test("profiles: those of one side alone, and none, are no comparison of profiles", () => {
  const { profiles: _, ...unprofiled } = QUICK;
  assert.deepEqual(compareResults(unprofiled, SLOW).profiles, []);
  assert.deepEqual(compareResults(QUICK, { ...SLOW, profiles: [] }).profiles, []);
});

/** Both revisions of a target, each measured and profiled under a name and in a folder of its own. */
function revisions(name?: string): ReturnType<typeof revisionSides> {
  const { experiment, ...both } = resultsAt({
    "api-base": around(1_000, 0.001),
    "api-head": around(500, 0.001),
  });
  const sides = [["api-base", "a3cee3-4f53", 600], ["api-head", "553986-4f53", 1_600]] as const;
  const targets = Object.fromEntries(
    sides.map(([target, folder]) => [target, { command: ["node"], cwd: `/revisions/${folder}` }]),
  );
  const profiles = sides.flatMap(([target, folder, hotMs]) =>
    profilesOf(target, hotMs, name).map((profile) => {
      const frames = profile.tree.frames.map((frame) => ({
        ...frame,
        module: `${folder}/main.js`,
      }));
      return { ...profile, tree: { ...profile.tree, frames } };
    })
  );
  const names = new Map([["api", { base: "api-base", head: "api-head" }]]);
  return revisionSides({ ...both, experiment: { ...experiment, targets }, profiles }, names);
}

Deno.test("profiles: a function is the same in both revisions, though each has a folder of its own", () => {
  const { base, head } = revisions();
  assert.match(
    comparedText(compareResults(base, head)),
    /: more time is in stringify of main\.js \(\+1\.00 ms, 100 % of the difference\)/,
  );
});
