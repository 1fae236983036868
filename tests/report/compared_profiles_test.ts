/** Two results with profiles: which functions a slowdown comes from, in every form of a comparison. */
import assert from "node:assert/strict";
import { comparisonJson } from "../../report/render/comparison.ts";
import {
  compareResults,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import { revisionSides } from "../../report/subjects/comparison/revisions.ts";
import type { Results, TargetProfile } from "../../runner/result/result.ts";
import { HOSTILE, profileOf } from "./profiled_results.ts";
import { around, resultsAt } from "./rates.ts";
import { comparedMarkdown, comparedPage, comparedText } from "./compared.ts";

/** Two profile runs in which the hot function takes so long. */
function profilesOf(target: string, hotMs: number, name?: string): TargetProfile[] {
  return [1, 2].map((run) => profileOf(target, run, hotMs + run, name));
}

function resultsOf(rate: number, profiles: TargetProfile[]): Results {
  return { ...resultsAt({ api: around(rate, 0.001) }), profiles };
}

function textsOf(comparison: ResultsComparison): string[] {
  return [
    comparedText(comparison),
    comparedMarkdown(comparison).replaceAll("\\", ""),
    comparedPage(comparison),
    JSON.stringify(comparisonJson(comparison)),
  ].map((text) => text.replaceAll(/[\s\u00a0]+/g, " "));
}

const [QUICK, SLOW] = [
  resultsOf(1_000, profilesOf("api", 600)),
  resultsOf(500, profilesOf("api", 1_600)),
];

Deno.test("a slowdown is explained by the functions that grew, in every form", () => {
  const sentence =
    "static, api: NEW works 2.00 ms on a request, BASE 1.00 ms: more time is in `stringify` of app/main.js " +
    "(+1.00 ms, 100 % of the difference)";
  const [terminal, markdown, page, json] = textsOf(compareResults(QUICK, SLOW));
  assert.ok(json.includes(sentence), json);
  for (const text of [terminal, markdown, page.replaceAll(/<\/?code>/g, "`")]) {
    assert.ok(
      text.replaceAll("`", "").includes(sentence.slice("static, api: ".length).replaceAll("`", "")),
      text,
    );
  }
  // Shown at once: this page has no detail to switch on.
  assert.match(page, /<section id="c1-profiles"><h2>/);
  assert.match(page, /id="flames-c1-profiles-1-/);
  assert.match(page, /<option value="0">BASE<\/option><option value="1">NEW<\/option>/);
});

Deno.test("what got faster is explained by the functions that take less", () => {
  const [terminal] = textsOf(compareResults(SLOW, QUICK));
  assert.match(
    terminal,
    /NEW works 1\.00 ms on a request, BASE 2\.00 ms: less time is in stringify of app\/main\.js \(−1\.00 ms, 100 % of/,
  );
});

Deno.test("where no figure has changed, no function is blamed", () => {
  const same = compareResults(QUICK, { ...SLOW, runs: QUICK.runs });
  assert.doesNotMatch(textsOf(same).join(), /more time is in/);
  assert.equal(same.profiles.length, 1);
});

/** At so many requests/s, each with so many ms of CPU time; null: nobody saw it. */
function working(rate: number, cpuMs: number | null, hotMs: number): Results {
  const results = resultsOf(rate, profilesOf("api", hotMs));
  const runs = results.runs.map((run) => ({
    ...run,
    resources: cpuMs === null ? [] : run.resources.map((point) => ({
      ...point,
      cpu: run.rate * cpuMs / 1_000,
    })),
  }));
  return { ...results, runs };
}

const FAST = working(1_000, 0.5, 600);

Deno.test("a slowdown by a wait is not explained by functions, as CPU per request is the same", () => {
  for (const hotMs of [1_600, 580]) {
    const waits = compareResults(FAST, working(500, 0.5, hotMs));
    assert.doesNotMatch(textsOf(waits).join(), /(?:more|less) time is in/);
    assert.equal(waits.profiles.length, 1);
  }
});

Deno.test("functions explain CPU per request in its own direction, whatever the other figures do", () => {
  const differencesOf = (next: Results): string =>
    compareResults(FAST, next).profiles.flatMap(({ profiles }) => profiles.differences).join();
  assert.match(differencesOf(working(500, 0.4, 300)), /less time is in/);
  assert.equal(differencesOf(working(500, 0.4, 1_600)), "");
  assert.match(differencesOf(working(2_000, 0.9, 1_600)), /more time is in/);
  assert.equal(differencesOf(working(2_000, 0.9, 300)), "");
});

Deno.test("where CPU per request is unknown, functions explain a change of requests/s", () => {
  const [known, slower] = [[1_000, 600], [500, 1_600]].map(([rate, hotMs]) =>
    working(rate, null, hotMs)
  );
  assert.match(textsOf(compareResults(known, slower)).join(), /more time is in/);
  assert.match(textsOf(compareResults(slower, known)).join(), /less time is in/);
});

Deno.test("profiles of one side alone, and none, are no comparison of profiles", () => {
  const { profiles: _, ...unprofiled } = QUICK;
  assert.deepEqual(compareResults(unprofiled, SLOW).profiles, []);
  assert.deepEqual(compareResults(QUICK, resultsOf(500, [])).profiles, []);
});

Deno.test("two revisions of a target have each its own profiles, and names with markup are text", () => {
  const both = resultsAt({ "api-base": around(1_000, 0.001), "api-head": around(500, 0.001) });
  const profiles = [
    ...profilesOf("api-base", 600, HOSTILE),
    ...profilesOf("api-head", 1_600, HOSTILE),
  ];
  const names = new Map([["api", { base: "api-base", head: "api-head" }]]);
  const { base, head } = revisionSides({ ...both, profiles }, names);
  const [terminal, , page] = textsOf(compareResults(base, head));
  assert.match(terminal, /NEW works 2\.00 ms on a request, BASE 1\.00 ms: more time/);
  assert.ok(!page.includes("<img"));
});

Deno.test("a function is the same in both revisions, though each has a folder of its own", () => {
  const { experiment, ...both } = resultsAt({
    "api-base": around(1_000, 0.001),
    "api-head": around(500, 0.001),
  });
  const cwdOf = (folder: string): string => `/cache/revisions/${folder}`;
  const targets = {
    "api-base": { command: ["node"], cwd: cwdOf("a3cee3-4f53") },
    "api-head": { command: ["node"], cwd: cwdOf("553986-4f53") },
  };
  const inFolder = (profile: TargetProfile, folder: string): TargetProfile => {
    const frames = profile.tree.frames.map((frame) => ({ ...frame, module: `${folder}/main.js` }));
    return { ...profile, tree: { ...profile.tree, frames } };
  };
  const profiles = [
    ...profilesOf("api-base", 600).map((profile) => inFolder(profile, "a3cee3-4f53")),
    ...profilesOf("api-head", 1_600).map((profile) => inFolder(profile, "553986-4f53")),
  ];
  const names = new Map([["api", { base: "api-base", head: "api-head" }]]);
  const results = { ...both, experiment: { ...experiment, targets }, profiles };
  const { base, head } = revisionSides(results, names);
  const [terminal] = textsOf(compareResults(base, head));
  assert.match(
    terminal,
    /: more time is in stringify of main\.js \(\+1\.00 ms, 100 % of the difference\)/,
  );
});
