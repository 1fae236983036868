/// <reference lib="dom" />
/**
 * Profiles of V8 as DevTools reads them: own and total time of each function are those that Plateau shows. It is the
 * DevTools that Chromium has in itself, and its own model of the file, from which it draws its flame chart.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { frameTimes } from "../../base/profile/frame_times.ts";
import { type CpuProfile, cpuProfile, treeOfCpuProfile } from "../../targets/profile/v8.ts";
import { moduleOf } from "../../targets/profile/profiler.ts";
import { browserTest } from "./chromium.ts";

const NODE_PROFILE = new URL("./fixtures/fastify.cpuprofile", import.meta.url);
const DEVTOOLS = "devtools://devtools/bundled/";

/** Own and total milliseconds of each function, by its name, module and line. */
type Times = Record<string, { own: number; total: number }>;

/** What DevTools says of a call as it walks through the samples; calls end before their callers. */
interface DevToolsCall {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface DevToolsModel {
  forEachFrame(
    begin: (depth: number, call: DevToolsCall) => void,
    end: (
      depth: number,
      call: DevToolsCall,
      sample: number,
      startMs: number,
      totalMs: number,
      ownMs: number,
    ) => void,
  ): void;
}

/** By DevTools. Collections stand below what ran before them in its chart, and are no time of that. */
async function devToolsTimes(browser: Browser, profile: CpuProfile): Promise<Times> {
  const page = await browser.newPage();
  try {
    await page.goto(`${DEVTOOLS}devtools_app.html`, { waitUntil: "commit" });
    const times: Times = {};
    for (const [key, { own, total }] of Object.entries(await readByDevTools(page, profile))) {
      const [name, url, line] = JSON.parse(key);
      const place = `${moduleOf(url)} ${line < 0 || url === "" ? 0 : line + 1}`;
      const time = times[`${name === "" ? "(anonymous)" : name} ${place}`] ??= { own: 0, total: 0 };
      time.own += own;
      time.total += total;
    }
    return times;
  } finally {
    await page.close();
  }
}

function readByDevTools(page: Page, profile: CpuProfile): Promise<Times> {
  return page.evaluate(async ([profile, module]) => {
    const { CPUProfileDataModel } = await import(String(module));
    const model: DevToolsModel = new CPUProfileDataModel.CPUProfileDataModel(profile);
    const times: Times = {};
    const open: { key: string; collectedMs: number }[] = [];
    model.forEachFrame(
      (_depth, { functionName, url, lineNumber }) => {
        open.push({ key: JSON.stringify([functionName, url, lineNumber]), collectedMs: 0 });
      },
      (_depth, { functionName }, _sample, _startMs, totalMs, ownMs) => {
        const { key, collectedMs } = open.pop() ?? { key: "", collectedMs: 0 };
        const time = times[key] ??= { own: 0, total: 0 };
        time.own += ownMs;
        if (!open.some((above) => above.key === key)) time.total += totalMs - collectedMs;
        if (functionName !== "(garbage collector)") return;
        for (const above of open) above.collectedMs += totalMs;
      },
    );
    return times;
  }, [profile, `${DEVTOOLS}models/cpu_profile/cpu_profile.js`] as const);
}

function plateauTimes(profile: CpuProfile): Times {
  const { tree, idleMs } = treeOfCpuProfile(profile);
  const times = frameTimes(tree).map(({ frame: { name, module, line }, ownMs, totalMs }) => (
    [`${name} ${module} ${line}`, { own: ownMs, total: totalMs }] as const
  ));
  return { ...Object.fromEntries(times), "(idle)  0": { own: idleMs, total: idleMs } };
}

/** What Chromium's own V8 says of a page that computes. */
async function profileOfPage(browser: Browser): Promise<CpuProfile> {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.start");
  await page.evaluate(async () => {
    const inner = (rounds: number): unknown[] =>
      Array.from({ length: rounds }, (_, i) => JSON.parse(JSON.stringify({ i, text: `${i}` })));
    const outer = (depth: number): unknown => depth === 0 ? inner(2_000) : outer(depth - 1);
    for (let i = 0; i < 40; i++) {
      outer(i % 5);
      await new Promise((resolve) => setTimeout(resolve));
    }
  });
  const { profile } = await session.send("Profiler.stop");
  await page.close();
  return cpuProfile.parse(profile);
}

/** Of all time, a function with less is left out; and of the time of each. */
const LEAST_RATIO = 0.005;
const TOLERATED_RATIO = 0.01;
/** Several functions of the browser's own are called so, and may call each other. */
const NAMELESS = "(anonymous)  0";

function assertSame(ours: Times, theirs: Times): void {
  const wholeMs = Object.values(theirs).reduce((sum, { own }) => sum + own, 0);
  const large = Object.entries(theirs).filter(([key, { total }]) =>
    key !== NAMELESS && total >= LEAST_RATIO * wholeMs
  );
  assert.ok(large.length >= 3, `${large.length} functions`);
  for (const [key, { own, total }] of large) {
    const said = JSON.stringify([key, ours[key], { own, total }]);
    assert.ok(Math.abs((ours[key]?.own ?? 0) - own) <= TOLERATED_RATIO * total, said);
    assert.ok(Math.abs((ours[key]?.total ?? 0) - total) <= TOLERATED_RATIO * total, said);
  }
  const oursMs = Object.values(ours).reduce((sum, { own }) => sum + own, 0);
  assert.ok(Math.abs(oursMs - wholeMs) <= TOLERATED_RATIO * wholeMs, `${oursMs} ${wholeMs}`);
}

browserTest("DevTools reads a profile as Plateau does, within 1 % of each function's total", {
  "of a server on Node": async ({ browser }) => {
    const profile = cpuProfile.parse(JSON.parse(readFileSync(NODE_PROFILE, "utf8")));
    assertSame(plateauTimes(profile), await devToolsTimes(browser, profile));
  },
  "of a page that computes": async ({ browser }) => {
    const profile = await profileOfPage(browser);
    assertSame(plateauTimes(profile), await devToolsTimes(browser, profile));
  },
});
