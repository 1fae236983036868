import assert from "node:assert/strict";
import type { Machine } from "../../base/system/facts.ts";
import { busiestBetween, parseUse } from "../../base/system/processes.ts";
import { renderDiagnosis } from "../../cli/commands/doctor.ts";
import { checks } from "../../runner/doctor/checks.ts";
import { diagnose, diagnosis } from "../../runner/doctor/diagnosis.ts";
import type { HostFacts } from "../../runner/doctor/observation.ts";
import { MACHINE as SOME_MACHINE } from "../report/fixture.ts";

const MACHINE: Machine = { ...SOME_MACHINE, cpu: "Some CPU", cores: 8, allowedCores: 8 };

/** A machine that nothing speaks against. */
const FIT: HostFacts = {
  machine: MACHINE,
  turboSwitch: "/sys/devices/system/cpu/intel_pstate/no_turbo",
  idle: { seconds: 1, busyRatio: 0.012, stealRatio: 0, busiest: [] },
  clock: { stepUs: 0.03, source: "tsc" },
  driver: { driver: "epoll", note: null },
  calibration: { peakThroughput: 146_993, baselineLatency: 0.031 },
  redis: { version: "7.0.15", kind: "found" },
  nginx: "nginx/1.22.1",
};

function sightOf(machine: Partial<Machine>): HostFacts {
  return { ...FIT, machine: { ...MACHINE, ...machine } };
}

const PLAIN = { width: 100, color: false, unicode: true };

Deno.test("nothing speaks against a fit machine", () => {
  const { checks } = diagnosis.parse(diagnose(FIT));
  assert.deepEqual(checks.filter(({ verdict }) => verdict !== "ok"), []);
  assert.deepEqual(checks.filter(({ advice }) => advice !== null), []);
});

type Case = [
  check: keyof typeof checks,
  sight: HostFacts,
  verdict: "ok" | "advice" | "unknown",
  says: RegExp,
];

const busy = { ...FIT.idle, busyRatio: 0.4, busiest: [{ pid: 17, name: "ffmpeg", cores: 1.2 }] };

const CASES: Case[] = [
  ["system", sightOf({ os: "darwin" }), "advice", /Linux/],
  ["cores", sightOf({ allowedCores: 1 }), "advice", /8 cores, 1 for Plateau.* take turns/s],
  ["governor", sightOf({ governor: "powersave" }), "advice", /cpupower frequency-set -g perf/],
  ["governor", sightOf({ governor: null }), "unknown", /unknown: /],
  ["turbo", sightOf({ turbo: true }), "advice", /echo 1 \| sudo tee \/sys\S+no_turbo/],
  [
    "turbo",
    { ...sightOf({ turbo: true }), turboSwitch: "/sys/devices/system/cpu/cpufreq/boost" },
    "advice",
    /echo 0 \| sudo tee \/sys\S+boost/,
  ],
  ["turbo", sightOf({ turbo: null }), "unknown", /unknown: /],
  ["idle", { ...FIT, idle: { ...FIT.idle, busyRatio: 0.05 } }, "ok", /5 % of 8 cores/],
  ["idle", sightOf({ allowedCores: 2 }), "ok", /1\.2 % of 2 cores in use/],
  ["idle", { ...FIT, idle: busy }, "advice", /40 % of 8 cores.*ffmpeg \(17\) 1\.2 cores/s],
  ["idle", { ...FIT, idle: { ...busy, busiest: [] } }, "advice", /not visible from here/],
  ["idle", { ...FIT, idle: { ...busy, busyRatio: null } }, "unknown", /unknown: /],
  ["steal", { ...FIT, idle: { ...FIT.idle, stealRatio: 0.03 } }, "advice", /3 %.*hypervisor/s],
  ["steal", { ...FIT, idle: { ...FIT.idle, stealRatio: 0.01 } }, "ok", /1 %/],
  ["container", sightOf({ container: "docker" }), "advice", /docker/],
  ["virtual", sightOf({ virtual: "kvm" }), "advice", /kvm.*side by side/s],
  ["limits", sightOf({ limits: { cores: 1.5, memory: 5e8 } }), "advice", /1\.5 cores, 0\.5 GB/],
  ["limits", sightOf({ limits: { cores: 8, memory: null } }), "ok", /8 cores/],
  ["openFiles", sightOf({ openFiles: 9_999 }), "advice", /9,999.*ulimit -n 65536/s],
  ["openFiles", sightOf({ openFiles: 10_000 }), "ok", /10,000/],
  ["openFiles", sightOf({ openFiles: null }), "unknown", /does not show the limit/],
  ["ports", sightOf({ ports: [50_000, 59_999] }), "advice", /10,000.*ip_local_port_range/s],
  ["ports", sightOf({ ports: null }), "unknown", /unknown: /],
  ["clock", { ...FIT, clock: { stepUs: 0.8, source: "hpet" } }, "advice", /hpet.*tsc/s],
  [
    "clock",
    { ...FIT, clock: { stepUs: 15, source: null } },
    "advice",
    /15 µs.*cannot be told apart/s,
  ],
  ["driver", { ...FIT, driver: { driver: "tcp", note: "No libc" } }, "advice", /tcp.*No libc/s],
  ["generator", FIT, "ok", /146,993 requests\/s.*0\.031 ms/],
  ["generator", { ...FIT, calibration: null }, "unknown", /calibrated/],
  ["redis", { ...FIT, redis: null }, "advice", /apt-get install redis-server/],
  ["redis", { ...FIT, redis: { problem: "Cannot use it" } }, "advice", /Cannot use it/],
  ["nginx", { ...FIT, nginx: null }, "advice", /apt-get install nginx/],
];

