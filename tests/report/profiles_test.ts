/** What page and terminal say of profiles. */
import assert from "node:assert/strict";
import type { Results, TargetProfile } from "../../runner/result/result.ts";
import { reportModel } from "../../report/model.ts";
import { slowdownSentence } from "../../report/subjects/profiles/profiles.ts";
import { renderReportPage } from "../../report/render/html/page.ts";
import { renderSummary } from "../../report/render/terminal/summary.ts";
import { HOSTILE, profileOf, resultsWith } from "./profiled_results.ts";

function summaryOf(results: Results): string {
  const options = { width: 100, color: false, unicode: true };
  return renderSummary(reportModel(results), options).replaceAll(/\s+/g, " ");
}

Deno.test("the summary names the hot function, its caller, the range over runs, and the time outside", () => {
  const text = summaryOf(resultsWith([profileOf("fast", 1, 600), profileOf("fast", 2, 400)]));
  assert.match(
    text,
    /55\.6 % \(50\.0 %–60\.0 % in 2 runs\) of fast's time is in json → stringify \(app\/main\.js:7\)\. Time outside of functions: 11\.1 % garbage collection\./,
  );
});

Deno.test("where a library or the system has most time, the program's own function for which it has it comes first", () => {
  const callsOf = (own?: true, name = "hash"): TargetProfile => ({
    ...profileOf("fast", 1, 600),
    tree: {
      frames: [
        { name: "handle", module: "express/lib/router.js", line: 20 },
        { name, module: "shop/server.js", line: 8, ...own && { own } },
        { name: "update", module: "node:internal/crypto/hash", line: 90 },
        { name: "digest", module: "node:internal/crypto/hash", line: 120 },
        { name: "writev", module: "", line: 0 },
      ],
      frame: [0, 1, 2, 3, 4],
      parent: [-1, 0, 1, 1, 0],
      ownMs: [30, 120, 190, 180, 200],
    },
  });
  const text = summaryOf(resultsWith([callsOf(true)]));
  assert.match(
    text,
    /68\.1 % of fast's time is in its own hash \(shop\/server\.js:8\) and the libraries that it calls\. 27\.8 % of fast's time is in handle → writev\./,
  );
  assert.match(
    summaryOf(resultsWith([callsOf(true, "(anonymous)")])),
    /in its own function at shop\/server\.js:8 and the libraries that it calls\./,
  );
  assert.doesNotMatch(summaryOf(resultsWith([callsOf()])), /its own/);
});

Deno.test("the slowest of a runtime is held against its fastest, per request", () => {
  const runs = (target: string, hotMs: number): TargetProfile[] =>
    [1, 2].map((run) => profileOf(target, run, hotMs + run));
  const text = summaryOf(resultsWith([...runs("fast", 600), ...runs("slow", 1_600)]));
  assert.match(
    text,
    /slow works 2\.00 ms on a request, fast 1\.00 ms: more time is in stringify of app\/main\.js \(\+1\.00 ms, 100 % of the difference\)/,
  );
});

Deno.test("a difference that is in many functions is said by package, too", () => {
  const modules: Record<string, number> = {
    "@feathersjs/express/lib/rest.js": 3,
    "@feathersjs/express/lib/index.js": 2,
    "express/lib/response.js": 2,
    "express/lib/request.js": 2,
    "express/lib/router/index.js": 2,
    "express/lib/router/layer.js": 2,
    "node:_http_outgoing": 2,
    "node:_http_incoming": 2,
    "node:_http_server": 2,
    "vary/index.js": 1,
  };
  const names = Object.keys(modules);
  const tree = {
    frames: names.map((module) => ({ name: "(anonymous)", module, line: 1 })),
    frame: names.map((_, i) => i),
    parent: names.map(() => -1),
    ownMs: Object.values(modules),
  };
  const few = { ...tree, ownMs: tree.ownMs.map((ms) => ms / 10) };
  const side = (label: string, tree: TargetProfile["tree"]) => ({
    label,
    runs: [{ ...profileOf(label, 1, 1), tree, rate: 1, forS: 1 }],
  });
  assert.equal(
    slowdownSentence(side("fast", few), side("slow", tree))?.replaceAll("\u00a0", " "),
    "slow works 20.0 ms on a request, fast 2.00 ms: more time is in many functions, by package in " +
      "express (+7.20 ms, 40.0 % of the difference), Node's own modules (+5.40 ms, 30.0 %) and " +
      "@feathersjs/express (+4.50 ms, 25.0 %); by function most in functions without a name of " +
      "@feathersjs/express/lib/rest.js (+2.70 ms, 15.0 % of the difference), functions without a name of " +
      "@feathersjs/express/lib/index.js (+1.80 ms, 10.0 %) and functions without a name of " +
      "express/lib/response.js (+1.80 ms, 10.0 %) " +
      "(a side has only one profile run, so the noise between runs is unknown)",
  );
});

