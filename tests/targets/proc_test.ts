import assert from "node:assert/strict";
import {
  descendantsOf,
  parseChildren,
  parseMemoryBytes,
  parseStat,
  readMemoryBytes,
  readStat,
} from "../../targets/launch/proc.ts";
import { testWith } from "../needs.ts";

const REST =
  "4242 1 4242 4242 0 -1 4194304 5 0 0 0 123 45 600 700 20 0 11 0 98765 1000000 2500 18446744073709551615";

const STATS: [what: string, text: string, state: string, cpuTicks: number][] = [
  ["a plain name", `4242 (node) S ${REST.slice(5)}`, "S", 168],
  ["a name with spaces", `4242 (tmux: server) R ${REST.slice(5)}`, "R", 168],
  ["a name with parentheses", `4242 (a) S (b) ) Z ${REST.slice(5)}`, "Z", 168],
  ["no name", `4242 () D ${REST.slice(5)}`, "D", 168],
];

for (const [what, text, state, cpuTicks] of STATS) {
  Deno.test(`parseStat() reads state and own CPU time, user and system, beside ${what}`, () => {
    assert.deepEqual(parseStat(text), { state, cpuTicks });
  });
}

Deno.test("parseMemoryBytes() reads the resident set, and 0 where there is none", () => {
  const status = "Name:\tnode\nVmPeak:\t  9000 kB\nVmRSS:\t   51200 kB\nRssAnon:\t 100 kB\n";
  assert.equal(parseMemoryBytes(status), 52_428_800);
  assert.equal(parseMemoryBytes("Name:\tkthreadd\nState:\tS (sleeping)\n"), 0);
});

Deno.test("parseChildren() reads none, one and many", () => {
  assert.deepEqual(["", "7 ", "7 8 900 "].map(parseChildren), [[], [7], [7, 8, 900]]);
});

testWith(
  ["linux"],
  "descendantsOf() sees children and grandchildren, and nothing once they have ended",
  async () => {
    const child = new Deno.Command("sh", {
      args: ["-c", "sleep 60 & echo up; wait"],
      stdout: "piped",
    }).spawn();
    const reader = child.stdout.getReader();
    await reader.read();
    const [grandchild, ...others] = descendantsOf(child.pid);
    assert.deepEqual(others, []);
    const ours = descendantsOf(Deno.pid);
    assert.ok(ours.includes(child.pid) && ours.includes(grandchild));
    for (const pid of [grandchild, child.pid]) Deno.kill(pid, "SIGKILL");
    await child.status;
    await reader.cancel();
    assert.deepEqual(descendantsOf(child.pid), []);
    assert.deepEqual([readStat(child.pid), readMemoryBytes(child.pid)], [null, 0]);
  },
);