for (const [name, sight, verdict, says] of CASES) {
  Deno.test(`doctor on ${name}: ${verdict}, and it says ${says}`, () => {
    const judged = checks[name].run(sight);
    assert.equal(judged.verdict, verdict);
    assert.match(`${judged.found}\n${judged.advice ?? ""}`, says);
  });
}

Deno.test("a line a check: a tick, or the advice under what was found", () => {
  const text = renderDiagnosis(diagnose(sightOf({ openFiles: 1_024, governor: null })), PLAIN);
  assert.match(text, /^✓ {2}Processor {2}Some CPU, 8 cores$/m);
  assert.match(text, /^! {2}Open files 1,024 for each process\n {14}every .*ulimit -n 65536$/m);
  assert.match(text, /^\? {2}Governor {3}unknown/m);
  assert.match(text, /^1 check with advice\. 1 check could not be made here\.$/m);
  assert.match(renderDiagnosis(diagnose(FIT), PLAIN), /^This machine is fit to measure on/m);
});

Deno.test("where there is no Unicode the lines are ASCII, and none is wider than the terminal", () => {
  const sight = { ...sightOf({ cpu: "A CPU ".repeat(20) }), idle: busy };
  const text = renderDiagnosis(diagnose(sight), { width: 60, color: false, unicode: false });
  assert.match(text, /^ok {1}System/m);
  // deno-lint-ignore no-control-regex -- ASCII begins with control characters
  assert.match(text, /^[\x00-\x7f]*$/);
  assert.deepEqual(text.split("\n").filter((line) => line.length > 60), []);
});

Deno.test("names from outside can't steer the terminal", () => {
  const idle = { ...busy, busiest: [{ pid: 1, name: "\x1b[2J", cores: 1 }] };
  assert.match(renderDiagnosis(diagnose({ ...FIT, idle }), PLAIN), /\\x1b\[2J \(1\)/);
});

Deno.test("a process may have any name, also with a parenthesis and a space", () => {
  const stat = "42 (a) b (c) S 1 42 42 0 -1 4194560 95 0 0 0 7 5 0 0 20 0 1 0 100 2 3";
  assert.deepEqual(parseUse(stat), { name: "a) b (c", ticks: 12 });
});

Deno.test("those that used most are named, the busiest first", () => {
  const use = (ticks: number, name = "any") => ({ name, ticks });
  const before = new Map([[1, use(1_000)], [2, use(500, "b")], [3, use(7)]]);
  const after = new Map([
    [1, use(1_001)],
    [2, use(550, "b")],
    [4, use(80, "new")],
    [5, use(10, "e")],
    [6, use(9, "f")],
  ]);
  assert.deepEqual(busiestBetween(before, after, 2), [
    { pid: 4, name: "new", cores: 0.4 },
    { pid: 2, name: "b", cores: 0.25 },
    { pid: 5, name: "e", cores: 0.05 },
  ]);
});