Deno.test("time by a clock that stands still while a thread waits is called CPU time", () => {
  const profile = profileOf("fast", 1, 600);
  const by = (profiler: "perf" | "pprof" | "py-spy"): string =>
    summaryOf(resultsWith([{
      ...profile,
      processes: profile.processes.map((process) => ({ ...process, profiler })),
    }]));
  assert.match(by("perf"), /60\.0 % of fast's CPU time is in json → stringify/);
  assert.match(by("pprof"), /60\.0 % of fast's CPU time is in json → stringify/);
  assert.match(by("py-spy"), /60\.0 % of fast's time is in json → stringify/);
});

Deno.test("time that V8 counts as idle is not said to be that of waiting alone", () => {
  const text = summaryOf(resultsWith([{ ...profileOf("fast", 1, 600), idleMs: 250 }]));
  assert.match(
    text,
    /For 20\.0 % of the profile, the process waited for requests or read them: V8 counts both/,
  );
});

Deno.test("system calls that V8 shows for longer than the kernel had in all are not left as they are", () => {
  const writing = (ms: number): TargetProfile => {
    const profile = profileOf("fast", 1, 1_000 - ms - 400);
    const { frames, frame, parent, ownMs } = profile.tree;
    const tree = {
      frames: [...frames, { name: "writev", module: "", line: 0 }],
      frame: [...frame, 3],
      parent: [...parent, 0],
      ownMs: [...ownMs, ms],
    };
    return { ...profile, busyMs: 1_000, tree };
  };
  const said =
    /V8 overstates system calls here: by the kernel's count, the calls took at most 25\.0 % of the target's CPU/;
  assert.match(summaryOf(resultsWith([writing(500)])), said);
  assert.doesNotMatch(summaryOf(resultsWith([writing(300)])), said);
});

Deno.test("differences within the noise of the runs are not named", () => {
  const text = summaryOf(resultsWith([
    profileOf("fast", 1, 600),
    profileOf("fast", 2, 1_900),
    profileOf("slow", 1, 1_000),
    profileOf("slow", 2, 2_200),
  ]));
  assert.match(text, /no function differs by more than the runs do/);
});

Deno.test("the page says how much of a profile it leaves out", () => {
  const page = renderReportPage([reportModel(resultsWith([profileOf("fast", 1, 600, HOSTILE)]))]);
  assert.match(page, /12 small calls are not shown; their time, 0\.4 % of all/);
  assert.match(page, /href="#e1-profiles"/);
});

Deno.test("functions stand as code in the page, and one whose name has a backtick as it is", () => {
  const pageOf = (name: string): string =>
    renderReportPage([reportModel(resultsWith([profileOf("fast", 1, 600, name)]))]);
  assert.match(pageOf("stringify"), /is in <code>json<\/code> → <code>stringify<\/code> \(app/);
  assert.match(pageOf("a`b"), /is in `json` → `a`b` \(app/);
});

Deno.test("a profile that could not be taken is a note, and results without profiles have no section", () => {
  const nothing = { ...profileOf("fast", 1, 0), notes: ["no profile of process 7 (node: gone)"] };
  const empty = { ...nothing, tree: { frames: [], frame: [], parent: [], ownMs: [] }, busyMs: 0 };
  const pages = [[empty], []].map((profiles) =>
    renderReportPage([reportModel(resultsWith(profiles))])
  );
  assert.ok(pages[0].includes("no profile of process 7 (node: gone)"));
  assert.ok(!pages[1].includes("-profiles"));
  assert.match(
    summaryOf(resultsWith([empty])),
    /Profiles .*no profile of process 7 \(node: gone\)\./,
  );
});
