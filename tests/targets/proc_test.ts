import assert from "node:assert/strict";
import {
  countOpenFiles,
  descendantsOf,
  parseChildren,
  parseStat,
  parseStatus,
  readStat,
  readThreads,
} from "../../base/system/processes.ts";
import { needing } from "../needs.ts";

const withLinux = needing("linux");

const REST =
  "4242 1 4242 4242 0 -1 4194304 5 0 0 0 123 45 600 700 20 5 11 0 98765 1000000 2500 18446744073709551615";

const STATS: [what: string, text: string, state: string][] = [
  ["a plain name", `4242 (node) S ${REST.slice(5)}`, "S"],
  ["a name with spaces", `4242 (tmux: server) R ${REST.slice(5)}`, "R"],
  ["a name with parentheses", `4242 (a) S (b) ) Z ${REST.slice(5)}`, "Z"],
  ["no name", `4242 () D ${REST.slice(5)}`, "D"],
];

for (const [what, text, state] of STATS) {
  Deno.test(`parseStat() reads state, CPU times, threads and start beside ${what}`, () => {
    assert.deepEqual(parseStat(text), {
      state,
      parent: 1,
      session: 4_242,
      userTicks: 123,
      systemTicks: 45,
      waitedUserTicks: 600,
      waitedSystemTicks: 700,
      nice: 5,
      threads: 11,
      startTicks: 98_765,
    });
  });
}

Deno.test("parseStatus() reads the resident set and the context switches, and 0 where there are none", () => {
  const status = "Name:\tnode\nVmPeak:\t  9000 kB\nVmRSS:\t   51200 kB\nRssAnon:\t 100 kB\n" +
    "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t7\n";
  assert.deepEqual(parseStatus(status), {
    memoryBytes: 52_428_800,
    voluntary: 150,
    involuntary: 7,
  });
  assert.deepEqual(parseStatus("Name:\tkthreadd\nState:\tS (sleeping)\n"), {
    memoryBytes: 0,
    voluntary: 0,
    involuntary: 0,
  });
});

Deno.test("parseChildren() reads none, one and many", () => {
  assert.deepEqual(["", "7 ", "7 8 900 "].map(parseChildren), [[], [7], [7, 8, 900]]);
});

withLinux.test("descendantsOf() sees children and grandchildren, and nothing once they have ended", async () => {
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
  assert.deepEqual([readStat(child.pid), readThreads(child.pid)], [null, []]);
  assert.equal(countOpenFiles(child.pid), 0);
});
