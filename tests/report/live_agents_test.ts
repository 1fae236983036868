import assert from "node:assert/strict";
import type { LiveAgent } from "../../runner/result/progress.ts";
import { liveLines } from "../../report/render/terminal/live.ts";
import { advance, NOTHING_YET } from "../../report/render/terminal/progress.ts";
import { lineWidth, printed } from "../../report/writing/terminal.ts";
import { LIVE, STARTING } from "./progress_events.ts";

function agent(name: string, more: Partial<LiveAgent> = {}): LiveAgent {
  return { name, ratePerSec: 12_345.6, cpuRatio: 0.4, silentMs: 120, ...more };
}

function agents(count: number, prefix = "n"): LiveAgent[] {
  return Array.from({ length: count }, (_, i) => agent(`${prefix}${i + 1}`));
}

/** The lines of the fleet, and that of the generator before them. */
function view(fleet: readonly LiveAgent[], columns = 80): string[] {
  const state = [STARTING, { ...LIVE, agents: fleet }]
    .reduce((before, event) => advance(before, event, 0), NOTHING_YET);
  const lines = liveLines(state, { columns, rows: 40, unicode: true, nowMs: 0 });
  for (const line of lines) assert.ok(lineWidth(line) <= columns);
  const texts = lines.map((line) => printed(line, { color: false }).trimEnd());
  const at = (start: string): number =>
    texts.findIndex((text) => text.trimStart().startsWith(start));
  return texts.slice(at("Generator"), at("Latency of"));
}

Deno.test("each agent has its rate, and the busiest is named", () => {
  const busy = agent("c", { cpuRatio: 0.9, ratePerSec: 950 });
  assert.deepEqual(view([agent("a"), agent("b"), busy, agent("d")]), [
    "Generator   1 worker, 63 % CPU, up to 0.210 ms late",
    "Agents      a 12,346/s  b 12,346/s  c 950/s  d 12,346/s",
  ]);
  const workers = { ...LIVE.workers, count: 4 };
  const state = advance(NOTHING_YET, { ...LIVE, workers, agents: [agent("a"), busy] }, 0);
  const texts = liveLines(state, { columns: 80, rows: 40, unicode: true, nowMs: 0 })
    .map((line) => printed(line, { color: false }));
  assert.ok(texts.some((text) => /4 workers, busiest \(agent c\) 63.% CPU/.test(text)));
});

Deno.test("an agent that is not heard is marked in a word", () => {
  const [, line] = view([agent("a"), agent("b", { silentMs: 2_500 })]);
  assert.equal(line, "Agents      a 12,346/s  b silent");
});

Deno.test("what all names begin with goes first, and without room for each there is a summary", () => {
  const pods = ["x2x4z", "k8w1q", "m3m3m", "zz9zz", "abcde"].map((end) =>
    agent(`plateau-agent-6b9c7d-${end}`)
  );
  const each = "x2x4z 12,346/s  k8w1q 12,346/s  m3m3m 12,346/s  zz9zz 12,346/s  abcde 12,346/s";
  assert.deepEqual(view(pods, 100).slice(1), [`Agents      ${each}`]);
  assert.deepEqual(view(pods).slice(1), [
    "Agents      5 agents, slowest plateau-agent-6b9c7d-x2x4z 12,346/s",
  ]);
});

Deno.test("of more agents the slowest and the silent are told", () => {
  const fleet = [...agents(10), agent("slow", { ratePerSec: 900 })];
  assert.deepEqual(view(fleet).slice(1), ["Agents      11 agents, slowest slow 900/s"]);
  const gone = [...fleet, agent("x", { silentMs: 4_200 }), agent("y", { silentMs: 3_000 })];
  assert.deepEqual(view(gone).slice(1), [
    "Agents      13 agents, slowest slow 900/s, 2 silent (x for 4 s)",
  ]);
  const none = agents(9).map((one) => ({ ...one, silentMs: 9_000 }));
  assert.deepEqual(view(none).slice(1), ["Agents      9 agents, all silent"]);
});

Deno.test("without a fleet there is no line for it", () => {
  assert.equal(view([]).length, 1);
});
